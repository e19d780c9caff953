import { readdirSync } from 'node:fs';
import { extname, parse } from 'node:path';
import type { Knex } from 'knex';
import type pg from 'pg';
import { adoptBaseline, recordedMigrations } from './baseline.ts';
import { withClient } from './client.ts';
import { SKIPPED_NUMBERS } from './connect.ts';
import { type MigrationWait, underMigrationLock } from './migration-lock.ts';

const FOLDER = new URL('migrations/', import.meta.url);

/**
 * Names of all migrations of this release, oldest first, read from the folder. A migration is loaded only when it runs.
 * Never edit a released migration; add a new file.
 */
export const MIGRATION_NAMES = readdirSync(FOLDER)
  .filter((file) => /^\d{4}_/.test(file))
  .map((file) => parse(file).name)
  .toSorted();

/** Newest migration of this release, which `/readyz` checks for. */
export const LATEST_MIGRATION = MIGRATION_NAMES.at(-1) ?? '';

function sourceUpTo(last: string): Knex.MigrationSource<string> {
  return {
    getMigrations: async () => MIGRATION_NAMES.slice(0, MIGRATION_NAMES.indexOf(last) + 1),
    getMigrationName: (name) => name,
    getMigration: (name) => import(new URL(`${name}${extname(import.meta.url)}`, FOLDER).href),
  };
}

/**
 * Migrates the database to this release's schema, or to the migration `last`. Returns the names of the applied
 * migrations. The URL must connect the owner of the database directly to PostgreSQL, without a pooler. A killed process
 * leaves knex's lock row behind, so the row is cleared while our own lock is held.
 */
export function migrate(url: string, wait: MigrationWait = {}, last = LATEST_MIGRATION): Promise<string[]> {
  const connection = { connectionString: url, application_name: 'commerce migrate' };
  return underMigrationLock(url, wait, () => withClient(connection, (client) => migrateLocked(client, url, { last })));
}

/**
 * Like `migrate`, for a caller that holds the lock. Does not load knex if the database already has the schema of this
 * release.
 */
export async function migrateLocked(
  client: pg.Client,
  url: string,
  { last = LATEST_MIGRATION, skippedNumbers }: { last?: string | undefined; skippedNumbers?: number | undefined },
): Promise<string[]> {
  const applied = await applyMigrations(client, url, last);
  if (last === LATEST_MIGRATION) await continueHistory(client, skippedNumbers);
  else await client.query('call commerce.begin_change_era()');
  return applied;
}

/** Begins a new era if the history of the database differs from the earlier one (era.ts). */
export async function continueHistory(client: pg.Client, skippedNumbers = SKIPPED_NUMBERS): Promise<void> {
  await client.query('call commerce.begin_era($1)', [skippedNumbers]);
}

async function applyMigrations(client: pg.Client, url: string, last: string): Promise<string[]> {
  const recorded = await adoptBaseline(client);
  if (last === LATEST_MIGRATION && isComplete(recorded)) return [];
  return withMigrator(url, last, async (knex) => {
    await knex.migrate.list();
    await knex.migrate.forceFreeMigrationsLock();
    const [, applied] = (await knex.migrate.latest()) as [number, string[]];
    return applied;
  });
}

/** Whether exactly the migrations of this release have run. */
export async function isMigrated(client: pg.Client): Promise<boolean> {
  return isComplete(await recordedMigrations(client));
}

/** Whether exactly the migrations of this release are recorded. If not, knex determines which ones to run. */
function isComplete(recorded: string[]): boolean {
  return recorded.toSorted().join() === MIGRATION_NAMES.join();
}

/** Rolls back the last batch of migrations. Returns their names. */
export async function rollback(url: string): Promise<string[]> {
  return withMigrator(url, LATEST_MIGRATION, async (knex) => {
    const [, undone] = (await knex.migrate.rollback()) as [number, string[]];
    return undone;
  });
}

/** Names of the migrations that have not run yet, oldest first. */
export async function pendingMigrations(url: string): Promise<string[]> {
  const connection = { connectionString: url, application_name: 'commerce migrate' };
  const recorded = await withClient(connection, recordedMigrations);
  return MIGRATION_NAMES.filter((name) => !recorded.includes(name));
}

// knex would print failures, which are thrown as errors anyway.
const SILENT = { warn() {}, error() {}, deprecate() {}, debug() {} };

/**
 * Sets `app.site_id` to a site that does not exist, because policies read it even in triggers' statements. A migration
 * that changes tenant rows must disable row-level security for the owner. Without the setting, whether a policy fails
 * depends on the plan: a migration that worked on PostgreSQL 18 failed on 15.
 */
function nameNoSite(client: pg.Client, done: (error: Error | null) => void): void {
  client.query(`select set_config('app.site_id', '00000000-0000-0000-0000-000000000000', false)`, done);
}

async function withMigrator<T>(url: string, last: string, work: (knex: Knex) => Promise<T>): Promise<T> {
  const { default: knexFactory } = await import('knex');
  const knex = knexFactory({
    client: 'pg',
    connection: url,
    pool: { min: 0, max: 2, afterCreate: nameNoSite },
    log: SILENT,
    migrations: { migrationSource: sourceUpTo(last), tableName: 'commerce_migrations', schemaName: 'public' },
  });
  try {
    return await work(knex);
  } finally {
    await knex.destroy();
  }
}
