import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';

/** Locks a product, so that changes of its parts run one after another. Throws `not_found`. */
export async function lockProduct(shop: Shop, id: string): Promise<{ track_inventory: boolean; price: string }> {
  const product = await shop.one<RowOf<'products', 'track_inventory' | 'price'>>(
    sql`select track_inventory, price from products where site_id = ${shop.siteId} and id = ${id} for update`,
  );
  if (!product) throw notFound('product');
  return product;
}

/** Throws `limit_reached` if the product has the maximum number of parts. */
export function refuseBeyond(count: number, limit: number, parts: string): void {
  if (count >= limit) throw new ShopError('limit_reached', `A product can have at most ${limit} ${parts}.`, { limit });
}

/** Moves an id to a position, counted from 1. A position past the end moves it to the end. */
export function moveTo(ids: string[], id: string, position: number): string[] {
  const others = ids.filter((other) => other !== id);
  return [...others.slice(0, position - 1), id, ...others.slice(position - 1)];
}
