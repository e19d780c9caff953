import { unwrap } from '@commerce-backend/sdk';
import type { Metadata } from 'next';
import Link from 'next/link';
import { type ReactNode, Suspense } from 'react';
import { CartDrawer } from '../../components/cart.tsx';
import { SearchBox } from '../../components/search-box.tsx';
import { InLanguage } from '../../components/words.tsx';
import { languageOf } from '../../lib/language.ts';
import { currentCart, shopFacts, shopperClient } from '../../lib/shop.ts';
import { LANGUAGES, say } from '../../lib/words.ts';
import './style.css';

interface LayoutProps {
  params: Promise<{ lang: string }>;
  children: ReactNode;
}

export async function generateMetadata(): Promise<Metadata> {
  const { name } = await shopFacts();
  return { title: { default: name, template: `%s · ${name}` } };
}

export default async function Layout({ params, children }: LayoutProps) {
  const language = await languageOf(params);
  const shop = await shopperClient();
  const [{ name }, { collections }, cart] = await Promise.all([
    shopFacts(),
    unwrap(shop.GET('/api/storefront/collections', { params: { query: { limit: 6 } } })),
    currentCart(),
  ]);
  return (
    <html lang={language}>
      <body>
        <InLanguage language={language}>
          <a className="skip" href="#main">
            {say(language, 'skip')}
          </a>
          <header className="site-header">
            <Link className="wordmark" href={`/${language}`}>
              {name}
            </Link>
            <Suspense>
              <SearchBox />
            </Suspense>
            <CartDrawer cart={cart} />
            <nav aria-label={say(language, 'menu')}>
              <ul className="menu">
                {collections.map(({ handle, title }) => (
                  <li key={handle}>
                    <Link href={`/${language}/collections/${handle}`}>{title}</Link>
                  </li>
                ))}
              </ul>
            </nav>
          </header>
          <main id="main" tabIndex={-1}>
            {children}
          </main>
          <footer className="site-footer">
            <nav aria-label={say(language, 'language')}>
              <ul className="menu">
                {Object.entries(LANGUAGES).map(([code, text]) => (
                  <li key={code}>
                    <a href={`/${code}`} lang={code} hrefLang={code} aria-current={code === language || undefined}>
                      {text}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
          </footer>
        </InLanguage>
      </body>
    </html>
  );
}
