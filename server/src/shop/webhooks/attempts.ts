/**
 * A delivery has ten attempts, the last one a day after the ninth. Each wait varies by up to 10 %, so that deliveries
 * that failed together are not retried together. A webhook is disabled when its receiver responds with 410, or when the
 * last attempt fails and no delivery has succeeded for five days.
 */

import type { EventType } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { Attempted } from '../../egress/post.ts';
import * as mail from '../mail.ts';
import { scopeOfEvent } from '../scopes.ts';
import type { Shop } from '../shop.ts';
import { type MakerRow, makerOf, scopesOfMaker } from './makers.ts';

const WAITS_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
const JITTER = 0.1;
const LONGEST_RETRY_AFTER_SECONDS = 3_600;
const DISABLED_AFTER = '120 hours';

/** A due delivery with all data for an attempt. */
export interface Due {
  id: string;
  event_id: string;
  webhook_id: string;
  url: string;
  /** The payload or, before the first attempt, the data that the trigger stored. */
  payload: string;
  /** Whether the payload is stored with the delivery. */
  kept: boolean;
  /** Whether an integration registered the webhook. */
  by_integration: boolean;
  tries: number;
  /** Changes if another process records an attempt in the meantime. */
  attempts_count: number;
  secret: Buffer;
  /** Null if no previous secret is valid. */
  previous_secret: Buffer | null;
}

/**
 * Returns the delivery if it is pending and due. After a crash or a replay, a delivery may have two jobs; only one
 * finds it due. Fails the delivery if the webhook is disabled, and ends it if the maker of the webhook (makers.ts) may
 * not read the event.
 */
export async function due(shop: Shop, delivery_id: string): Promise<Due | undefined> {
  const found = await shop.one<Due & MakerRow & { type: EventType }>(
    sql`select d.id, d.event_id, d.type, ${makerOf(sql`w`)}, w.id as webhook_id, d.tries, d.attempts_count, w.url, coalesce(d.payload, e.payload) as payload,
        d.payload is not null as kept, w.sync_key_id is not null as by_integration, w.secret,
        case when w.previous_secret_expires_at > now() then w.previous_secret end as previous_secret
      from webhook_deliveries d
      join webhooks w on w.site_id = d.site_id and w.id = d.webhook_id and w.status = 'active'
      join events e on e.site_id = d.site_id and e.id = d.event_id
      where d.site_id = ${shop.siteId} and d.id = ${delivery_id} and d.status = 'pending'
        and d.next_attempt_at <= now()`,
  );
  if (!found) {
    await giveUpDisabled(shop, delivery_id);
    return undefined;
  }
  const scopes = scopesOfMaker(found);
  const needed = scopeOfEvent(found.type);
  if (!scopes || !needed || scopes.includes(needed)) return found;
  await withhold(shop, delivery_id);
  return undefined;
}

/**
 * Ends a delivery whose event the maker of the webhook may not read. Deletes the delivery if it was never sent, and
 * otherwise marks it as failed.
 */
async function withhold(shop: Shop, delivery_id: string): Promise<void> {
  await shop.run(
    sql`delete from webhook_deliveries
      where site_id = ${shop.siteId} and id = ${delivery_id} and status = 'pending' and attempts_count = 0`,
  );
  await shop.run(
    sql`update webhook_deliveries set status = 'failed', next_attempt_at = null, completed_at = now()
      where site_id = ${shop.siteId} and id = ${delivery_id} and status = 'pending'`,
  );
}

/** Fails a delivery that was created while its webhook was being disabled. */
async function giveUpDisabled(shop: Shop, delivery_id: string): Promise<void> {
  await shop.run(
    sql`update webhook_deliveries d set status = 'failed', next_attempt_at = null, completed_at = now()
      from webhooks w
      where d.site_id = ${shop.siteId} and d.id = ${delivery_id} and d.status = 'pending'
        and w.site_id = d.site_id and w.id = d.webhook_id and w.status = 'disabled'`,
  );
}

/** Seconds until the next attempt after this number of tries; null after the last. */
export function waitAfter(tries: number, retry_after_seconds: number | null, random = Math.random()): number | null {
  const wait = WAITS_SECONDS[tries - 1];
  if (wait === undefined) return null;
  const asked = Math.min(retry_after_seconds ?? 0, LONGEST_RETRY_AFTER_SECONDS);
  return Math.max(wait * (1 + JITTER * (2 * random - 1)), asked);
}

/** A delivery to a webhook, or to the platform that began the checkout (null). */
export interface Attemptable extends Pick<Due, 'id' | 'tries' | 'attempts_count'> {
  webhook_id: string | null;
}

