import type { Fulfillment, Order } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import type { Shop } from '../shop.ts';
import { captureShipped } from './captures.ts';
import { trackingPage } from './carriers.ts';
import { refuseDisputed } from './disputes.ts';
import { type LockedOrder, lockOrder } from './orders.ts';
import { progressOf, toFulfill } from './quantities.ts';
import { fulfillmentObject, getOrder } from './rows.ts';
import { canMove, changesBetween, invalidTransition, type OrderStates } from './states.ts';
import * as events from './timeline.ts';

const MAX_FULFILLMENTS = 250;

/** Lists the fulfilments of an order, oldest first. Throws `not_found` for an unknown order. */
export async function list(shop: Shop, order_id: string): Promise<{ fulfillments: Fulfillment[] }> {
  const rows = await shop.rows<{ fulfillment: Fulfillment | null }>(
    sql`select case when f.id is not null then ${fulfillmentObject} end as fulfillment
      from orders o left join fulfillments f on f.site_id = o.site_id and f.order_id = o.id
      where o.site_id = ${shop.siteId} and o.id = ${order_id} order by f.created_at, f.id`,
  );
  if (rows.length === 0) throw notFound('order');
  return { fulfillments: rows.flatMap(({ fulfillment }) => fulfillment ?? []) };
}

interface TrackingInput {
  carrier?: string | null;
  tracking_number?: string | null;
  /** Default: the tracking page of a known carrier. */
  tracking_url?: string | null;
}

export interface FulfillmentInput extends TrackingInput {
  /** Default: all items that can ship. */
  items?: { line_item_id: string; quantity: number }[];
  /** Whether to ship despite an open dispute of the payment. */
  override_dispute?: boolean;
}

/**
 * Records a shipment and sends the customer a mail. Throws `not_found`, `fulfillment_exceeds_remaining`,
 * `order_disputed`, `limit_reached`, or `invalid_transition` if nothing is left to ship or the order is neither
 * confirmed nor processing.
 */
export async function create(
  shop: Shop,
  order_id: string,
  given: FulfillmentInput,
): Promise<{ fulfillment: Fulfillment; order: Order }> {
  const order = await lockOrder(shop, order_id);
  const { carrier, tracking_number, tracking_url = trackingPage(carrier, tracking_number, order.locale) } = given;
  const input = { ...given, tracking_url };
  refuseUnshippable(order);
  if (!given.override_dispute) await refuseDisputed(shop, order_id);
  const lines = await remainingOf(shop, order_id);
  if (lines.every(({ remaining }) => remaining === 0)) throw nothingLeft(order);
  const items = itemsOf(input, lines);
  await refuseTooMany(shop, order_id);

  const id = uuidv7();
  await insert(shop, order_id, id, input, items);
  const { is_over: whole } = await progressOf(shop, order_id);
  const after: Partial<OrderStates> = {
    status: 'processing',
    fulfillment_status: whole ? 'fulfilled' : 'partially_fulfilled',
  };
  await ship(shop, order_id, after, input);
  await captureShipped(shop, order);
  const message = whole ? 'Everything has been shipped.' : 'A part has been shipped.';
  const context = { ...changesBetween(order, after), fulfillment_id: id, carrier: input.carrier ?? null };
  await events.record(shop, order_id, { type: 'fulfilled', message, context });
  await mail.enqueue(shop, 'order_shipped', { order_id, fulfillment_id: id });
  return { fulfillment: await get(shop, id, order_id), order: await getOrder(shop, order_id) };
}

/**
 * Changes carrier and tracking of a fulfilment, and mails the customer again if `notify` is set. Throws `not_found`,
 * and `conflict` if there is no e-mail address to notify.
 */
export async function update(
  shop: Shop,
  order_id: string,
  id: string,
  { notify = false, ...given }: TrackingInput & { notify?: boolean },
): Promise<{ fulfillment: Fulfillment; order: Order }> {
  const { email, locale } = await lockOrder(shop, order_id);
  if (notify && email === null) throw new ShopError('conflict', 'The order has no e-mail address.');
  const { carrier, tracking_number, ...before } = await get(shop, id, order_id);
  const after = { carrier, tracking_number, ...given };
  const isOther = after.carrier !== carrier || after.tracking_number !== tracking_number;
  const page = isOther ? trackingPage(after.carrier, after.tracking_number, locale) : before.tracking_url;
  const { tracking_url = page } = given;
  if (isOther || tracking_url !== before.tracking_url) {
    await changeTracking(shop, order_id, id, { ...after, tracking_url });
  }
  if (notify) await mail.enqueue(shop, 'order_shipped', { order_id, fulfillment_id: id });
  return { fulfillment: await get(shop, id, order_id), order: await getOrder(shop, order_id) };
}

async function changeTracking(
  shop: Shop,
  order_id: string,
  id: string,
  { carrier, tracking_number, tracking_url }: Required<TrackingInput>,
): Promise<void> {
  await shop.run(
    sql`update fulfillments
      set carrier = ${carrier}, tracking_number = ${tracking_number}, tracking_url = ${tracking_url}
      where site_id = ${shop.siteId} and id = ${id}`,
  );
  await showLastTracking(shop, order_id);
  const context = { fulfillment_id: id, carrier, tracking_number };
  await events.record(shop, order_id, { type: 'updated', message: 'The tracking was changed.', context });
}

