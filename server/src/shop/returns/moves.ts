/**
 * Status changes of a return. Each locks the order, so that changes of its returns, refunds and shipments run one after
 * the other. Each writes a timeline entry. Depending on the change, a trigger of the entry also sends an event, and a
 * mail is enqueued.
 */

import type { Return, ReturnStatus } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { bodyMistake, notFound, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import { canonicalAmount } from '../money.ts';
import { lockOrder } from '../orders/orders.ts';
import * as events from '../orders/timeline.ts';
import type { Shop } from '../shop.ts';
import { get } from './rows.ts';
import { requireMove } from './states.ts';

export type LockedReturn = RowOf<
  'returns',
  'id' | 'order_id' | 'kind' | 'status' | 'keep_goods' | 'fee' | 'received_at' | 'credited'
> & {
  is_refunded: boolean;
  /** Whether pieces of the return were credited, to the order's amount due or to an exchange order. */
  has_credited: boolean;
};

/** Locks a return and its order. Throws `not_found`, even for a return of another customer. */
export async function lockReturn(shop: Shop, id: string, customer_id?: string): Promise<LockedReturn> {
  const own = customer_id === undefined ? sql`true` : sql`o.customer_id = ${customer_id}`;
  const known = await shop.one<RowOf<'returns', 'order_id'>>(
    sql`select r.order_id from returns r join orders o on o.site_id = r.site_id and o.id = r.order_id
      where r.site_id = ${shop.siteId} and r.id = ${id} and ${own}`,
  );
  if (!known) throw notFound('return');
  await lockOrder(shop, known.order_id);
  const found = await shop.one<LockedReturn>(
    sql`select r.id, r.order_id, r.kind, r.status, r.keep_goods, r.fee, r.received_at, r.credited, exists (
        select from return_lines i where i.site_id = r.site_id and i.return_id = r.id and i.credited > 0) as has_credited, exists (
        select from refunds f left join payment_moves m on m.site_id = f.site_id and m.id = f.id
        where f.site_id = r.site_id and f.return_id = r.id and m.status is distinct from 'failed') as is_refunded
      from returns r where r.site_id = ${shop.siteId} and r.id = ${id} for update of r`,
  );
  if (!found) throw notFound('return');
  return found;
}

interface Change {
  to: ReturnStatus;
  /** Assignments in addition to status and updated_at, each with a leading comma. */
  set: Sql;
  /** A sentence for staff. {number} stands for the number of the return. */
  message: string;
  /** Whether the change sends an event and a mail. Tracking and further receipts send no mail. */
  tells: { event: boolean; mail: boolean };
}

/** Changes the status of a locked return, and records the change. */
export async function move(shop: Shop, before: LockedReturn, { to, set, message, tells }: Change): Promise<void> {
  const { id, order_id, status: from } = before;
  await shop.run(
    sql`update returns set status = ${to}, updated_at = now() ${set} where site_id = ${shop.siteId} and id = ${id}`,
  );
  await record(shop, { id, order_id }, message, { ...(from !== to && { from }), to, tells });
}

/** Writes the timeline entry, and enqueues the mail if the change has one. */
export async function record(
  shop: Shop,
  { id, order_id }: Pick<LockedReturn, 'id' | 'order_id'>,
  message: string,
  { from, to, tells }: { from?: ReturnStatus; to: ReturnStatus; tells: Change['tells'] },
): Promise<void> {
  const { number } = await get(shop, id);
  await shop.run(sql`update orders set updated_at = now() where site_id = ${shop.siteId} and id = ${order_id}`);
  const context = {
    return_id: id,
    number,
    ...(from && { return_status: { from, to } }),
    ...(tells.event && { event: to }),
  };
  await events.record(shop, order_id, {
    type: 'return_changed',
    message: message.replace('{number}', number),
    context,
  });
  if (tells.mail) await mail.enqueue(shop, 'return_changed', { order_id, return_id: id, status: to });
}

const TOLD = { event: true, mail: true };

/** Releases the pieces of a return that have not arrived, so that they can be returned again. */
async function releasePieces(shop: Shop, return_id: string): Promise<void> {
  await shop.run(
    sql`update order_lines l set in_returns = l.in_returns - (i.quantity - i.received_quantity)
      from return_lines i
      where i.site_id = ${shop.siteId} and i.return_id = ${return_id} and l.site_id = i.site_id and l.id = i.line_id`,
  );
}

export interface Approval {
  keep_goods?: boolean;
  fee?: string;
  shipping?: { label_url?: string | null; carrier?: string | null; tracking_number?: string | null };
  staff_note?: string | null;
}

/** Approves a return. Throws `invalid_transition`, and a ValidationError for a fee on a withdrawal. */
export async function approve(shop: Shop, id: string, approval: Approval): Promise<Return> {
  const before = await lockReturn(shop, id);
  requireMove(before, 'approved');
  const { keep_goods, shipping = {}, staff_note } = approval;
  const fee = approval.fee === undefined ? null : canonicalAmount(approval.fee, shop.currencyDigits, ['body', 'fee']);
  if (before.kind === 'withdrawal' && /[1-9]/.test(fee ?? '')) {
    throw new ValidationError([bodyMistake(['fee'], 'value_error', 'A withdrawal takes no fee.')]);
  }
  const { label_url = null, carrier = null, tracking_number = null } = shipping;
  await move(shop, before, {
    to: 'approved',
    set: sql`, decided_at = now(), keep_goods = coalesce(${keep_goods ?? null}, keep_goods),
      fee = coalesce(${fee}::numeric, fee), label_url = ${label_url}, carrier = ${carrier},
      tracking_number = ${tracking_number}, staff_note = coalesce(${staff_note ?? null}, staff_note)`,
    message: 'The return {number} was approved.',
    tells: TOLD,
  });
  return get(shop, id);
}

/** Declines a return. Throws `invalid_transition`. */
export async function decline(shop: Shop, id: string, reason: string): Promise<Return> {
  const before = await lockReturn(shop, id);
  requireMove(before, 'declined');
  await releasePieces(shop, id);
  await move(shop, before, {
    to: 'declined',
    set: sql`, decided_at = now(), decline_reason = ${reason}`,
    message: 'The return {number} was declined.',
    tells: TOLD,
  });
  return get(shop, id);
}

export interface Tracking {
  carrier?: string | null;
  tracking_number: string;
}

/** Sets the tracking of a return. Throws `invalid_transition`, and `not_found` for a return of another customer. */
export async function setTracking(shop: Shop, id: string, tracking: Tracking, customer_id?: string): Promise<Return> {
  const before = await lockReturn(shop, id, customer_id);
  requireMove(before, 'in_transit');
  await move(shop, before, {
    to: 'in_transit',
    set: sql`, carrier = ${tracking.carrier ?? null}, tracking_number = ${tracking.tracking_number}`,
    message: 'The goods of the return {number} are on their way.',
    tells: { event: false, mail: false },
  });
  return get(shop, id, customer_id);
}

/** Cancels a return. Throws `invalid_transition`, and `not_found` for a return of another customer. */
export async function cancel(shop: Shop, id: string, customer_id?: string): Promise<Return> {
  const before = await lockReturn(shop, id, customer_id);
  requireMove(before, 'cancelled');
  await releasePieces(shop, id);
  await move(shop, before, {
    to: 'cancelled',
    set: sql`, closed_at = now()`,
    message: 'The return {number} was cancelled.',
    tells: TOLD,
  });
  return get(shop, id, customer_id);
}

/**
 * Closes a return. Throws `invalid_transition`, and a ValidationError if there is no refund, no exchange order and no
 * reason.
 */
export async function close(shop: Shop, id: string, reason: string | null = null): Promise<Return> {
  const before = await lockReturn(shop, id);
  requireMove(before, 'closed');
  await closeLocked(shop, before, reason);
  return get(shop, id);
}

/** Closes a locked return. Pieces that the customer keeps and that were refunded cannot be returned again. */
export async function closeLocked(shop: Shop, before: LockedReturn, reason: string | null): Promise<void> {
  const { id, is_refunded } = before;
  const { exchange_order_id } = await get(shop, id);
  if (!is_refunded && !exchange_order_id && !reason?.trim()) {
    const message = 'Closing a return without a refund needs a reason.';
    throw new ValidationError([bodyMistake(['reason'], 'missing', message)]);
  }
  await releasePieces(shop, id);
  await shop.run(
    sql`update order_lines l set refunded_unreturned = l.refunded_unreturned + kept.quantity
      from (${keptPieces(shop, id)}) kept where l.site_id = ${shop.siteId} and l.id = kept.line_id`,
  );
  await move(shop, before, {
    to: 'closed',
    set: reason === null ? sql`, closed_at = now()` : sql`, closed_at = now(), close_reason = ${reason}`,
    message: 'The return {number} was closed.',
    tells: TOLD,
  });
}

/** Pieces that this return refunded although they have not arrived. */
function keptPieces(shop: Shop, return_id: string): Sql {
  return sql`select i.line_id, greatest(0, (${refundedBy(sql`i`)}) - i.received_quantity) as quantity
    from return_lines i where i.site_id = ${shop.siteId} and i.return_id = ${return_id}`;
}

/** SQL for the number of pieces of a return line that its return has refunded. Ignores failed refunds. */
export function refundedBy(line: Sql): Sql {
  return sql`select coalesce(sum(p.quantity), 0)::int from refunds f
    join refund_items p on p.site_id = f.site_id and p.refund_id = f.id and p.line_id = ${line}.line_id
    left join payment_moves m on m.site_id = f.site_id and m.id = f.id
    where f.site_id = ${line}.site_id and f.return_id = ${line}.return_id and m.status is distinct from 'failed'`;
}
