/** Makes one change to many products in one transaction. bulk-prices.ts changes their prices. */

import type { ProductBulkChange, ProductBulkResult, ProductStatus } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { indexProducts } from '../../search/index/index-products.ts';
import { deleteUnreserved, updateRow } from '../products/products.ts';
import { summarize } from '../products/write.ts';
import type { Shop } from '../shop.ts';
import { changePrices, type Outcome } from './bulk-prices.ts';
import * as collectionProducts from './collection-products.ts';

type Result = ProductBulkResult['results'][number];
type LockedProduct = RowOf<'products', 'id' | 'name' | 'tags' | 'status' | 'published_at'>;

interface Request {
  product_ids: string[];
  change: ProductBulkChange;
  dry_run?: boolean;
}

const UNKNOWN: Outcome = { status: 'failed', reason: 'not_found', message: 'There is no such product.' };

/**
 * Makes the same change to each product, by the rules for a single product. A product that cannot be changed does not
 * stop the others. Locks a collection first, then the products and their variants in order of ids, as imports and sales
 * do. Throws the errors of the collection: `not_found`, `collection_not_manual` and `limit_reached`.
 */
export async function bulkUpdate(
  shop: Shop,
  { product_ids, change, dry_run = false }: Request,
): Promise<ProductBulkResult> {
  const ids = [...new Set(product_ids.map((id) => id.toLowerCase()))];
  const collection_id = change.add_to_collection ?? change.remove_from_collection;
  const members = collection_id ? await collectionProducts.lockMembers(shop, collection_id, ids) : [];
  const products = await lock(shop, ids);
  const outcomes = await outcomesOf(shop, products, change, new Set(members), dry_run);
  const named = new Map(products.map((product) => [product.id, product.name]));
  const results = ids.map((product_id): Result => {
    const outcome = outcomes.get(product_id) ?? UNKNOWN;
    const blank = { price_before: null, price_after: null, reason: null, message: null };
    return { product_id, name: named.get(product_id) ?? null, ...blank, ...outcome };
  });
  const count = (status: Result['status']) => results.filter((result) => result.status === status).length;
  const counts = { changed: count('changed'), unchanged: count('unchanged'), failed: count('failed') };
  return { dry_run, counts, results };
}

function lock(shop: Shop, ids: string[]): Promise<LockedProduct[]> {
  return shop.rows<LockedProduct>(
    sql`select id, name, tags, status, published_at from products
      where site_id = ${shop.siteId} and id = any(${ids}::uuid[]) order by id for update`,
  );
}

async function outcomesOf(
  shop: Shop,
  products: LockedProduct[],
  change: ProductBulkChange,
  members: Set<string>,
  dry_run: boolean,
): Promise<Map<string, Outcome>> {
  const { status, price_percent, price_amount, add_tags, remove_tags, add_to_collection, remove_from_collection } =
    change;
  if (price_percent !== undefined) return changePrices(shop, products, { percent: price_percent }, dry_run);
  if (price_amount !== undefined) return changePrices(shop, products, { amount: price_amount }, dry_run);
  if (status) return changeStatus(shop, products, status, dry_run);
  if (add_tags) return changeTags(shop, products, (tags) => [...tags, ...missing(add_tags, tags)], dry_run);
  if (remove_tags)
    return changeTags(shop, products, (tags) => tags.filter((tag) => !remove_tags.includes(tag)), dry_run);
  if (change.delete) return removeAll(shop, products, dry_run);
  const wanted = products
    .map(({ id }) => id)
    .filter((id) => members.has(id) === (remove_from_collection !== undefined));
  if (!dry_run && wanted.length > 0) {
    if (add_to_collection) await collectionProducts.add(shop, add_to_collection, wanted);
    if (remove_from_collection) await collectionProducts.removeSeveral(shop, remove_from_collection, wanted);
  }
  return outcomes(products, new Set(wanted));
}

function outcomes(products: LockedProduct[], changed: Set<string>): Map<string, Outcome> {
  return new Map(products.map(({ id }) => [id, { status: changed.has(id) ? 'changed' : 'unchanged' }]));
}

async function changeStatus(shop: Shop, products: LockedProduct[], status: ProductStatus, dry_run: boolean) {
  const changed = products.filter(
    (product) => product.status !== status || (status === 'active' && product.published_at === null),
  );
  if (!dry_run) await writeAll(shop, changed, () => ({ status }));
  return outcomes(products, new Set(changed.map(({ id }) => id)));
}

const MOST_TAGS = 250;

async function changeTags(
  shop: Shop,
  products: LockedProduct[],
  tagsFrom: (tags: string[]) => string[],
  dry_run: boolean,
): Promise<Map<string, Outcome>> {
  const wanted = new Map(products.map(({ id, tags }) => [id, tagsFrom(tags)]));
  const differing = products.filter(({ id, tags }) => wanted.get(id)?.length !== tags.length);
  const excessive = differing.filter(({ id }) => (wanted.get(id)?.length ?? 0) > MOST_TAGS);
  const changed = differing.filter((product) => !excessive.includes(product));
  if (!dry_run) await writeAll(shop, changed, ({ id }) => ({ tags: wanted.get(id) }));
  const found = outcomes(products, new Set(changed.map(({ id }) => id)));
  const message = `A product can have at most ${MOST_TAGS} tags.`;
  for (const { id } of excessive) found.set(id, { status: 'failed', reason: 'too_many_tags', message });
  return found;
}

/** The given tags that a product does not have yet. */
function missing(given: string[], tags: string[]): string[] {
  return [...new Set(given)].filter((tag) => !tags.includes(tag));
}

/** Writes the fields of each product as the update of a single product does, and indexes all of them together. */
async function writeAll(
  shop: Shop,
  products: LockedProduct[],
  patchOf: (product: LockedProduct) => Parameters<typeof updateRow>[2],
): Promise<void> {
  if (products.length === 0) return;
  for (const product of products) await updateRow(shop, product.id, patchOf(product));
  const ids = products.map(({ id }) => id);
  await summarize(shop, ...ids);
  await indexProducts(shop, ids);
}

async function removeAll(shop: Shop, products: LockedProduct[], dry_run: boolean): Promise<Map<string, Outcome>> {
  const ids = products.map(({ id }) => id);
  const reserved = await deleteUnreserved(shop, ids, dry_run);
  const message = 'An open checkout has reserved stock of this product. Archive it, or retry later.';
  return new Map(
    ids.map((id) => [
      id,
      reserved.has(id) ? { status: 'failed', reason: 'stock_reserved', message } : { status: 'changed' },
    ]),
  );
}
