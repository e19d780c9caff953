import type { Pool } from 'pg';
import sql, { empty } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { inShop } from '../in-shop.ts';
import * as mail from '../mail.ts';
import { type Shop, SYSTEM, type Tenant } from '../shop.ts';
import * as orders from './orders.ts';
import { changesBetween, type OrderStates } from './states.ts';
import * as events from './timeline.ts';

/** How orders that wait for a bank transfer expire. */

const AT_ONCE = 100;

/**
 * Expires and cancels orders whose payment deadline has passed, at most 100 of them in one call, or only the one given. Stock
 * and codes are given back. Each is done in a transaction of its own, and only once whoever tries. Returns how many there were.
 */
export async function expireUnpaid(db: Pool, tenant: Tenant, only?: string): Promise<number> {
  const due = await inShop(db, tenant, SYSTEM, (shop) => overdue(shop, only));
  let expired = 0;
  for (const id of due) {
    if (await inShop(db, tenant, SYSTEM, (shop) => expireIfDue(shop, id))) expired += 1;
  }
  return expired;
}

async function overdue(shop: Shop, only: string | undefined): Promise<string[]> {
  const rows = await shop.rows<RowOf<'orders', 'id'>>(
    sql`select id from orders
      where site_id = ${shop.siteId} and payment_status = 'awaiting_payment' and payment_due_at <= now()
        ${only === undefined ? empty : sql`and id = ${only}`}
      order by payment_due_at limit ${AT_ONCE}`,
  );
  return rows.map(({ id }) => id);
}

/** Expires and cancels an order if its deadline has passed, in the transaction and the name of the caller. */
export async function expireIfDue(shop: Shop, id: string): Promise<boolean> {
  const order = await orders.lockOrder(shop, id);
  if (!order.overdue) return false;
  const after: Partial<OrderStates> = { payment_status: 'expired', status: 'cancelled' };
  await orders.end(shop, order, after, { reason: 'payment_expired', restock: true });
  const message = 'The bank transfer did not arrive in time.';
  await events.record(shop, id, { type: 'payment_expired', message, context: changesBetween(order, after) });
  await mail.enqueue(shop, 'order_cancelled', { order_id: id });
  return true;
}

/** Reminds customers of bank transfers at half time, once each; at most 100 in one call. Returns how many there were. */
export function remindUnpaid(db: Pool, tenant: Tenant): Promise<number> {
  return inShop(db, tenant, SYSTEM, async (shop) => {
    const due = await shop.rows<RowOf<'orders', 'id'>>(
      sql`update orders set payment_reminded_at = now()
        where site_id = ${shop.siteId} and id in (
          select id from orders
          where site_id = ${shop.siteId} and payment_status = 'awaiting_payment' and payment_reminded_at is null
            and payment_reminder_at <= now() and payment_due_at > now()
          order by id limit ${AT_ONCE} for update skip locked)
        returning id`,
    );
    for (const { id } of due) {
      await mail.enqueue(shop, 'payment_reminder', { order_id: id });
      const message = 'The customer was reminded of the bank transfer.';
      await events.record(shop, id, { type: 'payment_reminded', message });
    }
    return due.length;
  });
}
