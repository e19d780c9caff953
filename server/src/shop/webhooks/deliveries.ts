import type { EventType, WebhookDelivery, WebhookDeliveryDetails, WebhookDeliveryStatus } from '@commerce-backend/spec';
import sql, { empty } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { cursorPage, idOfCursor } from '../cursors.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import * as webhooks from './webhooks.ts';

/** Events on their way to webhooks, as staff see and replay them. The job that delivers is jobs/deliver-webhook.ts. */
const COLUMNS = sql`id, webhook_id, event_id, type, status, attempts_count, next_attempt_at, response_status, created_at,
  completed_at`;

type Row = WebhookDelivery;

interface Filter {
  cursor?: string;
  limit?: number;
  webhook_id?: string;
  status?: WebhookDeliveryStatus;
  type?: EventType;
}

/** Newest first; `cursor` is the last id of the page before. */
export async function list(shop: Shop, { cursor, limit = 20, webhook_id, status, type }: Filter) {
  const rows = await shop.rows<Row>(
    sql`select ${COLUMNS} from webhook_deliveries where site_id = ${shop.siteId}
        ${cursor ? sql`and id < ${idOfCursor(cursor)}` : empty}
        ${webhook_id ? sql`and webhook_id = ${webhook_id}` : empty}
        ${status ? sql`and status = ${status}` : empty} ${type ? sql`and type = ${type}` : empty}
      order by id desc limit ${limit + 1}`,
  );
  const { page, next_cursor } = cursorPage(rows, limit);
  return { deliveries: page, next_cursor };
}

/** One with what was sent and its last 100 attempts. Throws `not_found`. */
export async function get(shop: Shop, id: string): Promise<WebhookDeliveryDetails> {
  const found = await shop.one<WebhookDeliveryDetails & { payload: string }>(
    sql`select ${COLUMNS},
        coalesce(d.payload, (select e.payload from events e where e.site_id = d.site_id and e.id = d.event_id)) as payload,
        (select coalesce(jsonb_agg(jsonb_build_object('attempted_at', iso(a.attempted_at), 'duration_ms', a.duration_ms,
            'outcome', a.outcome, 'response_status', a.response_status, 'response_body', a.response_body)
            order by a.number), '[]')
          from (select * from webhook_attempts a where a.site_id = d.site_id and a.delivery_id = d.id
            order by a.number desc limit 100) a) as attempts
      from webhook_deliveries d where site_id = ${shop.siteId} and id = ${id}`,
  );
  if (!found) throw notFound('delivery');
  return { ...found, payload: JSON.parse(found.payload as unknown as string) };
}

/** Sends an event again, under the same id. Throws `not_found`, `delivery_pending` and `webhook_disabled`. */
export async function replay(shop: Shop, id: string): Promise<WebhookDelivery> {
  const again = await shop.one<Row>(
    sql`update webhook_deliveries d set status = 'pending', tries = 0, next_attempt_at = now(), completed_at = null
      where site_id = ${shop.siteId} and id = ${id} and status <> 'pending'
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
 * Replays what was given up since a time, the oldest first, of one webhook or of all that are active. Returns how many, and how
 * many remain for another call: after a long outage there are more than one statement has the time for.
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

/** A job for each delivery, now. */
async function enqueue(shop: Shop, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await shop.run(sql`select enqueue_deliveries(${shop.siteId}, ${ids}::uuid[], now())`);
}
