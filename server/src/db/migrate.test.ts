import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import { databaseUrl, migratedTemplate, superuserUrl } from '../../test/worker-database.ts';
import { seedDemo } from '../demo/seed.ts';
import { openPool } from './connect.ts';
import { LATEST_MIGRATION, migrate, pendingMigrations, rollback } from './migrate.ts';

const FIRST_RELEASE = '0010_webhooks';

/** A database of its own on the server of the test run, which migrations may undo. */
async function withDatabase(work: (url: string) => Promise<void>, template = 'template1'): Promise<void> {
  const name = `migrate_${process.pid}_${Date.now()}`;
  const admin = new pg.Client(superuserUrl());
  await admin.connect();
  try {
    await admin.query(`create database ${name} template ${template} owner ${new URL(databaseUrl()).username}`);
    const url = new URL(databaseUrl());
    url.pathname = `/${name}`;
    await work(url.href);
  } finally {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
}

test('every migration that is written is run, in the order of its number', async () => {
  const files = (await readdir(new URL('migrations', import.meta.url))).map((file) => file.replace('.ts', ''));
  await withDatabase(async (url) => expect(await migrate(url)).toEqual(files.toSorted()));
});

test('migrations go up, down and up again, and two processes that start together take turns', async () => {
  await withDatabase(async (url) => {
    const [first, second] = await Promise.all([migrate(url), migrate(url)]);
    expect([...first, ...second].at(-1)).toBe(LATEST_MIGRATION);
    expect(Math.min(first.length, second.length)).toBe(0);

    const undone = await rollback(url);
    expect(undone).toContain(LATEST_MIGRATION);
    expect(await pendingMigrations(url)).toEqual(undone.toReversed());

    expect(await migrate(url)).toEqual(undone.toReversed());
    expect(await pendingMigrations(url)).toEqual([]);
  });
});

test('what came after the first release goes down and up over a shop that has everything', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'commerce-migrate-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  await withDatabase(async (url) => {
    const db = openPool({ url, max: 4, pooling: 'session' });
    try {
      await seedDemo({
        db,
        dataDir,
        baseUrl: 'http://localhost',
        secretKey: 'a secret of the tests, long enough to be one',
      });
    } finally {
      await db.end();
    }
    const client = new pg.Client(url);
    await client.connect();
    // Only the last batch is rolled back.
    await client.query(sql`update public.commerce_migrations set batch = batch + 1 where name > ${FIRST_RELEASE}`);
    await client.end();

    const undone = await rollback(url);

    expect(undone.length).toBeGreaterThan(0);
    expect(undone.every((name) => name > FIRST_RELEASE)).toBe(true);
    const asTyped = await emailsOf(url, 'update commerce.customers set email = upper(email) returning email');
    expect(asTyped.length).toBeGreaterThan(0);
    expect(await migrate(url)).toEqual(undone.toReversed());
    const kept = await emailsOf(url, 'select email from commerce.customers');
    expect(kept.toSorted()).toEqual(asTyped.map((email) => email.toLowerCase()).toSorted());
  }, migratedTemplate());
});

/** The e-mail addresses of all shops' customers, which the owner cannot see otherwise. */
async function emailsOf(url: string, statement: string): Promise<string[]> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('begin; alter table commerce.customers no force row level security');
  const { rows } = await client.query<{ email: string }>(statement);
  await client.query('alter table commerce.customers force row level security; commit');
  await client.end();
  return rows.map(({ email }) => email);
}

test('a lock left behind by a process that was killed while migrating stops nobody', async () => {
  await withDatabase(async (url) => {
    const client = new pg.Client(url);
    await client.connect();
    await client.query('update public.commerce_migrations_lock set is_locked = 1');
    await client.end();

    expect(await migrate(url)).toEqual([]);
  }, migratedTemplate());
});
