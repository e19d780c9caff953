/**
 * The credit limit of customers with payment terms. Code that adds to the amount that a customer owes locks the
 * customer first.
 */

import sql from 'sql-template-tag';
import { ShopError } from '../errors.ts';
import { decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { owedBy } from './owed.ts';
import { leftToPay } from './received.ts';

/**
 * Locks a customer until the transaction ends, so that concurrent orders of this customer are created one after
 * another. Call it before carts and checkouts are locked.
 */
export async function lockCredit(shop: Shop, customer_id: string | null): Promise<void> {
  if (customer_id === null) return;
  await shop.run(sql`select from customers where site_id = ${shop.siteId} and id = ${customer_id} for no key update`);
}

/**
 * Locks the customer of an order on payment terms, and returns their id; null for other orders. Call it before the
 * order is locked.
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

/**
 * Throws `credit_limit_exceeded` if a customer owes more than the credit limit, after an edit has raised an order's
 * total.
 */
export async function refuseMoreCredit(shop: Shop, customer_id: string, order_id: string): Promise<void> {
  const digits = shop.currencyDigits;
  const found = await shop.one<{ credit_limit: string; total: string; left: string; others: string }>(
    sql`select c.credit_limit::text as credit_limit, o.total::text as total, ${leftToPay}::text as left,
        (${owedBy}::numeric - ${leftToPay})::text as others
      from customers c, orders o
      where c.site_id = ${shop.siteId} and c.id = ${customer_id} and c.credit_limit is not null
        and o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  if (!found) return;
  const [limit, others] = [minorUnits(found.credit_limit, digits), minorUnits(found.others, digits)];
  if (others + minorUnits(found.left, digits) <= limit) return;
  throw beyondLimit({ credit_limit: decimal(limit, digits), amount_due: decimal(others, digits), total: found.total });
}

/** The error for an order on payment terms that would exceed the customer's credit limit. */
export function beyondLimit(amounts: { credit_limit: string; amount_due: string; total: string }): ShopError {
  const message = `With this order, more than the credit limit of ${amounts.credit_limit} would be due.`;
  return new ShopError('credit_limit_exceeded', message, amounts);
}
