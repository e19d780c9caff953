import { readdirSync } from 'node:fs';
import { extname, parse } from 'node:path';
import type { Knex } from 'knex';
import type pg from 'pg';
import { adoptBaseline, recordedMigrations } from './baseline.ts';
import { withClient } from './client.ts';
import { type MigrationWait, underMigrationLock } from './migration-lock.ts';

const FOLDER = new URL('migrations/', import.meta.url);

/**
 * The names of all migrations of this release, oldest first, read from the folder. Each is loaded when it runs. A
 * released migration is never edited: every change is a new file.
 */
export const MIGRATION_NAMES = readdirSync(FOLDER)
  .filter((file) => /^\d{4}_/.test(file))
  .map((file) => parse(file).name)
  .toSorted();

/** The name of the newest migration of this release, for the readiness check. */
export const LATEST_MIGRATION = MIGRATION_NAMES.at(-1) ?? '';

function sourceUpTo(last: string): Knex.MigrationSource<string> {
  return {
    getMigrations: async () => MIGRATION_NAMES.slice(0, MIGRATION_NAMES.indexOf(last) + 1),
    getMigrationName: (name) => name,
    getMigration: (name) => import(new URL(`${name}${extname(import.meta.url)}`, FOLDER).href),
  };
}

/**
 * Migrates the database to the schema of this release, or to the migration `last`, as the owner of the database.
 * Returns the names of the applied migrations. The URL must lead to PostgreSQL itself. knex's lock row survives a
 * killed process, so it is cleared while we hold our own lock, which does not survive it.
 */
export function migrate(url: string, wait: MigrationWait = {}, last = LATEST_MIGRATION): Promise<string[]> {
  const connection = { connectionString: url, application_name: 'commerce migrate' };
  return underMigrationLock(url, wait, () => withClient(connection, (client) => migrateLocked(client, url, last)));
}

/** Like `migrate`, for a caller that holds the lock. Most starts find nothing to do, so they do not load knex. */
export async function migrateLocked(client: pg.Client, url: string, last = LATEST_MIGRATION): Promise<string[]> {
  const recorded = await adoptBaseline(client);
  if (last === LATEST_MIGRATION && isComplete(recorded)) {
    await client.query(BEGIN_ERA);
    return [];
  }
  return withMigrator(url, last, async (knex) => {
    await knex.migrate.list();
    await knex.migrate.forceFreeMigrationsLock();
    const [, applied] = (await knex.migrate.latest()) as [number, string[]];
    await knex.raw(BEGIN_ERA);
    return applied;
  });
}

/** Statement that begins a new era in a restored database (see baseline/product-search.ts). */
const BEGIN_ERA = 'call commerce.begin_change_era()';

/** Whether exactly the migrations of this release have run. All other cases are left to knex. */
function isComplete(recorded: string[]): boolean {
  return recorded.toSorted().join() === MIGRATION_NAMES.join();
}

/** Rolls back the last batch of migrations. */
export async function rollback(url: string): Promise<string[]> {
  return withMigrator(url, LATEST_MIGRATION, async (knex) => {
    const [, undone] = (await knex.migrate.rollback()) as [number, string[]];
    return undone;
  });
}

/** The migrations that the database still lacks, oldest first. */
export async function pendingMigrations(url: string): Promise<string[]> {
  const connection = { connectionString: url, application_name: 'commerce migrate' };
  const recorded = await withClient(connection, recordedMigrations);
  return MIGRATION_NAMES.filter((name) => !recorded.includes(name));
}

// knex would print failures itself; the caller gets them as errors.
const SILENT = { warn() {}, error() {}, deprecate() {}, debug() {} };

/**
 * Sets `app.site_id` to no site. Policies read it even in statements of triggers. A migration that changes rows sees no
 * rows of shops unless it turns row-level security off for the owner. Whether PostgreSQL evaluates a policy without
 * scanning depends on the plan: on version 15 a migration failed without the setting, which worked on 18.
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
