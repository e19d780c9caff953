import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Shop } from '../shop.ts';

/**
 * Captures and refunds at a provider. A request only records them in its transaction; a job executes them
 * (checkout/moving.ts). The provider treats the same id as the same capture or refund, however often it is sent.
 */
export interface NewMove {
  id: string;
  kind: 'capture' | 'refund';
  payment_id: string;
  order_id: string;
  amount: string;
}

/** Records a capture or refund, which the job executes if the transaction commits. */
export async function beginMove(shop: Shop, { id, kind, payment_id, order_id, amount }: NewMove): Promise<void> {
  await shop.run(
    sql`insert into payment_moves (site_id, id, kind, payment_id, order_id, amount)
      values (${shop.siteId}, ${id}, ${kind}, ${payment_id}, ${order_id}, ${amount})`,
  );
  const job = JSON.stringify({ site_id: shop.siteId, move_id: id });
  await shop.run(sql`select enqueue('move_money', ${job}::json, now())`);
}

/**
 * The payment of an order if it has the given status; undefined if it has another, or the order was not paid through a
 * provider.
 */
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

/** The state of a capture or refund at the provider. */
export interface MoveOutcome {
  status: 'pending' | 'succeeded' | 'failed';
  reference: string;
  reason: string | null;
}

/** Ends a pending move. Returns whether it was pending. */
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

/** Marks a successful refund as failed. Returns whether it was successful. */
export async function reverseMove(shop: Shop, id: string, { reason }: MoveOutcome): Promise<boolean> {
  const reversed = await shop.run(
    sql`update payment_moves set status = 'failed', failure_reason = ${reason}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${id} and kind = 'refund' and status = 'succeeded'`,
  );
  return reversed > 0;
}
