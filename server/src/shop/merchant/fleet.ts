import type { Webhook } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { type Connection, query } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../errors.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import { Shop, SYSTEM } from '../shop.ts';
import { afterCursor, cursorAfter, type Placed, placeInOrder, type SiteOrder } from './fleet-order.ts';
import * as setup from './setup.ts';

export const SITE_STATUSES = ['open', 'suspended', 'deleting'] as const;
type SiteStatus = (typeof SITE_STATUSES)[number];

/** The worst first: the order of `health`. */
export const SITE_PROBLEMS = ['cannot_sell', 'webhooks_failing', 'suspended'] as const;
type SiteProblem = (typeof SITE_PROBLEMS)[number];

/** A site as everybody may know it before its tenant is set. */
interface Named {
  site_id: string;
  merchant_id: string;
  currency: string;
  /** The primary host. */
  host: string | null;
  created_at: string;
  /** Since when an operator has suspended it. */
  suspended_at: string | null;
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
    sql`select s.site_id, s.merchant_id, s.currency, s.created_at, s.suspended_at, s.delete_at, d.host from sites s
      left join site_domains d on d.site_id = s.site_id and d.is_primary where s.site_id = ${shop.siteId}`,
  );
  const counted = await shop.one<Counted>(countsOf(shop.siteId));
  const waiting = await shop.one<{ waiting_deliveries: number; oldest_delivery_seconds: number | null }>(
    sql`select count(*) as waiting_deliveries,
        floor(extract(epoch from now() - min(next_attempt_at)))::integer as oldest_delivery_seconds
      from webhook_deliveries where site_id = ${shop.siteId} and status = 'pending' and next_attempt_at <= now()`,
  );
  const failing_webhooks = await shop.rows<Pick<Webhook, 'id' | 'url' | 'status'> & { failing_since: string | null }>(
    sql`select id, url, status, failing_since from webhooks
      where site_id = ${shop.siteId} and (failing_since is not null or disabled_reason in ('failing', 'gone'))
      order by id limit 100`,
  );
  if (!site || !counted || !waiting) throw notFound('site');
  const { items, can_sell } = await setup.get(shop, { card });
  const missing = items.filter(({ done }) => !done).map(({ code }) => code);
  const health = healthOf(site, items, failing_webhooks.length > 0);
  return { ...site, ...counted, ...health, health: { ...waiting, failing_webhooks, setup: { can_sell, missing } } };
}

/** The sites that fit, each with its place in the order. What the order does not need is not read. */
async function inOrder(connection: Connection, card: Card, filter: FleetFilter): Promise<Placed<Named>[]> {
  const { q, sort = 'name', status, problem } = filter;
  const words = q?.toLowerCase();
  const named = (await readNamed(connection)).filter((site) => status === undefined || statusOf(site) === status);
  const asksHealth = sort === 'health' || problem !== undefined;
  const placed = await ofEach(connection, named, async (shop, site) => {
    const [key, health] = await Promise.all([
      shop.one<{ name: string; key: string | number | null }>(placeOf(shop.siteId, sort)),
      asksHealth ? readHealth(shop, site, card) : undefined,
    ]);
    if (!key) return undefined;
    return { site, name: key.name, key: sort === 'health' ? severityOf(health) : (key.key ?? ''), health };
  });
  const fits = ({ name, site, health }: (typeof placed)[number]) =>
    (!words || [name, site.host ?? ''].some((text) => text.toLowerCase().includes(words))) &&
    (problem === undefined || health?.problems.includes(problem));
  return placeInOrder(placed.filter(fits), sort);
}

/** What is told of sites, in the order in which they come. */
async function describe(connection: Connection, card: Card, placed: Placed<Named>[]): Promise<FleetSite[]> {
  const sites = placed.map(({ site }) => site);
  return ofEach(connection, sites, async (shop, site) => {
    const [counted, health] = await Promise.all([
      shop.one<Counted>(countsOf(shop.siteId)),
      readHealth(shop, site, card),
    ]);
    return counted && { ...site, ...counted, ...health };
  });
}

async function readNamed(connection: Connection): Promise<Named[]> {
  const { rows } = await query<Named>(
    connection,
    sql`select s.site_id, s.merchant_id, s.currency, s.created_at, s.suspended_at, s.delete_at, d.host from sites s
      left join site_domains d on d.site_id = s.site_id and d.is_primary`,
  );
  return rows;
}

