import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createStorefrontClient, unwrap } from '@commerce-backend/sdk';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { newDatabase, openOtherServer } from '../../test/other-server.ts';
import { send } from '../../test/send-statement.ts';
import { SECRET_KEY } from '../../test/server.ts';
import { FILLED_IN, openShop } from '../../test/shop.ts';
import { type SpawnedServer, spawnServer, startSpawned } from '../../test/spawned-server.ts';
import { givenSuccessor } from '../../test/successor.ts';
import { superuserUrl } from '../../test/worker-database.ts';
import { readConfig } from '../config.ts';
import { prepareOnceWritable } from './check-schema.ts';
import { examine } from './doctor.ts';

const EXPANDED = '9000_gift_notes';
const EXPAND = {
  up: `alter table commerce.orders add column gift_note text not null default 'none';
    create table commerce.gift_notes (site_id uuid not null, id uuid not null, primary key (site_id, id))`,
  down: 'alter table commerce.orders drop column gift_note; drop table commerce.gift_notes',
};
const BUYERS = 3;
/** Between two orders of a buyer. Without it, the orders take most of the time that the servers need to start. */
const PAUSE_MS = 100;

/** An installation with a shop that has 100,000 mugs. The installation's own server does not serve the buyers. */
async function givenInstallation() {
  const other = await openOtherServer();
  onTestFinished(() => other.close());
  const shop = await openShop({ on: other });
  const { id: shipping_option_id } = await shop.givenTerms();
  const { variants } = await shop.givenProduct({ inventory_quantity: 100_000 });
  const { databaseUrl = '', secretKey } = other.config;
  const env = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey, LOG_LEVEL: 'warn', DEMO_SHOP: 'off' };
  return { shop, env, shipping_option_id, variant_id: variants[0]?.id ?? '' };
}

/** A migrated database without a shop, and the environment of its servers. */
async function givenMigratedDatabase() {
  const { url, ownerUrl, drop } = await newDatabase({ migrated: true });
  onTestFinished(() => drop());
  return { ownerUrl, env: { DATABASE_URL: url, SECRET_KEY, LOG_LEVEL: 'warn' } };
}

type Installation = Awaited<ReturnType<typeof givenInstallation>>;

/**
 * Buyers that order mugs until they are stopped, each request from one of the servers, with retries like those of a
 * proxy.
 */
