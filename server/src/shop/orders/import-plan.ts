/**
 * Converts an order of another shop system to ours. Writes nothing, so that all mistakes are found before the first
 * write.
 */

import type { OrderImport, OrderStatus, PaymentStatus } from '@commerce-backend/spec';
import { v7 as uuidv7 } from 'uuid';
import { decimal, minorUnits } from '../money.ts';
import { allocate } from '../totals.ts';
import { Mistakes, type Place, timesToCome } from './import-mistakes.ts';
import { isSettled, type OrderStates } from './states.ts';

export interface PlannedLine {
  id: string;
  position: number;
  name: string;
  /** The variant whose SKU equals the line's. */
  variant_id?: string;
  product_id?: string;
  sku: string | null;
  option1: string | null;
  option2: string | null;
  option3: string | null;
  variant_name: string | null;
  quantity: number;
  price: string;
  total: string;
  discount: string;
  image_url: string | null;
}

interface PlannedFulfillment {
  id: string;
  carrier: string | null;
  tracking_number: string | null;
  tracking_url: string | null;
  created_at: string;
  delivered_at: string | null;
  items: { line_id: string; quantity: number }[];
}

interface PlannedRefund {
  id: string;
  amount: string;
  reason: string;
  note: string | null;
  created_at: string;
}

export interface PlannedOrder extends OrderStates {
  id: string;
  amounts: Record<'subtotal' | 'discount' | 'shipping_cost' | 'tax' | 'total' | 'refunded', string>;
  lines: PlannedLine[];
  fulfillments: PlannedFulfillment[];
  refunds: PlannedRefund[];
}

/**
 * Plans an order from a row that is valid by the schema. Throws a ValidationError if its fields contradict each other.
 */
export function planOrder(
  input: OrderImport,
  { currency, digits, loc }: { currency: string; digits: number; loc: Place },
): PlannedOrder {
  const mistakes = new Mistakes(loc);
  if (input.currency !== currency) mistakes.add(['currency'], 'currency_mismatch', `The shop sells in ${currency}.`);
  mistakes.addAll(timesToCome(input));
  if (input.order_number.trim() === '') mistakes.add(['order_number'], 'string_too_short', 'Must not be blank.');
  mistakes.throw();
  const money = amountsOf(input, digits, mistakes);
  const lines = linesOf(input, money, digits);
  const refunds = refundsOf(input, money.total, digits, mistakes);
  const fulfillments = fulfillmentsOf(input, lines, mistakes);
  const states = statesOf(input, { money, refunds, lines, fulfillments, digits }, mistakes);
  mistakes.throw();
  const { subtotal, discount, shipping_cost, tax, total } = money;
  const amounts = { subtotal, discount, shipping_cost, tax, total, refunded: sumOf(refunds, digits) };
  const told = Object.fromEntries(Object.entries(amounts).map(([name, minor]) => [name, decimal(minor, digits)]));
  return { id: uuidv7(), ...states, amounts: told as PlannedOrder['amounts'], lines, fulfillments, refunds };
}

type Money = ReturnType<typeof amountsOf>;

function amountsOf(input: OrderImport, digits: number, mistakes: Mistakes) {
  const prices = input.line_items.map(({ price }, i) => mistakes.minor(price, digits, ['line_items', i, 'price']));
  const subtotal = input.line_items.reduce((sum, { quantity }, i) => sum + quantity * (prices[i] ?? 0), 0);
  const [discount, shipping_cost, tax, total] = (['discount', 'shipping_cost', 'tax', 'total'] as const).map((field) =>
    mistakes.minor(input[field], digits, [field]),
  ) as [number, number, number, number];
  if (!Number.isSafeInteger(subtotal)) {
    mistakes.add(['line_items'], 'less_than_equal', 'The sum of the lines exceeds the maximum of an order.');
  }
  mistakes.throw();
  if (discount > subtotal) {
    const words = `The lines add up to ${decimal(subtotal, digits)}; the discount cannot exceed that.`;
    mistakes.add(['discount'], 'less_than_equal', words);
  }
  const expected = subtotal - discount + shipping_cost + (input.tax_included ? 0 : tax);
  if (expected !== total) {
    const added = input.tax_included ? '' : ` + ${decimal(tax, digits)} tax`;
    const words =
      `The amounts add up to ${decimal(expected, digits)}: ${decimal(subtotal, digits)} for the lines ` +
      `− ${decimal(discount, digits)} discount + ${decimal(shipping_cost, digits)} shipping${added}.`;
    mistakes.add(['total'], 'total_mismatch', words);
  }
  mistakes.throw();
  return { prices, subtotal, discount, shipping_cost, tax, total };
}

