import type { SetupItem, Webhook } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { type Connection, query } from '../../db/connect.ts';
import type { RowOf } from '../../db/row-of.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../errors.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';
import { afterCursor, cursorAfter, type Placed, placeInOrder, type SiteOrder } from './fleet-order.ts';
import * as setup from './setup.ts';

export const SITE_STATUSES = ['open', 'suspended', 'moved', 'deleting'] as const;
type SiteStatus = (typeof SITE_STATUSES)[number];

/** The worst first: the order of `health`. */
export const SITE_PROBLEMS = ['cannot_sell', 'webhooks_failing', 'suspended'] as const;
type SiteProblem = (typeof SITE_PROBLEMS)[number];

/** A site as everybody may know it before its tenant is set. */
interface Named extends RowOf<'sites', 'site_id' | 'merchant_id' | 'currency' | 'created_at'> {
  /** The primary host. */
  host: string | null;
  /** Since when an operator has suspended it. */
  suspended_at: string | null;
  /** Since when it has moved to another server. */
  moved_at: string | null;
  /** When it will be deleted. */
  delete_at: string | null;
}

interface Counted {
  name: string;
  /** Of any status. */
  products: number;
  orders: number;
  last_order_at: string | null;
  /** Of uploaded files. */
  storage_bytes: number;
  /** In this month. */
  calls: number;
}

interface Health {
  problems: SiteProblem[];
  /** The missing steps that keep it from selling. */
  lacks: string[];
}

/** A site in the view of all sites, as operators have it. */
export type FleetSite = Named & Counted & Health;

type Card = { name: string } | undefined;

interface FleetFilter {
  /** Part of the name or of the primary host, in any case. */
  q?: string;
  sort?: SiteOrder;
  status?: SiteStatus;
  problem?: SiteProblem;
}

/** All sites that fit: names upwards, everything else from the newest, the most or the worst down. */
export function listSites(db: Pool, card: Card, filter: FleetFilter): Promise<FleetSite[]> {
  return inTransaction(db, async (connection) => {
    const found = await inOrder(connection, card, filter);
    return describe(connection, card, found);
  });
}

/** A page of those, or what follows a cursor, inside a transaction. Throws ValidationError for a cursor of another list. */
export async function pageOfSites(
  connection: Connection,
  card: Card,
  { cursor, page: wanted, limit: most, ...filter }: FleetFilter & PageQuery & { cursor?: string },
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

/** A site with how it is doing. */
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

/** The sites that fit, each with its place in the order. What the order does not need is not read. */
async function inOrder(connection: Connection, card: Card, filter: FleetFilter): Promise<Placed<Named>[]> {
  const { q, sort = 'name', status, problem } = filter;
  const words = q?.toLowerCase();
  const named = (await readNamed(connection)).filter(
    (site) =>
      (status === undefined || statusOf(site) === status) && (problem !== 'suspended' || site.suspended_at !== null),
  );
  const asksKeys = words !== undefined || sort === 'name' || COUNTED_FOR[sort].length > 0;
  const keys = asksKeys ? await keysOf(connection, named, COUNTED_FOR[sort]) : undefined;
  // Whether a site is suspended is known without.
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

/** What is told of sites, in the order in which they come. */
async function describe(connection: Connection, card: Card, placed: Placed<Named>[]): Promise<FleetSite[]> {
  const sites = placed.map(({ site }) => site);
  const counts = await keysOf(connection, sites, COUNTS);
  const health = await healthOf(connection, sites, card);
  return sites.flatMap((site) => {
    const [counted, healthy] = [counts.get(site.site_id), health.get(site.site_id)];
    return counted && healthy ? [{ ...site, ...withoutNulls(counted), ...healthy }] : [];
  });
}

/** Of a site whose columns are all wanted. */
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

/** What decides a place, besides the name, the health and what every site shows. */
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

/** What decides the places of sites: columns that are not wanted are null. */
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
 * Reads of each site as that site, so that row-level security stays on: the function in the statement is called with the id that has
 * just become that of the tenant. A site that has just been deleted is left out.
 */
async function ofEach<Row extends { site_id: string }>(
  connection: Connection,
  sites: Named[],
  read: (site_ids: string[]) => Promise<{ rows: Row[] }>,
): Promise<Map<string, Row>> {
  // The same statements for each site: planning them anew each time takes longer than running them.
  await query(connection, sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`);
  const found = new Map<string, Row>();
  for (let from = 0; from < sites.length; from += SITES_AT_ONCE) {
    const { rows } = await read(sites.slice(from, from + SITES_AT_ONCE).map(({ site_id }) => site_id));
    for (const row of rows) found.set(row.site_id, row);
  }
  return found;
}

/** As many as are read well within the time limit of a statement. */
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

/** A worse problem outweighs all lesser ones. */
function severityOf(health: Health | undefined): number {
  const weights = { cannot_sell: 4, webhooks_failing: 2, suspended: 1 };
  return (health?.problems ?? []).reduce((sum, problem) => sum + weights[problem], 0);
}
