import { createDashboardClient, createStorefrontClient, unwrap } from '@commerce-backend/sdk';
import pg from 'pg';
import { setBankDetails } from '../bank-details.ts';
import { type Database, openDatabase } from '../database.ts';
import { type Goods, type Shopper, shopperAt } from '../flows.ts';
import {
  createSite,
  migrate,
  type OwnedSite,
  type Running,
  type Site,
  sentBy,
  startCommerce,
  stop,
} from '../processes.ts';
import { postmasterOf, settled } from './cpu.ts';
import { productOf } from './goods.ts';
import type { Target, Unit } from './play.ts';

/** The commerce server of a checkout, with its own database and shops. */
export interface Commerce {
  database: Database;
  postmaster: number;
  root: string | undefined;
  servers: Partial<Record<Cache, Running>>;
  shop: Shop;
}

export type Cache = 'on' | 'off';

export interface Shop {
  site: Site;
  goods: Goods;
}

export async function openCommerce(products: number, root?: string): Promise<Commerce> {
  const database = await openDatabase();
  try {
    await migrate(database.url, database.dataDir, root);
    const postmaster = await postmasterOf(database.url);
    const site = await createSite(database.url, database.dataDir, 'EUR', root);
    const on = await start({ database, root }, 'on');
    const shop = { site, goods: await fill(on, site, products) };
    await rest(database.bareUrl, postmaster);
    return { database, postmaster, root, servers: { on }, shop };
  } catch (error) {
    await database.drop();
    throw error;
  }
}

export async function closeCommerce({ servers, database }: Commerce): Promise<void> {
  await stop(...Object.values(servers));
  await database.drop();
}

/** Adds another shop to the same database. */
export async function addShop(commerce: Commerce, products: number): Promise<Shop> {
  const { database, root } = commerce;
  const site = await createSite(database.url, database.dataDir, 'EUR', root);
  return { site, goods: await fill(await serverOf(commerce, 'on'), site, products) };
}

/** The commerce server with the cache of the catalogue on or off, started on first use. */
export async function serverOf(commerce: Commerce, cache: Cache): Promise<Running> {
  commerce.servers[cache] ??= await start(commerce, cache);
  return commerce.servers[cache];
}

function start(commerce: Pick<Commerce, 'database' | 'root'>, cache: Cache, counted = false): Promise<Running> {
  const { url: databaseUrl, dataDir } = commerce.database;
  // Keeps idle connections open for more than the default of five seconds, as behind a proxy.
  const env = { CATALOG_CACHE: cache, ROLE: 'api', DATABASE_POOL_MAX: '10', KEEP_ALIVE_SECONDS: '65' };
  return startCommerce({ databaseUrl, dataDir, counted, env, root: commerce.root });
}

/** Connects this many shoppers to the server, distributed over the shops. */
export async function targetOf(
  commerce: Commerce,
  cache: Cache,
  clients: number,
  shops = [commerce.shop],
): Promise<Target> {
  const server = await serverOf(commerce, cache);
  const shoppers = Array.from({ length: clients }, (_, i) => shopper(server, shops[i % shops.length] ?? commerce.shop));
  return { shoppers, server: server.process.pid ?? 0, postmaster: commerce.postmaster };
}

export function shopper({ url }: Running, { site, goods }: Shop): Shopper & { leave(): void } {
  return shopperAt(url, site, goods);
}

async function fill({ url }: Running, site: OwnedSite, products: number): Promise<Goods> {
  const client = createDashboardClient({ baseUrl: url, apiKey: site.api_key });
  for (let i = 0; i < products; i += PAGE) {
    const rows = Array.from({ length: Math.min(PAGE, products - i) }, (_, n) => productOf(i + n));
    const { counts } = await unwrap(client.POST('/api/dashboard/products/import', { body: { products: rows } }));
    if (counts.created !== rows.length) throw new Error(`Only ${counts.created} of ${rows.length} products came in.`);
  }
  const parcel = { name: 'Parcel', price: '4.90' };
  const { id: shipping_option_id } = await unwrap(client.POST('/api/dashboard/shipping-options', { body: parcel }));
  await setBankDetails(url, site);
  return { variant_ids: await variantsOf(url, site, products), shipping_option_id };
}

const PAGE = 100;

async function variantsOf(url: string, { site_id, storefront_token }: Site, products: number): Promise<string[]> {
  const client = createStorefrontClient({ baseUrl: url, siteId: site_id, storefrontToken: storefront_token });
  const ids: string[] = [];
  for (let page = 1; page <= Math.ceil(products / PAGE); page += 1) {
    const query = { limit: PAGE, page };
    const answer = await unwrap(client.GET('/api/storefront/products', { params: { query } }));
    ids.push(...answer.products.flatMap(({ variants }) => variants.map(({ id }) => id)));
  }
  if (ids.length !== products * 3) throw new Error(`The storefront shows ${ids.length} variants.`);
  return ids;
}

/** Refreshes the statistics of a filled database, and waits for the end of cleanup and other background work. */
export async function rest(url: string, postmaster: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze').finally(() => client.end());
  await settled(postmaster);
}

export interface Sent {
  statements: number;
  round_trips: number;
}

const COUNTED = 40;

/**
 * Counts the statements that a unit sends to the database, in a server that counts them. The first units, which fill
 * caches, are not counted.
 */
export async function countSent(commerce: Commerce, cache: Cache, unit: Unit): Promise<Sent> {
  const server = await start(commerce, cache, true);
  const one = shopper(server, commerce.shop);
  try {
    for (let turn = 1; turn <= COUNTED; turn += 1) await unit(one, turn);
    const before = await sentBy(server);
    for (let turn = 1; turn <= COUNTED; turn += 1) await unit(one, turn);
    const after = await sentBy(server);
    const each = (field: keyof Sent) => (after[field] - before[field]) / COUNTED;
    return { statements: each('statements'), round_trips: each('round_trips') };
  } finally {
    one.leave();
    await stop(server);
  }
}
