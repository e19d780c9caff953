import type { Refund, Return } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { ShopError } from '../errors.ts';
import { decimal, minorUnits } from '../money.ts';
import * as refunds from '../orders/refunds.ts';
import { type ShippingRefund, suggest } from '../orders/suggestion.ts';
import type { Shop } from '../shop.ts';
import { closeLocked, type LockedReturn, lockReturn, refundedBy } from './moves.ts';
import { get } from './rows.ts';
import { requireMove } from './states.ts';

export interface ReturnRefund {
  amount?: string;
  shipping?: ShippingRefund;
  note?: string | null;
  close?: boolean;
}

/**
 * Refunds the pieces of a return that have arrived or that the customer keeps, each once. Without `shipping`, the
 * shipping cost is refunded only if the customer withdrew from the whole order. Throws `invalid_transition`, `conflict`
 * if nothing is left to refund, and the errors of `refunds.create`.
 */
export async function refund(
  shop: Shop,
  id: string,
  { amount, shipping: given, note = null, close = true }: ReturnRefund,
): Promise<{ return: Return; refund: Refund }> {
  const before = await lockReturn(shop, id);
  requireMove(before, 'closed');
  const { order_id } = before;
  const shipping = given ?? ((await isWholeWithdrawal(shop, before)) ? 'all' : 'none');
  await refunds.refuseUnpaid(shop, order_id);
  const line_items = await piecesToRefund(shop, before);
  if (line_items.length === 0) {
    const message = before.has_credited
      ? 'Nothing of this return is left to refund: its price lowered the amount due. Close it with a reason.'
      : 'All pieces of this return are refunded already.';
    throw new ShopError('conflict', message);
  }
  const fee = await keptOf(shop, before);
  const suggested = await suggest(shop, order_id, { line_items, shipping, fee, ...(amount && { amount }) });
  if (amount === undefined && minorUnits(suggested.amount, shop.currencyDigits) === 0) {
    throw new ShopError('conflict', 'The suggested refund is 0. Close the return with a reason.');
  }
  const made = await refunds.create(shop, order_id, {
    amount: suggested.amount,
    reason: 'returned',
    note,
    line_items,
    shipping: suggested.shipping,
    return_id: id,
  });
  if (close) await closeLocked(shop, { ...before, is_refunded: true }, null);
  return { return: await get(shop, id), refund: made.refund };
}

/**
 * Returns the amount that a refund of a return withholds. The first refund withholds the fee, unless the first receipt
 * already withheld it, and the amount by which the return has lowered the amount due. A refund through several payments
 * has several parts, of which the first names the pieces. If that part fails, the next refund replaces it: it withholds
 * the same amounts again, and also the parts that have not failed.
 */
export async function keptOf(shop: Shop, { id, fee, credited, has_credited }: LockedReturn): Promise<string> {
  const made = await shop.one<{ names_pieces: boolean; loose: string }>(
    sql`with made as (
        select f.amount, f.created_at, m.status is not distinct from 'failed' as failed, exists (
          select from refund_items i where i.site_id = f.site_id and i.refund_id = f.id) as names_pieces
        from refunds f left join payment_moves m on m.site_id = f.site_id and m.id = f.id
        where f.site_id = ${shop.siteId} and f.return_id = ${id}
      )
      select coalesce(bool_or(r.names_pieces and not r.failed), false) as names_pieces,
        coalesce(sum(r.amount) filter (where not r.names_pieces and not r.failed
          -- All parts of a refund have the time of its transaction.
          and not exists (
            select from made o where o.names_pieces and not o.failed and o.created_at >= r.created_at)), 0)::text as loose
      from made r`,
  );
  const minor = (amount: string) => minorUnits(amount, shop.currencyDigits);
  const first = made?.names_pieces ? 0 : (has_credited ? 0 : minor(fee)) + minor(credited);
  return decimal(first + minor(made?.loose ?? '0'), shop.currencyDigits);
}

/**
 * Whether the return is a withdrawal from the whole order. The shipping cost is then refunded too. `pieces` is an SQL
 * expression for the number of pieces of `return_lines i`.
 */
export async function isWholeWithdrawal(
  shop: Shop,
  { id, order_id, kind }: Pick<LockedReturn, 'id' | 'order_id' | 'kind'>,
  pieces: Sql = sql`i.quantity`,
): Promise<boolean> {
  if (kind !== 'withdrawal') return false;
  const kept = await shop.one(
    sql`select from order_lines l
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and l.quantity - l.removed > coalesce((
        select ${pieces} from return_lines i
        where i.site_id = l.site_id and i.return_id = ${id} and i.line_id = l.id), 0)
      limit 1`,
  );
  return !kept;
}

export interface Pieces {
  line_item_id: string;
  quantity: number;
  shipped: true;
}

/** Returns the unrefunded pieces of a return that have arrived or that the customer keeps. */
export function piecesToRefund(shop: Shop, { id, keep_goods }: LockedReturn): Promise<Pieces[]> {
  return shop.rows<Pieces>(
    sql`select t.line_id as line_item_id, t.quantity, true as shipped from (
        select i.line_id, i.position, least(
          case when ${keep_goods} then i.quantity else i.received_quantity end - i.credited - (${refundedBy(sql`i`)}),
          l.fulfilled - (l.refunded_quantity - l.removed)) as quantity
        from return_lines i join order_lines l on l.site_id = i.site_id and l.id = i.line_id
        where i.site_id = ${shop.siteId} and i.return_id = ${id}
      ) t where t.quantity > 0 order by t.position`,
  );
}
