import type { PoolClient } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { asSweeper } from './as-sweeper.ts';

/** Maximum number of rows per statement, to limit the number of locked rows. */
const BATCH = 5_000;

interface Expiry {
  table: Sql;
  /** Condition for expired rows. */
  expired: Sql;
  /** Condition for expired rows that are kept. */
  kept?: Sql;
}

const ended = sql`least(expires_at, revoked_at) <= now() - interval '1 day'`;

/** The rows to delete once they have expired. Conditions use the columns of the table. */
const EXPIRIES = {
  idempotency_keys: {
    table: sql`commerce.idempotency_keys`,
    expired: sql`completed_at <= now() - interval '24 hours'`,
  },
  ucp_requests: { table: sql`commerce.ucp_requests`, expired: sql`created_at <= now() - interval '25 hours'` },
  login_throttles: { table: sql`commerce.login_throttles`, expired: sql`expires_at <= now()` },
  login_unlocks: { table: sql`commerce.login_unlocks`, expired: sql`expires_at <= now() - interval '1 day'` },
  staff_sessions: { table: sql`commerce.staff_sessions`, expired: ended },
  staff_invitations: {
    table: sql`commerce.staff_invitations`,
    expired: sql`expires_at <= now() - interval '30 days'`,
  },
  /** Assistants that have expired, or whose client never exchanged its code. */
  assistants: {
    table: sql`commerce.assistants`,
    expired: sql`(expires_at <= now() - interval '1 day'
      or (token_hash is null and code_expires_at <= now() - interval '1 day'))`,
  },
  /** Actions that assistants proposed, whether or not a person confirmed or declined them. */
  assistant_actions: { table: sql`commerce.assistant_actions`, expired: sql`expires_at <= now() - interval '1 day'` },
  /** Publications whose time has passed. */
  catalog_schedule: { table: sql`commerce.catalog_schedule`, expired: sql`publish_at <= now()` },
  customer_tokens: { table: sql`commerce.customer_tokens`, expired: ended },
  customer_codes: { table: sql`commerce.customer_codes`, expired: sql`expires_at <= now() - interval '1 day'` },
  /** Registrations that were never confirmed. */
  customer_registrations: {
    table: sql`commerce.customer_registrations`,
    expired: sql`created_at <= now() - interval '7 days'`,
  },
  /**
   * Links to orders whose state has not changed for half a year. Such a link expired after 90 days, and since then
   * shows only that it has expired (see shop/orders/links.ts).
   */
  order_links: {
    table: sql`commerce.order_links`,
    expired: sql`created_at <= now() - interval '180 days'`,
    kept: sql`exists (
      select from commerce.order_events e where e.site_id = order_links.site_id and e.order_id = order_links.order_id
        and e.created_at > now() - interval '180 days')`,
  },
  rate_counts: { table: sql`commerce.rate_counts`, expired: sql`expires_at <= now()` },
  agent_consents: { table: sql`commerce.agent_consents`, expired: sql`expires_at <= now() - interval '1 day'` },
  /** Registrations and documents of OAuth clients that were not used again in time. */
  oauth_clients: { table: sql`commerce.oauth_clients`, expired: sql`expires_at <= now() - interval '1 day'` },
  /**
   * Events with their deliveries and attempts. An event is kept for thirty days after its last delivery has ended,
   * including replays.
   */
  events: {
    table: sql`commerce.events`,
    expired: sql`created_at <= now() - interval '30 days'`,
    kept: sql`exists (
      select from commerce.webhook_deliveries d where d.site_id = events.site_id and d.event_id = events.id
        and (d.completed_at is null or d.completed_at > now() - interval '30 days'))`,
  },
  event_listeners: { table: sql`commerce.event_listeners`, expired: sql`expires_at <= now() - interval '1 hour'` },
} satisfies Record<string, Expiry>;

const REMOVALS = {
  ...(Object.fromEntries(Object.entries<Expiry>(EXPIRIES).map(([name, expiry]) => [name, removalOf(expiry)])) as Record<
    keyof typeof EXPIRIES,
    Sql
  >),
  // Deletes an entry once every reader can see a later entry for the same product (see
  // shop/integrations/product-changes.ts). Keeps a `seen` entry if the later one is not `seen`.
  product_changes: sql`with later as materialized (
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
};

/**
 * The statement that deletes a batch of expired rows. The condition is repeated, because a row may change before it is
 * locked.
 */
function removalOf({ table, expired, kept }: Expiry): Sql {
  const chosen = kept ? sql`${expired} and not ${kept}` : expired;
  return sql`delete from ${table} where ${expired}
    and ctid = any(array(select ctid from ${table} where ${chosen} limit ${BATCH}))`;
}

/** Number of deleted rows of each kind. */
export type Swept = Record<keyof typeof REMOVALS, number>;

/**
 * Deletes expired rows of all tenants in batches. Returns the number of deleted rows by kind. Repeated and concurrent
 * runs are harmless.
 */
export async function sweep(client: PoolClient): Promise<Swept> {
  const swept: Partial<Swept> = {};
  for (const kind of Object.keys(REMOVALS) as (keyof Swept)[]) swept[kind] = await inBatches(client, REMOVALS[kind]);
  return swept as Swept;
}

async function inBatches(client: PoolClient, { text, values }: Sql): Promise<number> {
  let total = 0;
  for (;;) {
    const { rowCount } = await asSweeper(client, () => client.query(text, values));
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH) return total;
  }
}
