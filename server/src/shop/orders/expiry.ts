import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { isUnreachable } from '../../db/transaction.ts';
import { inShop } from '../in-shop.ts';
import * as mail from '../mail.ts';
import { type Shop, SYSTEM, type Tenant } from '../shop.ts';
import * as orders from './orders.ts';
import { current, isOverdue } from './overdue.ts';
import { leftToPay } from './received.ts';
import { changesBetween } from './states.ts';
import * as events from './timeline.ts';

/** Expiring this many orders takes about 5 s, and the job visits all shops every minute. */
const EXPIRED_AT_ONCE = 1_000;
const REMINDED_AT_ONCE = 100;

/**
 * Expires orders past their payment deadline, at most 1,000 per call, and releases their stock and discount codes.
 * Returns their number. Each order has its own transaction, so a failing order does not stop the others; the first
 * error is thrown at the end.
 */
export async function expireUnpaid(db: Pool, tenant: Tenant): Promise<number> {
  const due = await inShop(db, tenant, SYSTEM, overdue);
  let expired = 0;
  const failures: unknown[] = [];
  for (const id of due) {
    try {
      if (await inShop(db, tenant, SYSTEM, (shop) => expireIfDue(shop, id))) expired += 1;
    } catch (error) {
      if (isUnreachable(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return expired;
}

async function overdue(shop: Shop): Promise<string[]> {
  const rows = await shop.rows<RowOf<'orders', 'id'>>(
    sql`select o.id from orders o where o.site_id = ${shop.siteId} and ${isOverdue}
      order by o.payment_due_at limit ${EXPIRED_AT_ONCE}`,
  );
  return rows.map(({ id }) => id);
}

/** Expires an order if it is past its payment deadline. Returns whether it expired the order. */
export async function expireIfDue(shop: Shop, id: string): Promise<boolean> {
  const order = await orders.lockOrder(shop, id);
  if (!order.overdue) return false;
  await shop.run(
    sql`update orders o set status = ${current.status}, payment_status = ${current.payment_status},
        cancel_reason = ${current.cancel_reason}, cancelled_at = ${current.cancelled_at}, updated_at = ${current.updated_at}
      where o.site_id = ${shop.siteId} and o.id = ${id}`,
  );
  await orders.giveBack(shop, order, true);
  const message = 'The bank transfer did not arrive in time.';
  const { status, payment_status } = order;
  const context = changesBetween({ ...order, ...AWAITING }, { payment_status, status });
  await events.record(shop, id, { type: 'payment_expired', message, context });
  await mail.enqueue(shop, 'order_cancelled', { order_id: id });
  return true;
}

/** The states that an order keeps in the database until its expiry is recorded. */
const AWAITING = { status: 'pending', payment_status: 'awaiting_payment' } as const;

type Reminded = RowOf<'orders', 'id' | 'payment_terms_days'> & { is_due: boolean };

const isToRemind: Sql = sql`o.payment_reminded_at is null and o.payment_reminder_at <= now()`;

/** The conditions on orders whose reminder is due. Each matches an index: orders_to_remind and invoices_to_remind. */
const TO_REMIND = [
  sql`${isToRemind} and o.payment_status = 'awaiting_payment' and o.payment_due_at > now()`,
  sql`${isToRemind} and o.payment_terms_days is not null and o.payment_status = 'pending' and o.status <> 'cancelled'`,
];

/**
 * Reminds customers once of an unpaid bank transfer, halfway to the deadline, and once of an overdue invoice. Sends no
 * reminder if nothing is due. Sends at most 100 of each per call, and returns the number.
 */
export function remindUnpaid(db: Pool, tenant: Tenant): Promise<number> {
  return inShop(db, tenant, SYSTEM, async (shop) => {
    const checked: Reminded[] = [];
    for (const condition of TO_REMIND) {
      checked.push(
        ...(await shop.rows<Reminded>(
          sql`update orders o set payment_reminded_at = now()
            where o.site_id = ${shop.siteId} and o.id in (
              select o.id from orders o where o.site_id = ${shop.siteId} and ${condition}
              order by o.id limit ${REMINDED_AT_ONCE} for update skip locked)
            returning o.id, o.payment_terms_days, ${leftToPay} > 0 as is_due`,
        )),
      );
    }
    const due = checked.filter(({ is_due }) => is_due);
    for (const { id, payment_terms_days } of due) {
      await mail.enqueue(shop, 'payment_reminder', { order_id: id });
      const what = payment_terms_days === null ? 'bank transfer' : 'invoice';
      const message = `The customer was reminded of the ${what}.`;
      await events.record(shop, id, { type: 'payment_reminded', message });
    }
    return due.length;
  });
}
