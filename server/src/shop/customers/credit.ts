/**
 * Payment terms of a customer. An order by invoice is rejected while another one is overdue, or if the customer would
 * owe more than the credit limit. A completion locks the customer first, so that concurrent completions cannot exceed
 * the limit.
 */

import sql, { type Sql } from 'sql-template-tag';
import { ShopError } from '../errors.ts';
import { decimal, minorUnits } from '../money.ts';
import { beyondLimit } from '../orders/credit-limit.ts';
import { isOwed, owedBy } from '../orders/owed.ts';
import type { Shop } from '../shop.ts';

export interface Credit {
  payment_terms_days: number;
  credit_limit: string | null;
  /** The amount due for the customer's orders on payment terms. */
  amount_due: string;
  /** The number of the order on payment terms whose deadline passed first; null if none is overdue. */
  overdue_order: string | null;
}

/** The credit of a customer as JSON; null without payment terms. */
export function creditOf(shop: Shop, customer_id: string): Sql {
  return sql`(
    select json_build_object('payment_terms_days', c.payment_terms_days, 'credit_limit', c.credit_limit::text,
      'amount_due', ${owedBy},
      'overdue_order', (
        select o.order_number from orders o
        where o.site_id = c.site_id and o.customer_id = c.id and ${isOwed} and o.payment_due_at <= now()
        order by o.payment_due_at, o.id limit 1))
    from customers c
    where c.site_id = ${shop.siteId} and c.id = ${customer_id} and c.payment_terms_days is not null)`;
}

/** Throws `invoice_overdue` or `credit_limit_exceeded` if an order with this total cannot be paid by invoice. */
export function refuseCredit({ currencyDigits: digits }: Shop, credit: Credit, total: number): void {
  const { overdue_order: order_number, credit_limit } = credit;
  if (order_number !== null) {
    throw new ShopError('invoice_overdue', `The invoice of order ${order_number} is overdue.`, { order_number });
  }
  if (credit_limit === null) return;
  const [limit, due] = [minorUnits(credit_limit, digits), minorUnits(credit.amount_due, digits)];
  if (due + total <= limit) return;
  throw beyondLimit({
    credit_limit: decimal(limit, digits),
    amount_due: decimal(due, digits),
    total: decimal(total, digits),
  });
}
