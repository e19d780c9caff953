import type { OrderImport } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { canonicalEmail } from '../emails.ts';
import type { Shop } from '../shop.ts';
import type { PlannedLine, PlannedOrder } from './import-plan.ts';
import { isSettled } from './states.ts';
import * as events from './timeline.ts';

export interface NewOrder {
  index: number;
  input: OrderImport;
  plan: PlannedOrder;
  customer_id: string | null;
}

/**
 * Writes imported orders in a few statements for all of them. Does not change stock, discount codes, payments or the
 * products' sales counts, and sends no webhook event. The caller has locked the counter of order numbers.
 */
export async function writeOrders(shop: Shop, orders: NewOrder[]): Promise<void> {
  if (orders.length === 0) return;
  await insertOrders(shop, orders);
  await insertLines(shop, orders);
  await insertFulfillments(shop, orders);
  await insertRefunds(shop, orders);
  const ids = orders.map(({ plan }) => plan.id);
  await events.recordForAll(shop, ids, { type: 'imported', message: 'Imported from another shop.' });
  await raiseNumbers(shop, orders);
}

async function insertOrders(shop: Shop, orders: NewOrder[]): Promise<void> {
  const rows = orders.map(
    ({ input, plan: { lines: _, fulfillments, refunds: __, amounts, ...states }, customer_id }) => {
      const settled = isSettled(states.payment_status);
      const tracked = fulfillments.findLast((one) => one.tracking_number || one.tracking_url);
      return {
        ...input,
        ...states,
        ...amounts,
        customer_id,
        email: input.email ? canonicalEmail(input.email) : null,
        tax_included: input.tax_included ?? false,
        metadata: input.metadata ?? {},
        tracking_number: tracked?.tracking_number ?? null,
        tracking_url: tracked?.tracking_url ?? null,
        payment_confirmed_at: settled ? (input.paid_at ?? input.created_at) : null,
        ...timesOf(input, states, fulfillments),
      };
    },
  );
  await shop.run(
    sql`insert into orders (site_id, id, order_number, customer_id, email, phone, subtotal, discount, shipping_cost, tax,
        tax_included, total, currency, status, payment_status, fulfillment_status, payment_method, billing_address,
        shipping_address, shipping_method, tracking_number, tracking_url, source, external_reference, discount_code, note,
        staff_note, metadata, cancel_reason, payment_confirmed_at, shipped_at, delivered_at, cancelled_at, created_at,
        refunds_begun, locale)
      select ${shop.siteId}, o.id, o.order_number, o.customer_id, o.email, o.phone, o.subtotal, o.discount, o.shipping_cost,
        o.tax, o.tax_included, o.total, o.currency, o.status, o.payment_status, o.fulfillment_status, o.payment_method,
        o.billing_address, o.shipping_address, o.shipping_method, o.tracking_number, o.tracking_url, 'import',
        o.external_reference, o.discount_code, o.note, o.staff_note, o.metadata, o.cancel_reason, o.payment_confirmed_at,
        o.shipped_at, o.delivered_at, o.cancelled_at, o.created_at, o.refunded, coalesce(o.locale, s.default_locale)
      from site_settings s cross join jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as o (id uuid, order_number text,
        customer_id uuid, email text, phone text, subtotal numeric, discount numeric, shipping_cost numeric, tax numeric,
        tax_included boolean, total numeric, currency text, status text, payment_status text, fulfillment_status text,
        payment_method text, billing_address jsonb, shipping_address jsonb, shipping_method text, tracking_number text,
        tracking_url text, external_reference text, discount_code text, note text, staff_note text, metadata jsonb,
        cancel_reason text, payment_confirmed_at timestamptz, shipped_at timestamptz, delivered_at timestamptz,
        cancelled_at timestamptz, created_at timestamptz, refunded numeric, locale text)
      where s.site_id = ${shop.siteId}`,
  );
}

type Times = Pick<OrderImport, 'shipped_at' | 'delivered_at' | 'cancelled_at'>;

