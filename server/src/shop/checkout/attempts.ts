/** Reads and writes the payments of checkouts. */

import type { NextAction } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import * as orders from '../orders/orders.ts';
import { openAction, sealAction } from '../payments/next-action.ts';
import type { Outcome } from '../payments/provider.ts';
import type { Shop } from '../shop.ts';
import type { Frozen } from './frozen.ts';
import { type CheckoutRow, checkoutColumns } from './state.ts';

export type AttemptStatus =
  | 'started'
  | 'requires_action'
  | 'pending'
  | 'authorized'
  | 'succeeded'
  | 'failed'
  /** There will be no order: the job cancels the payment at the provider or refunds it. */
  | 'abandoned'
  | 'cancelled'
  | 'refunded';

export interface Attempt {
  id: string;
  checkout_id: string;
  order_id: string | null;
  provider: string;
  kind: 'card_token' | 'confirmation_token' | 'page';
  status: AttemptStatus;
  amount: string;
  /** Null for payments stored by older versions. */
  currency: string | null;
  card_hash: Buffer;
  reference: string | null;
  failure_reason: string | null;
  frozen: Frozen | null;
  held_cents: number;
  next_action: Buffer | null;
  return_url: string | null;
  expires_at: string | null;
  unreachable_since: string | null;
  created_at: string;
}

/** A payment of an amount due has no checkout, so it is not found. */
const source: Sql = sql`payments p join checkouts k on k.site_id = p.site_id and k.id = p.checkout_id`;

const columns: Sql = sql`p.id, k.id as checkout_id, p.order_id, p.provider, p.kind, p.status, p.amount, p.currency, p.card_hash,
  p.reference, p.failure_reason, p.frozen, p.held_cents, p.next_action, p.return_url, p.expires_at, p.unreachable_since,
  p.created_at`;

export async function findAttempt(shop: Shop, id: string): Promise<Attempt | undefined> {
  return shop.one<Attempt>(sql`select ${columns} from ${source} where p.site_id = ${shop.siteId} and p.id = ${id}`);
}

/** Finds the return URL and the order of a payment. */
export function findReturn(
  shop: Shop,
  checkout_id: string,
  id: string,
): Promise<Pick<Attempt, 'return_url' | 'order_id'> | undefined> {
  return shop.one(
    sql`select return_url, order_id from payments
      where site_id = ${shop.siteId} and id = ${id} and checkout_id = ${checkout_id}`,
  );
}

export interface LockedAttempt {
  attempt: Attempt;
  row: CheckoutRow;
  order: orders.LockedOrder | undefined;
}

/** Locks a payment and the rows that its result may change, in the order customer, cart, checkout, order, payment. */
export async function lockAttempt(shop: Shop, id: string): Promise<LockedAttempt | undefined> {
  const of = await shop.one<{ checkout_id: string } & RowOf<'checkouts', 'cart_id' | 'customer_id'>>(
    sql`select k.id as checkout_id, k.cart_id, k.customer_id from ${source}
      where p.site_id = ${shop.siteId} and p.id = ${id}`,
  );
  if (!of) return undefined;
  await shop.run(sql`select from customers where site_id = ${shop.siteId} and id = ${of.customer_id} for key share`);
  await shop.run(sql`select from carts where site_id = ${shop.siteId} and id = ${of.cart_id} for update`);
  const row = await shop.one<CheckoutRow>(
    sql`select ${checkoutColumns} from checkouts k where k.site_id = ${shop.siteId} and k.id = ${of.checkout_id}
      for update of k`,
  );
  const found = await findAttempt(shop, id);
  const order = found?.order_id ? await orders.lockOrder(shop, found.order_id) : undefined;
  const attempt = await shop.one<Attempt>(
    sql`select ${columns} from ${source} where p.site_id = ${shop.siteId} and p.id = ${id} for update of p`,
  );
  return attempt && row && { attempt, row, order };
}

/** Stores the provider's response to a pending payment. */
export async function noteOutcome(shop: Shop, secretKey: string, id: string, outcome: Outcome): Promise<void> {
  const { status, reference, reason, next_action } = outcome;
  const sealed = next_action && sealAction(secretKey, id, next_action);
  await shop.run(
    sql`update payments set status = ${status}, reference = ${reference}, failure_reason = ${reason},
        next_action = ${sealed}, unreachable_since = null, updated_at = now()
      where site_id = ${shop.siteId} and id = ${id}`,
  );
}

/** Ends a payment without an order. With `abandoned`, the job cancels it at the provider or refunds it. */
export async function endAttempt(
  shop: Shop,
  id: string,
  status: 'failed' | 'cancelled' | 'abandoned' | 'refunded',
  reason: string | null,
  reference: string | null = null,
): Promise<void> {
  await shop.run(
    sql`update payments set status = ${status}, failure_reason = coalesce(${reason}, failure_reason), next_action = null,
        reference = coalesce(${reference}, reference), updated_at = now()
      where site_id = ${shop.siteId} and id = ${id}`,
  );
}

export function actionOf(secretKey: string, { id, next_action }: Attempt): NextAction | null {
  return next_action && openAction(secretKey, id, next_action);
}
