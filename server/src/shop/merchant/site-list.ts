import type { SetupItem, Webhook } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { type Connection, query } from '../../db/connect.ts';
import type { RowOf } from '../../db/row-of.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../errors.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';
import * as setup from './setup.ts';
import { afterCursor, cursorAfter, type Placed, placeInOrder, type SiteOrder } from './site-order.ts';

export const SITE_STATUSES = ['open', 'suspended', 'moved', 'deleting'] as const;
type SiteStatus = (typeof SITE_STATUSES)[number];

/** From most to least severe. The sort order `health` follows this order. */
export const SITE_PROBLEMS = ['cannot_sell', 'webhooks_failing', 'suspended'] as const;
type SiteProblem = (typeof SITE_PROBLEMS)[number];

/** The columns of a site that are not protected by row-level security. */
interface Named extends RowOf<'sites', 'site_id' | 'merchant_id' | 'currency' | 'created_at'> {
  /** The primary host. */
  host: string | null;
  /** The time when an operator suspended the site. */
  suspended_at: string | null;
  /** The time when the site moved to another server. */
  moved_at: string | null;
  /** The time when the site will be deleted. */
  delete_at: string | null;
}

interface Counted {
  name: string;
  /** Products in any status. */
  products: number;
  orders: number;
  last_order_at: string | null;
  /** Size of uploaded files. */
  storage_bytes: number;
  /** Calls in the current month. */
  calls: number;
}

interface Health {
  problems: SiteProblem[];
  /** Missing setup steps that prevent sales. */
  lacks: string[];
}

export type ListedSite = Named & Counted & Health;

type Card = { name: string } | undefined;

interface SiteFilter {
  /** Part of the name or primary host, in any case. */
  q?: string;
  sort?: SiteOrder;
  status?: SiteStatus;
  problem?: SiteProblem;
}

/** Lists all sites that match the filter. Names are sorted in ascending order, everything else in descending order. */
export function listSites(db: Pool, card: Card, filter: SiteFilter): Promise<ListedSite[]> {
  return inTransaction(db, async (connection) => {
    const found = await inOrder(connection, card, filter);
    return describe(connection, card, found);
  });
}

/**
 * Returns one page of the matching sites, by page number or cursor. Must run in a transaction. Throws a ValidationError
 * for an invalid cursor or one of another sort order.
 */
export async function pageOfSites(
  connection: Connection,
  card: Card,
  { cursor, page: wanted, limit: most, ...filter }: SiteFilter & PageQuery & { cursor?: string },
) {
  const { sort = 'name' } = filter;
  const all = await inOrder(connection, card, filter);
  const { page, limit, offset } = pageOf({ ...(wanted && { page: wanted }), ...(most && { limit: most }) });
  const start = cursor === undefined ? offset : afterCursor(all, sort, cursor);
  const shown = all.slice(start, start + limit);
  const last = shown.at(-1);
  return {
    sites: await describe(connection, card, shown),
    ...{ total: all.length, page, limit, pages: Math.ceil(all.length / limit) },
    next_cursor: last && start + limit < all.length ? cursorAfter(last, sort) : null,
  };
}

