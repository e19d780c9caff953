import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Shop } from '../shop.ts';

/**
 * Captures and refunds at a provider. A request only records what is to be done, in its transaction, and a job does it
 * (checkout/moving.ts): the same id is the same capture or refund however often the provider is asked.
 */
export interface NewMove {
  id: string;
  kind: 'capture' | 'refund';
  payment_id: string;
  order_id: string;
  amount: string;
}

/** Has money moved once the transaction commits, and never if it does not. */
export async function beginMove(shop: Shop, { id, kind, payment_id, order_id, amount }: NewMove): Promise<void> {
  await shop.run(
    sql`insert into payment_moves (site_id, id, kind, payment_id, order_id, amount)
      values (${shop.siteId}, ${id}, ${kind}, ${payment_id}, ${order_id}, ${amount})`,
  );
  const job = JSON.stringify({ site_id: shop.siteId, move_id: id });
  await shop.run(sql`select enqueue('move_money', ${job}::json, now())`);
}

/** The payment of an order that is in the state given; undefined for orders that were not paid through a provider. */
export function paymentOf(
  shop: Shop,
  order_id: string,
  status: 'authorized' | 'succeeded',
): Promise<{ id: string; amount: string } | undefined> {
  return shop.one<RowOf<'payments', 'id' | 'amount'>>(
    sql`select id, amount from payments
      where site_id = ${shop.siteId} and order_id = ${order_id} and status = ${status}`,
  );
}

/** How far the provider has come. */
export interface MoveOutcome {
  status: 'pending' | 'succeeded' | 'failed';
  reference: string;
  reason: string | null;
}

/** Ends a move that is pending; returns whether it was. */
export async function endMove(
  shop: Shop,
  id: string,
  { status, reference, reason }: MoveOutcome & { status: 'succeeded' | 'failed' },
): Promise<boolean> {
  const ended = await shop.run(
    sql`update payment_moves set status = ${status}, reference = ${reference}, failure_reason = ${reason}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${id} and status = 'pending'`,
  );
  return ended > 0;
}

/** A refund that had succeeded has failed; returns whether it had. */
export async function reverseMove(shop: Shop, id: string, { reason }: MoveOutcome): Promise<boolean> {
  const reversed = await shop.run(
    sql`update payment_moves set status = 'failed', failure_reason = ${reason}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${id} and kind = 'refund' and status = 'succeeded'`,
  );
  return reversed > 0;
}
