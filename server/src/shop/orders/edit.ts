/**
 * Edits of orders: they remove unshipped items, add items, and change the shipping option. Each edit runs in one
 * transaction on the locked order, and keeps the version that it replaces. An edit of a paid order changes the amount
 * due or the refund due, but never the payment status. An unpaid order becomes paid if the recorded payments cover its
 * new total.
 */

import type { OrderDetails, OrderEditInput } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { lockCreditOf, refuseMoreCredit } from './credit-limit.ts';
import { type Line, type Plan, planOf, shippingTaxes } from './edit-plan.ts';
import { type Before, readBefore, readLines, readOption, readVariants, taxTermsAtPurchase } from './edit-rows.ts';
import { moveStock } from './edit-stock.ts';
import { type EditedOrder, keepVersion, writeAmounts, writeLines } from './edit-writes.ts';
import { expireIfDue } from './expiry.ts';
import { becomeFulfilled, endIfAllBack } from './nothing-left.ts';
import { fulfillIfNothingShips } from './nothing-to-ship.ts';
import { type LockedOrder, lockOrder } from './orders.ts';
import { settleIfCovered } from './payments.ts';
import { progressOf } from './quantities.ts';
import { getDetails } from './rows.ts';
import * as events from './timeline.ts';

export interface OrderEdit {
  dry_run: boolean;
  expected_total: string;
  order: OrderDetails;
}

/** The result of a dry run, which is thrown to roll back the savepoint. */
class Preview extends Error {
  readonly result: OrderEdit;

  constructor(result: OrderEdit) {
    super('The dry run is rolled back.');
    this.result = result;
  }
}

/**
 * Edits an order. With `dry_run`, returns the order as it would be after the edit, and writes nothing. An edit without
 * a change writes nothing either. Throws `order_not_editable`, `payment_in_progress`, `edit_exceeds_remaining`,
 * `insufficient_stock`, `shipping_option_unavailable`, `credit_limit_exceeded`, `price_changed` if the total is not the
 * expected one, and a ValidationError.
 */
export async function edit(shop: Shop, order_id: string, input: OrderEditInput): Promise<OrderEdit> {
  const { dry_run = false, expected_total } = input;
  if (!dry_run && expected_total === undefined) {
    const message = 'Send the expected_total that a dry_run returned.';
    throw new ValidationError([bodyMistake(['expected_total'], 'missing', message)]);
  }
  if (!input.add?.length && !input.change?.length && input.shipping_option_id === undefined) {
    throw new ValidationError([bodyMistake([], 'missing', 'Send add, change or shipping_option_id.')]);
  }
  await expireIfDue(shop.asSystem(), order_id);
  if (!dry_run) return apply(shop, order_id, input);
  try {
    return await shop.savepoint(async () => {
      throw new Preview(await apply(shop, order_id, input));
    });
  } catch (error) {
    if (error instanceof Preview) return error.result;
    throw error;
  }
}

async function apply(shop: Shop, order_id: string, input: OrderEditInput): Promise<OrderEdit> {
  const { add = [], change = [], shipping_option_id, dry_run = false } = input;
  const customer_id = await lockCreditOf(shop, order_id);
  const order = await lockOrder(shop, order_id);
  const lines = await readLines(shop, order_id);
  const variants = await readVariants(
    shop,
    add.map(({ variant_id }) => variant_id),
  );
  const before = await readBefore(shop, order_id);
  const tax = await taxTermsAtPurchase(shop, before, lines);
  const plan = planOf(lines, variants, { add, change }, tax);
  refuseUneditable(order);
  await refuseInvoiced(shop, order);
  refuseUnknownTax(shop, order, before, lines);
  await refuseOpenPayment(shop, order_id);
  refuseEmpty(lines, plan);
  const option = shipping_option_id === undefined ? undefined : await readOption(shop, shipping_option_id, before);
  const shipping = option && { ...option, taxes: shippingTaxes(option.price, lines, plan, tax) };
  const edited = amountsAfter(shop, before, plan, shipping);
  if (!dry_run) refuseOtherTotal(shop, edited, input.expected_total ?? '');
  if (plan.changed.length + plan.added.length === 0 && (!shipping || isSameShipping(shop, before, shipping))) {
    return { dry_run, expected_total: edited.total, order: await getDetails(shop, order_id) };
  }
  await keepVersion(shop, order_id);
  await moveStock(shop, order_id, plan);
  await writeLines(shop, order_id, plan);
  await writeAmounts(shop, order_id, edited);
  const isDearer =
    minorUnits(edited.total, shop.currencyDigits) > minorUnits(edited.previous_total, shop.currencyDigits);
  if (isDearer && customer_id !== null) await refuseMoreCredit(shop, customer_id, order_id);
  await record(shop, order, edited, plan);
  const { has_shipped, is_over } = await progressOf(shop, order_id);
  if (has_shipped && is_over && order.fulfillment_status === 'partially_fulfilled') {
    await becomeFulfilled(shop, await lockOrder(shop, order_id), 'The rest was taken out. Nothing is left to ship.');
    await endIfAllBack(shop, order_id);
  }
  await mail.enqueue(shop, 'order_edited', { order_id });
  await settleIfCovered(shop, order_id);
  await fulfillIfNothingShips(shop, order_id);
  return { dry_run, expected_total: edited.total, order: await getDetails(shop, order_id) };
}

