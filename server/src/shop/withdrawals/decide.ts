import type { Withdrawal } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import { minorUnits } from '../money.ts';
import * as orders from '../orders/orders.ts';
import { type LockedOrder, lockOrder } from '../orders/orders.ts';
import { countWithheld, toFulfill, unshipped } from '../orders/quantities.ts';
import * as refunds from '../orders/refunds.ts';
import { suggest } from '../orders/suggestion.ts';
import * as events from '../orders/timeline.ts';
import { isUnpaidByHand, removeUnpaid } from '../orders/unpaid-pieces.ts';
import { refundedBy } from '../returns/moves.ts';
import type { Shop } from '../shop.ts';
import { get } from './rows.ts';
import type { ChosenLine } from './statements.ts';

/** Decisions of staff about the pieces that a withdrawal withholds. Each locks the order first, as shipments do. */

type Locked = RowOf<'withdrawals', 'id' | 'order_id' | 'status'>;

/**
 * Removes the withheld pieces, or only the given ones, from the order and refunds them. Pieces that are not removed can
 * ship again. If nothing has shipped and no pieces remain, cancels the order and also refunds the shipping cost. Throws
 * `invalid_transition`.
 */
export async function confirm(shop: Shop, id: string, lines?: ChosenLine[]): Promise<Withdrawal> {
  const { withdrawal, order } = await lock(shop, id);
  if (!order || withdrawal.status !== 'to_confirm') throw notToConfirm(withdrawal);
  const held = await heldLines(shop, id);
  const wanted = lines ?? held;
  refuseMistakes(wanted, held);
  await end(shop, id);
  await countWithheld(shop, order.id);
  const pieces = order.status === 'cancelled' ? [] : await leftOf(shop, order.id, wanted);
  if (pieces.length > 0) await refundPieces(shop, order, pieces);
  await shop.run(
    sql`update withdrawal_lines l set confirmed = w.quantity
      from jsonb_to_recordset(${JSON.stringify(pieces)}::jsonb) as w (line_item_id uuid, quantity int)
      where l.site_id = ${shop.siteId} and l.withdrawal_id = ${id} and l.line_id = w.line_item_id`,
  );
  await events.record(shop, order.id, {
    type: 'updated',
    message: 'The withdrawal was confirmed.',
    context: { withdrawal_id: id },
  });
  return get(shop, id);
}

/** Closes a withdrawal without a refund. Its withheld pieces can ship again. Throws `invalid_transition`. */
export async function close(shop: Shop, id: string): Promise<Withdrawal> {
  const { withdrawal, order } = await lock(shop, id);
  if (withdrawal.status === 'closed') throw notToConfirm(withdrawal);
  await end(shop, id);
  if (order) {
    await countWithheld(shop, order.id);
    await events.record(shop, order.id, {
      type: 'updated',
      message: 'The withdrawal was closed. Its pieces can ship again.',
      context: { withdrawal_id: id },
    });
  }
  return get(shop, id);
}

async function lock(shop: Shop, id: string): Promise<{ withdrawal: Locked; order: LockedOrder | undefined }> {
  const known = await shop.one<RowOf<'withdrawals', 'order_id'>>(
    sql`select order_id from withdrawals where site_id = ${shop.siteId} and id = ${id}`,
  );
  const order = known?.order_id ? await lockOrder(shop, known.order_id) : undefined;
  const withdrawal = await shop.one<Locked>(
    sql`select id, order_id, status from withdrawals where site_id = ${shop.siteId} and id = ${id} for update`,
  );
  if (!withdrawal) throw notFound('withdrawal');
  // The job has linked the withdrawal to an order meanwhile.
  if (withdrawal.order_id !== known?.order_id) return lock(shop, id);
  return { withdrawal, order };
}

function notToConfirm({ status: from }: Locked): ShopError {
  const allowed = from === 'closed' ? [] : ['closed'];
  const message = `A withdrawal with status ${from} has no withheld pieces to decide about.`;
  return new ShopError('invalid_transition', message, { field: 'status', from, to: 'closed', allowed });
}

