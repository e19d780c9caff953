import type { OrderDetails } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { issueDue } from '../shop/invoices/issue.ts';
import * as fulfillments from '../shop/orders/fulfillments.ts';
import * as orders from '../shop/orders/orders.ts';
import * as refunds from '../shop/orders/refunds.ts';
import { request } from '../shop/returns/request.ts';
import type { Shop } from '../shop/shop.ts';
import type { Statement } from '../shop/withdrawals/statements.ts';
import { EMIL, IDA, JUNE, NOOR, type Person, TOM } from './people.ts';
import { EXPRESS, PICKUP, STANDARD } from './terms.ts';

/** An order of the demo shop, with the steps that follow it. */
export interface DemoOrder {
  buyer: Person;
  /** Ordered quantity by SKU. */
  items: Record<string, number>;
  code?: string;
  shipping: string;
  payment: 'bank_transfer' | 'manual' | 'card';
  /** Test card number, for orders paid by card. */
  card?: string;
  note?: string;
  operations: Deed[];
}

type Deed = (shop: Shop, order: OrderDetails) => Promise<unknown>;

const paid: Deed = (shop, { id }) => orders.markPaid(shop, id);

const shipped: Deed = (shop, { id, order_number }) => fulfillments.create(shop, id, parcel(order_number));

const firstLineShipped: Deed = (shop, { id, order_number, line_items: [line] }) =>
  fulfillments.create(shop, id, {
    ...parcel(order_number),
    items: line?.id ? [{ line_item_id: line.id, quantity: line.quantity }] : undefined,
  });

const handedOver: Deed = (shop, { id }) => fulfillments.create(shop, id, {});

const delivered: Deed = (shop, { id }) => orders.markDelivered(shop, id);

const brokenPieceRefunded: Deed = (shop, { id, line_items: [line] }) =>
  refunds.create(shop, id, { amount: line?.price ?? '1.00', reason: 'damaged', note: 'One arrived broken.' });

const returned: Deed = (shop, { id, total }) =>
  refunds.create(shop, id, { amount: total, reason: 'returned', note: 'Came back unused.' });

/** The customer asks to return one piece of the first line. */
const returnRequested: Deed = async (shop, { id: order_id, customer_id, line_items: [line] }) => {
  if (!customer_id || !line?.id) throw new Error('The order has no customer or no line.');
  const customer = shop.as({ type: 'customer', id: customer_id, customer_id });
  const lines = [{ line_item_id: line.id, quantity: 1, reason: 'does_not_fit' as const }];
  await request(customer, { order_id, lines, customer_note: 'A little too small for us.' }, customer_id);
};

/** Issues the invoice or, after a refund, the credit note. */
const invoiced: Deed = (shop, { id }) => issueDue(shop.asSystem(), id, { by_hand: true });

const refunded: Deed = (shop, { id, total }) => refunds.create(shop, id, { amount: total, reason: 'other' });

const cancelledByCustomer: Deed = (shop, { id }) =>
  orders.cancel(shop, id, { reason: 'customer', note: 'Ordered twice by mistake.' });

const soldOut: Deed = (shop, { id }) => orders.cancel(shop, id, { reason: 'inventory', restock: false });

/** Moves the payment deadline into the past, so that the order expires (see `sellByCard`). */
const overdue: Deed = (shop, { id }) =>
  shop.run(
    sql`update orders set payment_due_at = now() - interval '1 minute' where site_id = ${shop.siteId} and id = ${id}`,
  );

function parcel(order_number: string) {
  const tracking_number = `0034043416109400${order_number}`;
  return { carrier: 'DHL', tracking_number, tracking_url: `https://tracking.example/${tracking_number}` };
}

const TRANSFER = { shipping: STANDARD, payment: 'bank_transfer' } as const;
const AT_PICKUP = { shipping: PICKUP, payment: 'manual' } as const;
const CARD = { shipping: STANDARD, payment: 'card' } as const;

/** Orders in many different states, none of them paid by card. The last one awaits its bank transfer. */
export const demoOrders: DemoOrder[] = [
  {
    ...TRANSFER,
    buyer: JUNE,
    items: { 'KH-MUG-SAGE': 2, 'AF-JAR-1L': 1 },
    code: 'WELCOME10',
    operations: [paid, shipped, delivered, returnRequested],
  },
  { ...TRANSFER, buyer: NOOR, items: { 'LT-DRIFT-SLAT-1301': 1 }, operations: [paid, shipped, invoiced] },
  { ...TRANSFER, buyer: EMIL, items: { 'AF-BOARD-MEDI': 1, 'LT-TOWEL3': 2 }, operations: [paid, firstLineShipped] },
  { ...AT_PICKUP, buyer: IDA, items: { 'AF-STOOL': 1 }, note: 'I come on Saturday.', operations: [] },
  { ...AT_PICKUP, buyer: TOM, items: { 'ME-SOY-WARM': 3 }, operations: [handedOver, delivered] },
  { ...TRANSFER, buyer: JUNE, items: { 'DL-WREN-LINE': 1 }, shipping: EXPRESS, operations: [paid] },
  { ...TRANSFER, buyer: EMIL, items: { 'HW-SLACK-FJOR': 1 }, code: 'FREESHIP', operations: [cancelledByCustomer] },
  {
    ...TRANSFER,
    buyer: NOOR,
    items: { 'HW-BURN-FJOR-05L': 3 },
    operations: [paid, shipped, delivered, invoiced, brokenPieceRefunded, invoiced],
  },
  { ...TRANSFER, buyer: IDA, items: { 'HW-FELL-NIGH-18L': 1 }, operations: [paid, shipped, delivered, returned] },
  { ...TRANSFER, buyer: TOM, items: { 'HW-ENAMEL': 4 }, operations: [paid, soldOut, refunded] },
  { ...TRANSFER, buyer: NOOR, items: { 'TD-VERGE-CORN': 5 }, operations: [overdue] },
  { ...AT_PICKUP, buyer: EMIL, items: { 'TD-VERGE-LATE': 1 }, code: 'ONTHEHOUSE', operations: [] },
  {
    ...{ ...TRANSFER, buyer: JUNE, items: { 'LT-CUSH-OCHR-4040': 2 }, code: 'FIVEOFF' },
    ...{ note: 'Please leave it with the neighbours.', operations: [] },
  },
];

/** Orders paid by card: one whose payment succeeds, and one whose payment is declined later. */
export const demoCardOrders: DemoOrder[] = [
  { ...CARD, buyer: TOM, items: { 'KH-BOWL-FJOR': 2 }, card: 'tok_success', operations: [shipped, delivered] },
  { ...CARD, buyer: NOOR, items: { 'FD-TROWEL': 1 }, card: 'tok_late_declined', operations: [] },
];

/**
 * A withdrawal that describes its order (the stool for pickup) in words instead of giving its number, so that staff
 * must link it.
 */
export function demoWithdrawal(): Statement {
  const { email, address } = IDA;
  return {
    id: uuidv7(),
    name: [address.first_name, address.last_name].join(' '),
    email,
    contract: 'The milking stool that I wanted to pick up on Saturday',
    items: null,
    locale: 'en',
    order_id: null,
    lines: null,
  };
}
