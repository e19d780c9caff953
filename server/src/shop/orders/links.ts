/**
 * Links to orders for people without an account. Each mail and the confirmation page have their own link, and the
 * database stores only hashes. A link expires 90 days after the last change of the order's state, or when the customer
 * is erased.
 */

import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Shop } from '../shop.ts';
import { hashToken, isWellFormed, mintToken } from '../tokens.ts';

/** Creates a link to an order. Returns its token, or undefined if the order's customer was erased. */
export async function mintLink(shop: Shop, order_id: string): Promise<string | undefined> {
  const token = mintToken('order');
  return (await keepLink(shop, order_id, token)) ? token : undefined;
}

/**
 * Stores a link to an order, unless it exists or the order's customer was erased. Returns whether it stored the link.
 * Waits for a concurrent erasure.
 */
export async function keepLink(shop: Shop, order_id: string, token: string): Promise<boolean> {
  const made = await shop.run(
    sql`insert into order_links (site_id, token_hash, order_id)
      select o.site_id, ${hashToken(token)}, o.id from orders o
      where o.site_id = ${shop.siteId} and o.id = ${order_id} and o.email is not null for key share
      on conflict (site_id, token_hash) do nothing`,
  );
  return made === 1;
}

export interface LinkedOrder {
  order_id: string;
  locale: string;
  ended: boolean;
}

/** Finds the order of a link in this shop; undefined for an unknown link. */
export async function followLink(shop: Shop, token: string): Promise<LinkedOrder | undefined> {
  if (!isWellFormed('order', token)) return undefined;
  return shop.one<LinkedOrder>(
    sql`select o.id as order_id, o.locale,
        coalesce((
          select max(e.created_at) from order_events e
          where e.site_id = o.site_id and e.order_id = o.id and e.type not in ('updated', 'payment_reminded', 'customer_attached')
        ), o.created_at) <= now() - interval '90 days' as ended
      from order_links l join orders o on o.site_id = l.site_id and o.id = l.order_id
      where l.site_id = ${shop.siteId} and l.token_hash = ${hashToken(token)} and o.email is not null`,
  );
}

/**
 * Ends the links to all orders of a customer. Locks the orders, so that no mail creates another link before the
 * transaction ends.
 */
export function endLinksOfCustomer(shop: Shop, customer_id: string): Promise<void> {
  return endLinks(shop, sql`customer_id = ${customer_id}`);
}

/**
 * Ends the links to guest orders with this e-mail address. Locks the orders, so that no mail creates another link
 * before the transaction ends.
 */
export function endLinksOfGuest(shop: Shop, email: string): Promise<void> {
  return endLinks(shop, sql`customer_id is null and lower(email) = lower(${email})`);
}

async function endLinks(shop: Shop, which: Sql): Promise<void> {
  const orders = await shop.rows<RowOf<'orders', 'id'>>(
    sql`select id from orders where site_id = ${shop.siteId} and ${which} order by id for update`,
  );
  await shop.run(
    sql`delete from order_links
      where site_id = ${shop.siteId} and order_id = any(${orders.map(({ id }) => id)}::uuid[])`,
  );
}
