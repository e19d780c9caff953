import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Shop } from '../shop.ts';
import * as redemptions from './redemptions.ts';

const AT_ONCE = 500;

/**
 * Expires carts and releases the discount codes of abandoned carts, at most 500 of each per call. Returns both numbers.
 * Skips locked carts, which the next call finds.
 */
export async function expireDue(shop: Shop): Promise<{ carts: number; codes: number }> {
  const carts = await expire(shop, sql`true`);
  const idle = await shop.rows<RowOf<'carts', 'id'>>(
    sql`select c.id from carts c where c.site_id = ${shop.siteId} and ${holdsIdleCode} limit ${AT_ONCE}
      for update of c skip locked`,
  );
  // A cart may have changed between the read and its lock.
  const still = await shop.rows<RowOf<'carts', 'id'>>(
    sql`select c.id from carts c
      where c.site_id = ${shop.siteId} and c.id = any(${idle.map(({ id }) => id)}::uuid[]) and ${holdsIdleCode}`,
  );
  const ids = still.map(({ id }) => id);
  if (ids.length > 0) await redemptions.releaseAll(shop, ids);
  return { carts, codes: ids.length };
}

/**
 * Whether the reservation of the discount code of `carts c` has ended. A cart with an open checkout keeps its code,
 * because the total was already shown.
 */
const holdsIdleCode: Sql = sql`exists (
    select from discount_redemptions r where r.site_id = c.site_id and r.cart_id = c.id
      and r.status = 'reserved' and r.expires_at <= now())
  and not exists (
    select from checkouts k where k.site_id = c.site_id and k.cart_id = c.id
      and k.status in ('open', 'ready', 'requires_escalation') and (k.expires_at > now() or k.payment_id is not null))`;

/** Ends a locked cart and releases its discount code. */
export async function end(shop: Shop, id: string): Promise<void> {
  await redemptions.releaseAll(shop, [id]);
  await shop.run(
    sql`update carts set status = 'expired', updated_at = now() where site_id = ${shop.siteId} and id = ${id}`,
  );
}

export async function expire(shop: Shop, which: Sql): Promise<number> {
  const expired = await shop.rows<RowOf<'carts', 'id'>>(
    sql`update carts set status = 'expired', updated_at = now()
      where site_id = ${shop.siteId} and id in (
        select c.id from carts c
        where c.site_id = ${shop.siteId} and c.status = 'active' and c.expires_at <= now() and c.payment_id is null and ${which}
        limit ${AT_ONCE} for update skip locked)
      returning id`,
  );
  if (expired.length > 0) {
    await redemptions.releaseAll(
      shop,
      expired.map(({ id }) => id),
    );
  }
  return expired.length;
}
