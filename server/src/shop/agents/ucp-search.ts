import type { Product, Understood } from '@commerce-backend/spec';
import { parseQuery } from '../../search/query/parse.ts';
import { type FilterQuery, readFilters } from '../catalog/filters.ts';
import type { Shop, Tenant } from '../shop.ts';
import { readingOf } from './filters.ts';
import { findProposals } from './find.ts';

/** The price limits in the `intent` of a UCP request, in the shop's currency. */
export function priceOfIntent({ currency, currency_digits }: Tenant, intent = ''): FilterQuery {
  const prices = parseQuery(intent.slice(0, 500)).constraints.filter(
    (each) => each.kind === 'price' && (each.currency ?? currency) === currency,
  );
  const [price] = prices;
  return {
    ...(price?.min !== undefined && { price_min: price.min.toFixed(currency_digits) }),
    ...(price?.max !== undefined && { price_max: price.max.toFixed(currency_digits) }),
  };
}

/** Returns the nearest products with the unmet words and limits; undefined if every word and limit is met. */
export async function findInstead(
  shop: Shop,
  q: string,
  query: FilterQuery,
  limit: number,
): Promise<{ products: Product[]; understood: Understood[] } | undefined> {
  const filters = await readFilters(shop, query, readingOf(shop, 'query'));
  const { understood, proposals } = await findProposals(shop, q, limit, { filters });
  const unmet = understood.filter(({ fate }) => fate !== 'applied');
  const products = [...new Map(proposals.map(({ product }) => [product.id, product])).values()];
  return unmet.length > 0 ? { products, understood: unmet } : undefined;
}
