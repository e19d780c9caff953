/**
 * Exchanges: the received pieces of a return pay for a new order. Their price is credited from the first order to the
 * new one. If the new order costs more, the difference is its amount due; if it costs less, the difference is refunded.
 */

import type { ExchangeInput, OrderDetails, Return } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import { decimal, minorUnits } from '../money.ts';
import { type AddedLine, addedLine, type Plan, planOf } from '../orders/edit-plan.ts';
import { readBefore, readLines, readVariants, taxTermsAtPurchase } from '../orders/edit-rows.ts';
import { moveStock } from '../orders/edit-stock.ts';
import { writeLines } from '../orders/edit-writes.ts';
import { fulfillIfNothingShips } from '../orders/nothing-to-ship.ts';
import { amountReceived } from '../orders/received.ts';
import * as refunds from '../orders/refunds.ts';
import { getDetails } from '../orders/rows.ts';
import { suggest } from '../orders/suggestion.ts';
import * as events from '../orders/timeline.ts';
import type { Shop } from '../shop.ts';
import { closeLocked, type LockedReturn, lockReturn } from './moves.ts';
import { keptOf, type Pieces, piecesToRefund } from './refund.ts';
import { get } from './rows.ts';
import { requireMove } from './states.ts';

/**
 * Creates an order for the pieces that a customer wants instead, and closes the return. Throws `insufficient_stock`, a
 * ValidationError, `invalid_transition` before goods have arrived or if nothing was paid, and `conflict` for a
 * withdrawal, for goods that the customer keeps, or if nothing is left to credit.
 */
export async function exchange(
  shop: Shop,
  id: string,
  { lines, price = 'current' }: ExchangeInput,
): Promise<{ return: Return; order: OrderDetails }> {
  const before = await lockReturn(shop, id);
  requireMove(before, 'closed');
  refuseUnexchangeable(before);
  const { order_id } = before;
  await refunds.refuseUnpaid(shop, order_id);
  const pieces = await piecesToRefund(shop, before);
  const fee = await keptOf(shop, before);
  const suggested = await suggest(shop, order_id, { line_items: pieces, fee });
  const digits = shop.currencyDigits;
  const value = minorUnits(suggested.amount, digits);
  if (pieces.length === 0 || value === 0) {
    throw new ShopError('conflict', 'Nothing of this return is left to credit. Close it, and place another order.');
  }
  const plan = await planFor(shop, order_id, pieces, lines, price);
  const { tax_included } = await readBefore(shop, order_id);
  const amounts = amountsOf(plan.added, tax_included);
  const credit = Math.min(value, amounts.total);
  if (value > credit) {
    const amount = decimal(value - credit, digits);
    await refunds.create(shop, order_id, { amount, reason: 'returned', return_id: id });
  }
  const made = uuidv7();
  // As in checkouts, an agent's budget is locked before the variants, and the counter of order numbers after them.
  await moveStock(shop, made, plan);
  await insertOrder(shop, { id: made, order_id, amounts, credit });
  await writeLines(shop, made, plan);
  await moveMoney(shop, before, pieces, decimal(credit, digits));
  await shop.run(
    sql`update returns set exchange_order_id = ${made}, resolution = 'exchange'
      where site_id = ${shop.siteId} and id = ${id}`,
  );
  await tell(shop, before, made, credit);
  await closeLocked(shop, before, null);
  return { return: await get(shop, id), order: await getDetails(shop, made) };
}

function refuseUnexchangeable({ kind, keep_goods }: LockedReturn): void {
  const message =
    (kind === 'withdrawal' && 'A withdrawal is refunded. Refund the return, and place another order.') ||
    (keep_goods && 'The customer keeps the goods. Refund the return, and place another order.');
  if (message) throw new ShopError('conflict', message);
}

/** Plans the new lines at current prices or, with `paid`, at the prices of the returned pieces of the same products. */
async function planFor(
  shop: Shop,
  order_id: string,
  pieces: Pieces[],
  wanted: ExchangeInput['lines'],
  price: NonNullable<ExchangeInput['price']>,
): Promise<Plan> {
  const lines = await readLines(shop, order_id);
  const variants = await readVariants(
    shop,
    wanted.map(({ variant_id }) => variant_id),
  );
  const tax = await taxTermsAtPurchase(shop, await readBefore(shop, order_id), lines);
  const plan = planOf(lines, variants, { add: wanted, change: [] }, tax, 'lines');
  if (price === 'current') return plan;
  const returned = lines.filter(({ id }) => pieces.some(({ line_item_id }) => line_item_id === id));
  const added = plan.added.map((line, i): AddedLine => {
    const product_id = 'variant' in line.from ? line.from.variant.product_id : null;
    const paid = returned.find((one) => one.product_id === product_id);
    if (!paid) {
      const message =
        'No returned piece is of this product, so it has no price paid. Exchange it at the current price.';
      throw new ValidationError([bodyMistake(['lines', i, 'variant_id'], 'value_error', message)]);
    }
    const { tax_class, tax_rate } = paid;
    const discount = Math.round((paid.discount * line.quantity) / paid.quantity);
    return addedLine(line.from, { price: paid.price, quantity: line.quantity, discount, tax_class, tax_rate }, tax);
  });
  return { changed: [], added };
}