const OPEN = ['pending', 'confirmed', 'processing'];
const UNSHIPPED = ['unfulfilled', 'partially_fulfilled'];
const CHARGEABLE = ['pending', 'awaiting_payment', 'authorized', 'paid', 'partially_refunded'];

function refuseUneditable({ status, payment_status, fulfillment_status }: LockedOrder): void {
  const isOpen = OPEN.includes(status) && UNSHIPPED.includes(fulfillment_status);
  if (isOpen && CHARGEABLE.includes(payment_status)) return;
  const message = isOpen
    ? `An order whose payment is ${payment_status.replaceAll('_', ' ')} cannot be edited.`
    : 'Only an order with pieces that have not shipped can be edited.';
  throw new ShopError('order_not_editable', message, { status, payment_status, fulfillment_status });
}

/** Throws `order_not_editable` for an order with an invoice, because the content of an invoice is final. */
async function refuseInvoiced(
  shop: Shop,
  { id, status, payment_status, fulfillment_status }: LockedOrder,
): Promise<void> {
  const invoice = await shop.one<RowOf<'documents', 'number'>>(
    sql`select number from documents where site_id = ${shop.siteId} and order_id = ${id} and kind = 'invoice'
      order by id desc limit 1`,
  );
  if (!invoice) return;
  const message = `Invoice ${invoice.number} was issued for the order. Refund pieces, or place another order.`;
  throw new ShopError('order_not_editable', message, { status, payment_status, fulfillment_status });
}

/**
 * Throws `order_not_editable` for an order whose tax is not the sum of the tax of its lines and shipping, such as an
 * imported one.
 */
function refuseUnknownTax(shop: Shop, order: LockedOrder, { tax, shipping_tax }: Before, lines: Line[]): void {
  const minor = (amount: string) => minorUnits(amount, shop.currencyDigits);
  const known = lines.reduce((sum, line) => sum + line.tax, minor(shipping_tax ?? '0'));
  if (known === minor(tax)) return;
  const { status, payment_status, fulfillment_status } = order;
  const message = 'The tax of the lines of this order is not known. Refund pieces, or place another order.';
  throw new ShopError('order_not_editable', message, { status, payment_status, fulfillment_status });
}

/** Throws `payment_in_progress` while a provider could still charge the amount before the edit. */
async function refuseOpenPayment(shop: Shop, order_id: string): Promise<void> {
  const open = await shop.one<RowOf<'payments', 'id'>>(
    sql`select id from payments where site_id = ${shop.siteId} and order_id = ${order_id}
      and status in ('started', 'requires_action', 'pending', 'authorized') limit 1`,
  );
  if (!open) return;
  const message = 'A payment of the order is open. Capture it, or wait until it ends, then edit the order.';
  throw new ShopError('payment_in_progress', message, { payment_id: open.id });
}

