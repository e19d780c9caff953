/** Tests the embedded PostgreSQL when servers are killed, start concurrently, or use an unusual data directory. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DataDirInUse, type Embedded, startEmbedded } from '../../server/src/db/embedded.ts';

const HOLDER = fileURLToPath(new URL('../../server/test/hold-embedded.ts', import.meta.url));

const clean: (() => unknown)[] = [];
let made = '';

beforeAll(async () => {
  const parent = mkdtempSync(join(tmpdir(), 'commerce-embedded-'));
  chmodSync(parent, 0o711);
  made = join(parent, 'data');
  const { stop } = await startEmbedded({ dataDir: made, durable: true });
  await stop();
});

afterAll(() => rmSync(join(made, '..'), { recursive: true }));

afterEach(async () => {
  for (const act of clean.splice(0).reverse()) await act();
});

function dataDir(name = 'data', mode = 0o711): string {
  const parent = mkdtempSync(join(tmpdir(), 'commerce-embedded-'));
  chmodSync(parent, mode);
  const directory = join(parent, name);
  clean.push(() => {
    const place = join(directory, 'postgres');
    // Kills the PostgreSQL that keeps running after the test has killed its server.
    if (existsSync(join(place, 'postmaster.pid'))) process.kill(postmasterOf(directory), 'SIGKILL');
    if (existsSync(place)) rmSync(realpathSync(place), { recursive: true, force: true });
    rmSync(parent, { recursive: true, force: true });
  });
  return directory;
}

/** Copies a data directory that was created once by a first start and a clean stop. */
function madeDirectory(): string {
  const directory = dataDir();
  // Preserves the owners of the files, because PostgreSQL may run as another user.
  execFileSync('cp', ['-a', made, directory]);
  return directory;
}

async function start(directory: string, onProgress?: (sentence: string) => void): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir: directory, durable: true, onProgress });
  clean.push(() => embedded.stop().catch(() => {}));
  return embedded;
}

interface Held {
  child: ChildProcess;
  url: string;
  reused: boolean;
}

/** Starts the embedded PostgreSQL from a separate process, which a test can kill. */
async function hold(directory: string): Promise<Held> {
  const child = spawn(process.execPath, [HOLDER, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  clean.push(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { child, ...(JSON.parse(String(line)) as { url: string; reused: boolean }) };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function ask<Row extends pg.QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

const write = (url: string) => ask(url, 'create table if not exists notes (n int); insert into notes values (1)');
const count = async (url: string) => (await ask<{ n: number }>(url, 'select count(*)::int as n from notes'))[0]?.n;

function postmasterOf(directory: string): number {
  return Number(readFileSync(join(directory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}

test('data is kept after a stop and a start, and the database has the extensions that the shop needs', async () => {
  const directory = dataDir();
  const first = await start(directory);
  await write(first.url);
  await first.stop();

  const { url, superuserUrl, reused } = await start(directory);

  expect(reused).toBe(false);
  expect(await count(url)).toBe(1);
  const extensions = ['pg_trgm', 'unaccent', 'fuzzystrmatch', 'btree_gin'];
  for (const name of extensions) await ask(url, `create extension ${name}`);
  const [facts] = await ask(
    url,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits,
            current_setting('is_superuser') as superuser, lower('ÀЖ') as lower, similarity('Жук', 'жук') as alike,
            unaccent('Größe') as folded`,
  );
  expect(facts).toEqual({ fsync: 'on', commits: 'on', superuser: 'off', lower: 'àж', alike: 1, folded: 'Grosse' });
  expect(await ask(superuserUrl, "select current_setting('is_superuser') as superuser")).toEqual([{ superuser: 'on' }]);
});

test('after kill -9 of the server, the next server takes over the running PostgreSQL with all committed rows', async () => {
  const directory = madeDirectory();
  const killed = await hold(directory);
  await write(killed.url);
  await kill(killed.child);

  const next = await start(directory);

  expect(next.reused).toBe(true);
  expect(next.url).toBe(killed.url);
  expect(await count(next.url)).toBe(1);
});

test('of two concurrent starts in a missing directory, one succeeds and the other throws DataDirInUse', async () => {
  const directory = dataDir();

  const starts = await Promise.allSettled([start(directory), start(directory)]);

  const refused = starts.filter((one) => one.status === 'rejected');
  expect(refused.map(({ reason }) => (reason as Error).name)).toEqual(['DataDirInUse']);
});

test('a server that starts while another one stops finds the data in a running PostgreSQL', async () => {
  const directory = madeDirectory();
  const first = await start(directory);
  await write(first.url);

  const [, second] = await Promise.all([first.stop(), sleep(20).then(() => start(directory))]);

  expect(await count(second.url)).toBe(1);
});

test('if PostgreSQL dies while the server runs, PostgreSQL is restarted at the same address', async () => {
  const directory = madeDirectory();
  const sentences: string[] = [];
  const { url } = await start(directory, (sentence) => sentences.push(sentence));
  await write(url);

  process.kill(postmasterOf(directory), 'SIGKILL');

  await expect.poll(() => count(url).catch(() => undefined), { timeout: 20_000 }).toBe(1);
  await expect.poll(() => sentences).toContain('PostgreSQL is running again');
  await expect(start(directory)).rejects.toThrow(DataDirInUse);
});

test('a start succeeds after the process of the first start was killed', async () => {
  const directory = dataDir();
  const half = spawn(process.execPath, [HOLDER, directory], { stdio: 'ignore' });
  await expect.poll(() => existsSync(directory), { interval: 5, timeout: 20_000 }).toBe(true);
  await sleep(100);
  await kill(half);

  const { url } = await start(directory);

  await write(url);
  expect(await count(url)).toBe(1);
});

test.each([
  ['spaces and quotes', `it's a "shop" of ours`],
  ['more bytes than a socket address holds', `${'long'.repeat(30)}/${'longer'.repeat(20)}`],
])('a start succeeds in a data directory with %s in its name', async (_, name) => {
  const { url } = await start(dataDir(name));

  await write(url);
});

test('a start succeeds with a relative path of the data directory', async () => {
  const directory = dataDir();

  await start(relative(process.cwd(), directory));

  expect(lstatSync(join(directory, 'postgres')).isDirectory()).toBe(true);
});

test('a start and a restart succeed in a data directory inside a directory that other users cannot enter', async () => {
  const directory = dataDir('data', 0o700);
  const first = await start(directory);
  await write(first.url);
  await first.stop();

  const { url } = await start(directory);

  expect(await count(url)).toBe(1);
});

test('a start in a data directory with unrelated files fails, names the remedy, and keeps the files', async () => {
  const directory = dataDir();
  mkdirSync(join(directory, 'postgres'), { recursive: true });
  writeFileSync(join(directory, 'postgres', 'letter.txt'), 'dear');

  await expect(start(directory)).rejects.toThrow('Move it away, or set DATA_DIR');

  expect(existsSync(join(directory, 'postgres', 'letter.txt'))).toBe(true);
});
