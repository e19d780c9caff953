import type { BankDetails, CustomerOrder, Order, OrderDetails, Payment } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { notFound } from '../errors.ts';
import { decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { current } from './overdue.ts';
import { lineStateOf, type PricedQuantities, pricedQuantities } from './quantities.ts';
import { amountReceived, type Received, refundDue, sumOf } from './received.ts';
import { type TaxedPart, taxedParts, taxLinesOf } from './tax-lines.ts';

/** How orders are read: whole, in the contract's shape, in one statement. What is not known is null. */

const lines = sql`(
  select coalesce(json_agg(json_build_object('id', l.id, 'variant_id', l.variant_id, 'product_id', l.product_id,
    'name', l.name, 'sku', l.sku, 'option1', l.option1, 'option2', l.option2, 'option3', l.option3,
    'variant_name', l.variant_name, 'quantity', l.quantity, 'price', l.price::text, 'total', l.total::text,
    'image_url', l.image_url) order by l.position, l.id), '[]')
  from order_lines l where l.site_id = o.site_id and l.order_id = o.id)`;

/**
 * The select list of an Order from `orders o`. Staff notes are only for the merchant. A guest does not learn to which account the
 * order belongs by its e-mail, or that there is one.
 */
export function orderColumns(shop: Shop, audience: 'merchant' | 'customer'): Sql {
  const staffNote = audience === 'merchant' ? sql`o.staff_note` : sql`null::text as staff_note`;
  const isGuest = audience === 'customer' && shop.actorType === 'storefront' && shop.customerId === null;
  const customerId = isGuest ? sql`null::uuid as customer_id` : sql`o.customer_id`;
  return sql`o.id, ${shop.merchantId}::text as merchant_id, o.order_number, ${customerId}, o.email, o.phone,
    ${lines} as line_items, o.subtotal, o.tax, o.shipping_cost, o.discount, o.total, o.currency,
    ${current.status} as status, ${current.payment_status} as payment_status, o.fulfillment_status, o.payment_method, o.billing_address, o.shipping_address, o.shipping_method, o.shipping_kind,
    o.tracking_number, o.tracking_url, o.source, o.note, ${staffNote}, o.created_at, ${current.updated_at} as updated_at,
    o.shipped_at, o.delivered_at, ${current.cancelled_at} as cancelled_at`;
}

export const fulfillmentObject = sql`json_build_object('id', f.id, 'order_id', f.order_id, 'items', (
    select coalesce(json_agg(json_build_object('line_item_id', i.line_id, 'quantity', i.quantity) order by i.line_id), '[]')
    from fulfillment_items i where i.site_id = f.site_id and i.fulfillment_id = f.id),
  'carrier', f.carrier, 'tracking_number', f.tracking_number, 'tracking_url', f.tracking_url,
  'created_at', iso(f.created_at), 'delivered_at', iso(f.delivered_at))`;

const fulfillments = sql`(
  select coalesce(json_agg(${fulfillmentObject} order by f.created_at, f.id), '[]')
  from fulfillments f where f.site_id = o.site_id and f.order_id = o.id)`;

/** Of `refunds r`, in the currency of `orders o`. */
export const refundObject = sql`json_build_object('id', r.id, 'order_id', r.order_id, 'amount', r.amount::text,
  'currency', o.currency, 'reason', r.reason, 'note', r.note, 'actor_id', r.actor_id, 'status', coalesce((
    select m.status from payment_moves m where m.site_id = r.site_id and m.id = r.id), 'succeeded'), 'failure_reason', (
    select m.failure_reason from payment_moves m where m.site_id = r.site_id and m.id = r.id), 'provider_reference', (
    select nullif(m.reference, m.id::text) from payment_moves m where m.site_id = r.site_id and m.id = r.id), 'line_items', (
    select coalesce(json_agg(json_build_object('line_item_id', i.line_id, 'quantity', i.quantity, 'restock', i.restock,
      'shipped', i.shipped) order by i.line_id, i.shipped), '[]') from refund_items i where i.site_id = r.site_id and i.refund_id = r.id),
  'created_at', iso(r.created_at))`;

const refunds = sql`(
  select coalesce(json_agg(${refundObject} order by r.created_at, r.id), '[]')
  from refunds r where r.site_id = o.site_id and r.order_id = o.id)`;

/** Of `order_payments p`, in the currency of `orders o`. */
export const orderPaymentObject = sql`json_build_object('id', p.id, 'order_id', p.order_id, 'amount', p.amount::text,
  'currency', o.currency, 'method', p.method, 'received_at', iso(p.received_at), 'reference', p.reference,
  'actor_id', p.actor_id, 'created_at', iso(p.created_at))`;

const recordedPayments = sql`(
  select coalesce(json_agg(${orderPaymentObject} order by p.id), '[]')
  from order_payments p where p.site_id = o.site_id and p.order_id = o.id)`;

const marketingConsent = sql`(
  select json_build_object('id', m.id, 'email', m.email, 'granted', m.granted, 'source', m.source, 'wording', m.wording,
    'order_id', m.order_id, 'recorded_at', iso(m.recorded_at))
  from marketing_consents m where m.site_id = o.site_id and m.order_id = o.id limit 1)`;

const failureReason = sql`(
  select p.failure_reason from payments p where p.site_id = o.site_id and p.order_id = o.id
  order by p.created_at desc limit 1)`;

/** What the payment of an order is derived from. */
interface PaymentRow {
  payment_due_at: string | null;
  bank_details: BankDetails | null;
  failure_reason: string | null;
}

const paymentColumns = sql`o.payment_due_at, o.bank_details, ${failureReason} as failure_reason`;

/** One order. Throws `not_found`. */
export async function getOrder(shop: Shop, id: string): Promise<Order> {
  const found = await shop.one<Order>(
    sql`select ${orderColumns(shop, 'merchant')} from orders o where o.site_id = ${shop.siteId} and o.id = ${id}`,
  );
  if (!found) throw notFound('order');
  return found;
}

type DetailsRow = Omit<
  OrderDetails,
  'payment' | 'refunded' | 'refundable' | 'refund_due' | 'tax_lines' | 'line_states'
> &
  PaymentRow &
  Received & { taxed: TaxedPart[]; lines: PricedQuantities[] };

/** One order with all that belongs to it. Throws `not_found`. */
export async function getDetails(shop: Shop, id: string): Promise<OrderDetails> {
  const [found] = await listDetails(shop, sql`o.site_id = ${shop.siteId} and o.id = ${id}`);
  if (!found) throw notFound('order');
  return found;
}

/** The orders that a condition on `orders o`, with an order and a limit, chooses, with all that belongs to them. */
export async function listDetails(shop: Shop, chosen: Sql): Promise<OrderDetails[]> {
  const found = await shop.rows<DetailsRow>(
    sql`select ${orderColumns(shop, 'merchant')}, o.external_reference, o.discount_code, o.tax_included, ${current.cancel_reason} as cancel_reason,
        o.locale, o.agent_token_id, o.attribution, o.metadata, ${fulfillments} as fulfillments, ${refunds} as refunds,
        ${amountReceived} as amount_received, o.retained, ${recordedPayments} as recorded_payments, ${pricedQuantities} as lines,
        ${taxedParts} as taxed, ${marketingConsent} as marketing_consent,
        ${paymentColumns}
      from orders o where ${chosen}`,
  );
  return found.map((row) => detailsOf(row, shop.currencyDigits));
}

function detailsOf(
  { payment_due_at, bank_details, failure_reason, amount_received, retained, taxed, lines, ...order }: DetailsRow,
  digits: number,
): OrderDetails {
  const refunded = sumOf(order.refunds, 'succeeded', digits);
  const received = minorUnits(amount_received, digits);
  const refundable = Math.max(0, received - refunded - sumOf(order.refunds, 'pending', digits));
  return {
    ...order,
    tax_lines: taxLinesOf(taxed, digits),
    payment: paymentOf(order, { payment_due_at, bank_details, failure_reason }),
    refunded: decimal(refunded, digits),
    refundable: decimal(refundable, digits),
    refund_due: refundDue({ ...order, amount_received, retained }, digits),
    amount_received: decimal(received, digits),
    line_states: lines.map((line) => lineStateOf(line, refundable, digits)),
  };
}

type CustomerRow = Omit<CustomerOrder, 'payment'> & PaymentRow;

/** One order with how to pay it, as seen by the customer who placed it or completed its checkout. */
export async function getForCustomer(shop: Shop, id: string, customer_id?: string): Promise<CustomerOrder> {
  const own = customer_id === undefined ? sql`true` : sql`o.customer_id = ${customer_id}`;
  const [found] = await forCustomer(shop, sql`o.id = ${id} and ${own}`);
  if (!found) throw notFound('order');
  return found;
}

/** Many orders by their ids, as their customers see them, in no particular order. */
export function listForCustomer(shop: Shop, ids: string[]): Promise<CustomerOrder[]> {
  return forCustomer(shop, sql`o.id = any(${ids}::uuid[])`);
}

async function forCustomer(shop: Shop, which: Sql): Promise<CustomerOrder[]> {
  const rows = await shop.rows<CustomerRow>(
    sql`select ${orderColumns(shop, 'customer')}, ${fulfillments} as fulfillments, ${paymentColumns}
      from orders o where o.site_id = ${shop.siteId} and ${which}`,
  );
  return rows.map(({ payment_due_at, bank_details, failure_reason, ...order }) => ({
    ...order,
    payment: paymentOf(order, { payment_due_at, bank_details, failure_reason }),
  }));
}

/** How an order is paid, from what its row says of it. */
export function paymentOf(order: Order, { payment_due_at, bank_details, failure_reason }: PaymentRow): Payment {
  const { payment_status: status, total: amount, currency } = order;
  const due_at = status === 'awaiting_payment' ? payment_due_at : null;
  const instructions =
    bank_details && due_at
      ? {
          account_holder: bank_details.account_holder,
          iban: bank_details.iban,
          bic: bank_details.bic ?? null,
          bank_name: bank_details.bank_name ?? null,
          instructions: bank_details.instructions ?? null,
          reference: order.order_number,
          amount,
          currency,
          due_at,
        }
      : null;
  return { method: order.payment_method ?? null, status, amount, currency, due_at, instructions, failure_reason };
}
