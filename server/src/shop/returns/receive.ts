import type { Return, ReturnCondition } from '@commerce-backend/spec';
import sql, { empty } from 'sql-template-tag';
import { bodyMistake, notFound, ValidationError } from '../errors.ts';
import { decimal } from '../money.ts';
import { endIfAllBack } from '../orders/nothing-left.ts';
import { lockOrder } from '../orders/orders.ts';
import { dueOf, settleIfCovered } from '../orders/payments.ts';
import { isSettled } from '../orders/states.ts';
import { priceOf } from '../orders/suggestion.ts';
import type { Shop } from '../shop.ts';
import { restockPieces } from '../stock/stock.ts';
import { closeLocked, type LockedReturn, lockReturn, move } from './moves.ts';
import { isWholeWithdrawal } from './refund.ts';
import { get } from './rows.ts';
import { requireMove } from './states.ts';

export interface Receipt {
  id: string;
  quantity: number;
  condition: ReturnCondition;
}

/** Pieces that were lost on the way back count as returned. Their condition is `missing`. */
interface Counted extends Omit<Receipt, 'condition'> {
  condition: ReturnCondition | 'lost';
}

/**
 * Records received goods, and restocks those that can be sold again. Lowers the amount due of the order, if any, by
 * their price. Throws `invalid_transition`, `not_found` for a line of another return, and a ValidationError for more
 * pieces than were announced.
 */
export async function receive(shop: Shop, id: string, receipts: Receipt[]): Promise<Return> {
  const before = await lockReturn(shop, id);
  requireMove(before, 'received');
  await refuseMistakes(shop, id, receipts);
  await countReceived(shop, id, receipts);
  await bringBack(shop, id, receipts);
  await creditDue(shop, before, receipts);
  const hasArrived = receipts.some(({ condition }) => condition !== 'missing');
  const isFirst = before.received_at === null;
  await move(shop, before, {
    to: 'received',
    set: hasArrived ? sql`, received_at = coalesce(received_at, now())` : empty,
    message: messageOf(hasArrived, isFirst),
    tells: { event: true, mail: hasArrived && isFirst },
  });
  await endIfAllBack(shop, before.order_id);
  return get(shop, id);
}

function messageOf(hasArrived: boolean, isFirst: boolean): string {
  if (!hasArrived) return 'Goods of the return {number} are missing.';
  return isFirst ? 'Goods of the return {number} have arrived.' : 'More goods of the return {number} have arrived.';
}

/**
 * Closes a return whose remaining pieces were lost on the way back, and lowers the amount due of the order by their
 * price. Throws `invalid_transition`, and a ValidationError if the order is paid, nothing is missing or no reason is
 * given.
 */
export async function closeLost(shop: Shop, id: string, reason: string | null = null): Promise<Return> {
  const before = await lockReturn(shop, id);
  requireMove(before, 'closed');
  const { order_id } = before;
  const lines = await shop.rows<{ id: string; quantity: number }>(
    sql`select i.id, i.quantity - i.received_quantity as quantity from return_lines i
      where i.site_id = ${shop.siteId} and i.return_id = ${id} and i.quantity > i.received_quantity order by i.position`,
  );
  const { payment_status } = await lockOrder(shop, order_id);
  const message =
    (before.keep_goods && 'The customer keeps the goods of this return.') ||
    (lines.length === 0 && 'All pieces of this return have arrived.') ||
    (isSettled(payment_status) && 'The order is paid. Refund the lost pieces instead.');
  if (message) throw new ValidationError([bodyMistake(['lost'], 'value_error', message)]);
  const lost = lines.map((line): Counted => ({ ...line, condition: 'lost' }));
  await countReceived(shop, id, lost);
  await bringBack(shop, id, lost);
  await creditDue(shop, { ...before, fee: '0' }, lost);
  await endIfAllBack(shop, order_id);
  await closeLocked(shop, before, reason);
  return get(shop, id);
}

