import type { Schemas } from '@commerce-backend/sdk';
import Link from 'next/link';
import { type Language, money, say } from '../lib/words.ts';

export function Products({ products, language }: { products: readonly Schemas['Product'][]; language: Language }) {
  return (
    <ul className="cards">
      {products.map(({ id, slug, name, images, price, currency, variants, in_stock }) => {
        const text = money(language, price, currency);
        const differ = new Set(variants.map((variant) => variant.price)).size > 1;
        const [image] = images;
        return (
          <li key={id}>
            <Link href={`/${language}/products/${slug}`}>
              {image ? (
                <img
                  src={image.url}
                  srcSet={image.sources?.map((source) => `${source.url} ${source.width}w`).join(', ') || undefined}
                  sizes="(max-width: 600px) 45vw, 20rem"
                  alt=""
                  width={image.width ?? 800}
                  height={image.height ?? 800}
                  loading="lazy"
                />
              ) : (
                <span className="no-picture" />
              )}
              <h3>{name}</h3>
            </Link>
            <p className="price">{differ ? say(language, 'from_price', { price: text }) : text}</p>
            {!in_stock && <p className="quiet">{say(language, 'sold_out')}</p>}
          </li>
        );
      })}
    </ul>
  );
}