/** Throws a ValidationError if no item would be left, because the order should then be cancelled. */
function refuseEmpty(lines: Line[], { changed, added }: Plan): void {
  const after = new Map(changed.map(({ line, quantity }) => [line.id, quantity]));
  if (added.length > 0 || lines.some(({ id, quantity, removed }) => (after.get(id) ?? quantity) > removed)) return;
  const message = 'No piece would be left. Cancel the order instead.';
  throw new ValidationError([bodyMistake(['change'], 'value_error', message)]);
}

function refuseOtherTotal(shop: Shop, { total }: EditedOrder, given: string): void {
  const expected_total = canonicalAmount(given, shop.currencyDigits, ['body', 'expected_total']);
  if (expected_total === total) return;
  const message = `The total would be ${total}, not ${expected_total}.`;
  throw new ShopError('price_changed', message, { expected_total, total, lines: [] });
}

function amountsAfter(
  shop: Shop,
  before: Before,
  { changed, added }: Plan,
  shipping: EditedOrder['shipping'],
): EditedOrder {
  const digits = shop.currencyDigits;
  const minor = (amount: string) => minorUnits(amount, digits);
  const more = (field: 'total' | 'discount' | 'tax') =>
    changed.reduce((sum, { line, ...after }) => sum + after[field] - line[field], 0) +
    added.reduce((sum, line) => sum + line[field], 0);
  const shipping_cost = shipping ? shipping.price : minor(before.shipping_cost);
  const shipping_tax = shipping
    ? shipping.taxes.reduce((sum, { tax }) => sum + tax, 0) - minor(before.shipping_tax ?? '0')
    : 0;
  const subtotal = minor(before.subtotal) + more('total');
  const discount = minor(before.discount) + more('discount');
  const tax = minor(before.tax) + more('tax') + shipping_tax;
  const total = subtotal - discount + shipping_cost + (before.tax_included ? 0 : tax);
  refuseBelowRefunded(shop, before, shipping);
  if (total >= 10 ** 15) {
    throw new ValidationError([bodyMistake(['add'], 'value_error', 'The total is too large.')]);
  }
  const text = (amount: number) => decimal(amount, digits);
  return {
    ...{ subtotal: text(subtotal), discount: text(discount), shipping_cost: text(shipping_cost), tax: text(tax) },
    ...{ total: text(total), previous_total: before.total, shipping },
  };
}

function isSameShipping(
  shop: Shop,
  { shipping_method, shipping_kind, shipping_cost, shipping_tax }: Before,
  { name, kind, price, taxes }: NonNullable<EditedOrder['shipping']>,
): boolean {
  const isSame = (minor: number, amount: string) => minor === minorUnits(amount, shop.currencyDigits);
  const tax = taxes.reduce((sum, part) => sum + part.tax, 0);
  return (
    name === shipping_method &&
    kind === shipping_kind &&
    isSame(price, shipping_cost) &&
    isSame(tax, shipping_tax ?? '0')
  );
}

function refuseBelowRefunded(
  shop: Shop,
  { shipping_refunded, tax_included }: Before,
  shipping: EditedOrder['shipping'],
): void {
  if (!shipping) return;
  const tax = tax_included ? 0 : shipping.taxes.reduce((sum, part) => sum + part.tax, 0);
  if (shipping.price + tax >= minorUnits(shipping_refunded, shop.currencyDigits)) return;
  const message = 'More of the shipping cost was refunded than this option costs.';
  throw new ValidationError([bodyMistake(['shipping_option_id'], 'value_error', message)]);
}

async function record(
  shop: Shop,
  { id }: LockedOrder,
  { previous_total, total }: EditedOrder,
  { changed, added }: Plan,
): Promise<void> {
  const context = {
    total: { from: previous_total, to: total },
    lines: changed.map(({ line, quantity }) => ({
      line_item_id: line.id,
      quantity: { from: line.quantity, to: quantity },
    })),
    added: added.map(({ from, quantity }) => ({
      variant_id: 'variant' in from ? from.variant.id : from.line.variant_id,
      quantity,
    })),
  };
  const change =
    previous_total === total ? `The total stays ${total}` : `The total is ${total}, it was ${previous_total}`;
  await events.record(shop, id, {
    type: 'updated',
    message: `The order was edited. ${change} ${shop.currency}.`,
    context,
  });
}