interface Amounts {
  subtotal: number;
  discount: number;
  tax: number;
  total: number;
}

function amountsOf(lines: AddedLine[], included: boolean): Amounts {
  const sum = (field: 'total' | 'discount' | 'tax') => lines.reduce((all, line) => all + line[field], 0);
  const [subtotal, discount, tax] = [sum('total'), sum('discount'), sum('tax')];
  return { subtotal, discount, tax, total: subtotal - discount + (included ? 0 : tax) };
}

/**
 * Inserts the new order, for the same customer and addresses and without a shipping cost. Records the credit as
 * received.
 */
async function insertOrder(
  shop: Shop,
  { id, order_id, amounts, credit }: { id: string; order_id: string; amounts: Amounts; credit: number },
): Promise<void> {
  const text = (minor: number) => decimal(minor, shop.currencyDigits);
  await shop.run(
    sql`with counted as (
        insert into order_numbers as n (site_id, last_number) values (${shop.siteId}, 1001)
        on conflict (site_id) do update set last_number = n.last_number + 1 returning last_number
      )
      insert into orders (site_id, id, order_number, customer_id, email, phone, subtotal, discount, shipping_cost, tax,
        tax_included, total,
        currency, status, payment_status, fulfillment_status, billing_address, shipping_address, shipping_method, shipping_kind,
        source, locale, shipping_taxes, payment_confirmed_at, captured, released, exchange_of, exchange_credit)
      select o.site_id, ${id}, last_number::text, o.customer_id, o.email, o.phone, ${text(amounts.subtotal)}::numeric,
        ${text(amounts.discount)}::numeric, ${text(0)}::numeric, ${text(amounts.tax)}::numeric, o.tax_included, ${text(amounts.total)}::numeric,
        o.currency, 'confirmed', 'paid', 'unfulfilled', o.billing_address, o.shipping_address, o.shipping_method,
        o.shipping_kind, 'dashboard', o.locale, '[]', now(), ${text(credit)}::numeric, 0, o.id, ${text(credit)}::numeric
      from counted, orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
}

/**
 * Moves the credit out of the locked first order: reduces its amount received and its price by the credit. If the
 * remaining amount received is already refunded, the order becomes `refunded`.
 */
async function moveMoney(shop: Shop, { id, order_id }: LockedReturn, pieces: Pieces[], credit: string): Promise<void> {
  await shop.run(
    sql`update orders o set captured = ${amountReceived} - ${credit}::numeric, credited = o.credited + ${credit}::numeric,
        payment_status = case when o.payment_status = 'partially_refunded' and ${amountReceived} - ${credit}::numeric = (
            select coalesce(sum(r.amount), 0) from refunds r
            left join payment_moves m on m.site_id = r.site_id and m.id = r.id
            where r.site_id = o.site_id and r.order_id = o.id and coalesce(m.status, 'succeeded') = 'succeeded')
          then 'refunded' else o.payment_status end, updated_at = now()
      where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  const rows = JSON.stringify(pieces);
  await shop.run(
    sql`update order_lines l set refunded_quantity = l.refunded_quantity + w.quantity
      from jsonb_to_recordset(${rows}::jsonb) as w (line_item_id uuid, quantity int)
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and l.id = w.line_item_id`,
  );
  await shop.run(
    sql`update return_lines i set credited = i.credited + w.quantity
      from jsonb_to_recordset(${rows}::jsonb) as w (line_item_id uuid, quantity int)
      where i.site_id = ${shop.siteId} and i.return_id = ${id} and i.line_id = w.line_item_id`,
  );
}

async function tell(shop: Shop, { order_id }: LockedReturn, made: string, credit: number): Promise<void> {
  const { order_number } = await getDetails(shop, order_id);
  const amount = decimal(credit, shop.currencyDigits);
  const context = { exchange_of: order_id, exchange_credit: amount };
  await events.record(shop, made, { type: 'created', message: `An exchange of order ${order_number}.`, context });
  const message = `Returned goods of ${amount} ${shop.currency} pay the order.`;
  await events.record(shop, made, { type: 'payment_confirmed', message, context });
  await fulfillIfNothingShips(shop, made);
  await mail.enqueue(shop, 'order_placed', { order_id: made });
}
