import type { Product, Understood } from '@commerce-backend/spec';
import { parseQuery } from '../../search/query/parse.ts';
import { type FilterQuery, readFilters } from '../catalog/filters.ts';
import type { Shop, Tenant } from '../shop.ts';
import { readingOf } from './filters.ts';
import { findProposals } from './find.ts';

/** How a UCP search reports unmet conditions, as the search of agents does. */

/** The price limits that the background of a request states, in the shop's currency. */
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

/**
 * The response to a search if no product meets all of its words: the nearest products, with the unmet words, instead of
 * a page of the list. Undefined if a product meets all words.
 */
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