/** The order is completely shipped or delivered at the time of its last fulfilment. */
function timesOf(
  input: OrderImport,
  { fulfillment_status, status }: Pick<PlannedOrder, 'fulfillment_status' | 'status'>,
  fulfillments: PlannedOrder['fulfillments'],
): Times {
  const whole = !['unfulfilled', 'partially_fulfilled'].includes(fulfillment_status);
  const last = (times: (string | null)[]) =>
    times
      .filter((time) => time !== null)
      .sort((a, b) => Date.parse(a) - Date.parse(b))
      .at(-1);
  const shipped = input.shipped_at ?? last(fulfillments.map(({ created_at }) => created_at)) ?? null;
  const arrived = input.delivered_at ?? last(fulfillments.map(({ delivered_at }) => delivered_at)) ?? null;
  return {
    shipped_at: whole ? shipped : null,
    delivered_at: whole ? arrived : null,
    cancelled_at: status === 'cancelled' ? (input.cancelled_at ?? null) : null,
  };
}

async function insertLines(shop: Shop, orders: NewOrder[]): Promise<void> {
  const rows = orders.flatMap(({ plan }) =>
    plan.lines.map((line) => ({ ...line, order_id: plan.id, removed: removedOf(plan, line) })),
  );
  await shop.run(
    sql`insert into order_lines (site_id, id, order_id, position, name, quantity, price, total, variant_id, product_id, sku,
        option1, option2, option3, variant_name, image_url, discount, refunded_quantity, removed)
      select ${shop.siteId}, id, order_id, position, name, quantity, price, total, variant_id, product_id, sku, option1, option2,
        option3, variant_name, image_url, discount, removed, removed
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as l (id uuid, order_id uuid, position int, name text,
        quantity int, price numeric, total numeric, variant_id uuid, product_id uuid, sku text, option1 text, option2 text,
        option3 text, variant_name text, image_url text, discount numeric, removed int)`,
  );
}

/**
 * The quantity of a line that a refund removed before shipping. Only a full refund removes items, because imported
 * refunds do not name lines.
 */
function removedOf({ status, payment_status, fulfillments }: PlannedOrder, { quantity }: PlannedLine): number {
  return payment_status === 'refunded' && status !== 'cancelled' && fulfillments.length === 0 ? quantity : 0;
}

async function insertFulfillments(shop: Shop, orders: NewOrder[]): Promise<void> {
  const rows = orders.flatMap(({ plan }) => plan.fulfillments.map((one) => ({ ...one, order_id: plan.id })));
  if (rows.length === 0) return;
  const items = rows.flatMap((one) => one.items.map((item) => ({ ...item, fulfillment_id: one.id })));
  await shop.run(
    sql`with made as (
        insert into fulfillments (site_id, id, order_id, carrier, tracking_number, tracking_url, created_at, delivered_at)
        select ${shop.siteId}, id, order_id, carrier, tracking_number, tracking_url, created_at, delivered_at
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as f (id uuid, order_id uuid, carrier text,
          tracking_number text, tracking_url text, created_at timestamptz, delivered_at timestamptz)
      )
      insert into fulfillment_items (site_id, fulfillment_id, line_id, quantity)
      select ${shop.siteId}, fulfillment_id, line_id, quantity
      from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as i (fulfillment_id uuid, line_id uuid, quantity int)`,
  );
}

async function insertRefunds(shop: Shop, orders: NewOrder[]): Promise<void> {
  const rows = orders.flatMap(({ plan }) => plan.refunds.map((one) => ({ ...one, order_id: plan.id })));
  if (rows.length === 0) return;
  await shop.run(
    sql`insert into refunds (site_id, id, order_id, amount, reason, note, actor_id, created_at)
      select ${shop.siteId}, id, order_id, amount, reason, note, ${shop.actorId}, created_at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id uuid, order_id uuid, amount numeric, reason text,
        note text, created_at timestamptz)`,
  );
}

/** Matches numbers of the shop's own counter, which cannot reach longer ones. */
const COUNTED = /^\d{1,9}$/;

async function raiseNumbers(shop: Shop, orders: NewOrder[]): Promise<void> {
  const highest = orders.reduce((most, { input: { order_number } }) => {
    return COUNTED.test(order_number) ? Math.max(most, Number(order_number)) : most;
  }, 0);
  await shop.run(
    sql`update order_numbers set last_number = greatest(last_number, ${highest}::bigint) where site_id = ${shop.siteId}`,
  );
}
