/** A statement run is the set of orders marked as paid from one bank statement. It can be undone as a whole. */

import type { StatementRun } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { jsonObject, selectList } from '../../db/fields.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import * as events from './timeline.ts';

const MOST_RUNS = 50;
const MOST_NAMED = 100;

/**
 * Whether the order has not changed since it was marked as paid, and has no invoice. Payments in parts and edits of
 * paid orders set `captured`.
 */
const undoable = sql`(o.payment_status = 'paid' and o.status = 'confirmed' and o.fulfillment_status = 'unfulfilled'
  and o.refunds_begun = 0 and o.captured is null
  and not exists (select from documents d where d.site_id = o.site_id and d.order_id = o.id))`;

const order = jsonObject<StatementRun['orders'][number]>({
  id: sql`o.id`,
  order_number: sql`o.order_number`,
  total: sql`o.total::text`,
  currency: sql`o.currency`,
  undoable: undoable,
});

const columns = selectList<StatementRun>({
  id: sql`o.statement_run_id`,
  marked_at: sql`max(o.payment_confirmed_at)`,
  undoable: sql`bool_and(${undoable})`,
  orders: sql`json_agg(${order} order by o.id)`,
});

export function list(shop: Shop): Promise<StatementRun[]> {
  return shop.rows<StatementRun>(
    sql`select ${columns} from orders o where o.site_id = ${shop.siteId} and o.statement_run_id is not null
      group by o.statement_run_id order by marked_at desc, id limit ${MOST_RUNS}`,
  );
}

interface OrderOfRun {
  id: string;
  order_number: string;
}

/**
 * Makes all orders of a statement run await payment again, or none. Throws `not_found` or `statement_run_not_undoable`.
 */
export async function undo(
  shop: Shop,
  run_id: string,
): Promise<{ orders: (OrderOfRun & { payment_due_at: string })[] }> {
  const ofRun = sql`orders o where o.site_id = ${shop.siteId} and o.statement_run_id = ${run_id} order by o.id`;
  // Locks in a separate statement, so that the next one sees an invoice that was issued during the wait.
  await shop.run(sql`select from ${ofRun} for update`);
  const locked = await shop.rows<OrderOfRun & { undoable: boolean }>(
    sql`select o.id, o.order_number, ${undoable} as undoable from ${ofRun}`,
  );
  if (locked.length === 0) throw notFound('statement run');
  refuseChanged(locked.filter((order) => !order.undoable));
  const orders = await shop.rows<OrderOfRun & { payment_due_at: string }>(
    sql`update orders o set status = 'pending', payment_status = 'awaiting_payment', payment_confirmed_at = null,
        payment_due_at = now() + t.payment_deadline_hours * interval '1 hour',
        payment_reminder_at = now() + t.payment_deadline_hours * interval '30 minutes', payment_reminded_at = null,
        statement_run_id = null, updated_at = now()
      from site_settings t
      where t.site_id = ${shop.siteId} and o.site_id = ${shop.siteId} and o.id = any(${idsOf(locked)}::uuid[])
      returning o.id, o.order_number, o.payment_due_at`,
  );
  await events.recordForAll(shop, idsOf(orders), {
    type: 'updated',
    message: 'The recorded bank transfer was undone. The order is awaiting payment again.',
    context: { ...UNDONE, statement_run_id: run_id },
  });
  return { orders: orders.toSorted((a, b) => a.id.localeCompare(b.id)) };
}

const UNDONE = {
  status: { from: 'confirmed', to: 'pending' },
  payment_status: { from: 'paid', to: 'awaiting_payment' },
};

function idsOf(orders: OrderOfRun[]): string[] {
  return orders.map(({ id }) => id);
}

function refuseChanged(changed: OrderOfRun[]): void {
  const [first] = changed;
  if (!first) return;
  const orders = changed.slice(0, MOST_NAMED).map(({ id, order_number }) => ({ id, order_number }));
  const message =
    changed.length === 1
      ? `Order ${first.order_number} has been shipped, edited, invoiced, refunded, cancelled or paid in parts.`
      : `${changed.length} orders of the run have been shipped, edited, invoiced, refunded, cancelled or paid in parts.`;
  throw new ShopError('statement_run_not_undoable', message, { orders });
}
