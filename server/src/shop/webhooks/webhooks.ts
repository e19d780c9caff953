/**
 * Webhooks are the URLs that receive events:
 * 1. A trigger writes the event and its deliveries in the transaction of the change (event-writers.ts).
 * 2. A job reads a due delivery (attempts.ts) and sends it, outside of transactions.
 * 3. Another transaction records the attempt. It schedules the next one or disables the webhook.
 * Lock order: webhook, delivery. The caller checks the URL before the transaction (egress/addresses.ts), because the
 * check may query the DNS. The dashboard manages all webhooks, an integration only the webhooks of integrations.
 */

import type { Webhook, WebhookInput, WebhookPatch, WebhookRegistration } from '@commerce-backend/spec';
import sql, { empty, type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { selectList } from '../../db/fields.ts';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import { withheldEvents } from '../scopes.ts';
import type { Shop } from '../shop.ts';
import { type MakerRow, makerOf, scopesOfMaker } from './makers.ts';
import { hashSecret, mintSecret, seal } from './secrets.ts';

const LIMIT = 1_000;
const ROTATION_OVERLAP = '24 hours';

type Shown = Omit<Webhook, 'withheld_events'>;
type Row = Shown & MakerRow;

const COLUMNS = sql`${selectList<Shown>({
  id: sql`id`,
  url: sql`url`,
  events: sql`events`,
  description: sql`description`,
  status: sql`status`,
  disabled_reason: sql`disabled_reason`,
  disabled_at: sql`disabled_at`,
  failing_since: sql`failing_since`,
  last_success_at: sql`last_success_at`,
  previous_secret_expires_at: sql`case when previous_secret_expires_at > now() then previous_secret_expires_at end`,
  created_at: sql`created_at`,
  updated_at: sql`updated_at`,
})}, ${makerOf(sql`webhooks`)}`;

function shown({ maker_role, maker_scopes, has_maker, ...webhook }: Row): Webhook {
  const scopes = scopesOfMaker({ maker_role, maker_scopes, has_maker });
  return { ...webhook, withheld_events: scopes ? withheldEvents(webhook.events, scopes) : [] };
}

/** An SQL condition for the webhooks that the caller may manage. */
function manageable(shop: Shop): Sql {
  return shop.actorType === 'sync' ? sql`and sync_key_id is not null` : empty;
}

/** Lists all webhooks, oldest first. */
export async function list(shop: Shop): Promise<Webhook[]> {
  const rows = await shop.rows<Row>(
    sql`select ${COLUMNS} from webhooks where site_id = ${shop.siteId} order by created_at, id`,
  );
  return rows.map(shown);
}

/** Lists all webhooks in the form for integrations. */
export async function listRegistrations(shop: Shop): Promise<WebhookRegistration[]> {
  return (await list(shop)).map(registrationOf);
}

export function registrationOf({ id, url, events, created_at }: Webhook): WebhookRegistration {
  return { id, url, events, created_at };
}

/** Returns a webhook. Throws `not_found`. */
export async function get(shop: Shop, id: string): Promise<Webhook> {
  const found = await shop.one<Row>(
    sql`select ${COLUMNS} from webhooks where site_id = ${shop.siteId} and id = ${id} ${manageable(shop)}`,
  );
  if (!found) throw notFound('webhook');
  return shown(found);
}

/** Returns the encrypted secrets that sign deliveries now. Throws `not_found`. */
export async function secretsOf(shop: Shop, id: string): Promise<{ secret: Buffer; previous_secret: Buffer | null }> {
  const found = await shop.one<RowOf<'webhooks', 'secret'> & { previous_secret: Buffer | null }>(
    sql`select secret, case when previous_secret_expires_at > now() then previous_secret end as previous_secret
      from webhooks where site_id = ${shop.siteId} and id = ${id}`,
  );
  if (!found) throw notFound('webhook');
  return found;
}

/** Creates a webhook. Its secret cannot be read again later. Throws `limit_reached` at 1,000. */
export async function create(shop: Shop, secretKey: string, { url, events, description = null }: WebhookInput) {
  const id = uuidv7();
  const secret = mintSecret();
  // Serializes creations in one site, so that concurrent ones cannot exceed the limit.
  await shop.run(sql`select from sites where site_id = ${shop.siteId} for no key update`);
  const made = await shop.one<Row>(
    sql`insert into webhooks (site_id, id, url, events, description, secret, secret_hash, sync_key_id, made_by)
      select ${shop.siteId}, ${id}, ${url}, ${events}::text[], ${description}, ${seal(secretKey, id, secret)},
        ${hashSecret(secret)}, ${shop.actorType === 'sync' ? shop.actorId : null}::uuid,
        ${shop.actorType === 'sync' ? null : shop.actorId}::uuid
      where (select count(*) from webhooks where site_id = ${shop.siteId}) < ${LIMIT}
      returning ${COLUMNS}`,
  );
  if (!made) {
    const message = `The maximum of ${LIMIT} webhooks is reached. Delete one first.`;
    throw new ShopError('limit_reached', message, { limit: LIMIT });
  }
  return { ...shown(made), secret };
}

/**
 * Changes the given fields. Enabling the webhook clears its failures. A caller who changes the URL or the events
 * becomes its maker, and must be allowed to read those events. Throws `not_found`.
 */
export async function update(shop: Shop, id: string, patch: WebhookPatch): Promise<Webhook> {
  const { url = null, events = null, status = null } = patch;
  const changed = await shop.one<Row>(
    sql`update webhooks set
        url = coalesce(${url}, url), events = coalesce(${events}::text[], events),
        description = case when ${'description' in patch} then ${patch.description ?? null} else description end,
        status = coalesce(${status}, status),
        disabled_reason = case ${status}::text when 'active' then null
          when 'disabled' then coalesce(disabled_reason, 'staff') else disabled_reason end,
        disabled_at = case ${status}::text when 'active' then null
          when 'disabled' then coalesce(disabled_at, now()) else disabled_at end,
        failing_since = case when ${status}::text = 'active' and status = 'disabled' then null else failing_since end,
        made_by = case when ${'url' in patch || 'events' in patch} then ${shop.actorId}::uuid else made_by end,
        updated_at = now()
      where site_id = ${shop.siteId} and id = ${id} returning ${COLUMNS}`,
  );
  if (!changed) throw notFound('webhook');
  if (changed.status === 'disabled') await dropPending(shop, id);
  return shown(changed);
}

/** Fails the pending deliveries of a disabled webhook. They can be replayed once it is active again. */
async function dropPending(shop: Shop, id: string): Promise<void> {
  await shop.run(
    sql`update webhook_deliveries set status = 'failed', next_attempt_at = null, completed_at = now()
      where site_id = ${shop.siteId} and webhook_id = ${id} and status = 'pending'`,
  );
}

/** Deletes a webhook and all its deliveries. Throws `not_found`. */
export async function remove(shop: Shop, id: string): Promise<{ id: string; deleted: true }> {
  const removed = await shop.run(
    sql`delete from webhooks where site_id = ${shop.siteId} and id = ${id} ${manageable(shop)}`,
  );
  if (removed === 0) throw notFound('webhook');
  return { id, deleted: true };
}

/**
 * Creates a new secret. For 24 hours, each delivery is signed with the new and the previous secret. Throws `not_found`,
 * or `rotation_in_progress` during these 24 hours.
 */
export async function rotate(shop: Shop, secretKey: string, id: string) {
  const secret = mintSecret();
  const rotated = await shop.one<Row>(
    sql`update webhooks set previous_secret = secret,
        previous_secret_expires_at = now() + ${ROTATION_OVERLAP}::interval,
        secret = ${seal(secretKey, id, secret)}, secret_hash = ${hashSecret(secret)}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${id} ${manageable(shop)}
        and coalesce(previous_secret_expires_at, now()) <= now()
      returning ${COLUMNS}`,
  );
  if (rotated) return { ...shown(rotated), secret };
  const { previous_secret_expires_at } = await get(shop, id);
  throw new ShopError(
    'rotation_in_progress',
    'The secret was rotated less than 24 hours ago. Both secrets are still in use.',
    {
      previous_secret_expires_at,
    },
  );
}

export function disabled(): ShopError {
  return new ShopError('webhook_disabled', 'This webhook is disabled. Set its status to active first.');
}