function heldLines(shop: Shop, id: string): Promise<ChosenLine[]> {
  return shop.rows<ChosenLine>(
    sql`select line_id as line_item_id, quantity from withdrawal_lines
      where site_id = ${shop.siteId} and withdrawal_id = ${id} order by line_id`,
  );
}

function refuseMistakes(wanted: ChosenLine[], held: ChosenLine[]): void {
  const mistakes = wanted.flatMap(({ line_item_id, quantity }, i) => {
    const most = held.find((line) => line.line_item_id === line_item_id)?.quantity ?? 0;
    if (wanted.findIndex((line) => line.line_item_id === line_item_id) < i) {
      return [bodyMistake(['lines', i, 'line_item_id'], 'value_error', 'This line is listed twice.')];
    }
    const words = `Only ${most} of this line are withheld.`;
    return quantity <= most ? [] : [bodyMistake(['lines', i, 'quantity'], 'less_than_equal', words, { le: most })];
  });
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

/** Limits the wanted pieces to those that are still unshipped, because staff may have refunded some meanwhile. */
async function leftOf(shop: Shop, order_id: string, wanted: ChosenLine[]): Promise<ChosenLine[]> {
  const lines = await shop.rows<{ id: string; left: number }>(
    sql`select l.id, ${toFulfill} as left from order_lines l
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id}`,
  );
  return wanted.flatMap(({ line_item_id, quantity }) => {
    const left = Math.min(quantity, lines.find(({ id }) => id === line_item_id)?.left ?? 0);
    return left > 0 ? [{ line_item_id, quantity: left }] : [];
  });
}

async function refundPieces(shop: Shop, order: LockedOrder, pieces: ChosenLine[]): Promise<void> {
  const { is_whole, is_rest } = await extentOf(shop, order, pieces);
  if (is_whole) {
    await orders.cancel(shop, order.id, { reason: 'customer', note: null, restock: true });
    await refunds.refundCancelled(shop, order.id, 'customer');
    return;
  }
  if (isUnpaidByHand(order)) {
    await removeUnpaid(shop, order, { pieces, shipping: is_rest ? 'all' : 'none' });
    return;
  }
  await refunds.refuseUnpaid(shop, order.id);
  const line_items = pieces.map((piece) => ({ ...piece, shipped: false, restock: true }));
  const { amount, shipping } = await suggest(shop, order.id, { line_items, shipping: is_rest ? 'all' : 'none' });
  if (minorUnits(amount, shop.currencyDigits) === 0) {
    throw new ShopError('conflict', 'Nothing is left to refund. Cancel the order, or close the withdrawal.');
  }
  await refunds.create(shop, order.id, { amount, shipping, reason: 'customer', line_items });
}

/**
 * `is_whole`: the pieces are the whole order, and nothing of it has shipped. `is_rest`: the pieces are the rest of the
 * order, and the customer withdrew from all shipped pieces and got them refunded. In both cases the shipping cost is
 * refunded.
 */
async function extentOf(
  shop: Shop,
  order: LockedOrder,
  pieces: ChosenLine[],
): Promise<{ is_whole: boolean; is_rest: boolean }> {
  const found = await shop.one<{ is_whole: boolean; is_rest: boolean }>(
    sql`select bool_and(is_last and fulfilled = 0) as is_whole, bool_and(is_last and fulfilled <= refunded) as is_rest
      from (
        select l.fulfilled, ${unshipped} = coalesce(w.quantity, 0) as is_last, (
          select coalesce(sum((${refundedBy(sql`i`)}) + i.credited), 0) from return_lines i
          join returns r on r.site_id = i.site_id and r.id = i.return_id and r.kind = 'withdrawal'
          where i.site_id = l.site_id and i.line_id = l.id) as refunded
        from order_lines l left join jsonb_to_recordset(${JSON.stringify(pieces)}::jsonb)
          as w (line_item_id uuid, quantity int) on w.line_item_id = l.id
        where l.site_id = ${shop.siteId} and l.order_id = ${order.id}
      ) lines`,
  );
  return found ?? { is_whole: false, is_rest: false };
}

async function end(shop: Shop, id: string): Promise<void> {
  await shop.run(
    sql`update withdrawals set status = 'closed', closed_at = now() where site_id = ${shop.siteId} and id = ${id}`,
  );
}
