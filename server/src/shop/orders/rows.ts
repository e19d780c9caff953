/** Selects orders in the form of the API, each in one statement. */

import type {
  BankDetails,
  CustomerOrder,
  Fulfillment,
  LineItem,
  MarketingConsent,
  Order,
  OrderDetails,
  OrderPayment,
  OrderVersion,
  Payment,
  Refund,
  RefundLineItem,
} from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { jsonObject, selectList } from '../../db/fields.ts';
import { notFound } from '../errors.ts';
import { decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { disputes } from './disputes.ts';
import { current } from './overdue.ts';
import { isOwed } from './owed.ts';
import { lineStateOf, type PricedQuantities, pricedQuantities } from './quantities.ts';
import { amountDue, amountReceived, leftToPay, overpaidParts, type Received, refundDue, sumOf } from './received.ts';
import { type TaxedPart, taxedParts, taxLinesOf } from './tax-lines.ts';

const lines = sql`(
  select coalesce(json_agg(${jsonObject<LineItem>({
    id: sql`l.id`,
    variant_id: sql`l.variant_id`,
    product_id: sql`l.product_id`,
    name: sql`l.name`,
    sku: sql`l.sku`,
    option1: sql`l.option1`,
    option2: sql`l.option2`,
    option3: sql`l.option3`,
    variant_name: sql`l.variant_name`,
    quantity: sql`l.quantity`,
    price: sql`l.price::text`,
    total: sql`l.total::text`,
    image_url: sql`l.image_url`,
  })} order by l.position, l.id), '[]')
  from order_lines l where l.site_id = o.site_id and l.order_id = o.id and l.quantity > 0)`;

/**
 * The columns of an Order, from `orders o`. Only merchants see staff notes. Guests cannot see whether an account has
 * the order's e-mail address.
 */
export function orderColumns(shop: Shop, audience: 'merchant' | 'customer'): Sql {
  const isGuest = audience === 'customer' && shop.actorType === 'storefront' && shop.customerId === null;
  return selectList<Order>({
    id: sql`o.id`,
    merchant_id: sql`${shop.merchantId}::text`,
    order_number: sql`o.order_number`,
    customer_id: isGuest ? sql`null::uuid` : sql`o.customer_id`,
    email: sql`o.email`,
    phone: sql`o.phone`,
    line_items: lines,
    subtotal: sql`o.subtotal`,
    tax: sql`o.tax`,
    shipping_cost: sql`o.shipping_cost`,
    discount: sql`o.discount`,
    total: sql`o.total`,
    currency: sql`o.currency`,
    status: current.status,
    payment_status: current.payment_status,
    fulfillment_status: sql`o.fulfillment_status`,
    payment_method: sql`o.payment_method`,
    billing_address: sql`o.billing_address`,
    shipping_address: sql`o.shipping_address`,
    shipping_method: sql`o.shipping_method`,
    shipping_kind: sql`o.shipping_kind`,
    tracking_number: sql`o.tracking_number`,
    tracking_url: sql`o.tracking_url`,
    source: sql`o.source`,
    note: sql`o.note`,
    staff_note: audience === 'merchant' ? sql`o.staff_note` : sql`null::text`,
    created_at: sql`o.created_at`,
    updated_at: current.updated_at,
    shipped_at: sql`o.shipped_at`,
    delivered_at: sql`o.delivered_at`,
    cancelled_at: current.cancelled_at,
  });
}

export const fulfillmentObject = jsonObject<Fulfillment>({
  id: sql`f.id`,
  order_id: sql`f.order_id`,
  items: sql`(
    select coalesce(json_agg(json_build_object('line_item_id', i.line_id, 'quantity', i.quantity) order by i.line_id), '[]')
    from fulfillment_items i where i.site_id = f.site_id and i.fulfillment_id = f.id)`,
  carrier: sql`f.carrier`,
  tracking_number: sql`f.tracking_number`,
  tracking_url: sql`f.tracking_url`,
  created_at: sql`iso(f.created_at)`,
  delivered_at: sql`iso(f.delivered_at)`,
});

const fulfillments = sql`(
  select coalesce(json_agg(${fulfillmentObject} order by f.created_at, f.id), '[]')
  from fulfillments f where f.site_id = o.site_id and f.order_id = o.id)`;

const refundItem = jsonObject<RefundLineItem>({
  line_item_id: sql`i.line_id`,
  quantity: sql`i.quantity`,
  restock: sql`i.restock`,
  shipped: sql`i.shipped`,
});

export const refundObject = jsonObject<Refund>({
  id: sql`r.id`,
  order_id: sql`r.order_id`,
  amount: sql`r.amount::text`,
  currency: sql`o.currency`,
  reason: sql`r.reason`,
  note: sql`r.note`,
  actor_id: sql`r.actor_id`,
  status: sql`coalesce((
    select m.status from payment_moves m where m.site_id = r.site_id and m.id = r.id), 'succeeded')`,
  failure_reason: sql`(
    select m.failure_reason from payment_moves m where m.site_id = r.site_id and m.id = r.id)`,
  provider_reference: sql`(
    select nullif(m.reference, m.id::text) from payment_moves m where m.site_id = r.site_id and m.id = r.id)`,
  line_items: sql`(
    select coalesce(json_agg(${refundItem} order by i.line_id, i.shipped), '[]') from refund_items i where i.site_id = r.site_id and i.refund_id = r.id)`,
  shipping: sql`round(r.shipping, scale(r.amount))::text`,
  return_id: sql`r.return_id`,
  created_at: sql`iso(r.created_at)`,
});

const refunds = sql`(
  select coalesce(json_agg(${refundObject} order by r.created_at, r.id), '[]')
  from refunds r where r.site_id = o.site_id and r.order_id = o.id)`;

export const orderPaymentObject = jsonObject<OrderPayment>({
  id: sql`p.id`,
  order_id: sql`p.order_id`,
  amount: sql`p.amount::text`,
  currency: sql`o.currency`,
  method: sql`p.method`,
  received_at: sql`iso(p.received_at)`,
  reference: sql`p.reference`,
  actor_id: sql`p.actor_id`,
  payment_id: sql`p.payment_id`,
  created_at: sql`iso(p.created_at)`,
});

const recordedPayments = sql`(
  select coalesce(json_agg(${orderPaymentObject} order by p.id), '[]')
  from order_payments p where p.site_id = o.site_id and p.order_id = o.id)`;

const versions = sql`(
  select coalesce(json_agg(${jsonObject<OrderVersion>({
    version: sql`v.version`,
    subtotal: sql`v.content->>'subtotal'`,
    discount: sql`v.content->>'discount'`,
    shipping_cost: sql`v.content->>'shipping_cost'`,
    tax: sql`v.content->>'tax'`,
    total: sql`v.total::text`,
    shipping_method: sql`v.content->>'shipping_method'`,
    line_items: sql`v.content->'line_items'`,
    actor_id: sql`v.actor_id`,
    replaced_at: sql`iso(v.replaced_at)`,
  })} order by v.version), '[]')
  from order_versions v where v.site_id = o.site_id and v.order_id = o.id)`;

const marketingConsent = sql`(
  select ${jsonObject<MarketingConsent>({
    id: sql`m.id`,
    email: sql`m.email`,
    granted: sql`m.granted`,
    source: sql`m.source`,
    wording: sql`m.wording`,
    order_id: sql`m.order_id`,
    recorded_at: sql`iso(m.recorded_at)`,
  })}
  from marketing_consents m where m.site_id = o.site_id and m.order_id = o.id limit 1)`;

const failureReason = sql`(
  select p.failure_reason from payments p
  where p.site_id = o.site_id and p.order_id = o.id and p.purpose = 'checkout'
  order by p.created_at desc limit 1)`;

interface PaymentRow {
  payment_due_at: string | null;
  bank_details: BankDetails | null;
  failure_reason: string | null;
  payment_terms_days: number | null;
  /** The total minus recorded payments and the price of items that were returned or removed. */
  left_to_pay: string;
}

const paymentColumns = selectList<PaymentRow>({
  payment_due_at: sql`o.payment_due_at`,
  bank_details: sql`o.bank_details`,
  failure_reason: failureReason,
  payment_terms_days: sql`o.payment_terms_days`,
  left_to_pay: sql`${leftToPay}::text`,
});

export async function getOrder(shop: Shop, id: string): Promise<Order> {
  const found = await shop.one<Order>(
    sql`select ${orderColumns(shop, 'merchant')} from orders o where o.site_id = ${shop.siteId} and o.id = ${id}`,
  );
  if (!found) throw notFound('order');
  return found;
}

type DetailsRow = Omit<
  OrderDetails,
  | 'payment'
  | 'payment_terms'
  | 'payment_due_at'
  | 'refunded'
  | 'refundable'
  | 'refund_due'
  | 'amount_due'
  | 'tax_lines'
  | 'line_states'
> &
  PaymentRow &
  Received & { taxed: TaxedPart[]; lines: PricedQuantities[] };

const detailsColumns = selectList<Omit<DetailsRow, keyof Order | keyof PaymentRow>>({
  external_reference: sql`o.external_reference`,
  discount_code: sql`o.discount_code`,
  tax_included: sql`o.tax_included`,
  cancel_reason: current.cancel_reason,
  locale: sql`o.locale`,
  agent_token_id: sql`o.agent_token_id`,
  attribution: sql`o.attribution`,
  metadata: sql`o.metadata`,
  fulfillments: fulfillments,
  refunds: refunds,
  amount_received: amountReceived,
  retained: sql`o.retained`,
  disputed: sql`o.disputed`,
  overdue: sql`(${isOwed} and o.payment_due_at <= now())`,
  credited: sql`o.credited`,
  released: sql`o.released::text`,
  overpaid: overpaidParts,
  disputes,
  recorded_payments: recordedPayments,
  lines: pricedQuantities,
  taxed: taxedParts,
  versions,
  exchange_of: sql`o.exchange_of`,
  exchange_credit: sql`round(o.exchange_credit, scale(o.total))::text`,
  marketing_consent: marketingConsent,
  digital_consent_wording: sql`o.digital_consent_wording`,
});

/** Returns an order with all its parts. Throws `not_found`. */
export async function getDetails(shop: Shop, id: string): Promise<OrderDetails> {
  const [found] = await listDetails(shop, sql`o.site_id = ${shop.siteId} and o.id = ${id}`);
  if (!found) throw notFound('order');
  return found;
}

/**
 * Returns orders with all their parts. `chosen` is a condition on `orders o`, and may end with an order and a limit.
 */
export async function listDetails(shop: Shop, chosen: Sql): Promise<OrderDetails[]> {
  const found = await shop.rows<DetailsRow>(
    sql`select ${orderColumns(shop, 'merchant')}, ${detailsColumns}, ${paymentColumns}
      from orders o where ${chosen}`,
  );
  return found.map((row) => detailsOf(row, shop.currencyDigits));
}

function detailsOf(
  { payment_due_at, bank_details, failure_reason, payment_terms_days, left_to_pay, taxed, lines, ...row }: DetailsRow,
  digits: number,
): OrderDetails {
  const { amount_received, retained, disputed, credited, released: _, overpaid: __, ...order } = row;
  const refunded = sumOf(order.refunds, 'succeeded', digits);
  const received = minorUnits(amount_received, digits);
  const pending = sumOf(order.refunds, 'pending', digits);
  const refundable = Math.max(0, received - refunded - pending - minorUnits(disputed, digits));
  return {
    ...order,
    tax_lines: taxLinesOf(taxed, digits),
    payment: paymentOf(order, { payment_due_at, bank_details, failure_reason, payment_terms_days, left_to_pay }),
    payment_terms: payment_terms_days === null ? null : { days: payment_terms_days },
    payment_due_at,
    refunded: decimal(refunded, digits),
    refundable: decimal(refundable, digits),
    refund_due: refundDue(row, digits),
    amount_due: amountDue(row, digits),
    amount_received: decimal(received, digits),
    line_states: lines.map((line) => lineStateOf(line, refundable, digits)),
  };
}

type CustomerRow = Omit<CustomerOrder, 'payment'> & PaymentRow;

/**
 * Returns an order with payment instructions, without staff notes. Throws `not_found`, even if it belongs to a customer
 * other than `customer_id`.
 */
export async function getForCustomer(shop: Shop, id: string, customer_id?: string): Promise<CustomerOrder> {
  const own = customer_id === undefined ? sql`true` : sql`o.customer_id = ${customer_id}`;
  const [found] = await forCustomer(shop, sql`o.id = ${id} and ${own}`);
  if (!found) throw notFound('order');
  return found;
}

/** Returns orders by id without staff notes, in no particular order. */
export function listForCustomer(shop: Shop, ids: string[]): Promise<CustomerOrder[]> {
  return forCustomer(shop, sql`o.id = any(${ids}::uuid[])`);
}

async function forCustomer(shop: Shop, which: Sql): Promise<CustomerOrder[]> {
  const rows = await shop.rows<CustomerRow>(
    sql`select ${orderColumns(shop, 'customer')}, ${fulfillments} as fulfillments, ${paymentColumns}
      from orders o where o.site_id = ${shop.siteId} and ${which}`,
  );
  return rows.map(({ payment_due_at, bank_details, failure_reason, payment_terms_days, left_to_pay, ...order }) => ({
    ...order,
    payment: paymentOf(order, { payment_due_at, bank_details, failure_reason, payment_terms_days, left_to_pay }),
  }));
}

export function paymentOf(order: Order, row: PaymentRow): Payment {
  const { payment_due_at, bank_details, failure_reason, payment_terms_days, left_to_pay } = row;
  const { payment_status: status, total: amount, currency } = order;
  const isOnTerms = payment_terms_days !== null && status === 'pending' && order.status !== 'cancelled';
  const due_at = status === 'awaiting_payment' || isOnTerms ? payment_due_at : null;
  const instructions =
    bank_details && due_at
      ? {
          account_holder: bank_details.account_holder,
          iban: bank_details.iban,
          bic: bank_details.bic ?? null,
          bank_name: bank_details.bank_name ?? null,
          instructions: bank_details.instructions ?? null,
          reference: order.order_number,
          amount: left_to_pay,
          currency,
          due_at,
        }
      : null;
  return { method: order.payment_method ?? null, status, amount, currency, due_at, instructions, failure_reason };
}
