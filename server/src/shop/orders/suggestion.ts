import type { RefundSuggestion } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { bodyMistake, notFound, ValidationError } from '../errors.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { charged } from './quantities.ts';
import { amountReceived } from './received.ts';
import { type RefundLine, refuseMistakes } from './refund-lines.ts';

/** `none`, `all` (the shipping cost that was not refunded yet), or an amount with tax. */
export type ShippingRefund = string;

export interface Wanted {
  line_items: Omit<RefundLine, 'restock'>[];
  shipping?: ShippingRefund;
  fee?: string;
  /** The amount to refund instead of the suggested one. */
  amount?: string;
}

/**
 * Computes the refund for items of an order. Each refund is the difference of two rounded shares, so that the refunds
 * of all items of a line add up to exactly the amount charged for the line. Throws `not_found`, and a ValidationError
 * for more than can still be refunded of a line or of the shipping cost.
 */
export async function suggest(shop: Shop, order_id: string, wanted: Wanted): Promise<RefundSuggestion> {
  const digits = shop.currencyDigits;
  const { order, lines, shipping, fee, sum } = await priceOf(shop, order_id, wanted);
  const refundable = Math.max(
    0,
    minorUnits(order.received, digits) - minorUnits(order.refunds_begun, digits) - minorUnits(order.disputed, digits),
  );
  const given = wanted.amount ?? decimal(Math.max(0, Math.min(sum, refundable)), digits);
  const amount = minorUnits(canonicalAmount(given, digits, ['body', 'amount']), digits);
  return {
    amount: decimal(amount, digits),
    currency: order.currency,
    lines: lines.map((line) => ({ ...line, amount: decimal(line.amount, digits), tax: decimal(line.tax, digits) })),
    // A refund's shipping part cannot exceed its amount.
    shipping: decimal(Math.min(shipping, amount), digits),
    fee: decimal(fee, digits),
    refundable: decimal(refundable, digits),
  };
}

/** The price of items of an order in minor units: the lines and the shipping minus the fee. */
export async function priceOf(shop: Shop, order_id: string, wanted: Wanted) {
  const digits = shop.currencyDigits;
  const order = await readOrder(shop, order_id);
  await refuseMistakes(shop, order_id, wanted.line_items);
  const lines = await readLines(shop, order_id);
  const quantities = new Map<string, number>();
  for (const { line_item_id, quantity } of wanted.line_items) {
    quantities.set(line_item_id, (quantities.get(line_item_id) ?? 0) + quantity);
  }
  const suggested = lines.flatMap((line) => {
    const quantity = quantities.get(line.id);
    if (quantity === undefined) return [];
    const share = (whole: string) => shareOf(minorUnits(whole, digits), line, quantity);
    return [{ line_item_id: line.id, quantity, amount: share(line.charged), tax: share(line.tax) }];
  });
  const shipping = shippingPart(wanted.shipping ?? 'none', minorUnits(order.shipping_left, digits), digits);
  const fee = minorUnits(canonicalAmount(wanted.fee ?? '0', digits, ['body', 'fee']), digits);
  const sum = suggested.reduce((total, { amount }) => total + amount, shipping - fee);
  return { order, lines: suggested, shipping, fee, sum };
}

function shareOf(whole: number, { quantity, refunded_quantity }: Line, more: number): number {
  const upTo = (pieces: number) => Math.round((whole * pieces) / quantity);
  return upTo(refunded_quantity + more) - upTo(refunded_quantity);
}

function shippingPart(wanted: ShippingRefund, left: number, digits: number): number {
  if (wanted === 'none') return 0;
  if (wanted === 'all') return left;
  const amount = minorUnits(canonicalAmount(wanted, digits, ['body', 'shipping']), digits);
  refuseMoreShipping(amount, left, digits);
  return amount;
}

/**
 * Throws a ValidationError if the shipping part of a refund exceeds the unrefunded shipping cost. Amounts are in minor
 * units.
 */
export function refuseMoreShipping(amount: number, left: number, digits: number): void {
  if (amount <= left) return;
  const most = decimal(left, digits);
  const words = `Only ${most} of the shipping cost can still be refunded.`;
  throw new ValidationError([bodyMistake(['shipping'], 'less_than_equal', words, { le: most })]);
}

/** The shipping cost of `orders o` with tax, minus the shipping parts of its refunds. */
export const shippingLeft = sql`(
  shipping_charged(o.shipping_cost, o.tax_included, o.shipping_tax, o.shipping_taxes) - o.shipping_refunded)`;

type OrderRow = RowOf<'orders', 'currency' | 'refunds_begun' | 'disputed'> & {
  received: string;
  shipping_left: string;
};

async function readOrder(shop: Shop, order_id: string): Promise<OrderRow> {
  const found = await shop.one<OrderRow>(
    sql`select o.currency, o.refunds_begun, o.disputed, ${amountReceived} as received, ${shippingLeft} as shipping_left
      from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  if (!found) throw notFound('order');
  return found;
}

type Line = RowOf<'order_lines', 'id' | 'quantity' | 'refunded_quantity' | 'tax'> & { charged: string };

function readLines(shop: Shop, order_id: string): Promise<Line[]> {
  return shop.rows<Line>(
    sql`select l.id, l.quantity, l.refunded_quantity, l.tax, ${charged} as charged
      from order_lines l join orders o on o.site_id = l.site_id and o.id = l.order_id
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} order by l.position, l.id`,
  );
}
