import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { spawnServer } from '../../test/spawned-server.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { readConfig } from '../config.ts';
import { freePort } from '../db/free-port.ts';
import { NEWEST_QUEUE_MIGRATION } from '../jobs/queue-schema.ts';
import { lacksMails } from './mail-transport.ts';

const SERVER = join(import.meta.dirname, '../main.ts');
const LISTENER = join(import.meta.dirname, '../../test/loaded-packages.ts');

/** Starts a server on a migrated database and resolves when it is ready. */
async function givenServer(ROLE: string): Promise<ChildProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'commerce-start-'));
  const port = await freePort();
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const server = spawn(process.execPath, ['--import', LISTENER, SERVER, 'start'], {
    env: { PATH, NODE_COMPILE_CACHE, DATABASE_URL: databaseUrl(), DATA_DIR: dataDir, PORT: String(port), ROLE },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  });
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok) await sleep(20);
  return server;
}

async function packagesOf(server: ChildProcess): Promise<string[]> {
  server.send('packages');
  return (await once(server, 'message'))[0] as string[];
}

const LATER = [
  ...['knex', 'lodash', 'htmlparser2', '@sindresorhus/slugify', 'redis', '@node-rs/argon2', 'undici'],
  ...['libphonenumber-js', 'graphile-worker', 'nodemailer', '@opentelemetry/sdk-trace'],
];

/** Packages that write documents and read bank statements. */
const OF_DOCUMENTS = ['pdfkit', 'fontkit', 'fast-xml-parser', 'dejavu-fonts-ttf'];

test('an API-only server does not load optional modules before they are needed', async () => {
  const server = await givenServer('api');
  // After its start, the server loads modules that requests often need, without waiting for a request.
  while (!(await packagesOf(server)).includes('@opentelemetry/api')) await sleep(100);
  const packages = await packagesOf(server);

  expect(packages).toEqual(expect.arrayContaining(['express', 'ajv', 'intl-messageformat']));
  expect(packages).toContain('NativeModule http');
  expect(packages).not.toContain('NativeModule internal/deps/undici/undici');
  for (const name of [...LATER, ...OF_DOCUMENTS]) expect(packages).not.toContain(name);
}, 60_000);

test('a server that runs jobs loads no packages for PDF and XML at its start, and exits with code 0 if stopped while its jobs are starting', async () => {
  const server = await givenServer('all');
  while (!(await packagesOf(server)).includes('graphile-worker')) await sleep(100);
  const packages = await packagesOf(server);
  const ended = once(server, 'exit');
  server.kill('SIGTERM');

  for (const name of OF_DOCUMENTS) expect(packages).not.toContain(name);
  expect(await ended).toEqual([0, null]);
}, 60_000);

test('in production a process that runs jobs does not start without a mail server, unless MAILS=files', async () => {
  const env = {
    NODE_ENV: 'production',
    BASE_URL: 'https://shop.test',
    SECRET_KEY: randomBytes(48).toString('base64'),
    DATABASE_URL: databaseUrl(),
    RATE_LIMITS: 'on',
  };
  const refused = await spawnServer({ ...env, ROLE: 'all' });
  const lacks = (settings: Record<string, string>) => lacksMails(readConfig({ ...env, ...settings }));

  expect([lacks({ ROLE: 'all' }), lacks({ ROLE: 'worker' })]).toEqual([true, true]);
  expect([lacks({ ROLE: 'api' }), lacks({ ROLE: 'all', MAILS: 'files' })]).toEqual([false, false]);
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toContain('Set SMTP_URL, or MAILS=files');
}, 60_000);

test('the job queue of a new database has the migration that the server expects', async () => {
  const client = new pg.Client(databaseUrl());
  await client.connect();
  const { rows } = await client.query('select max(id) as newest from graphile_worker.migrations');
  await client.end();

  expect(rows).toEqual([{ newest: NEWEST_QUEUE_MIGRATION }]);
});