/** Returns a site with its health. */
export async function siteDetails(shop: Shop, card: Card) {
  const site = await shop.one<Named>(
    sql`select s.site_id, s.merchant_id, s.currency, s.created_at, s.suspended_at, s.moved_at, s.delete_at, d.host from sites s
      left join site_domains d on d.site_id = s.site_id and d.is_primary where s.site_id = ${shop.siteId}`,
  );
  const counted = await shop.one<Counted>(
    sql`select c.* from commerce.site_counts(${shop.siteId}, ${COUNTS}::text[]) c`,
  );
  const waiting = await shop.one<{ waiting_deliveries: number; oldest_delivery_seconds: number | null }>(
    sql`select count(*) as waiting_deliveries,
        floor(extract(epoch from now() - min(next_attempt_at)))::integer as oldest_delivery_seconds
      from webhook_deliveries where site_id = ${shop.siteId} and status = 'pending' and next_attempt_at <= now()`,
  );
  const failing_webhooks = await shop.rows<Pick<Webhook, 'id' | 'url' | 'status'> & RowOf<'webhooks', 'failing_since'>>(
    sql`select id, url, status, failing_since from webhooks
      where site_id = ${shop.siteId} and (failing_since is not null or disabled_reason in ('failing', 'gone'))
      order by id limit 100`,
  );
  if (!site || !counted || !waiting) throw notFound('site');
  const { items, can_sell } = await setup.get(shop, { card });
  const missing = items.filter(({ done }) => !done).map(({ code }) => code);
  const health = judge(site, items, failing_webhooks.length > 0);
  return { ...site, ...counted, ...health, health: { ...waiting, failing_webhooks, setup: { can_sell, missing } } };
}

/** Filters and sorts the sites. Reads only the data that the filter and the sort order need. */
async function inOrder(connection: Connection, card: Card, filter: SiteFilter): Promise<Placed<Named>[]> {
  const { q, sort = 'name', status, problem } = filter;
  const words = q?.toLowerCase();
  const named = (await readNamed(connection)).filter(
    (site) =>
      (status === undefined || statusOf(site) === status) && (problem !== 'suspended' || site.suspended_at !== null),
  );
  const asksKeys = words !== undefined || sort === 'name' || COUNTED_FOR[sort].length > 0;
  const keys = asksKeys ? await keysOf(connection, named, COUNTED_FOR[sort]) : undefined;
  // The filter `suspended` needs no health data.
  const asksHealth = sort === 'health' || (problem !== undefined && problem !== 'suspended');
  const health = asksHealth ? await healthOf(connection, named, card) : undefined;
  const placed = named.flatMap((site) => {
    const [key, healthy] = [keys?.get(site.site_id), health?.get(site.site_id)];
    const fits =
      (!words || [key?.name ?? '', site.host ?? ''].some((text) => text.toLowerCase().includes(words))) &&
      (!health || problem === undefined || healthy?.problems.includes(problem));
    const gone = (keys && !key) || (health && !healthy);
    return fits && !gone ? [{ site, key: placeOf(sort, site, key, healthy) }] : [];
  });
  return placeInOrder(placed, sort);
}

/** Reads the displayed data of sites and keeps their order. */
async function describe(connection: Connection, card: Card, placed: Placed<Named>[]): Promise<ListedSite[]> {
  const sites = placed.map(({ site }) => site);
  const counts = await keysOf(connection, sites, COUNTS);
  const health = await healthOf(connection, sites, card);
  return sites.flatMap((site) => {
    const [counted, healthy] = [counts.get(site.site_id), health.get(site.site_id)];
    return counted && healthy ? [{ ...site, ...withoutNulls(counted), ...healthy }] : [];
  });
}

function withoutNulls({ products, orders, storage_bytes, calls, ...rest }: Key): Counted {
  const counts = { products: products ?? 0, orders: orders ?? 0, storage_bytes: storage_bytes ?? 0, calls: calls ?? 0 };
  return { ...rest, ...counts };
}

async function readNamed(connection: Connection): Promise<Named[]> {
  const { rows } = await query<Named>(
    connection,
    sql`select s.site_id, s.merchant_id, s.currency, s.created_at, s.suspended_at, s.moved_at, s.delete_at, d.host from sites s
      left join site_domains d on d.site_id = s.site_id and d.is_primary`,
  );
  return rows;
}

const COUNTS = ['products', 'orders', 'last_order_at', 'storage_bytes', 'calls'] as const;

type Key = { name: string } & { [Count in (typeof COUNTS)[number]]: Counted[Count] | null };
type OfSite<Row> = Row & { site_id: string };

