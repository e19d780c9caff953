/**
 * The jobs for payments: query pending payments, cancel unfinished payments and refund payments without an order. The
 * steps for each site, until its time is up:
 * 1. Claim some payments in a short transaction, skipping locked rows.
 * 2. Call the provider about them concurrently, outside of transactions.
 * 3. Store each result in a transaction (`takeEvent` in settle.ts).
 */

import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { abandonDue } from '../due-payments/settle.ts';
import { inShop } from '../in-shop.ts';
import * as mail from '../mail.ts';
import type { PaymentProvider, RefundOutcome } from '../payments/provider.ts';
import { inTime } from '../payments/provider-deadlines.ts';
import { deadlinesOf, type PaymentProviders, providersByName } from '../payments/providers.ts';
import { type Shop, SYSTEM, type Tenant } from '../shop.ts';
import { endAttempt } from './attempts.ts';
import { release, takeEvent } from './settle.ts';

export interface SettleDeps extends PaymentProviders {
  secretKey: string;
  /** No new provider call starts after this time; running ones may finish. */
  until?: number;
}

const AT_MOST = 100;
const SIDE_BY_SIDE = 5;
/** Limits the delay for other shops if a provider does not respond. */
const TURN_MS = 15_000;
/**
 * A request to begin a payment takes seconds. If the provider does not have the payment after this time, the request
 * never reached it.
 */
const LOST_AFTER_MS = 10 * 60_000;
/** The time for which stock stays reserved while the provider does not answer. */
const UNREACHABLE_FOR_MS = 60 * 60_000;

type OpenPayment = RowOf<
  'payments',
  | 'id'
  | 'order_id'
  | 'purpose'
  | 'status'
  | 'provider'
  | 'reference'
  | 'amount'
  | 'created_at'
  | 'expires_at'
  | 'unreachable_since'
>;

/**
 * Settles pending payments, at most 100 per call, least recently checked first. Returns the number of settled payments.
 * A failure does not stop the others; it is thrown at the end.
 */
