/** Tests the embedded PostgreSQL when servers are killed, start concurrently, or use an unusual data directory. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Embedded, startEmbedded } from '../../server/src/db/embedded.ts';
import { asOwner } from '../testing/server-process.ts';
import { postmasterOf } from './embedded-postgres.ts';

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
function madeDirectory(name?: string): string {
  const directory = dataDir(name);
  mkdirSync(dirname(directory), { recursive: true });
  // Preserves the owners of the files, because PostgreSQL may run as another user.
  execFileSync('cp', ['-a', made, directory]);
  return directory;
}

async function start(directory: string): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir: directory, durable: true });
  clean.push(() => embedded.stop().catch(() => {}));
  return embedded;
}

const ask = async (url: string, statement: string) => (await asOwner(url, statement)).rows;
const write = (url: string) => asOwner(url, 'create table if not exists notes (n int); insert into notes values (1)');
const count = async (url: string) => (await ask(url, 'select count(*)::int as n from notes'))[0]?.n;

test('the database is durable, and has the extensions that the shop needs', async () => {
  const { url, superuserUrl, reused } = await start(madeDirectory());

  expect(reused).toBe(false);
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

test('a start succeeds after the process of the first start was killed', async () => {
  const directory = dataDir();
  const half = spawn(process.execPath, [HOLDER, directory], { stdio: 'ignore' });
  await expect.poll(() => existsSync(directory), { interval: 5, timeout: 20_000 }).toBe(true);
  await sleep(100);
  half.kill('SIGKILL');
  await once(half, 'exit');

  const { url } = await start(directory);

  await write(url);
  expect(await count(url)).toBe(1);
});

test('a start succeeds in a relative data directory with spaces and quotes in its name', async () => {
  const directory = dataDir(`it's a "shop" of ours`);

  const { url } = await start(relative(process.cwd(), directory));

  await write(url);
  expect(lstatSync(join(directory, 'postgres')).isDirectory()).toBe(true);
});

test('a start succeeds in a data directory whose path has more bytes than a socket address holds', async () => {
  const { url } = await start(madeDirectory(`${'long'.repeat(30)}/${'longer'.repeat(20)}`));

  await write(url);
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
