import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { PGBOUNCER, type PoolerOptions, startPgBouncer } from '../../test/pgbouncer.ts';
import { findTool, skippedWithout } from '../../test/tools.ts';
import { databaseUrl, migratedTemplate, superuserUrl } from '../../test/worker-database.ts';
import { checkPooler } from '../commands/doctor-pooler.ts';
import { prepareSchema } from '../commands/schema.ts';
import { refuseUndeclaredPooler } from '../commands/undeclared-pooler.ts';
import { createLastUsed } from '../http/callers/last-used.ts';
import { indexOutdatedProducts } from '../jobs/index-products.ts';
import { verifyPassword } from '../shop/merchant/staff.ts';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { openPool } from './connect.ts';
import { LATEST_MIGRATION, migrate } from './migrate.ts';

const program = findTool(PGBOUNCER);
if (!program) console.warn(skippedWithout(PGBOUNCER));

async function givenPooler(options: PoolerOptions = {}): Promise<string> {
  const pooler = await startPgBouncer(program ?? '', databaseUrl(), options);
  onTestFinished(pooler.stop);
  return pooler.url;
}

async function givenDatabase(template = 'template1'): Promise<string> {
  const name = `pooler_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client(superuserUrl());
  await admin.connect();
  await admin.query(`create database ${name} template ${template} owner ${new URL(databaseUrl()).username}`);
  onTestFinished(async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  return Object.assign(new URL(databaseUrl()), { pathname: `/${name}` }).href;
}

async function givenClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'a slow one' });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function locksLeft(): Promise<number> {
  const client = await givenClient(databaseUrl());
  const { rowCount } = await client.query(
    `select from pg_locks where locktype = 'advisory' and objid = $1 and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())`,
    [ADVISORY_LOCKS.migration],
  );
  return rowCount ?? 0;
}

test('each advisory lock has a different number', () => {
  const numbers = Object.values(ADVISORY_LOCKS);

  expect(new Set(numbers).size).toBe(numbers.length);
});

test('a waiting migration names the process that is migrating, and gives up after the limit', async () => {
  const url = await givenDatabase();
  const holder = await givenClient(url);
  await holder.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
  const whom = new RegExp(`PostgreSQL process ${rows[0]?.pid} \\("a slow one", idle\\) holds the lock since 2\\d{3}-`);
  const messages: string[] = [];

  const waiting = migrate(url, { seconds: 1.2, onWait: (sentence) => messages.push(sentence) });

  await expect(waiting).rejects.toThrow(/^Gave up after waiting 1\.2 s .* pg_terminate_backend\(\d+\);$/);
  await expect(waiting).rejects.toThrow(whom);
  expect(messages[0]).toMatch(whom);
});

test('a waiting migration continues when the other process has finished', async () => {
  const url = await givenDatabase();
  const holder = await givenClient(url);
  await holder.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);

  const waiting = migrate(url, { seconds: 60 });
  await sleep(100);
  await holder.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.migration]);

  expect(await waiting).toContain(LATEST_MIGRATION);
});

test('a start waits for a migrating process only if the database lacks a migration, grant or policy', async () => {
  const url = await givenDatabase(migratedTemplate());
  const holder = await givenClient(url);
  await holder.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);

  expect(await prepareSchema(url, { seconds: 1 })).toEqual({ applied: [], mended: [] });

  for (const [missing, restored] of [
    ['revoke select on commerce.orders from commerce_app', 'grant select on commerce.orders to commerce_app'],
    [
      'drop policy backup on commerce.orders',
      'create policy backup on commerce.orders for select to commerce_backup using (true)',
    ],
    [
      `delete from public.commerce_migrations where name = '${LATEST_MIGRATION}'`,
      `insert into public.commerce_migrations (name, batch, migration_time) values ('${LATEST_MIGRATION}', 1, now())`,
    ],
    [
      'delete from graphile_worker.migrations where id = (select max(id) from graphile_worker.migrations)',
      'insert into graphile_worker.migrations (id, ts) select max(id) + 1, now() from graphile_worker.migrations',
    ],
  ] as const) {
    await holder.query(missing);
    await expect(prepareSchema(url, { seconds: 0.1 }), missing).rejects.toThrow('Gave up after waiting 0.1 s');
    await holder.query(restored);
  }
  expect(await prepareSchema(url, { seconds: 1 })).toEqual({ applied: [], mended: [] });
}, 60_000);

test.skipIf(!program)(
  'rejects migrations through a pooler in transaction mode, and leaves no lock behind',
  async () => {
    const url = await givenPooler();

    for (let times = 0; times < 3; times += 1) {
      await expect(prepareSchema(url, { seconds: 3 })).rejects.toThrow('Set DATABASE_DIRECT_URL');
    }

    expect(await locksLeft()).toBe(0);
  },
);

test('processes that migrate two new databases of one cluster together migrate each of them once', async () => {
  const urls = [await givenDatabase(), await givenDatabase()];

  const prepared = await Promise.all([...urls, ...urls, ...urls].map((url) => prepareSchema(url)));

  expect(prepared.filter(({ applied }) => applied.length > 0)).toHaveLength(urls.length);
}, 60_000);

test.skipIf(!program)('accepts a pooler in session mode for migrations', async () => {
  expect(await prepareSchema(await givenPooler({ mode: 'session' }))).toEqual({ applied: [], mended: [] });
});

test.skipIf(!program)('logins and jobs outside of transactions find their tables behind a pooler', async () => {
  const db = openPool({ url: await givenPooler(), max: 4, pooling: 'transaction' });
  onTestFinished(() => db.end());

  await expect(
    verifyPassword(db, { email: 'nobody@example.com', password: 'no password of anybody', unlocks: [] }),
  ).rejects.toThrow('password');
  await expect(indexOutdatedProducts(db)).resolves.toBeGreaterThanOrEqual(0);
  await expect(createLastUsed(db).flush()).resolves.toBeUndefined();
});

test.skipIf(!program).each([
  ['refuses', []],
  ['drops', ['options', 'extra_float_digits']],
])('rejects an undeclared pooler that %s settings', async (_does, ignore) => {
  const url = await givenPooler({ mode: 'session', ignore });
  const db = openPool({ url, max: 2, pooling: 'session' });
  onTestFinished(() => db.end());

  await expect(refuseUndeclaredPooler(db, 'session')).rejects.toThrow('Set DATABASE_POOLING=transaction');
});

test('accepts PostgreSQL without a pooler', async () => {
  const db = openPool({ url: databaseUrl(), max: 2, pooling: 'session' });
  onTestFinished(() => db.end());

  await expect(refuseUndeclaredPooler(db, 'session')).resolves.toBeUndefined();
});

test.skipIf(!program)('doctor detects an undeclared pooler in transaction mode', async () => {
  const url = await givenPooler({ ignore: ['options'] });

  expect(await checkPooler({ url, directUrl: url, embedded: false }, 'session')).toMatchObject([
    { check: 'pooler', state: 'wrong', mend: expect.stringContaining('DATABASE_DIRECT_URL') },
  ]);
});

test.skipIf(!program)('doctor detects a pooler in session mode that drops settings', async () => {
  for (const ignore of [[], ['options']]) {
    const url = await givenPooler({ mode: 'session', ignore });
    expect(await checkPooler({ url, directUrl: url, embedded: false }, 'session')).toMatchObject([
      { state: 'wrong', found: expect.stringContaining('drops the settings') },
    ]);
  }
});

test.skipIf(!program)(
  'doctor detects a direct database URL that goes through a pooler or to another database',
  async () => {
    const [url, another, direct] = [await givenPooler(), await givenPooler(), databaseUrl()];
    const stranger = await givenDatabase();
    const findings = async (directUrl: string) =>
      (await checkPooler({ url, directUrl, embedded: false }, 'transaction')).map(({ state, found }) => [state, found]);

    expect(await findings(another)).toEqual([
      ['ok', 'in transaction mode, as declared'],
      ['wrong', 'DATABASE_DIRECT_URL goes through a pooler in transaction mode'],
    ]);
    expect(await findings(stranger)).toContainEqual([
      'wrong',
      'DATABASE_URL and DATABASE_DIRECT_URL are different databases',
    ]);
    expect(await findings(direct)).toEqual([
      ['ok', 'in transaction mode, as declared'],
      ['ok', 'the same database, without the pooler'],
    ]);
  },
);

test('doctor reports no pooler for PostgreSQL itself', async () => {
  const url = databaseUrl();

  expect(await checkPooler({ url, directUrl: url, embedded: false }, 'session')).toEqual([
    { check: 'pooler', state: 'ok', found: 'none in transaction mode' },
  ]);
});