/**
 * Records an attempt. Then schedules the next one, ends the delivery or disables the webhook. Lock order: webhook,
 * delivery.
 */
export async function record(shop: Shop, delivery: Attemptable, attempted: Attempted): Promise<void> {
  const { webhook_id } = delivery;
  const succeeded = attempted.outcome === 'succeeded';
  const gone = attempted.response_status === 410;
  const wait = succeeded || gone ? null : waitAfter(delivery.tries + 1, attempted.retry_after_seconds);
  const given_up = wait === null && !succeeded;
  if (webhook_id !== null) await noteOutcome(shop, webhook_id, succeeded, given_up);
  const status = succeeded ? 'succeeded' : given_up ? 'failed' : 'pending';
  const kept = await shop.run(
    sql`with written as (
        update webhook_deliveries set attempts_count = attempts_count + 1, tries = tries + 1, status = ${status},
          response_status = ${attempted.response_status},
          next_attempt_at = now() + ${wait}::float8 * interval '1 second',
          completed_at = case when ${status} = 'pending' then null else now() end
        where site_id = ${shop.siteId} and id = ${delivery.id} and status = 'pending'
          and attempts_count = ${delivery.attempts_count}
        returning id, attempts_count
      )
      insert into webhook_attempts (site_id, delivery_id, number, attempted_at, duration_ms, outcome, response_status,
        response_body)
      select ${shop.siteId}, id, attempts_count, now() - ${attempted.duration_ms}::int * interval '1 millisecond',
        ${attempted.duration_ms}, ${attempted.outcome}, ${attempted.response_status}, ${attempted.response_body}
      from written`,
  );
  // The webhook was disabled or deleted, or another process has recorded an attempt.
  if (kept === 0) return;
  if (given_up && webhook_id !== null) await disable(shop, webhook_id, gone ? 'gone' : 'failing');
  else if (wait !== null) await enqueue(shop, delivery, wait);
}

async function noteOutcome(shop: Shop, webhook_id: string, succeeded: boolean, given_up: boolean): Promise<void> {
  if (given_up) await lockWebhook(shop, webhook_id);
  if (succeeded) await markWorking(shop, webhook_id);
  else await markFailing(shop, webhook_id);
}

async function lockWebhook(shop: Shop, webhook_id: string): Promise<void> {
  await shop.run(sql`select from webhooks where site_id = ${shop.siteId} and id = ${webhook_id} for no key update`);
}

/**
 * Records a success. Skips the write if a success was recorded in the last ten seconds and no attempt has failed since,
 * because all deliveries of the webhook lock its row.
 */
async function markWorking(shop: Shop, webhook_id: string): Promise<void> {
  await shop.run(
    sql`update webhooks set failing_since = null, last_success_at = now()
      where site_id = ${shop.siteId} and id = ${webhook_id}
        and (failing_since is not null or last_success_at is null or last_success_at < now() - interval '10 seconds')`,
  );
}

async function markFailing(shop: Shop, webhook_id: string): Promise<void> {
  await shop.run(
    sql`update webhooks set failing_since = now()
      where site_id = ${shop.siteId} and id = ${webhook_id} and failing_since is null`,
  );
}

export async function enqueue(
  shop: Shop,
  { id, webhook_id }: Pick<Attemptable, 'id' | 'webhook_id'>,
  wait_seconds: number,
): Promise<void> {
  const run_at = sql`now() + ${wait_seconds}::float8 * interval '1 second'`;
  const job = JSON.stringify({ site_id: shop.siteId, delivery_id: id });
  await shop.run(
    webhook_id === null
      ? sql`select enqueue('deliver_to_platform', ${job}::json, ${run_at})`
      : sql`select enqueue_delivery(${shop.siteId}, ${id}, ${run_at})`,
  );
}

/** Disables a webhook, fails its pending deliveries and mails the staff. */
async function disable(shop: Shop, webhook_id: string, reason: 'gone' | 'failing'): Promise<void> {
  const disabled = await shop.run(
    sql`update webhooks set status = 'disabled', disabled_reason = ${reason}, disabled_at = now(), updated_at = now()
      where site_id = ${shop.siteId} and id = ${webhook_id} and status = 'active'
        and (${reason} = 'gone' or failing_since <= now() - ${DISABLED_AFTER}::interval)`,
  );
  if (disabled === 0) return;
  await shop.run(
    sql`update webhook_deliveries set status = 'failed', next_attempt_at = null, completed_at = now()
      where site_id = ${shop.siteId} and webhook_id = ${webhook_id} and status = 'pending'`,
  );
  await mail.enqueueForStaff(shop, 'webhook_disabled', { webhook_id });
}
