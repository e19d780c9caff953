/**
 * Orders in UCP's format, for agents of the order's customer and for the events to the platform that began the
 * checkout. They contain lines, states, tracking and refunds, but no data of the buyer.
 */

import type { AgentTotals, Fulfillment, Refund } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { jsonObject, selectList } from '../../db/fields.ts';
import { accountLink } from '../links.ts';
import { CAPS, CONTENT_TRUST, sanitizeMerchantText } from '../merchant-text.ts';
import { currencyDigits, minorUnits } from '../money.ts';
import { current } from '../orders/overdue.ts';
import { fulfillmentObject, refundObject } from '../orders/rows.ts';
import type { Shop } from '../shop.ts';

interface Line {
  id: string;
  variant_id: string | null;
  name: string;
  variant_name: string | null;
  quantity: number;
  fulfilled: number;
  removed: number;
  price: string;
  total: string;
}

export interface PlatformOrder extends AgentTotals {
  id: string;
  order_number: string;
  checkout_id: string | null;
  currency: string;
  is_cancelled: boolean;
  created_at: string;
  shipped_at: string | null;
  delivered_at: string | null;
  cancelled_at: string | null;
  /** The postal code of the delivery. */
  postal_code: string | null;
  lines: Line[];
  shipments: Fulfillment[];
  refunds: Refund[];
}

const line = jsonObject<Line>({
  id: sql`l.id`,
  variant_id: sql`l.variant_id`,
  name: sql`l.name`,
  variant_name: sql`l.variant_name`,
  quantity: sql`l.quantity`,
  fulfilled: sql`l.fulfilled`,
  removed: sql`l.removed`,
  price: sql`l.price::text`,
  total: sql`l.total::text`,
});

const COLUMNS = selectList<PlatformOrder>({
  id: sql`o.id`,
  order_number: sql`o.order_number`,
  checkout_id: sql`o.checkout_id`,
  currency: sql`o.currency`,
  is_cancelled: sql`${current.status} = 'cancelled'`,
  subtotal: sql`o.subtotal`,
  discount: sql`o.discount`,
  shipping_cost: sql`o.shipping_cost`,
  tax: sql`o.tax`,
  tax_included: sql`o.tax_included`,
  total: sql`o.total`,
  created_at: sql`o.created_at`,
  shipped_at: sql`o.shipped_at`,
  delivered_at: sql`o.delivered_at`,
  cancelled_at: current.cancelled_at,
  postal_code: sql`o.shipping_address->>'postal_code'`,
  lines: sql`(
    select coalesce(json_agg(${line} order by l.position, l.id), '[]')
    from order_lines l where l.site_id = o.site_id and l.order_id = o.id and l.quantity > 0)`,
  shipments: sql`(
    select coalesce(json_agg(${fulfillmentObject} order by f.created_at, f.id), '[]')
    from fulfillments f where f.site_id = o.site_id and f.order_id = o.id)`,
  refunds: sql`(
    select coalesce(json_agg(${refundObject} order by r.created_at, r.id), '[]')
    from refunds r where r.site_id = o.site_id and r.order_id = o.id)`,
});

/** Reads an order. The caller must check who may read it. */
export function readOrder(shop: Shop, id: string): Promise<PlatformOrder | undefined> {
  return shop.one<PlatformOrder>(
    sql`select ${COLUMNS} from orders o where o.site_id = ${shop.siteId} and o.id = ${id}`,
  );
}

export interface UcpTotal {
  type: string;
  amount: number;
  display_text?: string;
}

export function cents(amount: string, currency: string): number {
  return minorUnits(amount, currencyDigits(currency));
}

export function less(type: string, amount: number, display_text?: string): UcpTotal[] {
  return amount > 0 ? [{ type, amount: -amount, ...(display_text && { display_text }) }] : [];
}

