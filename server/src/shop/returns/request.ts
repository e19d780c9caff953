import type { Return, ReturnKind, ReturnLineInput, ReturnPolicy, ReturnResolution } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import { canonicalAmount } from '../money.ts';
import { lockOrder } from '../orders/orders.ts';
import { returnable } from '../orders/quantities.ts';
import { actorType } from '../orders/timeline.ts';
import type { Shop } from '../shop.ts';
import { record } from './moves.ts';
import { policyOf } from './policy.ts';
import { get } from './rows.ts';

const MAX_RETURNS = 250;

export interface ReturnRequest {
  order_id: string;
  lines: ReturnLineInput[];
  resolution?: ReturnResolution;
  customer_note?: string | null;
  /** The number of returns of the order when the form was shown. Prevents a second return if the form is sent twice. */
  seen?: number;
}

interface Pieces {
  order_id: string;
  lines: Pick<ReturnLineInput, 'line_item_id' | 'quantity'>[];
}

export interface StaffReturn extends ReturnRequest {
  keep_goods?: boolean;
  fee?: string;
  shipping?: { label_url?: string | null; carrier?: string | null; tracking_number?: string | null };
  staff_note?: string | null;
  override_policy?: boolean;
}

/**
 * Requests a return for the customer of the order, or for a guest with verified access to the order. Throws `not_found`
 * for an order of another customer, `not_returnable`, `return_window_closed` and `return_quantity_exceeded`.
 */
export async function request(shop: Shop, wanted: ReturnRequest, customer_id?: string): Promise<Return> {
  const own = customer_id === undefined ? sql`true` : sql`o.customer_id = ${customer_id}`;
  const found = await shop.one(
    sql`select from orders o where o.site_id = ${shop.siteId} and o.id = ${wanted.order_id} and ${own}`,
  );
  if (!found) throw notFound('order');
  const policy = await policyOf(shop);
  refuseDisabled(policy);
  const id = await open(shop, wanted, policy, policy.auto_approve);
  await mail.enqueueForStaff(shop, 'new_return', { return_id: id });
  return get(shop, id, customer_id);
}

/** Throws the errors that `request` of the same pieces would throw now, and writes nothing. */
export async function requireReturnable(shop: Shop, wanted: Pieces): Promise<void> {
  const policy = await policyOf(shop);
  refuseDisabled(policy);
  refuseRepeated(wanted.lines);
  await isLate(shop, wanted.order_id, policy, false);
  await refuseExcluded(shop, wanted);
  const left = await returnablePieces(shop, wanted.order_id);
  const exceeding = wanted.lines.filter(({ line_item_id, quantity }) => quantity > (left.get(line_item_id) ?? 0));
  if (exceeding.length > 0) throw exceeded(exceeding, left);
}

function refuseDisabled({ enabled }: ReturnPolicy): void {
  if (!enabled) throw new ShopError('not_returnable', 'The shop accepts no return requests.');
}

/**
 * Records an approved return, even if the shop accepts no return requests. Throws `not_found` and
 * `return_quantity_exceeded`, and without `override_policy` also `not_returnable` and `return_window_closed`.
 */
export async function create(shop: Shop, wanted: StaffReturn): Promise<Return> {
  const id = await open(shop, wanted, await policyOf(shop), true);
  return get(shop, id);
}

async function open(shop: Shop, wanted: StaffReturn, policy: ReturnPolicy, approved: boolean): Promise<string> {
  const { order_id, override_policy = false } = wanted;
  const fee = canonicalAmount(wanted.fee ?? policy.fee, shop.currencyDigits, ['body', 'fee']);
  refuseRepeated(wanted.lines);
  await lockOrder(shop, order_id);
  if (wanted.seen !== undefined) await refuseOutdated(shop, order_id, wanted.seen);
  const late = await isLate(shop, order_id, policy, override_policy);
  if (!override_policy) await refuseExcluded(shop, wanted);
  return add(shop, { ...wanted, kind: 'return', fee, late, approved });
}

/**
 * Creates the return of shipped pieces by a withdrawal: approved without a fee, or only requested if it is late. The
 * rules for other returns do not apply. The caller has locked the order.
 */
export function openWithdrawal(shop: Shop, wanted: ReturnRequest & { late: boolean }): Promise<string> {
  return add(shop, { ...wanted, kind: 'withdrawal', fee: '0', approved: !wanted.late });
}

interface NewReturn extends StaffReturn {
  kind: ReturnKind;
  fee: string;
  late: boolean;
  approved: boolean;
}

async function add(shop: Shop, wanted: NewReturn): Promise<string> {
  const { order_id, approved } = wanted;
  await claimPieces(shop, wanted);
  const id = uuidv7();
  await insert(shop, { ...wanted, id });
  const tells = { event: true, mail: !approved };
  await record(shop, { id, order_id }, 'The return {number} was requested.', { to: 'requested', tells });
  if (approved) {
    const approval = { from: 'requested', to: 'approved', tells: { event: true, mail: true } } as const;
    await record(shop, { id, order_id }, 'The return {number} was approved.', approval);
  }
  return id;
}

/** Throws `conflict` if the order has more returns than the requester has seen. */
async function refuseOutdated(shop: Shop, order_id: string, seen: number): Promise<void> {
  const later = await shop.one(
    sql`select from returns where site_id = ${shop.siteId} and order_id = ${order_id} and ordinal > ${seen}`,
  );
  if (later) throw new ShopError('conflict', 'The order has another return. Read it first.');
}

