import type { OrderStatus, PaymentStatus } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';

/**
 * An order counts as expired and cancelled from its payment deadline on. The job (expiry.ts) uses these expressions to
 * record that within a minute or two; until then, every query computes the same values with them. All refer to `orders
 * o`.
 */

/** Whether the order is past its payment deadline. False, not null, for imported orders, which have none. */
export const isOverdue: Sql = sql`(o.payment_status = 'awaiting_payment' and o.payment_due_at is not null
    and o.payment_due_at <= now())`;

/** Current values of the columns that expiry changes. */
export const current = {
  status: sql`case when ${isOverdue} then 'cancelled' else o.status end`,
  payment_status: sql`case when ${isOverdue} then 'expired' else o.payment_status end`,
  cancel_reason: sql`case when ${isOverdue} then 'payment_expired' else o.cancel_reason end`,
  cancelled_at: sql`case when ${isOverdue} then o.payment_due_at else o.cancelled_at end`,
  updated_at: sql`case when ${isOverdue} then greatest(o.updated_at, o.payment_due_at) else o.updated_at end`,
};

/** Condition for orders with this status. Compares the stored column first, so that its indexes are used. */
export function hasStatus(status: OrderStatus): Sql {
  if (status === 'cancelled') return sql`(o.status = 'cancelled' or ${isOverdue})`;
  return sql`(o.status = ${status} and not ${isOverdue})`;
}

export function hasPaymentStatus(status: PaymentStatus): Sql {
  if (status === 'expired') return sql`(o.payment_status = 'expired' or ${isOverdue})`;
  return sql`(o.payment_status = ${status} and not ${isOverdue})`;
}