/** The counts that each sort order needs. */
const COUNTED_FOR: Record<SiteOrder, (typeof COUNTS)[number][]> = {
  ...{ name: [], created: [], health: [] },
  ...{ products: ['products'], orders: ['orders'], last_order: ['last_order_at'] },
  ...{ storage: ['storage_bytes'], calls: ['calls'] },
};

function placeOf(sort: SiteOrder, site: Named, key: Key | undefined, health: Health | undefined): string | number {
  if (sort === 'health') return severityOf(health);
  if (sort === 'created') return site.created_at;
  return key?.[COUNTED_FOR[sort][0] ?? 'name'] ?? '';
}

/** Reads the names and counts of sites. Counts that are not `wanted` are null. */
function keysOf(connection: Connection, sites: Named[], wanted: readonly string[]): Promise<Map<string, Key>> {
  return ofEach(connection, sites, (site_ids) => query<OfSite<Key>>(connection, countsOf(site_ids, wanted)));
}

function countsOf(site_ids: string[], wanted: readonly string[]): Sql {
  return sql`select s.site_id, c.* from unnest((select ${site_ids}::uuid[])) s (site_id),
    lateral set_config('app.site_id', s.site_id::text, true) tenant,
    lateral commerce.site_counts(tenant::uuid, ${wanted}::text[]) c`;
}

async function healthOf(connection: Connection, sites: Named[], card: Card): Promise<Map<string, Health>> {
  const facts = await ofEach(connection, sites, (site_ids) =>
    query<OfSite<setup.Facts>>(
      connection,
      sql`select s.site_id, h.* from unnest((select ${site_ids}::uuid[])) s (site_id),
        lateral set_config('app.site_id', s.site_id::text, true) tenant,
        lateral commerce.site_health(tenant::uuid) h`,
    ),
  );
  const known = sites.flatMap((site) => {
    const found = facts.get(site.site_id);
    return found ? [[site.site_id, judge(site, setup.stepsOf(found, { card }), found.webhooks_failing)] as const] : [];
  });
  return new Map(known);
}

/**
 * Reads each site as its own tenant, so that row-level security stays on. The statement sets the tenant before it reads
 * a site. Skips sites that were deleted meanwhile.
 */
async function ofEach<Row extends { site_id: string }>(
  connection: Connection,
  sites: Named[],
  read: (site_ids: string[]) => Promise<{ rows: Row[] }>,
): Promise<Map<string, Row>> {
  // Planning the same statements for each site would take longer than running them.
  await query(connection, sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`);
  const found = new Map<string, Row>();
  for (let from = 0; from < sites.length; from += SITES_AT_ONCE) {
    const { rows } = await read(sites.slice(from, from + SITES_AT_ONCE).map(({ site_id }) => site_id));
    for (const row of rows) found.set(row.site_id, row);
  }
  return found;
}

/** Number of sites per statement, small enough that the statement stays well within its timeout. */
const SITES_AT_ONCE = 1_000;

function statusOf({ suspended_at, moved_at, delete_at }: Named): SiteStatus {
  if (delete_at) return 'deleting';
  if (moved_at) return 'moved';
  return suspended_at ? 'suspended' : 'open';
}

function judge(site: Named, items: SetupItem[], failing: boolean): Health {
  const lacks = items.filter(({ done, blocking }) => blocking && !done).map(({ code }) => code);
  const found = { cannot_sell: lacks.length > 0, webhooks_failing: failing, suspended: site.suspended_at !== null };
  return { problems: SITE_PROBLEMS.filter((problem) => found[problem]), lacks };
}

/** A site's problems as a number. A worse problem counts more than all lesser ones together. */
function severityOf(health: Health | undefined): number {
  const weights = { cannot_sell: 4, webhooks_failing: 2, suspended: 1 };
  return (health?.problems ?? []).reduce((sum, problem) => sum + weights[problem], 0);
}