/** `onLines` is the part of the discount that belongs to lines. Tax that the prices include is not a separate total. */
export function totalsInCents(sums: AgentTotals & { currency: string }, onLines: number): UcpTotal[] {
  const of = (amount: string) => cents(amount, sums.currency);
  const tax = sums.tax_included ? 0 : of(sums.tax);
  return [
    { type: 'subtotal', amount: of(sums.subtotal), display_text: 'Subtotal' },
    ...less('items_discount', onLines, 'Discount'),
    ...less('discount', of(sums.discount) - onLines, 'Discount'),
    ...(of(sums.shipping_cost) > 0
      ? [{ type: 'fulfillment', amount: of(sums.shipping_cost), display_text: 'Delivery' }]
      : []),
    ...(tax > 0 ? [{ type: 'tax', amount: tax, display_text: 'Tax' }] : []),
    { type: 'total', amount: of(sums.total), display_text: 'Total' },
  ];
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The order in UCP's format, without `ucp`. `origin` is the origin of the shop's pages. */
export function orderInUcp(shop: Shop, order: PlatformOrder, origin: string) {
  const { id, order_number: label, checkout_id, currency, created_at } = order;
  const line_items = order.lines.map((one) => lineInUcp(order, one));
  const adjustments = [...cancellationOf(order), ...order.refunds.map(refundInUcp)];
  return {
    ...{ id, label, checkout_id: checkout_id ?? NOBODY, currency, line_items },
    permalink_url: accountLink(origin, shop.siteId),
    fulfillment: {
      events: [
        { id: `processing ${id}`, type: 'processing', occurred_at: created_at, line_items: order.lines.map(ordered) },
        ...(order.shipments.length > 0
          ? order.shipments.flatMap((one) => shipmentInUcp(order, one))
          : withoutShipments(order)),
      ],
    },
    ...(adjustments.length > 0 && { adjustments }),
    totals: totalsInCents(order, 0),
  };
}

function lineInUcp({ currency, is_cancelled }: PlatformOrder, one: Line) {
  const { id, variant_id, name, variant_name, quantity: original, fulfilled, removed } = one;
  // Items withheld because of a withdrawal count until staff decide, although they cannot be shipped.
  const total = is_cancelled ? fulfilled : original - removed;
  const amount = cents(one.total, currency);
  const title = [name, variant_name].map((text) => sanitizeMerchantText(text, CAPS.name)).filter(Boolean);
  return {
    id,
    item: {
      ...{ id: variant_id ?? id, price: cents(one.price, currency), content_trust: CONTENT_TRUST },
      title: title.join(', '),
    },
    quantity: { original, total, fulfilled },
    totals: [
      { type: 'subtotal', amount },
      { type: 'total', amount },
    ],
    status: total === 0 ? 'removed' : fulfilled === total ? 'fulfilled' : fulfilled > 0 ? 'partial' : 'processing',
  };
}

function ordered({ id, quantity }: Line) {
  return { id, quantity };
}

function shipmentInUcp({ postal_code }: PlatformOrder, shipment: Fulfillment) {
  const { id, items, created_at, delivered_at, tracking_number, tracking_url, carrier } = shipment;
  const line_items = items.map(({ line_item_id, quantity }) => ({ id: line_item_id, quantity }));
  const words = (text: string | null) => sanitizeMerchantText(text, CAPS.name) ?? undefined;
  const tracking = {
    ...(words(tracking_number) && { tracking_number: words(tracking_number) }),
    ...(tracking_url && URL.canParse(tracking_url) && !contains(tracking_url, postal_code) && { tracking_url }),
    ...(words(carrier) && { carrier: words(carrier) }),
    ...((words(tracking_number) || words(carrier)) && { content_trust: CONTENT_TRUST }),
  };
  const event = (type: string, occurred_at: string) => ({
    id: `${type} ${id}`,
    type,
    occurred_at,
    line_items,
    ...tracking,
  });
  return [event('shipped', created_at), ...(delivered_at ? [event('delivered', delivered_at)] : [])];
}

/**
 * Whether a URL contains the buyer's postal code. The tracking URLs of some carriers do, and show the delivery to
 * anyone who knows the code.
 */
function contains(url: string, postal_code: string | null): boolean {
  const parts = postal_code?.match(/[a-z0-9]+/gi) ?? [];
  return parts.length > 0 && new RegExp(`(?<![a-z0-9])${parts.join('(?:[ +-]|%20)?')}(?![a-z0-9])`, 'i').test(url);
}

/** The fulfilment events of an order whose state was set without shipments, such as an imported order. */
function withoutShipments({ id, lines, shipped_at, delivered_at }: PlatformOrder) {
  const line_items = lines
    .filter(({ fulfilled }) => fulfilled > 0)
    .map((one) => ({ id: one.id, quantity: one.fulfilled }));
  const event = (type: string, occurred_at: string | null) =>
    occurred_at ? [{ id: `${type} ${id}`, type, occurred_at, line_items }] : [];
  return [...event('shipped', shipped_at), ...event('delivered', delivered_at)];
}

function cancellationOf({ id, cancelled_at }: PlatformOrder) {
  if (!cancelled_at) return [];
  return [{ id: `cancelled ${id}`, type: 'cancellation', occurred_at: cancelled_at, status: 'completed' }];
}

const REFUND_STATUS: Record<Refund['status'], string> = {
  pending: 'pending',
  succeeded: 'completed',
  failed: 'failed',
};

/** A refund in UCP's format, without reason and note, because staff may have written about the buyer there. */
function refundInUcp({ id, status, line_items, amount, currency, created_at }: Refund) {
  return {
    ...{ id, type: 'refund', occurred_at: created_at, status: REFUND_STATUS[status] },
    ...(line_items.length > 0 && {
      line_items: line_items.map(({ line_item_id, quantity }) => ({ id: line_item_id, quantity: -quantity })),
    }),
    totals: [{ type: 'total', amount: -cents(amount, currency) }],
  };
}