function linesOf({ line_items }: OrderImport, { prices, discount }: Money, digits: number): PlannedLine[] {
  const totals = line_items.map(({ quantity }, i) => quantity * (prices[i] ?? 0));
  const shares = allocate(discount, totals);
  return line_items.map((line, i) => ({
    id: uuidv7(),
    position: i + 1,
    name: line.name,
    sku: line.sku || null,
    option1: line.option1 ?? null,
    option2: line.option2 ?? null,
    option3: line.option3 ?? null,
    variant_name: line.variant_name ?? null,
    quantity: line.quantity,
    price: decimal(prices[i] ?? 0, digits),
    total: decimal(totals[i] ?? 0, digits),
    discount: decimal(shares[i] ?? 0, digits),
    image_url: line.image_url ?? null,
  }));
}

function refundsOf(input: OrderImport, total: number, digits: number, mistakes: Mistakes): PlannedRefund[] {
  const refunds = (input.refunds ?? []).map(({ amount, reason, note, created_at }, i) => {
    const minor = mistakes.minor(amount, digits, ['refunds', i, 'amount']);
    if (minor === 0) mistakes.add(['refunds', i, 'amount'], 'greater_than', 'Must be above 0.');
    return refund(decimal(minor, digits), reason ?? 'other', note ?? null, created_at ?? input.created_at);
  });
  const sum = sumOf(refunds, digits);
  if (sum > total) {
    const words = `${decimal(sum, digits)} exceeds the total of ${decimal(total, digits)}.`;
    mistakes.add(['refunds'], 'refund_exceeds_paid', words);
  }
  if (input.payment_status !== 'refunded' || refunds.length > 0 || total === 0) return refunds;
  return [refund(decimal(total, digits), 'other', null, input.cancelled_at ?? input.paid_at ?? input.created_at)];
}

function refund(amount: string, reason: string, note: string | null, created_at: string): PlannedRefund {
  return { id: uuidv7(), amount, reason, note, created_at };
}

function sumOf(refunds: PlannedRefund[], digits: number): number {
  return refunds.reduce((sum, { amount }) => sum + minorUnits(amount, digits), 0);
}

const SHIPPED = ['fulfilled', 'delivered', 'returned'];

function fulfillmentsOf(input: OrderImport, lines: PlannedLine[], mistakes: Mistakes): PlannedFulfillment[] {
  const { fulfillments = [], fulfillment_status: status } = input;
  const left = new Map(lines.map(({ id, quantity }) => [id, quantity]));
  const whole = fulfillments.length === 0 && status !== undefined && SHIPPED.includes(status);
  const given: typeof fulfillments = whole
    ? [{ created_at: input.shipped_at ?? input.delivered_at ?? null }]
    : fulfillments;
  return given.map(({ items, carrier, tracking_number, tracking_url, created_at, delivered_at }, f) => {
    const all = lines.map(({ quantity }, line_item) => ({ line_item, quantity }));
    const shipped = (items ?? all).flatMap(({ line_item, quantity }, i) => {
      const line = lines[line_item];
      const at = ['fulfillments', f, ...(items ? ['items', i] : [])];
      if (!line) mistakes.add([...at, 'line_item'], 'value_error', `The order has ${lines.length} lines.`);
      const rest = (line && left.get(line.id)) ?? 0;
      if (line && quantity > rest) {
        mistakes.add(at, 'fulfillment_exceeds_remaining', `Line ${line_item} has only ${rest} unshipped pieces.`);
      }
      if (line) left.set(line.id, rest - quantity);
      return line ? [{ line_id: line.id, quantity }] : [];
    });
    const arrived = delivered_at ?? (status === 'delivered' || input.delivered_at ? deliveredAt(input) : null);
    return {
      id: uuidv7(),
      carrier: carrier ?? null,
      tracking_number: tracking_number ?? null,
      tracking_url: tracking_url ?? null,
      created_at: created_at ?? input.shipped_at ?? input.created_at,
      delivered_at: arrived,
      items: merged(shipped),
    };
  });
}

