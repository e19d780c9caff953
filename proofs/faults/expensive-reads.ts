import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import pg from 'pg';
import { freePort } from '../../server/src/db/free-port.ts';
import { type Figures, type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { judgeReads } from './reads-under-load.ts';

/** The limit for the p99 of the other shoppers' reads. Checked in the full form only, which needs an idle machine. */
const GOAL_MS = 100;
const READS_A_SECOND = 50;
/** PostgreSQL's statement timeout, which no read may reach. The short form runs for longer than this. */
const LIMIT_MS = 5_000;

/** Sends expensive reads, and some invalid ones, while others read single products. */
export const I4: Proof = {
  id: 'I4',
  promise: 'No read exceeds the time limit of the database, whatever its parameters, and others are served meanwhile.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, databaseUrl, progress }: Trial, directory: string): Promise<Figures> {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'info', ROLE: 'api' };
  const shop = await openTenant(databaseUrl);
  const server = await new ServerProcess(await freePort(), env).readyAtLast();
  const violations = new Violations();
  const storefront = { 'X-Site-ID': shop.site_id, 'X-Service-Token': shop.storefront_token };
  try {
    await stock(server.baseUrl, shop.api_key, pick(size, 200, 5_000));
    const reads = expensiveReads(storefront, { 'X-API-Key': shop.api_key });
    const stopWatching = watchStatements(databaseUrl);
    const seconds = pick(size, 7, 60);
    const url = `${server.baseUrl}/api/storefront/products/mug-1`;
    const [attacked, others] = await Promise.all([
      autocannon({ url: server.baseUrl, requests: reads, connections: pick(size, 4, 8), duration: seconds }),
      // Runs in a separate thread, so that the responses to the attackers do not delay the measurement.
      autocannon({
        url,
        headers: storefront,
        duration: seconds,
        connections: 4,
        overallRate: READS_A_SECOND,
        workers: 1,
      }),
    ]);
    const slowest = await stopWatching();
    progress(`${attacked.requests.total} expensive reads, slowest statement ${slowest} ms`);
    if (slowest >= LIMIT_MS) violations.add(`a statement ran for ${slowest} ms`);
    const cancelled = server.output.split('\n').filter((line) => line.includes('"code":"57014"')).length;
    if (cancelled > 0) violations.add(`${cancelled} statements were cancelled by the statement timeout`);
    for (const [status, { count = 0 }] of Object.entries(attacked.statusCodeStats ?? {})) {
      if (!['200', '304', '400', '422', '431', '503'].includes(status))
        violations.add(`${count} expensive reads got ${status}`);
    }
    judgeReads(violations, size, others);
    if (size === 'full' && others.latency.p99 >= GOAL_MS) {
      violations.add(`p99 of other shoppers' reads: ${others.latency.p99} ms, above the limit`);
    }
    const note = `slowest statement seen ${slowest} ms; others meanwhile p99 ${others.latency.p99} ms`;
    return { tried: attacked.requests.total, unit: 'expensive reads', violations: violations.list, note };
  } finally {
    await server.end('SIGKILL');
  }
}

type Headers = Record<string, string>;

function expensiveReads(storefront: Headers, dashboard: Headers): autocannon.Request[] {
  const of = (headers: Headers) => (path: string) => ({ method: 'GET' as const, path, headers });
  const words = encodeURIComponent(Array.from({ length: 30 }, (_, n) => `mug${n}`).join(' '));
  const catalogue = '/api/storefront/products';
  const products = '/api/dashboard/products';
  return [
    ...[
      `${catalogue}?page=1000000&limit=100`,
      `${catalogue}?page=50&limit=100&sort=price_desc`,
      `${catalogue}?q=${'%25'.repeat(60)}&limit=100`,
      `${catalogue}?q=${'_%25'.repeat(40)}&limit=100&facets=true`,
      `${catalogue}?q=${words}&limit=100&facets=true`,
      `${catalogue}?q=a&limit=100&facets=true&in_stock=true`,
      `${catalogue}?q=${'a'.repeat(64 * 1024)}`,
      `${catalogue}?q=${'a'.repeat(7_000)}`,
      `${catalogue}?q=${'a '.repeat(60).replaceAll(' ', '%20')}`,
    ].map(of(storefront)),
    ...[
      `${products}?page=1000000&limit=100`,
      `${products}?q=${'%25'.repeat(60)}&limit=100`,
      `/api/dashboard/orders?page=1000000&limit=100`,
      `/api/dashboard/customers?q=${'%25_'.repeat(40)}&limit=100`,
    ].map(of(dashboard)),
  ];
}

/** Creates products, 100 at a time. */
export async function stock(baseUrl: string, api_key: string, many: number): Promise<void> {
  const description = 'A mug of stoneware, glazed by hand, for tea and coffee. '.repeat(20);
  for (let from = 0; from < many; from += 100) {
    const products = Array.from({ length: 100 }, (_, i) => ({
      ...{ slug: `mug-${from + i}`, name: `Mug ${from + i}`, price: '12.00', status: 'active', description },
      tags: [`tag ${i % 10}`, 'kitchen'],
      inventory_quantity: i,
    }));
    const response = await fetch(`${baseUrl}/api/dashboard/products/import`, {
      method: 'POST',
      headers: { 'X-API-Key': api_key, 'Idempotency-Key': crypto.randomUUID(), 'Content-Type': 'application/json' },
      body: JSON.stringify({ products }),
    });
    if (response.status !== 200) throw new Error(`The products were refused: ${await response.text()}`);
  }
}

/**
 * Records every 100 ms how long the oldest running statement has run. The returned function stops that, and returns the
 * longest time in milliseconds.
 */
function watchStatements(databaseUrl: string): () => Promise<number> {
  let [over, slowest] = [false, 0];
  const watch = async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    while (!over) {
      const { rows } = await client.query<{ ms: number }>(
        `select coalesce(max(extract(epoch from clock_timestamp() - query_start) * 1000), 0)::int as ms from pg_stat_activity
         where application_name = 'commerce' and state = 'active' and datname = current_database()`,
      );
      slowest = Math.max(slowest, rows[0]?.ms ?? 0);
      await sleep(100);
    }
    await client.end();
  };
  const watching = watch();
  return async () => {
    over = true;
    await watching;
    return slowest;
  };
}