function refuseRepeated(lines: Pieces['lines']): void {
  const mistakes = lines.flatMap(({ line_item_id }, i) =>
    lines.findIndex((line) => line.line_item_id === line_item_id) < i
      ? [bodyMistake(['lines', i, 'line_item_id'], 'value_error', 'This line is listed twice.')]
      : [],
  );
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

/**
 * The end of the return period of `orders o`: the end of its last day in the shop's time zone, because pages show only
 * the day. Null before anything has shipped.
 */
export function windowEnd(window_days: number): Sql {
  return sql`(select (date_trunc('day', coalesce(o.delivered_at, (
        select max(f.created_at) from fulfillments f where f.site_id = o.site_id and f.order_id = o.id), o.shipped_at)
      at time zone t.time_zone) + ${window_days + 1} * interval '1 day' - interval '1 second') at time zone t.time_zone
    from site_settings t where t.site_id = o.site_id)`;
}

/** Whether the period for returns has ended. Throws `return_window_closed` unless the policy is overridden. */
async function isLate(
  shop: Shop,
  order_id: string,
  { window_days }: ReturnPolicy,
  override_policy: boolean,
): Promise<boolean> {
  const found = await shop.one<{ closed_at: string | null; late: boolean | null }>(
    sql`select w.closed_at, w.closed_at <= now() as late from (
        select ${windowEnd(window_days)} as closed_at
        from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}
      ) w`,
  );
  if (!found?.closed_at || !found.late) return false;
  if (override_policy) return true;
  const { closed_at } = found;
  throw new ShopError('return_window_closed', 'The period for returns ended at closed_at.', { closed_at });
}

/** Throws `not_returnable` if products of the lines cannot be returned. Deleted products can be returned. */
async function refuseExcluded(shop: Shop, { order_id, lines }: Pieces): Promise<void> {
  const excluded = await shop.rows<{ line_item_id: string }>(
    sql`select l.id as line_item_id from order_lines l
      join products p on p.site_id = l.site_id and p.id = l.product_id and not p.returnable
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id}
        and l.id = any(${lines.map(({ line_item_id }) => line_item_id)}::uuid[]) order by l.position`,
  );
  if (excluded.length === 0) return;
  throw new ShopError('not_returnable', 'Products of the order cannot be returned.', { lines: excluded });
}

/** Reserves the pieces for a return in one conditional statement. Throws `not_found` and `return_quantity_exceeded`. */
async function claimPieces(shop: Shop, { order_id, lines }: Pieces): Promise<void> {
  const ids = lines.map(({ line_item_id }) => line_item_id);
  const claimed = await shop.rows<RowOf<'order_lines', 'id'>>(
    sql`update order_lines l set in_returns = l.in_returns + w.quantity
      from unnest(${ids}::uuid[], ${lines.map(({ quantity }) => quantity)}::int[]) as w (line_id, quantity)
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and l.id = w.line_id
        and ${returnable} >= w.quantity
      returning l.id`,
  );
  const taken = new Set(claimed.map(({ id }) => id));
  const exceeding = lines.filter(({ line_item_id }) => !taken.has(line_item_id));
  if (exceeding.length === 0) return;
  throw exceeded(exceeding, await returnablePieces(shop, order_id));
}

async function returnablePieces(shop: Shop, order_id: string): Promise<Map<string, number>> {
  const lines = await shop.rows<{ id: string; returnable: number }>(
    sql`select l.id, ${returnable} as returnable from order_lines l
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id}`,
  );
  return new Map(lines.map((line) => [line.id, line.returnable]));
}

function exceeded(exceeding: Pieces['lines'], left: Map<string, number>): ShopError {
  if (exceeding.some(({ line_item_id }) => !left.has(line_item_id))) return notFound('line in this order');
  const message = 'The quantity exceeds the pieces of the line that can be returned.';
  return new ShopError('return_quantity_exceeded', message, {
    lines: exceeding.map(({ line_item_id, quantity }) => ({
      line_item_id,
      requested: quantity,
      returnable: left.get(line_item_id),
    })),
  });
}

async function insert(shop: Shop, wanted: NewReturn & { id: string }): Promise<void> {
  const { id, order_id, kind, fee, late, approved, lines } = wanted;
  const { resolution = 'refund', keep_goods = false, customer_note = null, staff_note = null, shipping = {} } = wanted;
  const { label_url = null, carrier = null, tracking_number = null } = shipping;
  const inserted = await shop.run(
    sql`insert into returns (site_id, id, order_id, ordinal, kind, status, late, resolution, keep_goods, fee, label_url, carrier,
        tracking_number, customer_note, staff_note, created_by, actor_id, decided_at)
      select ${shop.siteId}, ${id}, ${order_id}, count(*) + 1, ${kind}, ${approved ? 'approved' : 'requested'}, ${late},
        ${resolution}, ${keep_goods}, ${fee}::numeric, ${label_url}, ${carrier}, ${tracking_number}, ${customer_note},
        ${staff_note}, ${actorType(shop)}, ${shop.actorType === 'system' ? null : shop.actorId}::uuid,
        case when ${approved} then now() end
      from returns r where r.site_id = ${shop.siteId} and r.order_id = ${order_id} having count(*) < ${MAX_RETURNS}`,
  );
  if (inserted === 0) {
    const message = `An order can have at most ${MAX_RETURNS} returns.`;
    throw new ShopError('limit_reached', message, { limit: MAX_RETURNS });
  }
  const rows = lines.map((line, position) => ({ ...line, position, id: uuidv7() }));
  await shop.run(
    sql`insert into return_lines (site_id, id, return_id, line_id, position, quantity, reason, note)
      select ${shop.siteId}, i.id, ${id}, i.line_item_id, i.position, i.quantity, i.reason, i.note
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as i (id uuid, line_item_id uuid, position int, quantity int, reason text, note text)`,
  );
}