function deliveredAt(input: OrderImport): string {
  return input.delivered_at ?? input.shipped_at ?? input.created_at;
}

/** Adds up the quantities that one fulfilment lists for the same line. */
function merged(items: { line_id: string; quantity: number }[]) {
  const quantities = new Map<string, number>();
  for (const { line_id, quantity } of items) quantities.set(line_id, (quantities.get(line_id) ?? 0) + quantity);
  return [...quantities].map(([line_id, quantity]) => ({ line_id, quantity }));
}

interface Planned {
  money: Money;
  refunds: PlannedRefund[];
  lines: PlannedLine[];
  fulfillments: PlannedFulfillment[];
  digits: number;
}

function statesOf(input: OrderImport, planned: Planned, mistakes: Mistakes): OrderStates {
  const payment_status = paymentStatusOf(input, planned, mistakes);
  const fulfillment_status = fulfillmentStatusOf(input, planned, mistakes);
  const ended = Boolean(input.cancelled_at) || payment_status === 'voided' || payment_status === 'expired';
  if (!ended) {
    return { status: openStatus(input, payment_status, fulfillment_status), payment_status, fulfillment_status };
  }
  const waits = payment_status === 'pending' || payment_status === 'awaiting_payment';
  return { status: 'cancelled', payment_status: waits ? 'voided' : payment_status, fulfillment_status };
}

/** The status of an imported order that is not cancelled, derived from its payment and fulfilment. */
function openStatus(
  { payment_method }: OrderImport,
  payment: PaymentStatus,
  fulfillment: OrderStates['fulfillment_status'],
): OrderStatus {
  if (SHIPPED.includes(fulfillment)) return isSettled(payment) ? 'completed' : 'processing';
  if (fulfillment === 'partially_fulfilled') return 'processing';
  // Orders with payment on delivery ship before they are paid.
  return isSettled(payment) || (payment === 'pending' && payment_method === 'manual') ? 'confirmed' : 'pending';
}

function paymentStatusOf(input: OrderImport, { money, refunds, digits }: Planned, mistakes: Mistakes): PaymentStatus {
  const { payment_status = 'paid' } = input;
  const refunded = sumOf(refunds, digits);
  if (!isSettled(payment_status)) {
    if (refunded > 0)
      mistakes.add(['refunds'], 'value_error', `An order with payment_status ${payment_status} has no refunds.`);
    if (payment_status === 'awaiting_payment' && input.payment_method !== 'bank_transfer') {
      const words = 'Only bank_transfer can be awaiting payment; send pending for other methods.';
      mistakes.add(['payment_status'], 'value_error', words);
    }
    return payment_status;
  }
  if (payment_status === 'partially_refunded' && refunded === 0) {
    mistakes.add(['refunds'], 'missing', 'Send the refunds, which show how much of the order was refunded.');
  }
  if (refunded === 0) return 'paid';
  return refunded < money.total ? 'partially_refunded' : 'refunded';
}

function fulfillmentStatusOf(
  { fulfillment_status, delivered_at }: OrderImport,
  { lines, fulfillments }: Planned,
  mistakes: Mistakes,
): OrderStates['fulfillment_status'] {
  const shipped = fulfillments.flatMap(({ items }) => items).reduce((sum, { quantity }) => sum + quantity, 0);
  const ordered = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const arrived = delivered_at || fulfillments.every((one) => one.delivered_at !== null);
  const found =
    shipped === 0 ? 'unfulfilled' : shipped < ordered ? 'partially_fulfilled' : arrived ? 'delivered' : 'fulfilled';
  const fits = fulfillment_status === undefined || fulfillment_status === found;
  if (fits || (shipped >= ordered && SHIPPED.includes(fulfillment_status))) return fulfillment_status ?? found;
  const words = `The fulfillments contain ${shipped} of ${ordered} pieces, so the order is ${found}.`;
  mistakes.add(['fulfillment_status'], 'value_error', words);
  return found;
}
