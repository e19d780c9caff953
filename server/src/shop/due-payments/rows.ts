import type { NextAction } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { type LockedOrder, lockOrder } from '../orders/orders.ts';
import { openAction } from '../payments/next-action.ts';
import type { Shop } from '../shop.ts';

/** A payment of the amount due of an order. It has no checkout. */
export type DuePayment = RowOf<
  'payments',
  'id' | 'provider' | 'status' | 'amount' | 'currency' | 'reference' | 'next_action' | 'expires_at' | 'captured_amount'
>;

const columns: Sql = sql`p.id, p.provider, p.status, p.amount, p.currency, p.reference, p.next_action, p.expires_at,
  p.captured_amount`;

/** Whether a payment has not ended. An order has at most one such payment of its amount due. */
export const isOpen: Sql = sql`p.status in ('started', 'requires_action', 'pending', 'authorized')`;

/** Returns the open payment of the amount due of an order, if there is one. */
export function findOpen(shop: Shop, order_id: string): Promise<DuePayment | undefined> {
  return shop.one<DuePayment>(
    sql`select ${columns} from payments p
      where p.site_id = ${shop.siteId} and p.order_id = ${order_id} and p.purpose = 'amount_due' and ${isOpen}`,
  );
}

export async function find(shop: Shop, id: string): Promise<DuePayment | undefined> {
  return shop.one<DuePayment>(
    sql`select ${columns} from payments p
      where p.site_id = ${shop.siteId} and p.id = ${id} and p.purpose = 'amount_due'`,
  );
}

export interface LockedDue {
  payment: DuePayment;
  order: LockedOrder;
}

/** Locks the order of a payment of an amount due, then the payment. Returns undefined for other payments. */
export async function lockDue(shop: Shop, id: string): Promise<LockedDue | undefined> {
  const of = await shop.one<{ order_id: string }>(
    sql`select o.id as order_id from payments p join orders o on o.site_id = p.site_id and o.id = p.order_id
      where p.site_id = ${shop.siteId} and p.id = ${id} and p.purpose = 'amount_due'`,
  );
  if (!of) return undefined;
  const order = await lockOrder(shop, of.order_id);
  const payment = await shop.one<DuePayment>(
    sql`select ${columns} from payments p where p.site_id = ${shop.siteId} and p.id = ${id} for update`,
  );
  return payment && { payment, order };
}

export function actionOf(secretKey: string, { id, next_action }: DuePayment): NextAction | null {
  return next_action && openAction(secretKey, id, next_action);
}

/**
 * Whether an order still accepts money for its amount due. An order whose items are all refunded before they ship does
 * not, because it is cancelled when the refunds succeed.
 */
export async function takesDue(shop: Shop, { id, status }: LockedOrder): Promise<boolean> {
  if (status === 'cancelled') return false;
  const left = await shop.one(
    sql`select from order_lines l
      where l.site_id = ${shop.siteId} and l.order_id = ${id} and l.removed < l.quantity limit 1`,
  );
  return left !== undefined;
}