/** Sets the tracking of an order to that of its last fulfilment with tracking data. */
async function showLastTracking(shop: Shop, order_id: string): Promise<void> {
  await shop.run(
    sql`update orders o set updated_at = now(), (tracking_number, tracking_url) = (
        select f.tracking_number, f.tracking_url from fulfillments f
        where f.site_id = o.site_id and f.order_id = o.id and coalesce(f.tracking_number, f.tracking_url) is not null
        order by f.created_at desc, f.id desc limit 1)
      where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
}

function refuseUnshippable(order: LockedOrder): void {
  if (order.status !== 'processing' && !canMove(order, 'status', 'processing')) {
    throw invalidTransition(order, 'status', 'processing', `An order with status ${order.status} cannot be shipped.`);
  }
  if (!canMove(order, 'fulfillment_status', 'fulfilled')) {
    throw nothingLeft(order);
  }
}

function nothingLeft({ fulfillment_status: from }: LockedOrder): ShopError {
  const change = { field: 'fulfillment_status', from, to: 'fulfilled', allowed: [] };
  return new ShopError('invalid_transition', 'Nothing is left to ship.', change);
}

async function refuseTooMany(shop: Shop, order_id: string): Promise<void> {
  const counted = await shop.one<{ total: number }>(
    sql`select count(*) as total from fulfillments where site_id = ${shop.siteId} and order_id = ${order_id}`,
  );
  if ((counted?.total ?? 0) < MAX_FULFILLMENTS) return;
  throw new ShopError('limit_reached', `An order can have at most ${MAX_FULFILLMENTS} fulfilments.`, {
    limit: MAX_FULFILLMENTS,
  });
}

interface Line {
  id: string;
  remaining: number;
}

/** Returns the quantity of each line that can ship. The order must be locked. */
function remainingOf(shop: Shop, order_id: string): Promise<Line[]> {
  return shop.rows<Line>(
    sql`select l.id, ${toFulfill} as remaining from order_lines l
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} order by l.position`,
  );
}

interface Item {
  id: string;
  quantity: number;
}

function itemsOf({ items }: FulfillmentInput, lines: Line[]): Item[] {
  if (!items)
    return lines.filter(({ remaining }) => remaining > 0).map(({ id, remaining }) => ({ id, quantity: remaining }));
  refuseRepeated(items);
  const remaining = new Map(lines.map((line) => [line.id, line.remaining]));
  const exceeding = items.filter(({ line_item_id, quantity }) => {
    const left = remaining.get(line_item_id);
    if (left === undefined) throw notFound('line in this order');
    return quantity > left;
  });
  if (exceeding.length > 0) {
    throw new ShopError('fulfillment_exceeds_remaining', 'The quantity exceeds the unshipped pieces of the line.', {
      lines: exceeding.map(({ line_item_id, quantity }) => ({
        line_item_id,
        requested: quantity,
        remaining: remaining.get(line_item_id),
      })),
    });
  }
  return items.map(({ line_item_id, quantity }) => ({ id: line_item_id, quantity }));
}

function refuseRepeated(items: NonNullable<FulfillmentInput['items']>): void {
  const mistakes = items.flatMap(({ line_item_id }, i) =>
    items.findIndex((item) => item.line_item_id === line_item_id) < i
      ? [bodyMistake(['items', i, 'line_item_id'], 'value_error', 'This line is listed twice.')]
      : [],
  );
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

/** Inserts a fulfilment. A trigger adds its quantities to `order_lines.fulfilled`. */
async function insert(
  shop: Shop,
  order_id: string,
  id: string,
  { carrier, tracking_number, tracking_url }: FulfillmentInput,
  items: Item[],
): Promise<void> {
  await shop.run(
    sql`with made as (
        insert into fulfillments (site_id, id, order_id, carrier, tracking_number, tracking_url)
        values (${shop.siteId}, ${id}, ${order_id}, ${carrier ?? null}, ${tracking_number ?? null}, ${tracking_url ?? null})
        returning id
      )
      insert into fulfillment_items (site_id, fulfillment_id, line_id, quantity)
      select ${shop.siteId}, made.id, i.line_id, i.quantity from made, unnest(${items.map((item) => item.id)}::uuid[],
        ${items.map(({ quantity }) => quantity)}::int[]) as i (line_id, quantity)`,
  );
}

async function ship(
  shop: Shop,
  order_id: string,
  { status, fulfillment_status }: Partial<OrderStates>,
  { tracking_number, tracking_url }: FulfillmentInput,
): Promise<void> {
  const tracked = Boolean(tracking_number || tracking_url);
  await shop.run(
    sql`update orders set status = ${status}, fulfillment_status = ${fulfillment_status},
        tracking_number = case when ${tracked} then ${tracking_number ?? null} else tracking_number end,
        tracking_url = case when ${tracked} then ${tracking_url ?? null} else tracking_url end,
        shipped_at = case when ${fulfillment_status === 'fulfilled'} then now() end, updated_at = now()
      where site_id = ${shop.siteId} and id = ${order_id}`,
  );
}

async function get(shop: Shop, id: string, order_id: string): Promise<Fulfillment> {
  const found = await shop.one<{ fulfillment: Fulfillment }>(
    sql`select ${fulfillmentObject} as fulfillment from fulfillments f
      where f.site_id = ${shop.siteId} and f.id = ${id} and f.order_id = ${order_id}`,
  );
  if (!found) throw notFound('fulfilment');
  return found.fulfillment;
}
