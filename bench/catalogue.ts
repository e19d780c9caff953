import { isDeepStrictEqual } from 'node:util';
import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import { type Database, openDatabase } from './database.ts';
import { alternate, type Load, type Target } from './load.ts';
import { createSite, migrate, type Running, type Site, sentBy, startCommerce, startFile, stop } from './processes.ts';
import { NOUNS, productOf, slugOf } from './products.ts';
import { ratio, report, table, whole } from './report.ts';

const REQUESTED_SLUGS = 200;
const COUNTED = 100;

/** Measures the reads of a shop, with the catalogue cache and without, against a bare server on the same database. */
export async function catalogue(load: Load, products: number): Promise<void> {
  const database = await openDatabase();
  const running: Running[] = [];
  try {
    await migrate(database.url, database.dataDir);
    const site = await createSite(database.url, database.dataDir, 'EUR');
    const cached = await startOurs(database, 'on');
    running.push(cached);
    await fill(cached, site, products);
    const uncached = await startOurs(database, 'off');
    running.push(uncached);
    const bare = await startFile('bare.ts', [database.bareUrl, site.site_id]);
    running.push(bare);

    const servers = { bare, uncached, cached };
    const rows: (string | number)[][] = [];
    for (const read of reads(products)) {
      await compareBodies(servers, site, read.paths[0] ?? '');
      const targets = targetsOf(servers, site, read.paths);
      const rates = await alternate(targets, load);
      const statements = await countStatements(database, site, read.paths[0] ?? '');
      for (const name of ['bare', 'uncached', 'cached'] as const) {
        const { requests, p50, p99 } = rates[name];
        const of = name === 'bare' ? '' : ratio(requests, rates.bare.requests);
        rows.push([`${read.name}, ${TITLES[name]}`, whole(requests), of, p50, p99, statements[name]]);
      }
    }
    const header = ['Read and server', 'requests/s', 'of bare', 'p50 ms', 'p99 ms', 'SQL statements'];
    await report('catalogue', database.version, [
      `${whole(products)} products with 3 variants each.`,
      '',
      ...table(header, rows),
    ]);
  } finally {
    await stop(...running);
    await database.drop();
  }
}

const TITLES = { bare: 'bare Express + pg', uncached: 'ours, cache off', cached: 'ours, cache on' };

interface Read {
  name: string;
  paths: string[];
}

function reads(products: number): Read[] {
  const slugs = Array.from({ length: Math.min(REQUESTED_SLUGS, products) }, (_, i) => slugOf(i));
  return [
    { name: 'list, `limit=20`', paths: ['/api/storefront/products?limit=20'] },
    { name: 'one product by slug', paths: slugs.map((slug) => `/api/storefront/products/${slug}`) },
    {
      name: 'search, one word',
      paths: NOUNS.map((noun) => `/api/storefront/products?limit=20&q=${noun.toLowerCase()}`),
    },
  ];
}

function startOurs({ url, dataDir }: Database, cache: 'on' | 'off', counted = false): Promise<Running> {
  return startCommerce({ databaseUrl: url, dataDir, counted, env: { CATALOG_CACHE: cache, ROLE: 'api' } });
}

async function fill({ url }: Running, { api_key }: Site, products: number): Promise<void> {
  const client = createDashboardClient({ baseUrl: url, apiKey: api_key });
  for (let i = 0; i < products; i += 100) {
    const rows = Array.from({ length: Math.min(100, products - i) }, (_, n) => productOf(i + n));
    const { counts } = await unwrap(client.POST('/api/dashboard/products/import', { body: { products: rows } }));
    if (counts.created !== rows.length) throw new Error(`Only ${counts.created} of ${rows.length} products came in.`);
  }
}

function targetsOf(servers: Record<keyof typeof TITLES, Running>, site: Site, paths: string[]) {
  const target = ({ url }: Running): Target => ({ url, paths, headers: headersOf(site) });
  return { bare: target(servers.bare), uncached: target(servers.uncached), cached: target(servers.cached) };
}

function headersOf({ site_id, storefront_token }: Site): Record<string, string> {
  return { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token };
}

/**
 * Checks that the servers send the same responses, so that the comparison is fair. Of a search, only the number of
 * results is compared, because the servers rank differently.
 */
async function compareBodies(servers: Record<string, Running>, site: Site, path: string): Promise<void> {
  const bodies = await Promise.all(Object.values(servers).map(({ url }) => read(url + path, site)));
  const [first, ...others] = path.includes('q=') ? bodies.map((body) => (body as { total: number }).total) : bodies;
  if (others.some((other) => !isDeepStrictEqual(first, other))) {
    throw new Error(`The servers answer ${path} differently: ${JSON.stringify([first, ...others]).slice(0, 2_000)}`);
  }
}

/**
 * Reads a response. Converts its times to numbers, because PostgreSQL and the server format them with different
 * precision.
 */
async function read(url: string, site: Site): Promise<unknown> {
  const response = await fetch(url, { headers: headersOf(site) });
  return JSON.parse(await response.text(), (key, value: unknown) =>
    key.endsWith('_at') && typeof value === 'string' ? Date.parse(value) : value,
  );
}

/** Counts the statements of a repeated request. The first request, which fills caches, is not counted. */
async function countStatements(database: Database, site: Site, path: string) {
  const count = async (cache: 'on' | 'off') => {
    const server = await startOurs(database, cache, true);
    try {
      await read(server.url + path, site);
      const before = await sentBy(server);
      for (let i = 0; i < COUNTED; i += 1) await read(server.url + path, site);
      return Math.round(((await sentBy(server)).statements - before.statements) / COUNTED);
    } finally {
      await stop(server);
    }
  };
  return { bare: 1, uncached: await count('off'), cached: await count('on') };
}