async function refuseMistakes(shop: Shop, return_id: string, receipts: Receipt[]): Promise<void> {
  const lines = await shop.rows<{ id: string; left: number }>(
    sql`select i.id, i.quantity - i.received_quantity as left from return_lines i
      where i.site_id = ${shop.siteId} and i.return_id = ${return_id}`,
  );
  const left = new Map(lines.map((line) => [line.id, line.left]));
  const mistakes = receipts.flatMap(({ id, quantity }, i) => {
    const most = left.get(id);
    if (most === undefined) throw notFound('line in this return');
    if (receipts.findIndex((receipt) => receipt.id === id) < i) {
      return [bodyMistake(['lines', i, 'id'], 'value_error', 'This line is listed twice.')];
    }
    if (quantity <= most) return [];
    const words = `Only ${most} of this line were announced and have not arrived.`;
    return [bodyMistake(['lines', i, 'quantity'], 'less_than_equal', words, { le: most })];
  });
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

/** SQL for a table `w` of the received pieces by return line. Pieces that are marked as missing have not arrived. */
function received(receipts: Counted[]) {
  const rows = receipts.map(({ id, quantity, condition }) => ({
    id,
    condition: condition === 'lost' ? 'missing' : condition,
    arrived: condition === 'missing' ? 0 : quantity,
    resellable: condition === 'resellable' ? quantity : 0,
  }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as w (id uuid, condition text, arrived int, resellable int)`;
}

async function countReceived(shop: Shop, return_id: string, receipts: Counted[]): Promise<void> {
  await shop.run(
    sql`update return_lines i set received_quantity = i.received_quantity + w.arrived, condition = w.condition,
        restocked = i.restocked + case when l.stock_taken then w.resellable else 0 end
      from ${received(receipts)}, order_lines l
      where i.site_id = ${shop.siteId} and i.return_id = ${return_id} and i.id = w.id
        and l.site_id = i.site_id and l.id = i.line_id`,
  );
}

async function bringBack(shop: Shop, return_id: string, receipts: Counted[]): Promise<void> {
  await restockPieces(
    shop,
    sql`update order_lines l set returned = l.returned + w.arrived, in_returns = l.in_returns - w.arrived,
        restocked = l.restocked + case when l.stock_taken then w.resellable else 0 end
      from ${received(receipts)}, return_lines i
      where i.site_id = ${shop.siteId} and i.return_id = ${return_id} and i.id = w.id
        and l.site_id = i.site_id and l.id = i.line_id
      returning l.variant_id, case when l.stock_taken then w.resellable else 0 end as quantity`,
    { type: 'return', id: return_id },
  );
}

/**
 * Lowers the amount due of an order by the price of the received pieces. Once all pieces of a withdrawal from the whole
 * order are back, also lowers it by the shipping cost. The first receipt withholds the fee. On a paid order, the amount
 * due may be less than the price of the pieces. It is then lowered to 0, and the rest is left for the refund.
 */
async function creditDue(
  shop: Shop,
  { id, order_id, kind, fee, received_at, is_refunded }: LockedReturn,
  receipts: Counted[],
): Promise<void> {
  const isPaid = isSettled((await lockOrder(shop, order_id)).payment_status);
  const due = (await dueOf(shop, [order_id])).get(order_id) ?? 0;
  if (isPaid && due === 0) return;
  const pieces = await shop.rows<{ line_item_id: string; quantity: number }>(
    sql`select i.line_id as line_item_id, w.arrived as quantity from ${received(receipts)}
      join return_lines i on i.site_id = ${shop.siteId} and i.return_id = ${id} and i.id = w.id
      where w.arrived > 0 order by i.position`,
  );
  const line_items = pieces.map((piece) => ({ ...piece, shipped: true }));
  const isWhole = await isWholeWithdrawal(shop, { id, order_id, kind }, sql`i.received_quantity`);
  const { sum } = await priceOf(shop, order_id, {
    line_items,
    shipping: isWhole ? 'all' : 'none',
    ...(received_at === null && { fee }),
  });
  const isPart = isPaid && sum > due;
  // Only the first refund of a return deducts the credited amount, so nothing is credited after it.
  if (isPart && is_refunded) return;
  const amount = decimal(isPart ? due : Math.max(0, sum), shop.currencyDigits);
  await shop.run(
    sql`update orders set credited = credited + ${amount}::numeric
      where site_id = ${shop.siteId} and id = ${order_id}`,
  );
  if (isPart) {
    await shop.run(
      sql`update returns set credited = credited + ${amount}::numeric where site_id = ${shop.siteId} and id = ${id}`,
    );
    return;
  }
  await shop.run(
    sql`update order_lines l set refunded_quantity = l.refunded_quantity + w.arrived
      from ${received(receipts)}, return_lines i
      where i.site_id = ${shop.siteId} and i.return_id = ${id} and i.id = w.id
        and l.site_id = i.site_id and l.id = i.line_id`,
  );
  await shop.run(
    sql`update return_lines i set credited = i.credited + w.arrived from ${received(receipts)}
      where i.site_id = ${shop.siteId} and i.return_id = ${id} and i.id = w.id`,
  );
  await settleIfCovered(shop, order_id);
}