/**
 * Reads of each site as that site, so that row-level security stays on. The statements are sent without waiting in between: `read`
 * must send its own before it first waits. A site that has just been deleted is left out.
 */
async function ofEach<Result>(
  connection: Connection,
  sites: Named[],
  read: (shop: Shop, site: Named) => Promise<Result | undefined>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < sites.length; from += SITES_AT_ONCE) {
    results.push(...(await ofSome(connection, sites.slice(from, from + SITES_AT_ONCE), read)));
  }
  return results;
}

/** Each statement has a time limit, which begins when it is sent: behind those of all sites it would be over. */
const SITES_AT_ONCE = 200;

async function ofSome<Result>(
  connection: Connection,
  sites: Named[],
  read: (shop: Shop, site: Named) => Promise<Result | undefined>,
): Promise<Result[]> {
  const reading = sites.map(async (site) => {
    const tenant = { ...site, currency_digits: 0, show_stock: 'exact', catalog_version: '' } as const;
    const [, result] = await Promise.all([
      query(connection, sql`select set_config('app.site_id', ${site.site_id}, true)`),
      read(new Shop(tenant, SYSTEM, connection), site),
    ]);
    return result;
  });
  return (await Promise.all(reading)).filter((result) => result !== undefined);
}

function statusOf({ suspended_at, delete_at }: Named): SiteStatus {
  if (delete_at) return 'deleting';
  return suspended_at ? 'suspended' : 'open';
}

async function readHealth(shop: Shop, site: Named, card: Card): Promise<Health> {
  const [{ items }, webhooks] = await Promise.all([
    setup.get(shop, { card }),
    shop.one<{ failing: boolean }>(
      sql`select exists (select from webhooks w where w.site_id = ${shop.siteId}
          and (w.failing_since is not null or w.disabled_reason in ('failing', 'gone'))) as failing`,
    ),
  ]);
  return healthOf(site, items, webhooks?.failing ?? false);
}

function healthOf(site: Named, items: Awaited<ReturnType<typeof setup.get>>['items'], failing: boolean): Health {
  const lacks = items.filter(({ done, blocking }) => blocking && !done).map(({ code }) => code);
  const found = { cannot_sell: lacks.length > 0, webhooks_failing: failing, suspended: site.suspended_at !== null };
  return { problems: SITE_PROBLEMS.filter((problem) => found[problem]), lacks };
}

/** A worse problem outweighs all lesser ones. */
function severityOf(health: Health | undefined): number {
  const weights = { cannot_sell: 4, webhooks_failing: 2, suspended: 1 };
  return (health?.problems ?? []).reduce((sum, problem) => sum + weights[problem], 0);
}

function placeOf(site_id: string, order: SiteOrder): Sql {
  return sql`select t.name, ${KEYS[order](site_id)} as key from site_settings t where t.site_id = ${site_id}`;
}

const productsOf = (site_id: string) => sql`(select count(*) from products p where p.site_id = ${site_id})`;
const ordersOf = (site_id: string) => sql`(select count(*) from orders o where o.site_id = ${site_id})`;
const lastOrderOf = (site_id: string) => sql`(select max(o.created_at) from orders o where o.site_id = ${site_id})`;
const storageOf = (site_id: string) =>
  sql`coalesce((select u.bytes from file_usage u where u.site_id = ${site_id}), 0)`;
const callsOf = (site_id: string) =>
  sql`coalesce((select c.calls from site_usage c
    where c.site_id = ${site_id} and c.month = date_trunc('month', now() at time zone 'UTC')::date), 0)`;

const KEYS: Record<SiteOrder, (site_id: string) => Sql> = {
  name: () => sql`t.name`,
  created: (site_id) => sql`(select s.created_at from sites s where s.site_id = ${site_id})`,
  products: productsOf,
  orders: ordersOf,
  last_order: lastOrderOf,
  storage: storageOf,
  calls: callsOf,
  health: () => sql`0`,
};

function countsOf(site_id: string): Sql {
  return sql`select t.name, ${productsOf(site_id)} as products, ${ordersOf(site_id)} as orders,
      ${lastOrderOf(site_id)} as last_order_at, ${storageOf(site_id)} as storage_bytes, ${callsOf(site_id)} as calls
    from site_settings t where t.site_id = ${site_id}`;
}
