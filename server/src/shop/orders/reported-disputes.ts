import type { Dispute } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import * as mail from '../mail.ts';
import { decimal } from '../money.ts';
import type { Shop } from '../shop.ts';
import { countDisputed } from './disputes.ts';
import { orderOfPayment } from './moves.ts';
import * as events from './timeline.ts';

/** A dispute as the provider reports it now. */
export interface ReportedDispute {
  /** The provider's id of the dispute. */
  reference: string;
  status: Dispute['status'];
  /** In minor units; null if it is not in the currency of the payment. The whole payment then counts as disputed. */
  amount: number | null;
  reason: string | null;
  /** The time limit for evidence. */
  respond_by: Date | null;
}

/**
 * Records a dispute or its decision. Reports can be repeated and arrive late: a decided dispute never becomes open
 * again. Throws `conflict` if the payment itself was not reported yet. Returns whether anything changed.
 */
export async function takeDispute(shop: Shop, payment_id: string, reported: ReportedDispute): Promise<boolean> {
  const order = await orderOfPayment(shop, payment_id);
  if (!order) return false;
  const { reference, status, reason, respond_by } = reported;
  const amount = reported.amount === null ? null : decimal(reported.amount, shop.currencyDigits);
  const known = await shop.one<RowOf<'disputes', 'id' | 'status'>>(
    sql`select id, status from disputes
      where site_id = ${shop.siteId} and payment_id = ${payment_id} and reference = ${reference}`,
  );
  if (known && (known.status === status || status === 'open')) return false;
  const changed = await shop.one<RowOf<'disputes', 'id' | 'amount'>>(
    sql`insert into disputes as d (site_id, id, order_id, payment_id, amount, status, reason, reference, respond_by)
      select p.site_id, ${uuidv7()}, ${order.id}, p.id, coalesce(${amount}::numeric, p.amount), ${status}, ${reason},
        ${reference}, ${respond_by}
      from payments p where p.site_id = ${shop.siteId} and p.id = ${payment_id}
      on conflict (site_id, payment_id, reference)
        do update set amount = excluded.amount, status = excluded.status, updated_at = now()
      returning d.id, d.amount`,
  );
  if (!changed) throw new Error(`Payment ${payment_id} was not found.`);
  await countDisputed(shop, order.id);
  const { id: dispute_id } = changed;
  await events.record(shop, order.id, {
    type: 'updated',
    message: `${changed.amount} ${shop.currency}: ${MESSAGES[status]}`,
    context: {
      dispute_id,
      dispute_status: { from: known?.status ?? null, to: status },
      amount: changed.amount,
      reason,
    },
  });
  await mail.enqueueForStaff(shop, 'order_disputed', { dispute_id, status });
  return true;
}

const MESSAGES: Record<Dispute['status'], string> = {
  open: 'the customer disputes the payment at the bank. Shipping is on hold.',
  won: 'the dispute was won. The money is back.',
  lost: 'the dispute was lost. The customer keeps the money.',
};