export async function settlePayments(db: Pool, tenant: Tenant, deps: SettleDeps): Promise<number> {
  const until = Math.min(Date.now() + TURN_MS, deps.until ?? Number.POSITIVE_INFINITY);
  const asked: string[] = [];
  const failures: unknown[] = [];
  let settled = 0;
  const providerOfPayment = providersByName(deps, tenant.site_id);
  const settleOne = async (payment: OpenPayment) => {
    try {
      const find = () => providerOfPayment(payment.provider);
      if (await settle({ db, tenant, deps, payment }, find)) settled += 1;
    } catch (error) {
      failures.push(error);
    }
  };
  while (asked.length < AT_MOST && Date.now() < until) {
    const open = await inShop(db, tenant, SYSTEM, (shop) => claimOpen(shop, asked));
    if (open.length === 0) break;
    asked.push(...open.map(({ id }) => id));
    await Promise.all(open.map(settleOne));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} payments could not be settled.`);
  return settled;
}

/**
 * Claims pending payments for this process. Payments of older versions without a stored state are cancelled or
 * refunded.
 */
async function claimOpen(shop: Shop, asked: string[]): Promise<OpenPayment[]> {
  await shop.run(
    sql`update payments set status = 'abandoned', updated_at = now()
      where site_id = ${shop.siteId} and order_id is null and frozen is null
        and status in ('started', 'pending', 'authorized', 'succeeded')
        and updated_at <= now() - ${LOST_AFTER_MS} * interval '1 millisecond'`,
  );
  // The array makes PostgreSQL select the rows once. With `in (…)`, a plan may repeat the subquery for each row and
  // claim all of them.
  return shop.rows<OpenPayment>(
    sql`update payments set updated_at = now()
      where site_id = ${shop.siteId} and id = any (array(
        select id from payments
        where site_id = ${shop.siteId} and id <> all (${asked}::uuid[]) and (status = 'abandoned' or (status in ('pending', 'authorized') and order_id is not null)
          or (status in ('started', 'requires_action') and order_id is null and frozen is not null)
          or (status in ('started', 'requires_action') and purpose = 'amount_due'))
        order by updated_at limit ${SIDE_BY_SIDE} for update skip locked))
      returning id, order_id, purpose, status, provider, reference, amount, created_at, expires_at, unreachable_since`,
  );
}

interface Settling {
  db: Pool;
  tenant: Tenant;
  deps: SettleDeps;
  payment: OpenPayment;
}

interface Reached extends Settling {
  provider: PaymentProvider;
}

/**
 * Settles a payment. Treats a provider that is no longer configured as unreachable, so that its payments do not reserve
 * stock forever.
 */
async function settle(settling: Settling, find: () => Promise<PaymentProvider | undefined>): Promise<boolean> {
  const { payment } = settling;
  let failure: unknown;
  let provider: PaymentProvider | undefined;
  try {
    provider = await find();
    if (!provider && payment.status === 'abandoned')
      failure = new Error(`Payment ${payment.id} belongs to ${payment.provider}, which is no longer configured.`);
    const work = payment.status === 'abandoned' ? undo : ask;
    const reached = provider && { ...settling, provider };
    const done = reached && (await inTime(deadlinesOf(settling.deps).job, () => work(reached)));
    if (done !== undefined && payment.unreachable_since) await noteReachable(settling, true);
    if (done !== undefined) return done;
  } catch (error) {
    failure = error;
  }
  const since = payment.unreachable_since ? Date.parse(payment.unreachable_since) : Date.now();
  if (!payment.unreachable_since) await noteReachable(settling, false);
  if (payment.status !== 'abandoned' && Date.now() - since >= UNREACHABLE_FOR_MS) {
    const { db, tenant } = settling;
    if (!payment.order_id) return inShop(db, tenant, SYSTEM, (shop) => release(shop, payment.id));
    // A payment of an amount due reserves nothing, so it may wait for a provider that does not answer.
    if (payment.purpose === 'amount_due' && !provider && !failure)
      return inShop(db, tenant, SYSTEM, (shop) => abandonDue(shop, payment.id));
  }
  if (failure) throw failure;
  return false;
}

async function noteReachable({ db, tenant, payment }: Settling, reachable: boolean): Promise<void> {
  await inShop(db, tenant, SYSTEM, (shop) =>
    shop.run(
      sql`update payments set unreachable_since = case when not ${reachable} then now() end
        where site_id = ${shop.siteId} and id = ${payment.id}`,
    ),
  );
}

/** Queries the provider about a payment. Cancels it if the shopper's time is up or the provider never received it. */
async function ask({ db, tenant, deps, provider, payment }: Reached): Promise<boolean> {
  const key = { id: payment.id, site_id: tenant.site_id, reference: payment.reference };
  const found = await provider.outcomeOf(key);
  const isOver = found ? found.status === 'requires_action' && isPast(payment) : isLost(payment);
  const outcome = isOver ? await provider.cancel(key) : found;
  if (!outcome || outcome.status === payment.status) return false;
  const event = { event_id: `${payment.id}:${outcome.status}`, provider: provider.name, outcome };
  return inShop(db, tenant, SYSTEM, (shop) => takeEvent(shop, deps, payment.id, event));
}

function isPast({ expires_at }: OpenPayment): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.now();
}

function isLost({ status, created_at }: OpenPayment): boolean {
  return status === 'started' && Date.parse(created_at) <= Date.now() - LOST_AFTER_MS;
}

/** Cancels the payment, or refunds it if it has succeeded. */
async function undo({ db, tenant, provider, payment }: Reached): Promise<boolean> {
  const key = { id: payment.id, site_id: tenant.site_id, reference: payment.reference };
  const outcome = await provider.cancel(key);
  if (outcome.status === 'succeeded') {
    const returned = await provider.giveBack({ ...key, reference: outcome.reference });
    return inShop(db, tenant, SYSTEM, (shop) => settleReturn(shop, payment.id, returned));
  }
  if (outcome.status !== 'cancelled' && outcome.status !== 'failed') return false;
  return inShop(db, tenant, SYSTEM, (shop) => endIfAbandoned(shop, payment.id, 'cancelled'));
}

/** Stores the result of refunding a payment without an order. If the provider cannot refund it, notifies the staff. */
async function settleReturn(shop: Shop, id: string, { status, reason }: RefundOutcome): Promise<boolean> {
  if (status === 'pending') return false;
  if (status === 'succeeded') return endIfAbandoned(shop, id, 'refunded');
  const ended = await endIfAbandoned(shop, id, 'failed', reason);
  // The shop keeps the money, so the payment counts as captured.
  await shop.run(
    sql`update payments set captured_amount = amount where site_id = ${shop.siteId} and id = ${id} and status = 'failed'`,
  );
  if (ended) await mail.enqueueForStaff(shop, 'payment_kept', { payment_id: id });
  return ended;
}

async function endIfAbandoned(
  shop: Shop,
  id: string,
  status: 'cancelled' | 'refunded' | 'failed',
  reason: string | null = null,
): Promise<boolean> {
  const found = await shop.one(
    sql`select from payments where site_id = ${shop.siteId} and id = ${id} and status = 'abandoned' for update`,
  );
  if (found) await endAttempt(shop, id, status, reason);
  return found !== undefined;
}
