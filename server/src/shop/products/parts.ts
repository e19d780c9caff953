import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';

/** What the parts of a product (options, variants, images) have in common. */

/** Makes changes of one product's parts wait for each other. Throws `not_found`. */
export async function lockProduct(shop: Shop, id: string): Promise<{ track_inventory: boolean; price: string }> {
  const product = await shop.one<RowOf<'products', 'track_inventory' | 'price'>>(
    sql`select track_inventory, price from products where site_id = ${shop.siteId} and id = ${id} for update`,
  );
  if (!product) throw notFound('product');
  return product;
}

/** Refuses another part when there are as many as there may be. */
export function refuseBeyond(count: number, limit: number, parts: string): void {
  if (count >= limit) throw new ShopError('limit_reached', `A product has ${limit} ${parts} at most.`, { limit });
}

/** Puts one id at a place from 1 on in an order of ids; a place past the end is the end. */
export function moveTo(ids: string[], id: string, position: number): string[] {
  const others = ids.filter((other) => other !== id);
  return [...others.slice(0, position - 1), id, ...others.slice(position - 1)];
}
