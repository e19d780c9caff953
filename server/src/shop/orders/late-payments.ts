/** Reinstates expired orders whose payment has arrived. */

import type { OrderDetails } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import * as budgets from '../agent-limits/budgets.ts';
import * as redemptions from '../carts/redemptions.ts';
import { ShopError } from '../errors.ts';
import * as mail from '../mail.ts';
import { decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import * as stock from '../stock/stock.ts';
import { expireIfDue } from './expiry.ts';
import { fulfillIfNothingShips } from './nothing-to-ship.ts';
import { type LockedOrder, lockOrder } from './orders.ts';
import { amountReceived, paidOrRefunded } from './received.ts';
import { getDetails } from './rows.ts';
import { changesBetween, type OrderStates } from './states.ts';
import * as events from './timeline.ts';

/** Locks an expired order, after expiring it if it is past its payment deadline. Throws `order_not_expired`. */
async function lockExpired(shop: Shop, order_id: string): Promise<LockedOrder> {
  await expireIfDue(shop, order_id);
  const order = await lockOrder(shop, order_id);
  const { status, payment_status } = order;
  if (status === 'cancelled' && payment_status === 'expired') return order;
  const message = 'Only an expired order can be reinstated.';
  throw new ShopError('order_not_expired', message, { status, payment_status });
}

/**
 * Reinstates an expired order as confirmed and paid (or partially refunded), and takes its stock, discount code and
 * agent budget again. Throws `order_not_expired`, `payment_incomplete`, `budget_exceeded`, `discount_*`,
 * `insufficient_stock` or `order_prices_changed`.
 */
export async function reinstate(shop: Shop, order_id: string, { keep_prices = false } = {}): Promise<OrderDetails> {
  const order = await lockExpired(shop, order_id);
  await refuseIncomplete(shop, order);
  if (order.agent_token_id) await spendAgain(shop, order, order.agent_token_id);
  if (order.cart_id) await redemptions.redeemAgain(shop, order.cart_id, order_id);
  await stock.sellAgain(shop, order_id);
  if (!keep_prices && !(await isFromDraft(shop, order_id))) await refuseOtherPrices(shop, order_id);
  const after = await shop.one<Pick<OrderStates, 'status' | 'payment_status'>>(
    sql`update orders o set status = 'confirmed', payment_status = ${paidOrRefunded()}, payment_confirmed_at = now(),
        cancelled_at = null, cancel_reason = null, updated_at = now()
      where o.site_id = ${shop.siteId} and o.id = ${order_id} returning o.status, o.payment_status`,
  );
  const message = 'The late payment was accepted.';
  const context = changesBetween(order, after ?? {});
  await events.record(shop, order_id, { type: 'payment_confirmed', message, context });
  await events.record(shop, order_id, { type: 'updated', message: 'The order was reinstated.' });
  await fulfillIfNothingShips(shop, order_id);
  await mail.enqueue(shop, 'payment_received', { order_id });
  return getDetails(shop, order_id);
}

async function refuseIncomplete(shop: Shop, { id, total, credited }: LockedOrder): Promise<void> {
  const digits = shop.currencyDigits;
  const found = await shop.one<{ left: string }>(
    sql`select ${amountReceived} - o.refunds_begun as left from orders o where o.site_id = ${shop.siteId} and o.id = ${id}`,
  );
  const left = minorUnits(found?.left ?? '0', digits);
  const due = minorUnits(total, digits) - minorUnits(credited, digits) - left;
  if (due <= 0) return;
  const amount_due = decimal(due, digits);
  throw new ShopError('payment_incomplete', `The payments are ${amount_due} ${shop.currency} below the total.`, {
    total,
    amount_received: decimal(left, digits),
    amount_due,
  });
}

async function spendAgain(shop: Shop, { id, total }: LockedOrder, agent_token_id: string): Promise<void> {
  const spent = await budgets.spend(shop, agent_token_id, minorUnits(total, shop.currencyDigits));
  await shop.run(
    sql`update orders set agent_spent_cents = ${spent.cents}, agent_period_number = ${spent.period_number}
      where site_id = ${shop.siteId} and id = ${id}`,
  );
}

/** Whether staff set the prices of the order in a draft order. They may differ from the prices of the products. */
async function isFromDraft(shop: Shop, order_id: string): Promise<boolean> {
  const draft = await shop.one(
    sql`select from draft_orders d join orders o on o.site_id = d.site_id and o.checkout_id = d.checkout_id
      where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  return draft !== undefined;
}

interface OtherPrice {
  line_item_id: string;
  previous_price: string;
  price: string | null;
}

/**
 * Throws `order_prices_changed` if a variant's price has changed or the variant was deleted. Locks the variants against
 * further changes.
 */
async function refuseOtherPrices(shop: Shop, order_id: string): Promise<void> {
  await shop.run(
    sql`select from variants v where v.site_id = ${shop.siteId} and v.id in (
        select l.variant_id from order_lines l
        where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and l.quantity > 0)
      order by v.id for share`,
  );
  const lines = await shop.rows<OtherPrice>(
    sql`select l.id as line_item_id, l.price as previous_price, v.price from order_lines l
      left join variants v on v.site_id = l.site_id and v.id = l.variant_id
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and l.quantity > 0 and v.price is distinct from l.price
      order by l.position limit 100`,
  );
  if (lines.length === 0) return;
  const message =
    'Prices of ordered products have changed. Send keep_prices to reinstate the order with the old prices.';
  throw new ShopError('order_prices_changed', message, { lines });
}
