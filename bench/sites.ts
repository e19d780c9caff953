import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { unwrap } from '@commerce-backend/sdk';
import { createOperatorClient, type OperatorClient } from '@commerce-backend/sdk/operator';
import pg from 'pg';
import { freePort } from '../server/src/db/free-port.ts';
import { openDatabase } from './database.ts';
import { median } from './load.ts';
import { createSite, migrate, type Running, runCommand, sentBy, startCommerce, stop } from './processes.ts';
import { importAll, type Measured, readWhile } from './readers.ts';
import { learnMeanings } from './relevance.ts';
import { report, table, whole } from './report.ts';

/**
 * Measures how long it takes to open many shops, with the command and a file, and over the operators' listener. Also
 * measures how this affects shoppers of another shop, and how long one page of the list of all shops takes.
 */
export async function sites({ count, products, seconds }: SitesOptions): Promise<void> {
  const database = await openDatabase();
  let server: Running | undefined;
  const db = new pg.Client({ connectionString: database.bareUrl });
  try {
    await migrate(database.url, database.dataDir);
    const site = await createSite(database.url, database.dataDir, 'EUR');
    const port = await freePort();
    const env = { OPERATOR_PORT: String(port) };
    server = await startCommerce({ databaseUrl: database.url, dataDir: database.dataDir, env, counted: true });
    const { secret } = JSON.parse(await command(database, 'operator-keys', 'create', '--description', 'bench')) as {
      secret: string;
    };
    const operators = createOperatorClient({
      baseUrl: `http://127.0.0.1:${port}`,
      operatorKey: secret,
      timeoutMs: 60_000,
    });
    await importAll(server, site, products);
    await db.connect();
    await db.query('set search_path = commerce, public');
    await settledVersion(db, site.site_id);
    // Trains the semantic model now. Otherwise the server's own job would run during the measurement and give the
    // catalogue a new version.
    await learnMeanings(database);
    await db.query('vacuum analyze');

    const read = (done: Promise<void>) => readWhile(server as Running, site, products, done);
    await read(sleep(1_000));
    const version = await settledVersion(db, site.site_id);
    const alone = await read(sleep(1_000 * seconds));
    const byCommand = await read(openByCommand(database, count));
    const before = await sentBy(server);
    await openOne(operators, 0);
    const after = await sentBy(server);
    const overHttp = await read(openOverHttp(operators, count));
    if ((await versionOf(db, site.site_id)) !== version)
      throw new Error("The other shop's catalogue has a new version.");
    const { total } = await unwrap(operators.GET('/api/operator/sites', { params: { query: { limit: 1 } } }));
    await report('sites', database.version, [
      `${whole(count)} shops by \`site create --file shops.jsonl\`, then as many over the listener, ${AT_ONCE} at a time, each with a`,
      'shipping option, beside readers of another shop (50 requests a second). Goal: minutes, not hours.',
      '',
      ...table(HEADER, [
        rowOf('nothing', alone, undefined),
        rowOf('shops are opened by the command', byCommand, count),
        rowOf('shops are opened over HTTP', overHttp, count),
      ]),
      '',
      `Opening one over HTTP sends ${after.statements - before.statements} statements. Then, with ${whole(total)} shops, a page of 100 of the list of sites:`,
      '',
      ...table(['Sorted by', 'ms'], await timesOf(operators)),
    ]);
  } finally {
    await db.end();
    await stop(server);
    await database.drop();
  }
}

export interface SitesOptions {
  /** The number of shops opened in each way. */
  count: number;
  products: number;
  /** The seconds for which reads are measured without other work. */
  seconds: number;
}

type Database = Awaited<ReturnType<typeof openDatabase>>;

/** The number of concurrent calls: the operators' listener has four connections to the database. */
const AT_ONCE = 4;
const HEADER = ['Meanwhile', 'seconds', 'shops a minute', 'requests', 'answered 503', 'p50 ms', 'p99 ms'];
const SHOP = { country: 'DE', shipping_options: [{ name: 'Parcel', price: '4.90', countries: ['DE'] }] };

function command({ url: databaseUrl, dataDir }: Database, ...args: string[]): Promise<string> {
  return runCommand(args, { databaseUrl, dataDir });
}

async function openByCommand(database: Database, count: number): Promise<void> {
  const file = join(database.dataDir, 'shops.jsonl');
  const lines = Array.from({ length: count }, (_, n) => JSON.stringify({ name: `Command ${n}`, ...SHOP }));
  await writeFile(file, `${lines.join('\n')}\n`);
  const made = (await command(database, 'site', 'create', '--file', file)).trim().split('\n');
  if (made.length !== count) throw new Error(`${made.length} of ${count} shops were opened.`);
}

async function openOverHttp(operators: OperatorClient, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => n).values();
  const work = async () => {
    for (const n of numbers) await openOne(operators, n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function openOne(operators: OperatorClient, n: number): Promise<void> {
  const body = { name: `Listener ${n} ${randomUUID().slice(0, 8)}`, ...SHOP };
  await unwrap(operators.POST('/api/operator/sites', { body }));
}

/**
 * Waits until the catalogue version stays the same for five seconds, because the import's jobs still change it. Returns
 * the version.
 */
async function settledVersion(db: pg.Client, site_id: string): Promise<string> {
  let version = await versionOf(db, site_id);
  for (;;) {
    await sleep(5_000);
    const now = await versionOf(db, site_id);
    if (now === version) return version;
    version = now;
  }
}

async function versionOf(db: pg.Client, site_id: string): Promise<string> {
  const { rows } = await db.query<{ version: string }>(
    'select v::text as version from commerce.catalog_versions v where v.site_id = $1 order by v.stripe',
    [site_id],
  );
  return JSON.stringify(rows);
}

function rowOf(name: string, { seconds, requests, refused, p50, p99 }: Measured, shops: number | undefined) {
  const pace = shops === undefined ? '' : whole((60 * shops) / seconds);
  return [name, seconds.toFixed(1), pace, whole(requests), whole(refused), p50.toFixed(1), p99.toFixed(1)];
}

const LOOKS = 5;

async function timesOf(operators: OperatorClient): Promise<(string | number)[][]> {
  const rows: (string | number)[][] = [];
  for (const sort of ['name', 'last_order', 'calls', 'health'] as const) {
    const taken: number[] = [];
    for (let look = 0; look < LOOKS; look += 1) {
      const started = performance.now();
      await unwrap(operators.GET('/api/operator/sites', { params: { query: { limit: 100, sort } } }));
      taken.push(performance.now() - started);
    }
    rows.push([sort, whole(median(taken))]);
  }
  return rows;
}
