/** Deliveries of events to webhooks: listing and replay. jobs/deliver-webhook.ts sends them. */

import type {
  EventType,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookDeliveryStatus,
} from '@commerce-backend/spec';
import sql, { empty } from 'sql-template-tag';
import { jsonbObject, selectList } from '../../db/fields.ts';
import type { RowOf } from '../../db/row-of.ts';
import { cursorPage, idOfCursor } from '../cursors.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import * as webhooks from './webhooks.ts';

const COLUMNS = selectList<WebhookDelivery>({
  id: sql`id`,
  webhook_id: sql`webhook_id`,
  event_id: sql`event_id`,
  type: sql`type`,
  status: sql`status`,
  attempts_count: sql`attempts_count`,
  next_attempt_at: sql`next_attempt_at`,
  response_status: sql`response_status`,
  created_at: sql`created_at`,
  completed_at: sql`completed_at`,
});

type Row = WebhookDelivery;

interface Filter {
  cursor?: string;
  limit?: number;
  webhook_id?: string;
  status?: WebhookDeliveryStatus;
  type?: EventType;
}

/** Returns one page of deliveries, newest first. `cursor` is the last id of the previous page. */
export async function list(shop: Shop, { cursor, limit = 20, webhook_id, status, type }: Filter) {
  const rows = await shop.rows<Row>(
    sql`select ${COLUMNS} from webhook_deliveries where site_id = ${shop.siteId} and webhook_id is not null
        ${cursor ? sql`and id < ${idOfCursor(cursor)}` : empty}
        ${webhook_id ? sql`and webhook_id = ${webhook_id}` : empty}
        ${status ? sql`and status = ${status}` : empty} ${type ? sql`and type = ${type}` : empty}
      order by id desc limit ${limit + 1}`,
  );
  const { page, next_cursor } = cursorPage(rows, limit);
  return { deliveries: page, next_cursor };
}

const attempt = jsonbObject<WebhookAttempt>({
  attempted_at: sql`iso(a.attempted_at)`,
  duration_ms: sql`a.duration_ms`,
  outcome: sql`a.outcome`,
  response_status: sql`a.response_status`,
  response_body: sql`a.response_body`,
});

type Details = Omit<WebhookDeliveryDetails, keyof WebhookDelivery>;
type DetailsRow = WebhookDelivery & Omit<Details, 'payload'> & { payload: string };

const DETAILS = selectList<Details>({
  payload: sql`coalesce(d.payload, (select e.payload from events e where e.site_id = d.site_id and e.id = d.event_id))`,
  attempts: sql`(
    select coalesce(jsonb_agg(${attempt} order by a.number), '[]')
    from (select * from webhook_attempts a where a.site_id = d.site_id and a.delivery_id = d.id
      order by a.number desc limit 100) a)`,
});

/** Returns a delivery with its payload and its last 100 attempts. Throws `not_found`. */
export async function get(shop: Shop, id: string): Promise<WebhookDeliveryDetails> {
  const found = await shop.one<DetailsRow>(
    sql`select ${COLUMNS}, ${DETAILS} from webhook_deliveries d
      where site_id = ${shop.siteId} and id = ${id} and webhook_id is not null`,
  );
  if (!found) throw notFound('delivery');
  return { ...found, payload: JSON.parse(found.payload) };
}

/** Sends an event again under the same id. Throws `not_found`, `delivery_pending` or `webhook_disabled`. */
export async function replay(shop: Shop, id: string): Promise<WebhookDelivery> {
  const again = await shop.one<Row>(
    sql`update webhook_deliveries d set status = 'pending', tries = 0, next_attempt_at = now(), completed_at = null
      where site_id = ${shop.siteId} and id = ${id} and status <> 'pending' and webhook_id is not null
        and exists (select from webhooks w where w.site_id = d.site_id and w.id = d.webhook_id and w.status = 'active')
      returning ${COLUMNS}`,
  );
  if (again) {
    await enqueue(shop, [id]);
    return again;
  }
  const { status, next_attempt_at } = await get(shop, id);
  if (status !== 'pending') throw webhooks.disabled();
  throw new ShopError('delivery_pending', 'This delivery is still in progress.', { next_attempt_at });
}

const BATCH = 1_000;

/**
 * Replays deliveries that failed since a time, oldest first, of one webhook or of all active ones. One call replays at
 * most 1,000, and returns the number of remaining deliveries.
 */
export async function replayFailed(shop: Shop, { since, webhook_id }: { since: string; webhook_id?: string }) {
  if (webhook_id) await webhooks.get(shop, webhook_id);
  const failed = sql`from webhook_deliveries d
    join webhooks w on w.site_id = d.site_id and w.id = d.webhook_id and w.status = 'active'
    where d.site_id = ${shop.siteId} and d.status = 'failed' and d.completed_at >= ${since}
      ${webhook_id ? sql`and d.webhook_id = ${webhook_id}` : empty}`;
  const again = await shop.rows<RowOf<'webhook_deliveries', 'id'>>(
    sql`with batch as materialized (
        select d.id ${failed} order by d.completed_at, d.id limit ${BATCH} for update of d skip locked
      )
      update webhook_deliveries d set status = 'pending', tries = 0, next_attempt_at = now(), completed_at = null
      from batch where d.site_id = ${shop.siteId} and d.id = batch.id
      returning d.id`,
  );
  await enqueue(
    shop,
    again.map(({ id }) => id),
  );
  const left = again.length < BATCH ? undefined : await shop.one<{ count: number }>(sql`select count(*) ${failed}`);
  return { replayed: again.length, remaining: left?.count ?? 0 };
}

/** Enqueues a job for each delivery, to run now. */
async function enqueue(shop: Shop, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await shop.run(sql`select enqueue_deliveries(${shop.siteId}, ${ids}::uuid[], now())`);
}
