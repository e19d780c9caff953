import type { Order } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { Shop } from '../shop.ts';
import { authorizedPaymentOf, beginMove, endMove } from './moves.ts';
import { type LockedOrder, lockOrder } from './orders.ts';
import { getOrder } from './rows.ts';
import { invalidTransition } from './states.ts';
import * as events from './timeline.ts';

/**
 * Captures the authorized amount or a part of it. If a capture is pending or has succeeded, another call changes
 * nothing. Throws `invalid_transition` unless the payment is authorized, and `conflict` if the first capture had
 * another amount.
 */
export async function capture(shop: Shop, order_id: string, amount?: string): Promise<Order> {
  const order = await lockOrder(shop, order_id);
  const wanted = amount === undefined ? undefined : canonical(shop, amount);
  const begun = await shop.one<RowOf<'payment_moves', 'amount'>>(
    sql`select amount from payment_moves
      where site_id = ${shop.siteId} and order_id = ${order_id} and kind = 'capture' and status <> 'failed'`,
  );
  if (begun && wanted !== undefined && Number(begun.amount) !== Number(wanted)) {
    throw new ShopError('conflict', `A capture of ${begun.amount} has already begun. A payment is captured only once.`);
  }
  if (!begun) await begin(shop, order, wanted);
  return getOrder(shop, order_id);
}

/** Captures an authorized payment when the order's first fulfilment is created. */
export async function captureShipped(shop: Shop, order: LockedOrder): Promise<void> {
  if (order.payment_status !== 'authorized') return;
  const begun = await shop.one(
    sql`select from payment_moves
      where site_id = ${shop.siteId} and order_id = ${order.id} and kind = 'capture' and status <> 'failed'`,
  );
  if (!begun && (await authorizedPaymentOf(shop, order.id))) await begin(shop, order, undefined);
}

/** Records a failed capture and notifies the staff, who may retry. Returns false if the capture was not pending. */
export async function fail(
  shop: Shop,
  { id, order_id, amount }: { id: string; order_id: string; amount: string },
  reason: string,
  reference = id,
): Promise<boolean> {
  if (!(await endMove(shop, id, { status: 'failed', reference, reason }))) return false;
  const message = `The provider could not capture ${amount} ${shop.currency}: ${reason}.`;
  await events.record(shop, order_id, { type: 'updated', message, context: { amount, reason } });
  await mail.enqueueForStaff(shop, 'capture_failed', { capture_id: id });
  return true;
}

async function begin(shop: Shop, order: LockedOrder, wanted: string | undefined): Promise<void> {
  const payment = await authorizedPaymentOf(shop, order.id);
  if (order.payment_status !== 'authorized' || !payment) {
    const message = 'Only an authorized payment can be captured.';
    throw invalidTransition(order, 'payment_status', 'paid', message);
  }
  const amount = wanted ?? payment.amount;
  if (Number(amount) > Number(payment.amount)) {
    const limit = { le: payment.amount };
    throw new ValidationError([
      bodyMistake(['amount'], 'less_than_equal', `Only ${payment.amount} was authorized.`, limit),
    ]);
  }
  await beginMove(shop, { id: uuidv7(), kind: 'capture', payment_id: payment.id, order_id: order.id, amount });
}

function canonical(shop: Shop, amount: string): string {
  const digits = shop.currencyDigits;
  const minor = minorUnits(canonicalAmount(amount, digits, ['body', 'amount']), digits);
  if (minor > 0) return decimal(minor, digits);
  throw new ValidationError([bodyMistake(['amount'], 'greater_than', 'Must be above 0.', { gt: 0 })]);
}
