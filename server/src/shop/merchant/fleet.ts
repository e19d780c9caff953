import type { Webhook } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { type Connection, query } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../errors.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';
import * as setup from './setup.ts';

/** A site in the view of all sites, as operators have it. */
export interface FleetSite {
  site_id: string;
  merchant_id: string;
  currency: string;
  name: string;
  /** The primary host. */
  host: string | null;
  created_at: string;
  /** Since when an operator has suspended it. */
  suspended_at: string | null;
  /** When it will be deleted. */
  delete_at: string | null;
  /** Of any status. */
  products: number;
  orders: number;
  last_order_at: string | null;
  /** Of uploaded files. */
  storage_bytes: number;
}

export const SITE_ORDERS = ['name', 'created', 'products', 'orders', 'last_order', 'storage'] as const;
export type SiteOrder = (typeof SITE_ORDERS)[number];

/** All sites: names upwards, everything else from the newest or the most down. */
export async function listSites(db: Pool, order: SiteOrder): Promise<FleetSite[]> {
  return sorted(await inTransaction(db, readSites), order);
}

interface SitesQuery extends PageQuery {
  q?: string;
  sort?: SiteOrder;
}

/** A page of those whose name or primary host contains `q`, inside a transaction. */
export async function pageOfSites(connection: Connection, { q, sort = 'name', ...paging }: SitesQuery) {
  const words = q?.toLowerCase();
  const all = await readSites(connection);
  const found = words
    ? all.filter(({ name, host }) => [name, host ?? ''].some((text) => text.toLowerCase().includes(words)))
    : all;
  const { page, limit, offset } = pageOf(paging);
  const sites = sorted(found, sort).slice(offset, offset + limit);
  return { sites, total: found.length, page, limit, pages: Math.ceil(found.length / limit) };
}

/** A site with how it is doing. */
export async function siteDetails(shop: Shop, card: { name: string } | undefined) {
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
  return { ...site, ...counted, health: { ...waiting, failing_webhooks, setup: { can_sell, missing } } };
}

function sorted(sites: FleetSite[], order: SiteOrder): FleetSite[] {
  return sites.sort((a, b) => compare(a, b, order) || a.name.localeCompare(b.name) || (a.site_id < b.site_id ? -1 : 1));
}

function compare(a: FleetSite, b: FleetSite, order: SiteOrder): number {
  switch (order) {
    case 'name':
      return a.name.localeCompare(b.name);
    case 'created':
      return latestFirst(a.created_at, b.created_at);
    case 'last_order':
      return latestFirst(a.last_order_at ?? '', b.last_order_at ?? '');
    case 'products':
      return b.products - a.products;
    case 'orders':
      return b.orders - a.orders;
    case 'storage':
      return b.storage_bytes - a.storage_bytes;
  }
}

function latestFirst(a: string, b: string): number {
  if (a === b) return 0;
  return a > b ? -1 : 1;
}

type Counted = Pick<FleetSite, 'name' | 'products' | 'orders' | 'last_order_at' | 'storage_bytes'>;
type Named = Omit<FleetSite, keyof Counted>;

/** What each site holds is read as that site, so that row-level security stays on; the statements are sent without waiting in between. */
async function readSites(connection: Connection): Promise<FleetSite[]> {
  const { rows: named } = await query<Named>(
    connection,
    sql`select s.site_id, s.merchant_id, s.currency, s.created_at, s.suspended_at, s.delete_at, d.host from sites s
      left join site_domains d on d.site_id = s.site_id and d.is_primary`,
  );
  const counts = named.map(async ({ site_id }) => {
    const [, counted] = await Promise.all([
      query(connection, sql`select set_config('app.site_id', ${site_id}, true)`),
      query<Counted>(connection, countsOf(site_id)),
    ]);
    return counted.rows[0];
  });
  const counted = await Promise.all(counts);
  return named.flatMap((site, i) => (counted[i] ? [{ ...site, ...counted[i] }] : []));
}

function countsOf(site_id: string) {
  return sql`select t.name,
      (select count(*) from products p where p.site_id = ${site_id}) as products,
      (select count(*) from orders o where o.site_id = ${site_id}) as orders,
      (select max(o.created_at) from orders o where o.site_id = ${site_id}) as last_order_at,
      coalesce((select u.bytes from file_usage u where u.site_id = ${site_id}), 0) as storage_bytes
    from site_settings t where t.site_id = ${site_id}`;
}
