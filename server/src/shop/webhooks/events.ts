/** Listeners, with which `commerce listen` fetches events, and test events. */

import type { EventPattern, EventPayload, EventType, ListenerEvent } from '@commerce-backend/spec';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { OrNulls } from '../../db/nulls.ts';
import type { RowOf } from '../../db/row-of.ts';
import { cursorExpired, notFound, ShopError, ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { hashSecret, mintSecret } from './secrets.ts';

const LIFE = '10 minutes';
const LIMIT = 20;

interface Listener extends RowOf<'event_listeners', 'id' | 'created_at' | 'expires_at'> {
  events: EventPattern[];
}

/** Creates a listener for events from now on. Throws `limit_reached` at 20. */
export async function listen(shop: Shop, { events = ['*'] }: { events?: EventPattern[] }) {
  const secret = mintSecret();
  await shop.run(sql`select from sites where site_id = ${shop.siteId} for no key update`);
  const made = await shop.one<Listener>(
    sql`insert into event_listeners (site_id, id, events, secret_hash, expires_at)
      select ${shop.siteId}, ${uuidv7()}, ${events}::text[], ${hashSecret(secret)}, now() + ${LIFE}::interval
      where (select count(*) from event_listeners where site_id = ${shop.siteId} and expires_at > now()) < ${LIMIT}
      returning id, events, created_at, expires_at`,
  );
  if (!made)
    throw new ShopError('limit_reached', `There are already ${LIMIT} listeners, which is the maximum.`, {
      limit: LIMIT,
    });
  return { ...made, secret };
}

/** Ends a listener. Throws `not_found`. */
export async function endListener(shop: Shop, id: string): Promise<{ id: string; deleted: true }> {
  const ended = await shop.run(
    sql`delete from event_listeners where site_id = ${shop.siteId} and id = ${id} and expires_at > now()`,
  );
  if (ended === 0) throw notFound('listener');
  return { id, deleted: true };
}

/**
 * Cursors of older releases lack the era. They are accepted as cursors of the current era, because listeners live only
 * for minutes.
 */
const CURSOR = /^(?:(\d{1,10})-)?(\d{1,19})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Returns the events after the cursor, oldest first, and extends the listener's lifetime. Sorts by transaction, because
 * ids are created before the commit. Returns an event only if no earlier one can still be committed, so that none is
 * skipped. Throws `not_found` if the listener has expired, and `cursor_expired`.
 */
export async function fetch(
  shop: Shop,
  id: string,
  { cursor, limit = 20 }: { cursor?: string; limit?: number },
  readable: EventPattern[],
): Promise<{ events: ListenerEvent[]; next_cursor: string }> {
  const rows = await shop.rows<{ alive: boolean } & OrNulls<{ id: string; payload: string; made_in: string }>>(
    sql`with listener as (
        update event_listeners set expires_at = now() + ${LIFE}::interval
        where site_id = ${shop.siteId} and id = ${id} and expires_at > now() returning events, created_at
      ), found as (
        select e.id, e.payload, e.made_in::text from events e, listener l where ${isAfter(shop, cursor, readable)}
        order by e.made_in, e.id limit ${limit}
      )
      select found.*, true as alive from found
      union all select null, null, null, true from listener where not exists (select from found)`,
  );
  if (rows.length === 0) throw notFound('listener');
  const found = rows.flatMap((row) => (row.id === null ? [] : [row]));
  const last = found.at(-1);
  return {
    events: found.map(({ id: event_id, payload }) => ({ event_id, payload: JSON.parse(payload) as EventPayload })),
    next_cursor: last ? `${shop.era}-${last.made_in}_${last.id}` : (cursor ?? `${shop.era}-0_${FIRST}`),
  };
}

/** Whether there are new events after the cursor, or the listener has expired. Writes nothing. */
export async function hasNewEvents(
  shop: Shop,
  id: string,
  cursor: string | undefined,
  readable: EventPattern[],
): Promise<boolean> {
  const listener = sql`select events, created_at from event_listeners
    where site_id = ${shop.siteId} and id = ${id} and expires_at > now()`;
  const found = await shop.one<{ is_due: boolean }>(
    sql`with l as (${listener})
      select not exists (select from l) or exists (select from events e, l where ${isAfter(shop, cursor, readable)}) as is_due`,
  );
  return found?.is_due ?? false;
}

/** The condition that events `e` come after the cursor, match the listener `l`, and may be read by the caller. */
function isAfter(shop: Shop, cursor: string | undefined, readable: EventPattern[]): Sql {
  const [made_in, after] = positionOf(shop, cursor);
  return sql`e.site_id = ${shop.siteId} and takes(l.events, e.type) and takes(${readable}::text[], e.type) and e.created_at >= l.created_at
    and (e.made_in, e.id) > (${made_in}::text::xid8, ${after}::uuid)
    and e.made_in < pg_snapshot_xmin(pg_current_snapshot())`;
}

function positionOf(shop: Shop, cursor: string | undefined): [string, string] {
  if (cursor === undefined) return ['0', FIRST];
  const [, era, made_in, id] = CURSOR.exec(cursor) ?? [];
  if (era !== undefined && Number(era) !== shop.era) throw cursorExpired();
  if (made_in && id) return [made_in, id];
  const msg = 'Invalid cursor. Send the next_cursor of a response unchanged.';
  throw new ValidationError([{ loc: ['query', 'cursor'], msg, type: 'value_error' }]);
}

interface Example {
  post: { requestBody: { content: { 'application/json': { example: { data: Record<string, unknown> } } } } };
}

/** Sends a test event to all subscribers of its type. Its data is the example in the contract. */
export async function trigger(shop: Shop, { type }: { type: EventType }) {
  const { data } = (contract.webhooks as unknown as Record<EventType, Example>)[type].post.requestBody.content[
    'application/json'
  ].example;
  const event_id = uuidv7();
  const { siteId: site_id, merchantId: merchant_id } = shop;
  const payload = { type, timestamp: new Date().toISOString(), site_id, merchant_id, data, test: true };
  await shop.run(
    sql`insert into events (site_id, id, type, payload)
      values (${shop.siteId}, ${event_id}, ${type}, ${JSON.stringify(payload)})`,
  );
  await shop.run(sql`select fan_out(${shop.siteId}, ${event_id}, ${type})`);
  const told = await shop.one<{ webhooks_count: number; listeners_count: number }>(
    sql`select (select count(*) from webhook_deliveries where site_id = ${shop.siteId} and event_id = ${event_id}
        and status = 'pending') as webhooks_count,
      (select count(*) from event_listeners where site_id = ${shop.siteId} and expires_at > now()
        and takes(events, ${type}::text)) as listeners_count`,
  );
  return { event_id, payload, webhooks_count: told?.webhooks_count ?? 0, listeners_count: told?.listeners_count ?? 0 };
}
