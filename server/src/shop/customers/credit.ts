/**
 * Payment terms of a customer. An order by invoice is refused while another one is overdue or if the customer would owe
 * more than the credit limit. A completion locks the customer first, so that concurrent ones cannot exceed the limit.
 */

import sql, { type Sql } from 'sql-template-tag';
import { ShopError } from '../errors.ts';
import { decimal, minorUnits } from '../money.ts';
import { isOwed, owedBy } from '../orders/owed.ts';
import { leftToPay } from '../orders/received.ts';
import type { Shop } from '../shop.ts';

export interface Credit {
  payment_terms_days: number;
  credit_limit: string | null;
  /** What the customer owes for orders on payment terms. */
  amount_due: string;
  /** The oldest order on payment terms whose deadline has passed. */
  overdue_order: string | null;
}

/** The credit of a customer as JSON; null without payment terms. `customer_id` is an SQL expression. */
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

/**
 * Locks a customer until the transaction ends, so that their orders run one after another. Call it before carts and checkouts
 * are locked.
 */
export async function lockCredit(shop: Shop, customer_id: string | null): Promise<void> {
  if (customer_id === null) return;
  await shop.run(sql`select from customers where site_id = ${shop.siteId} and id = ${customer_id} for no key update`);
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

function beyondLimit(amounts: { credit_limit: string; amount_due: string; total: string }): ShopError {
  const message = `With this order, more than the credit limit of ${amounts.credit_limit} would be due.`;
  return new ShopError('credit_limit_exceeded', message, amounts);
}

/**
 * Locks the customer of an order on payment terms, and returns their id; null for other orders. Call it before the order is
 * locked.
 */
export async function lockCreditOf(shop: Shop, order_id: string): Promise<string | null> {
  const found = await shop.one<{ customer_id: string | null }>(
    sql`select customer_id from orders
      where site_id = ${shop.siteId} and id = ${order_id} and payment_terms_days is not null`,
  );
  const customer_id = found?.customer_id ?? null;
  await lockCredit(shop, customer_id);
  return customer_id;
}

/** Throws `credit_limit_exceeded` if a customer owes more than the credit limit after an edit that raised an order's total. */
export async function refuseMoreCredit(shop: Shop, customer_id: string, order_id: string): Promise<void> {
  const digits = shop.currencyDigits;
  const found = await shop.one<{ credit_limit: string; total: string; left: string; others: string }>(
    sql`select c.credit_limit::text as credit_limit, o.total::text as total, ${leftToPay}::text as left,
        (${owedBy}::numeric - case when ${isOwed} then ${leftToPay} else 0 end)::text as others
      from customers c, orders o
      where c.site_id = ${shop.siteId} and c.id = ${customer_id} and c.credit_limit is not null
        and o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  if (!found) return;
  const [limit, others] = [minorUnits(found.credit_limit, digits), minorUnits(found.others, digits)];
  if (others + minorUnits(found.left, digits) <= limit) return;
  throw beyondLimit({ credit_limit: decimal(limit, digits), amount_due: decimal(others, digits), total: found.total });
}
