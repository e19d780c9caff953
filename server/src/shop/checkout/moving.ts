/**
 * Executes the captures and refunds that orders/moves.ts has stored. No transaction is open during a call to the
 * provider. Each call has the stored id, so that a crash, a lost response or a second process moves no money twice.
 */

import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { inShop } from '../in-shop.ts';
import { minorUnits } from '../money.ts';
import * as captures from '../orders/captures.ts';
import { takeMadeRefund } from '../orders/made-refunds.ts';
import { endMove } from '../orders/moves.ts';
import * as refunds from '../orders/refunds.ts';
import { takeDispute } from '../orders/reported-disputes.ts';
import { NO_ACCOUNT, type Outcome, type PaymentProvider, type ProviderEvent } from '../payments/provider.ts';
import { inTime } from '../payments/provider-deadlines.ts';
import { deadlinesOf, type PaymentProviders, providersByName } from '../payments/providers.ts';
import { type Shop, SYSTEM, type Tenant } from '../shop.ts';
import { takeEvent } from './settle.ts';

export interface MovingDeps extends PaymentProviders {
  secretKey: string;
  /** No new provider call starts after this time; running ones may finish. */
  until?: number;
}

const AT_MOST = 100;
const SIDE_BY_SIDE = 5;
/** Limits the delay for other shops if a provider does not respond. */
const TURN_MS = 15_000;

interface Move {
  id: string;
  kind: 'capture' | 'refund';
  amount: string;
  order_id: string;
  payment_id: string;
  provider: string;
  reference: string | null;
}

/**
 * Sends the pending captures and refunds of a shop, at most 100 per call, or only the given one. Returns the number of
 * captures and refunds that ended.
 */
export async function finishMoves(db: Pool, tenant: Tenant, deps: MovingDeps, only?: string): Promise<number> {
  const until = Math.min(Date.now() + TURN_MS, deps.until ?? Number.POSITIVE_INFINITY);
  const asked: string[] = [];
  const failures: unknown[] = [];
  let ended = 0;
  const providerOfMove = providersByName(deps, tenant.site_id);
  const finishOne = async (move: Move) => {
    try {
      const provider = await providerOfMove(move.provider);
      if (await finish(db, tenant, deps, { move, provider })) ended += 1;
    } catch (error) {
      failures.push(error);
    }
  };
  while (asked.length < AT_MOST && Date.now() < until) {
    const moves = await inShop(db, tenant, SYSTEM, (shop) => claimPending(shop, only, asked));
    if (moves.length === 0) break;
    asked.push(...moves.map(({ id }) => id));
    await Promise.all(moves.map(finishOne));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} captures or refunds are unfinished.`);
  return ended;
}

async function claimPending(shop: Shop, only: string | undefined, asked: string[]): Promise<Move[]> {
  const which = only === undefined ? sql`true` : sql`id = ${only}`;
  return shop.rows<Move>(
    sql`with claimed as (
        update payment_moves set updated_at = now()
        where site_id = ${shop.siteId} and id = any (array(
          select id from payment_moves where site_id = ${shop.siteId} and status = 'pending' and ${which}
            and id <> all (${asked}::uuid[])
          order by updated_at limit ${SIDE_BY_SIDE} for update skip locked))
        returning id, kind, amount, order_id, payment_id
      )
      select c.id, c.kind, c.amount, c.order_id, c.payment_id, p.provider, p.reference
      from claimed c join payments p on p.site_id = ${shop.siteId} and p.id = c.payment_id`,
  );
}

async function finish(
  db: Pool,
  tenant: Tenant,
  deps: MovingDeps,
  { move, provider }: { move: Move; provider: PaymentProvider | undefined },
): Promise<boolean> {
  if (!provider && move.kind === 'refund') {
    const outcome = { status: 'failed', reference: move.id, reason: NO_ACCOUNT } as const;
    return inShop(db, tenant, SYSTEM, (shop) => refunds.settle(shop, move.id, outcome));
  }
  if (!provider) return inShop(db, tenant, SYSTEM, (shop) => captures.fail(shop, move, NO_ACCOUNT));
  const payment = { id: move.payment_id, site_id: tenant.site_id, reference: move.reference };
  const amount = minorUnits(move.amount, tenant.currency_digits);
  const wanted = { id: move.id, amount, currency: tenant.currency };
  if (move.kind === 'refund') {
    const outcome = await inTime(deadlinesOf(deps).job, () => provider.refund(payment, wanted));
    return inShop(db, tenant, SYSTEM, (shop) => refunds.settle(shop, move.id, outcome));
  }
  const outcome = await inTime(deadlinesOf(deps).job, () => provider.capture(payment, wanted));
  return inShop(db, tenant, SYSTEM, (shop) => settleCapture(shop, deps, { move, provider, outcome }));
}

async function settleCapture(
  shop: Shop,
  deps: MovingDeps,
  { move, provider, outcome }: { move: Move; provider: PaymentProvider; outcome: Outcome },
): Promise<boolean> {
  const { status, reference, reason } = outcome;
  const event = { event_id: `${move.payment_id}:${status}`, provider: provider.name, outcome };
  await takeEvent(shop, deps, move.payment_id, event);
  if (status === 'succeeded') return endMove(shop, move.id, { status, reference, reason });
  if (status !== 'failed' && status !== 'cancelled') return false;
  return captures.fail(shop, move, reason ?? status, reference);
}

/** Applies a webhook about a refund. */
export async function takeRefundEvent(
  shop: Shop,
  provider: string,
  event: Exclude<ProviderEvent, { outcome: unknown } | { dispute: unknown }>,
): Promise<boolean> {
  if (!(await isNew(shop, provider, event))) return false;
  const { status } = 'made' in event ? event.made.outcome : event.refund;
  if (status === 'failed' && (await undoAgain(shop, provider, event.payment_id))) return true;
  return 'made' in event
    ? takeMadeRefund(shop, event.payment_id, event.made)
    : refunds.settle(shop, event.refund_id, event.refund);
}

/** Applies a webhook about a dispute. */
export async function takeDisputeEvent(
  shop: Shop,
  provider: string,
  event: Extract<ProviderEvent, { dispute: unknown }>,
): Promise<boolean> {
  return (await isNew(shop, provider, event)) && takeDispute(shop, event.payment_id, event.dispute);
}

async function isNew(shop: Shop, provider: string, { event_id }: ProviderEvent): Promise<boolean> {
  const fresh = await shop.run(
    sql`insert into payment_events (site_id, provider, event_id) values (${shop.siteId}, ${provider}, ${event_id})
      on conflict do nothing`,
  );
  return fresh > 0;
}

/**
 * Lets the job refund a payment without an order again after the bank rejected the refund (settle-all.ts). Returns
 * false if there is no such payment.
 */
async function undoAgain(shop: Shop, provider: string, payment_id: string): Promise<boolean> {
  const changed = await shop.run(
    sql`update payments set status = 'abandoned', updated_at = now()
      where site_id = ${shop.siteId} and id = ${payment_id} and provider = ${provider} and status = 'refunded'`,
  );
  return changed > 0;
}
