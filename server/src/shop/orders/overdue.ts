/**
 * An order counts as expired and cancelled from its payment deadline on. The job (expiry.ts) records the expiry a
 * minute or two later. Until then, queries compute the new states with these expressions on `orders o`.
 */

import type { OrderStatus, PaymentStatus } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';

/** False, not null, for imported orders, which have no deadline. An order with a recorded payment does not expire. */
export const isOverdue: Sql = sql`(o.payment_status = 'awaiting_payment' and o.payment_due_at is not null and o.captured is null
    and o.payment_due_at <= now())`;

/**
 * Whether `orders o` awaits a bank transfer. An order with a recorded payment still awaits the rest after its deadline.
 */
export const isAwaited: Sql = sql`(o.payment_status = 'awaiting_payment' and (o.payment_due_at > now() or o.captured is not null))`;

/** SQL for the current values of the columns that an expiry changes. */
export const current = {
  status: sql`case when ${isOverdue} then 'cancelled' else o.status end`,
  payment_status: sql`case when ${isOverdue} then 'expired' else o.payment_status end`,
  cancel_reason: sql`case when ${isOverdue} then 'payment_expired' else o.cancel_reason end`,
  cancelled_at: sql`case when ${isOverdue} then o.payment_due_at else o.cancelled_at end`,
  updated_at: sql`case when ${isOverdue} then greatest(o.updated_at, o.payment_due_at) else o.updated_at end`,
};

/** Compares the stored column first, so that PostgreSQL can use its indexes. */
export function hasStatus(status: OrderStatus): Sql {
  if (status === 'cancelled') return sql`(o.status = 'cancelled' or ${isOverdue})`;
  return sql`(o.status = ${status} and not ${isOverdue})`;
}

export function hasPaymentStatus(status: PaymentStatus): Sql {
  if (status === 'expired') return sql`(o.payment_status = 'expired' or ${isOverdue})`;
  return sql`(o.payment_status = ${status} and not ${isOverdue})`;
}
