import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { KEY_SCOPES } from '../../test/key-scopes.ts';
import { newDatabase } from '../../test/other-server.ts';
import { SECRET_KEY } from '../../test/server.ts';
import { type SpawnedServer, spawnServer, startSpawned } from '../../test/spawned-server.ts';
import { superuserUrl } from '../../test/worker-database.ts';
import { readConfig } from '../config.ts';
import { openPool } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { createSite, mintPassword } from '../shop/merchant/sites.ts';
import { prepareOnceWritable } from './check-schema.ts';
import { examine } from './doctor.ts';

const WITHIN = { timeout: 30_000, interval: 100 };

/**
 * A database with a shop, and functions that set the database to read-only and back, as in a failover, which closes
 * open connections.
 */
async function givenDatabase() {
  const { url, drop } = await newDatabase({ migrated: true });
  onTestFinished(async () => {
    await drop();
  });
  const name = new URL(url).pathname.slice(1);
  const db = openPool({ url, max: 1, pooling: 'session' });
  const staff = { email: `staff-${name}@example.com`, name: 'Staff' };
  const password = await mintPassword();
  const { credentials } = await inTransaction(db, (connection) =>
    createSite(connection, { name: 'Shop', currency: 'EUR', staff, password, key_scopes: KEY_SCOPES }),
  );
  await db.end();
  const admin = new pg.Client(superuserUrl());
  await admin.connect();
  onTestFinished(() => admin.end());
  const endConnections = () =>
    admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  return {
    url,
    api_key: credentials.api_key,
    async setReadOnly(value: 'on' | 'off', { endsConnections = true } = {}) {
      await admin.query(`alter database ${name} set default_transaction_read_only = ${value}`);
      if (endsConnections) await endConnections();
    },
    /** The number of connections that were opened so far. */
    async sessions() {
      const { rows } = await admin.query<{ sessions: string }>(
        'select sessions from pg_stat_database where datname = $1',
        [name],
      );
      return Number(rows[0]?.sessions);
    },
  };
}

type Database = Awaited<ReturnType<typeof givenDatabase>>;

function statusOf(url: string): Promise<number | undefined> {
  return fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );
}

/** The status and the body of /readyz. */
async function readiness(baseUrl: string): Promise<string> {
  const response = await fetch(`${baseUrl}/readyz`);
  return `${response.status} ${await response.text()}`;
}

function write(baseUrl: string, api_key: string) {
  return fetch(`${baseUrl}/api/dashboard/products`, {
    method: 'POST',
    headers: { 'X-API-Key': api_key, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
    body: JSON.stringify({ name: 'Mug', price: '10.00' }),
  });
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/**
 * Sets the database of a running server to read-only, expects 503, and expects 201 once it accepts writes again.
 * Returns the number of connections that were opened in 5 s meanwhile.
 */
async function expectOutage(server: SpawnedServer, database: Database): Promise<number> {
  const { baseUrl } = server;
  // /readyz reports it before any write fails.
  await database.setReadOnly('on');
  await expect.poll(() => readiness(baseUrl), WITHIN).toMatch(/^503 .*read-only/);
  await database.setReadOnly('off', { endsConnections: false });
  await expect.poll(async () => (await write(baseUrl, database.api_key)).status, WITHIN).toBe(201);

  await database.setReadOnly('on');
  const refused = await write(baseUrl, database.api_key);
  // The first write may fail only because its connection was closed.
  const refusesAll = async () => {
    await write(baseUrl, database.api_key);
    return statusOf(`${baseUrl}/api/no-such-path`);
  };
  await expect.poll(refusesAll, WITHIN).toBe(503);
  const paths = ['/api/dashboard/products', '/api/no-such-path', '/openapi.json', '/no-such-page', '/readyz'];
  const statuses = await Promise.all(paths.map((path) => statusOf(`${baseUrl}${path}`)));
  const [requests] = (await examine({ DATABASE_URL: database.url, DATA_DIR: '/tmp/no-such-data' })).filter(
    ({ check }) => check === 'requests',
  );
  const sessions = await database.sessions();
  // Waits longer than the polling interval of jobs.
  await sleep(5_000);

  expect(refused.status).toBe(503);
  expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/);
  expect(await refused.json()).toMatchObject({ error: 'unavailable', retryable: true });
  expect(statuses).toEqual(paths.map(() => 503));
  expect(await statusOf(`${baseUrl}/healthz`)).toBe(200);
  expect(await statusOf(`${baseUrl}/readyz`)).toBe(503);
  expect(requests).toMatchObject({ state: 'wrong', found: expect.stringContaining('read-only') });
  expect(isRunning(server.process)).toBe(true);
  const opened = (await database.sessions()) - sessions;

  await database.setReadOnly('off', { endsConnections: false });

  await expect.poll(async () => (await write(baseUrl, database.api_key)).status, WITHIN).toBe(201);
  await expect.poll(() => statusOf(`${baseUrl}/readyz`), WITHIN).toBe(200);
  expect(isRunning(server.process)).toBe(true);
  return opened;
}

test('an API server returns 503 while its database is read-only, also from /readyz before any write, and recovers', async () => {
  const database = await givenDatabase();
  const server = await startSpawned({ DATABASE_URL: database.url, ROLE: 'api' });

  const sessions = await expectOutage(server, database);

  expect(sessions).toBeLessThanOrEqual(7);
}, 90_000);

test('a server with jobs waits at its start until its database accepts writes, returns 503 while it is read-only later, and then runs jobs again', async () => {
  const database = await givenDatabase();
  await database.setReadOnly('on');
  const server = await spawnServer({ DATABASE_URL: database.url, ROLE: 'all' });
  await expect.poll(server.output, WITHIN).toContain('The server starts when it accepts writes.');
  expect(isRunning(server.process)).toBe(true);
  await database.setReadOnly('off', { endsConnections: false });
  await expect.poll(() => statusOf(`${server.baseUrl}/readyz`), WITHIN).toBe(200);

  await expectOutage(server, database);

  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query<{ id: string }>(`select (graphile_worker.add_job('index_products')).id`);
  const left = () => client.query('select from graphile_worker.jobs where id = $1', [rows[0]?.id]);
  await expect.poll(async () => (await left()).rowCount, WITHIN).toBe(0);
}, 120_000);

test('a start on a read-only database fails after MIGRATION_WAIT_SECONDS, and names the setting to change', async () => {
  const database = await givenDatabase();
  await database.setReadOnly('on');
  const env = { DATABASE_URL: database.url, SECRET_KEY, ROLE: 'api', MIGRATION_WAIT_SECONDS: '1' };
  const SET_PRIMARY = 'Set DATABASE_URL and DATABASE_DIRECT_URL to the primary';

  const server = await spawnServer(env);
  const urls = { url: database.url, directUrl: database.url };
  const checked = prepareOnceWritable(urls, readConfig({ ...env, MIGRATE: 'off' }), () => undefined);

  await expect(checked).rejects.toThrow(SET_PRIMARY);
  expect(await server.ended).toBe(1);
  expect(server.output()).toContain(SET_PRIMARY);
}, 60_000);
