import { unwrap } from '@commerce-backend/sdk';
import Link from 'next/link';
import { Products } from '../../components/products.tsx';
import { languageOf } from '../../lib/language.ts';
import { shopperClient } from '../../lib/shop.ts';
import { say } from '../../lib/words.ts';

export default async function Home({ params }: { params: Promise<{ lang: string }> }) {
  const language = await languageOf(params);
  const shop = await shopperClient();
  const query = { sort: 'newest', limit: 8, in_stock: true } as const;
  const { products } = await unwrap(shop.GET('/api/storefront/products', { params: { query } }));
  return (
    <>
      <section className="hero">
        <h1>{say(language, 'hero_title')}</h1>
        <p>{say(language, 'hero_text')}</p>
        <Link className="button" href={`/${language}/search`}>
          {say(language, 'see_all')}
        </Link>
      </section>
      <h2>{say(language, 'newest')}</h2>
      <Products products={products} language={language} />
    </>
  );
}