function sellFrom(servers: SpawnedServer[], { shop, shipping_option_id, variant_id }: Installation) {
  const orders: string[] = [];
  const failures: string[] = [];
  let requests = 0;
  let ending = false;
  const client = createStorefrontClient({
    baseUrl: shop.baseUrl,
    siteId: shop.site_id,
    storefrontToken: shop.credentials.storefront_token,
    // A busy machine rejects requests for seconds, and asks to wait for as long.
    maxAttempts: 100,
    maxWaitMs: 5_000,
    fetch: (request) => {
      requests += 1;
      const { baseUrl } = servers[requests % servers.length] as SpawnedServer;
      return fetch(new Request(`${baseUrl}${new URL(request.url).pathname}`, request));
    },
  });
  const buy = async () => {
    const { id: cart_id } = await unwrap(client.POST('/api/storefront/cart'));
    const body = { variant_id, quantity: 1 };
    await unwrap(client.POST('/api/storefront/cart/{cart_id}/items', { params: { path: { cart_id } }, body }));
    const { id: checkout_id } = await unwrap(client.POST('/api/storefront/checkout', { body: { cart_id } }));
    const params = { path: { checkout_id } };
    const buyer = { ...FILLED_IN, email: `${randomUUID()}@example.com`, shipping_option_id };
    await unwrap(client.PATCH('/api/storefront/checkout/{checkout_id}', { params, body: buyer }));
    const { order } = await unwrap(
      client.POST('/api/storefront/checkout/{checkout_id}/complete', { params, body: {} }),
    );
    orders.push(order.id);
  };
  const buying = Array.from({ length: BUYERS }, async () => {
    while (!ending) {
      await buy().catch((error: unknown) => failures.push(String(error)));
      await sleep(PAUSE_MS);
    }
  });
  return {
    orders,
    failures,
    /** Resolves when this many more orders have been placed. */
    async more(count: number) {
      const goal = orders.length + count;
      await expect.poll(() => orders.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(goal);
    },
    async end() {
      ending = true;
      await Promise.all(buying);
    },
  };
}

/** Prepares the schema as `commerce-server start` does before it serves requests. */
function prepare(env: Record<string, string>): Promise<void> {
  const url = env.DATABASE_URL ?? '';
  return prepareOnceWritable({ url, directUrl: url }, readConfig(env), () => undefined);
}

function migrationsIn(url: string): Promise<unknown[]> {
  return send(url, 'select name from public.commerce_migrations order by name');
}

test('a rolling upgrade can be rolled back while the shop sells, without losing an order', async () => {
  const installation = await givenInstallation();
  const { env, shop } = installation;
  const main = givenSuccessor({ [EXPANDED]: EXPAND });
  const old = await startSpawned(env);
  const servers = [old];
  const selling = sellFrom(servers, installation);
  onTestFinished(() => selling.end());
  const stop = async (server: SpawnedServer) => {
    servers.splice(servers.indexOf(server), 1);
    expect(await server.stop()).toBe(0);
  };
  await selling.more(5);

  const successor = await startSpawned(env, { main });
  servers.push(successor);
  const upgraded = await migrationsIn(env.DATABASE_URL);
  // One process of each release sells on the new schema.
  await selling.more(10);
  await stop(old);
  await selling.more(5);
  servers.push(await startSpawned(env));
  await selling.more(10);
  await stop(successor);
  await selling.more(5);
  await selling.end();

  expect(upgraded).toContainEqual({ name: EXPANDED });
  expect(await migrationsIn(env.DATABASE_URL)).toEqual(upgraded);
  expect(selling.failures).toEqual([]);
  const { rows } = await shop.owner.query<{ id: string }>('select id from commerce.orders');
  expect(rows.map(({ id }) => id).toSorted()).toEqual(selling.orders.toSorted());
  const findings = await examine({ ...env, DATA_DIR: '/tmp/no-such-data' });
  expect(findings.find(({ check }) => check === 'migrations')).toMatchObject({
    state: 'ok',
    found: expect.stringContaining(EXPANDED),
  });
}, 240_000);

test('a release below the stored minimum does not start on a newer schema, and changes nothing', async () => {
  const { env, ownerUrl } = await givenMigratedDatabase();
  await send(ownerUrl, `insert into public.commerce_migrations (name, batch) values ('9000_contracted', 9)`);
  await send(
    ownerUrl,
    `create or replace function commerce.minimum_release() returns text
      language sql immutable parallel safe return '99.2.0'`,
  );
  const before = await migrationsIn(env.DATABASE_URL);

  const REASON = /has the migration 9000_contracted, which needs release 99\.2\.0 or later/;
  const server = await spawnServer({ ...env, ROLE: 'api' });
  expect(await server.ended).toBe(1);
  expect(server.output()).toMatch(REASON);
  await expect(prepare({ ...env, MIGRATE: 'off', ROLE: 'api' })).rejects.toThrow(REASON);

  expect(await migrationsIn(env.DATABASE_URL)).toEqual(before);
  const findings = await examine({ ...env, DATA_DIR: '/tmp/no-such-data' });
  expect(findings.find(({ check }) => check === 'migrations')).toMatchObject({ state: 'wrong' });
}, 60_000);

/** A login that may act as the role of requests and owns nothing. */
async function givenLogin(databaseUrl: string): Promise<string> {
  const name = `commerce_api_${randomBytes(4).toString('hex')}`;
  const password = randomUUID();
  await send(superuserUrl(), `create role ${name} login password ${pg.escapeLiteral(password)}`);
  onTestFinished(async () => {
    await send(superuserUrl(), `drop role ${name}`);
  });
  await send(superuserUrl(), `grant commerce_app to ${name}`);
  return Object.assign(new URL(databaseUrl), { username: name, password }).href;
}

test('with MIGRATE=off, an API process works with a database login that owns no objects', async () => {
  const installation = await givenInstallation();
  const { env, shop } = installation;
  const DATABASE_URL = await givenLogin(env.DATABASE_URL);
  const server = await startSpawned({ ...env, DATABASE_URL, MIGRATE: 'off', ROLE: 'api' });

  const selling = sellFrom([server], installation);
  await selling.more(2);
  await selling.end();

  expect(selling.failures).toEqual([]);
  const { rows } = await shop.owner.query('select from commerce.orders');
  expect(rows).toHaveLength(selling.orders.length);
  expect(await server.stop()).toBe(0);
  const findings = await examine({ ...env, DATABASE_URL, MIGRATE: 'off', ROLE: 'api', DATA_DIR: '/tmp/no-such-data' });
  // The tests' PostgreSQL is not durable, and doctor reports that.
  expect(findings.filter(({ state, check }) => state === 'wrong' && check !== 'durability')).toEqual([]);
}, 120_000);

test('with MIGRATE=off, a failed start names the missing migration, or the login that owns the schema', async () => {
  const { env, ownerUrl } = await givenMigratedDatabase();
  const DATABASE_URL = await givenLogin(env.DATABASE_URL);

  const owner = new URL(env.DATABASE_URL).username;
  await expect(prepare({ ...env, DATABASE_URL, MIGRATE: 'off', ROLE: 'worker' })).rejects.toThrow(
    `ROLE=worker needs the login that owns the schema (${owner})`,
  );

  await send(ownerUrl, `delete from public.commerce_migrations where name = '0245_minimum_release'`);
  await expect(prepare({ ...env, DATABASE_URL, MIGRATE: 'off', ROLE: 'api' })).rejects.toThrow(
    'lacks the migration 0245_minimum_release, and MIGRATE=off',
  );
}, 60_000);
