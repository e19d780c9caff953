/**
 * Products of manual collections. Each change locks its collection first, so concurrent changes run one after another.
 * A change throws `not_found` for an unknown collection, and `collection_not_manual`.
 */

import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';

const MAX_PRODUCTS = 10_000;

/**
 * Appends products to a manual collection. Products already in the collection keep their position. Throws `not_found`
 * for unknown products, or `limit_reached`.
 */
export async function add(shop: Shop, collection_id: string, product_ids: string[]): Promise<void> {
  await lockManual(shop, collection_id);
  const ids = distinct(product_ids);
  // The lock keeps each product from being deleted before the collection refers to it.
  const found = await shop.rows(
    sql`select id from products where site_id = ${shop.siteId} and id = any(${ids}::uuid[]) order by id for key share`,
  );
  if (found.length < ids.length) throw notFound('product');
  await shop.run(
    sql`insert into collection_products (site_id, collection_id, product_id, position)
      select ${shop.siteId}, ${collection_id}, given.id, last.position + given.place
      from unnest(${ids}::uuid[]) with ordinality as given (id, place), (
        select coalesce(max(position), 0) as position from collection_products
        where site_id = ${shop.siteId} and collection_id = ${collection_id}
      ) as last
      on conflict do nothing`,
  );
  const members = await membersOf(shop, collection_id);
  if (members.length > MAX_PRODUCTS) {
    throw new ShopError('limit_reached', `A collection can have at most ${MAX_PRODUCTS} products.`, {
      limit: MAX_PRODUCTS,
    });
  }
  await markCollectionUpdated(shop, collection_id);
}

/** Removes a product from a manual collection. Throws `not_found` if it is not a member. */
export async function remove(shop: Shop, collection_id: string, product_id: string): Promise<void> {
  await lockManual(shop, collection_id);
  const removed = await shop.run(
    sql`delete from collection_products
      where site_id = ${shop.siteId} and collection_id = ${collection_id} and product_id = ${product_id}`,
  );
  if (removed === 0) throw notFound('product');
  await markCollectionUpdated(shop, collection_id);
}

/**
 * Locks a manual collection, and returns the given products that are in it, so that the caller can change several.
 * Throws `not_found`.
 */
export async function lockMembers(shop: Shop, collection_id: string, product_ids: string[]): Promise<string[]> {
  await lockManual(shop, collection_id);
  const rows = await shop.rows<RowOf<'collection_products', 'product_id'>>(
    sql`select product_id from collection_products where site_id = ${shop.siteId} and collection_id = ${collection_id}
      and product_id = any(${product_ids}::uuid[])`,
  );
  return rows.map(({ product_id }) => product_id);
}

/** Removes products from a manual collection. Ignores products that are not in it. Throws `not_found`. */
export async function removeSeveral(shop: Shop, collection_id: string, product_ids: string[]): Promise<void> {
  await lockManual(shop, collection_id);
  await shop.run(
    sql`delete from collection_products
      where site_id = ${shop.siteId} and collection_id = ${collection_id} and product_id = any(${product_ids}::uuid[])`,
  );
  await markCollectionUpdated(shop, collection_id);
}

/** Reorders a manual collection. Throws `conflict` unless the ids are exactly the ids of its products. */
export async function reorder(shop: Shop, collection_id: string, product_ids: string[]): Promise<void> {
  await lockManual(shop, collection_id);
  const ids = distinct(product_ids);
  const members = await membersOf(shop, collection_id);
  const missing = without(members, ids);
  const unknown = without(ids, members);
  if (missing.length > 0 || unknown.length > 0) {
    const message = 'Send each product of the collection exactly once. Read the collection again and retry.';
    throw new ShopError('conflict', message, { missing, unknown });
  }
  await shop.run(
    sql`update collection_products c set position = wanted.place
      from unnest(${ids}::uuid[]) with ordinality as wanted (id, place)
      where c.site_id = ${shop.siteId} and c.collection_id = ${collection_id} and c.product_id = wanted.id
        and c.position <> wanted.place`,
  );
  await markCollectionUpdated(shop, collection_id);
}

async function lockManual(shop: Shop, id: string): Promise<void> {
  const collection = await shop.one<RowOf<'collections', 'type'>>(
    sql`select type from collections where site_id = ${shop.siteId} and id = ${id} for update`,
  );
  if (!collection) throw notFound('collection');
  if (collection.type !== 'manual') {
    throw new ShopError(
      'collection_not_manual',
      'The products of an automatic collection are determined by its rules.',
    );
  }
}

async function membersOf(shop: Shop, collection_id: string): Promise<string[]> {
  const rows = await shop.rows<RowOf<'collection_products', 'product_id'>>(
    sql`select product_id from collection_products
      where site_id = ${shop.siteId} and collection_id = ${collection_id} order by position, product_id`,
  );
  return rows.map(({ product_id }) => product_id);
}

async function markCollectionUpdated(shop: Shop, id: string): Promise<void> {
  await shop.run(sql`update collections set updated_at = now() where site_id = ${shop.siteId} and id = ${id}`);
}

/** Converts UUIDs to lower case, as PostgreSQL prints them, and removes duplicates. */
function distinct(ids: string[]): string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

function without(ids: string[], others: string[]): string[] {
  const excluded = new Set(others);
  return ids.filter((id) => !excluded.has(id));
}
