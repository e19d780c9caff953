import { unwrap } from '@commerce-backend/sdk';
import { shopperClient } from '../lib/shop.ts';
import { type Language, say } from '../lib/words.ts';
import { Products } from './products.tsx';

export type Query = Record<string, string | string[] | undefined>;

const PER_PAGE = 12;

function first(value: string | string[] | undefined): string | undefined {
  return (Array.isArray(value) ? value[0] : value) || undefined;
}

interface ListingProps {
  language: Language;
  title: string;
  query: Query;
  collection?: string;
}

/** A list of products with a filter by price and stock. The filters are in the URL. */
export async function Listing({ language, title, query, collection }: ListingProps) {
  const [q, price_min, price_max, in_stock] = ['q', 'price_min', 'price_max', 'in_stock'].map((name) =>
    first(query[name]),
  );
  const shop = await shopperClient();
  const list = await unwrap(
    shop.GET('/api/storefront/products', {
      params: {
        query: {
          ...{ q, price_min, price_max, collection, in_stock: in_stock ? true : undefined },
          ...{ facets: true, limit: PER_PAGE, page: Number(first(query.page)) || 1 },
        },
      },
    }),
  );
  const { products, total, page, pages, facets } = list;
  const pageLink = (to: number) => {
    const kept = { q, price_min, price_max, in_stock, page: String(to) };
    return `?${new URLSearchParams(Object.entries(kept).flatMap(([name, value]) => (value ? [[name, value]] : [])))}`;
  };
  const t = (key: Parameters<typeof say>[1], values?: Parameters<typeof say>[2]) => say(language, key, values);
  return (
    <>
      <h1>{title}</h1>
      <form className="filters" aria-label={t('price')}>
        {q && <input type="hidden" name="q" value={q} />}
        <label>
          {t('price_from')}{' '}
          <input name="price_min" inputMode="decimal" defaultValue={price_min} placeholder={facets?.price?.min} />
        </label>
        <label>
          {t('price_to')}{' '}
          <input name="price_max" inputMode="decimal" defaultValue={price_max} placeholder={facets?.price?.max} />
        </label>
        <label>
          <input type="checkbox" name="in_stock" value="yes" defaultChecked={in_stock !== undefined} /> {t('in_stock')}
        </label>
        <button type="submit">{t('apply')}</button>
      </form>
      <p className="quiet" role="status">
        {total === 0 ? t('nothing') : t('results', { count: total })}
      </p>
      <Products products={products} language={language} />
      {pages > 1 && (
        <nav className="paging" aria-label={t('page_of', { page, pages })}>
          {page > 1 && <a href={pageLink(page - 1)}>{t('previous')}</a>}
          <span>{t('page_of', { page, pages })}</span>
          {page < pages && <a href={pageLink(page + 1)}>{t('next')}</a>}
        </nav>
      )}
    </>
  );
}
