import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import pg from 'pg';
import { type Database, openDatabase } from './database.ts';
import { median } from './load.ts';
import { createSite, migrate, type Running, type Site, sentBy, startCommerce, stop } from './processes.ts';
import { report, table, whole } from './report.ts';

const ROUNDS = 5;
const CHANGES_COUNTED = 10;
/** The numbers of shops that deliver at the same time, and the number of webhooks in each shop. */
const CROWDS = [
  { shops: 1, webhooks: 1 },
  { shops: 1, webhooks: 10 },
  { shops: 5, webhooks: 1 },
];
const SUBSCRIBERS = [0, 1, 10];

/**
 * Measures how much an event adds to the cost of the change that causes it, and how fast events are delivered to a
 * receiver that responds immediately.
 */
export async function webhooks(events: number): Promise<void> {
  const database = await openDatabase();
  const db = new pg.Client({ connectionString: database.bareUrl });
  try {
    await migrate(database.url, database.dataDir);
    await db.connect();
    await db.query('set search_path = commerce, public');
    const costs = await costsOfEvents(database, db, Math.ceil(events / 20));
    const rates = await ratesOfDelivery(database, db, events);
    await report('webhooks', database.version, [
      ...table(['A change of one product, told to', 'µs in the database', 'statements of the server'], costs),
      '',
      ...table(['Delivering', 'deliveries', 'seconds', 'deliveries/s'], rates),
    ]);
  } finally {
    await db.end();
    await database.drop();
  }
}

/**
 * Measures the time and the number of statements per change, each in its own transaction: first without the trigger
 * that writes events, then with an increasing number of subscribed webhooks.
 */
async function costsOfEvents(database: Database, db: pg.Client, changes: number): Promise<(string | number)[][]> {
  const site = await createSite(database.url, database.dataDir, 'EUR');
  let server: Running | undefined;
  try {
    server = await startOn(database, { env: { ROLE: 'api' }, counted: true });
    const client = createDashboardClient({ baseUrl: server.url, apiKey: site.api_key });
    const body = { name: 'Mug', price: '1.00', status: 'active' as const };
    const { id } = await unwrap(client.POST('/api/dashboard/products', { body }));
    const params = { path: { product_id: id } };
    const statements = async () => {
      const before = (await sentBy(server as Running)).statements;
      for (let count = 0; count < CHANGES_COUNTED; count += 1) {
        const patch = { name: `Mug ${crypto.randomUUID()}` };
        await unwrap(client.PATCH('/api/dashboard/products/{product_id}', { params, body: patch }));
      }
      return (((await sentBy(server as Running)).statements - before) / CHANGES_COUNTED).toFixed(1);
    };
    await db.query('alter table products disable trigger tell_product');
    const rows = [['nobody, by no trigger', await microseconds(db, site, id, changes), await statements()]];
    await db.query('alter table products enable trigger tell_product');
    for (const subscribers of SUBSCRIBERS) {
      await subscribe(server, site, 'http://127.0.0.1:9/', subscribers);
      const name = subscribers === 1 ? '1 webhook' : `${subscribers} webhooks`;
      rows.push([name, await microseconds(db, site, id, changes), await statements()]);
    }
    await forgetAll(db);
    return rows;
  } finally {
    await stop(server);
  }
}

/** Measures the time of one change in microseconds, as the median over the rounds. */
async function microseconds(db: pg.Client, { site_id }: Site, product_id: string, changes: number): Promise<string> {
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await db.query('vacuum analyze');
    const started = performance.now();
    for (let count = 0; count < changes; count += 1) {
      await db.query('update products set name = $3 where site_id = $1 and id = $2', [
        site_id,
        product_id,
        `Mug ${round} ${count}`,
      ]);
    }
    taken.push((1_000 * (performance.now() - started)) / changes);
  }
  return whole(median(taken));
}

async function ratesOfDelivery(database: Database, db: pg.Client, events: number): Promise<(string | number)[][]> {
  let received = 0;
  const receiver = createServer((req, res) => {
    req.resume().on('end', () => {
      received += 1;
      res.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const server = await startOn(database, { env: { ROLE: 'all' } });
  const rows: (string | number)[][] = [];
  try {
    for (const crowd of CROWDS) {
      const sites: Site[] = [];
      while (sites.length < crowd.shops) sites.push(await createSite(database.url, database.dataDir, 'EUR'));
      for (const site of sites) await subscribe(server, site, `http://127.0.0.1:${port}/`, crowd.webhooks);
      const each = Math.ceil(events / (crowd.shops * crowd.webhooks));
      const deliveries = each * crowd.shops * crowd.webhooks;
      received = 0;
      const started = performance.now();
      for (const { site_id } of sites) await db.query(EMIT, [site_id, each]);
      while (received < deliveries) await sleep(5);
      const seconds = (performance.now() - started) / 1_000;
      const name = `${crowd.shops} ${crowd.shops === 1 ? 'shop' : 'shops'}, ${crowd.webhooks} of each`;
      rows.push([name, whole(deliveries), seconds.toFixed(1), whole(deliveries / seconds)]);
      await forgetAll(db);
    }
    return rows;
  } finally {
    receiver.closeAllConnections();
    receiver.close();
    await stop(server);
  }
}

/** Emits many events in one statement, in the form that the database triggers use. */
const EMIT = `select emit($1, 'product.updated', gen_random_uuid(), jsonb_build_object('id', gen_random_uuid(),
  'slug', 'mug', 'name', 'Mug', 'status', 'active')) from generate_series(1, $2::int)`;

function startOn({ url, dataDir }: Database, options: { env: NodeJS.ProcessEnv; counted?: boolean }): Promise<Running> {
  return startCommerce({ databaseUrl: url, dataDir, ...options, env: { DEMO_SHOP: 'off', ...options.env } });
}

/** Adds webhooks for changes of products until there are this many. */
async function subscribe(server: Running, { api_key }: Site, url: string, count: number): Promise<void> {
  const client = createDashboardClient({ baseUrl: server.url, apiKey: api_key });
  const there = await unwrap(client.GET('/api/dashboard/webhooks'));
  const body = { url, events: ['product.updated' as const] };
  for (let made = there.length; made < count; made += 1) await unwrap(client.POST('/api/dashboard/webhooks', { body }));
}

async function forgetAll(db: pg.Client): Promise<void> {
  await db.query('delete from webhooks');
  await db.query('delete from graphile_worker._private_jobs');
}
