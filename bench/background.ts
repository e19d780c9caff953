import { setTimeout as sleep } from 'node:timers/promises';
import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import pg from 'pg';
import { openDatabase } from './database.ts';
import { median } from './load.ts';
import { createSite, migrate, type Running, type Site, startCommerce, stop } from './processes.ts';
import { NOUNS, productOf, slugOf } from './products.ts';
import { report, table, whole } from './report.ts';

/**
 * Measures how background jobs affect shoppers when one server does both. Reads arrive at a steady rate: first without
 * jobs, then while the whole catalogue is reindexed or its semantic model is retrained.
 */
export async function background({ products, seconds, rounds }: BackgroundOptions): Promise<void> {
  const database = await openDatabase();
  const db = new pg.Client({ connectionString: database.bareUrl });
  let server: Running | undefined;
  try {
    await migrate(database.url, database.dataDir);
    const site = await createSite(database.url, database.dataDir, 'EUR');
    server = await startCommerce({ databaseUrl: database.url, dataDir: database.dataDir });
    await importAll(server, site, products);
    await db.connect();
    await db.query('set search_path to commerce, public');
    await db.query('vacuum analyze');
    await runJob(db, JOBS.learning);

    const measured: Record<Condition, Measured[]> = { alone: [], indexing: [], learning: [] };
    for (let round = 0; round <= rounds; round += 1) {
      const taken = {
        alone: await readWhile(server, site, products, sleep(1_000 * seconds)),
        indexing: await readWhile(server, site, products, runJob(db, JOBS.indexing)),
        learning: await readWhile(server, site, products, runJob(db, JOBS.learning)),
      };
      for (const name of CONDITIONS) {
        if (taken[name].refused > 0)
          throw new Error(`${taken[name].refused} readers were refused: the machine is too busy.`);
        if (round > 0) measured[name].push(taken[name]);
      }
    }
    await report('background', database.version, [
      `${whole(products)} products with 3 variants each; ${RATE} requests a second (lists, single products and searches, half of`,
      `them answered from the cache), ${rounds} rounds of each in turn, medians. Goal: p99 at most 1.20 × of that alone.`,
      '',
      ...table(
        HEADER,
        CONDITIONS.map((name) => rowOf(name, measured)),
      ),
    ]);
  } finally {
    await db.end();
    await stop(server);
    await database.drop();
  }
}

export interface BackgroundOptions {
  products: number;
  /** The seconds for which reads are measured without jobs. */
  seconds: number;
  rounds: number;
}

type Condition = 'alone' | 'indexing' | 'learning';

const CONDITIONS: Condition[] = ['alone', 'indexing', 'learning'];
const HEADER = ['Meanwhile', 'seconds', 'requests', 'p50 ms', 'p99 ms', 'p99 : alone'];
const NAMES = {
  alone: 'nothing',
  indexing: 'all products are indexed again',
  learning: 'all meanings are learned again',
};
/** Reads per second: about a third of what one process can serve. */
const RATE = 50;

/** A job, and an SQL statement that makes all of its work due. */
interface Job {
  task: string;
  due: string;
}

export const JOBS: Record<'indexing' | 'learning', Job> = {
  indexing: { task: 'index_products', due: 'update product_search set index_version = 0' },
  learning: { task: 'learn_meanings', due: 'update search_models set changed = products' },
};

/** Resolves when the job has succeeded; rejects if it has failed. */
export async function runJob(db: pg.Client, { task, due }: Job): Promise<void> {
  await db.query(due);
  const { rows } = await db.query<{ id: string }>('select id from graphile_worker.add_job($1)', [task]);
  for (;;) {
    await sleep(200);
    const { rows: left } = await db.query<{ last_error: string | null }>(
      'select last_error from graphile_worker.jobs where id = $1',
      [rows[0]?.id],
    );
    if (left.length === 0) return;
    if (left[0]?.last_error) throw new Error(`${task}: ${left[0].last_error}`);
  }
}

export interface Measured {
  seconds: number;
  requests: number;
  /** The number of requests that were rejected because the server was too busy (503). */
  refused: number;
  p50: number;
  p99: number;
}

/**
 * Sends reads until the promise resolves. Starts each request on time, even if earlier ones have no response yet, so
 * that a slow server gets longer response times, not fewer requests.
 */
export async function readWhile(server: Running, site: Site, products: number, done: Promise<void>): Promise<Measured> {
  const headers = { 'X-Site-ID': site.site_id, 'X-Service-Token': site.storefront_token };
  const taken: number[] = [];
  const under: Promise<void>[] = [];
  let refused = 0;
  let failure: unknown;
  let running = true;
  void done.finally(() => {
    running = false;
  });
  const started = performance.now();
  for (let i = 0; running; i += 1) {
    await sleep(Math.max(0, started + (1_000 * i) / RATE - performance.now()));
    const due = started + (1_000 * i) / RATE;
    under.push(
      fetch(server.url + pathOf(i, products), { headers })
        .then(async (answer) => {
          await answer.arrayBuffer();
          if (answer.status === 503) refused += 1;
          else if (!answer.ok) throw new Error(`${answer.status} for ${pathOf(i, products)}`);
          else taken.push(performance.now() - due);
        })
        .catch((error: unknown) => {
          failure ??= error;
        }),
    );
  }
  await Promise.all(under);
  await done;
  if (failure) throw failure;
  const seconds = (performance.now() - started) / 1_000;
  const sorted = taken.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { seconds, requests: taken.length, refused, p50: at(0.5), p99: at(0.99) };
}

/** Returns the path of the i-th read: a list, a product and a search that are cached, and three that are not. */
function pathOf(i: number, products: number): string {
  const other = (i * 7_919) % products;
  const paths = [
    '/api/storefront/products?limit=20',
    `/api/storefront/products?limit=20&price_min=${other % 190}.${10 + (i % 90)}`,
    `/api/storefront/products/${slugOf(1)}`,
    `/api/storefront/products/${slugOf(other)}`,
    '/api/storefront/products?limit=20&q=lamp',
    `/api/storefront/products?limit=20&q=${NOUNS[i % NOUNS.length]}%20${other}`,
  ];
  return paths[i % paths.length] ?? '';
}

const IMPORTED_AT_ONCE = 100;

export async function importAll({ url }: Running, { api_key }: Site, count: number): Promise<void> {
  const dashboard = createDashboardClient({ baseUrl: url, apiKey: api_key });
  for (let from = 0; from < count; from += IMPORTED_AT_ONCE) {
    const products = Array.from({ length: Math.min(IMPORTED_AT_ONCE, count - from) }, (_, i) => productOf(from + i));
    await unwrap(dashboard.POST('/api/dashboard/products/import', { body: { products } }));
  }
}

function rowOf(name: Condition, measured: Record<Condition, Measured[]>): (string | number)[] {
  const of = (field: keyof Measured) => median(measured[name].map((one) => one[field]));
  const ratios = measured[name].map(({ p99 }, i) => p99 / (measured.alone[i]?.p99 ?? Number.NaN));
  const figures = [of('seconds').toFixed(1), whole(of('requests')), of('p50').toFixed(1), of('p99').toFixed(1)];
  return [NAMES[name], ...figures, `${median(ratios).toFixed(2)} ×`];
}
