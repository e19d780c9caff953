import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';

/** How many rows of each kind a sweep removed. */
export interface Swept {
  idempotency_keys: number;
  login_throttles: number;
  login_unlocks: number;
  staff_sessions: number;
  catalog_schedule: number;
  customer_tokens: number;
  customer_codes: number;
  customer_registrations: number;
  rate_counts: number;
  agent_consents: number;
  events: number;
  event_listeners: number;
  product_changes: number;
}

const BATCH = 5_000;
const NO_TENANT = '00000000-0000-0000-0000-000000000000';

/**
 * Removes what is past its time, of all tenants: idempotency keys after 24 hours, counts that have run out, sessions and
 * links that ended a day ago, registrations that nobody confirmed for a week, requests of agents a day after their end,
 * publications that have happened, events 30 days after the end of their last delivery, changes of products that later
 * ones tell again. It runs as commerce_sweep (see 0004_sweep), in batches, so that no statement holds many locks. Running
 * it twice, or on two machines at once, is harmless.
 */
export async function sweep(client: PoolClient): Promise<Swept> {
  return {
    idempotency_keys: await inBatches(
      client,
      sql`delete from commerce.idempotency_keys where completed_at <= now() - interval '24 hours'
        and ctid = any(array(select ctid from commerce.idempotency_keys
          where completed_at <= now() - interval '24 hours' limit ${BATCH}))`,
    ),
    login_throttles: await inBatches(
      client,
      sql`delete from commerce.login_throttles where expires_at <= now()
        and ctid = any(array(select ctid from commerce.login_throttles where expires_at <= now() limit ${BATCH}))`,
    ),
    login_unlocks: await inBatches(
      client,
      sql`delete from commerce.login_unlocks where expires_at <= now() - interval '1 day'
        and ctid = any(array(select ctid from commerce.login_unlocks
          where expires_at <= now() - interval '1 day' limit ${BATCH}))`,
    ),
    staff_sessions: await inBatches(
      client,
      sql`delete from commerce.staff_sessions where least(expires_at, revoked_at) <= now() - interval '1 day'
        and ctid = any(array(select ctid from commerce.staff_sessions
          where least(expires_at, revoked_at) <= now() - interval '1 day' limit ${BATCH}))`,
    ),
    catalog_schedule: await inBatches(
      client,
      sql`delete from commerce.catalog_schedule where publish_at <= now()
        and ctid = any(array(select ctid from commerce.catalog_schedule where publish_at <= now() limit ${BATCH}))`,
    ),
    customer_tokens: await inBatches(
      client,
      sql`delete from commerce.customer_tokens where least(expires_at, revoked_at) <= now() - interval '1 day'
        and ctid = any(array(select ctid from commerce.customer_tokens
          where least(expires_at, revoked_at) <= now() - interval '1 day' limit ${BATCH}))`,
    ),
    customer_codes: await inBatches(
      client,
      sql`delete from commerce.customer_codes where expires_at <= now() - interval '1 day'
        and ctid = any(array(select ctid from commerce.customer_codes
          where expires_at <= now() - interval '1 day' limit ${BATCH}))`,
    ),
    customer_registrations: await inBatches(
      client,
      sql`delete from commerce.customer_registrations where created_at <= now() - interval '7 days'
        and ctid = any(array(select ctid from commerce.customer_registrations
          where created_at <= now() - interval '7 days' limit ${BATCH}))`,
    ),
    rate_counts: await inBatches(
      client,
      sql`delete from commerce.rate_counts where expires_at <= now()
        and ctid = any(array(select ctid from commerce.rate_counts where expires_at <= now() limit ${BATCH}))`,
    ),
    agent_consents: await inBatches(
      client,
      sql`delete from commerce.agent_consents where expires_at <= now() - interval '1 day'
        and ctid = any(array(select ctid from commerce.agent_consents
          where expires_at <= now() - interval '1 day' limit ${BATCH}))`,
    ),
    events: await inBatches(
      client,
      // With its deliveries and their attempts: whatever was replayed since has its own thirty days.
      sql`delete from commerce.events where created_at <= now() - interval '30 days'
        and ctid = any(array(select ctid from commerce.events e
          where created_at <= now() - interval '30 days' and not exists (
            select from commerce.webhook_deliveries d where d.site_id = e.site_id and d.event_id = e.id
              and (d.completed_at is null or d.completed_at > now() - interval '30 days'))
          limit ${BATCH}))`,
    ),
    event_listeners: await inBatches(
      client,
      sql`delete from commerce.event_listeners where expires_at <= now() - interval '1 hour'
        and ctid = any(array(select ctid from commerce.event_listeners
          where expires_at <= now() - interval '1 hour' limit ${BATCH}))`,
    ),
    product_changes: await inBatches(
      client,
      // Superseded by an entry that every reader can see (see shop/integrations/product-changes.ts); that it was seen is not forgotten.
      sql`with later as materialized (
          select site_id, era, changed_in, product_id, seen from commerce.product_changes
          where changed_at > now() - interval '1 day'
            and (era, changed_in) < (commerce.change_era(), pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
        ), superseded as (
          select distinct c.site_id, c.era, c.changed_in, c.product_id from later
          join commerce.product_changes c on c.site_id = later.site_id and c.product_id = later.product_id
            and (c.era, c.changed_in) < (later.era, later.changed_in)
          where later.seen or not c.seen limit ${BATCH}
        )
        delete from commerce.product_changes c using superseded s
        where c.site_id = s.site_id and c.era = s.era and c.changed_in = s.changed_in and c.product_id = s.product_id`,
    ),
  };
}

async function inBatches(client: PoolClient, statement: Sql): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await asSweeper(client, statement);
    total += removed;
    if (removed < BATCH) return total;
  }
}

async function asSweeper(client: PoolClient, { text, values }: Sql): Promise<number> {
  await client.query('begin');
  try {
    await client.query('set local role commerce_sweep');
    // The tenant policy of a table is weighed beside the sweeper's own, and it wants some tenant to be named.
    await client.query(`select set_config('app.site_id', $1, true)`, [NO_TENANT]);
    const { rowCount } = await client.query(text, values);
    await client.query('commit');
    return rowCount ?? 0;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
