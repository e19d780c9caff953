import knexFactory, { type Knex } from 'knex';
import pg from 'pg';
import * as foundation from './migrations/0001_foundation.ts';
import * as catalogue from './migrations/0002_catalogue.ts';
import * as search from './migrations/0003_search.ts';
import * as sweep from './migrations/0004_sweep.ts';
import * as buying from './migrations/0005_buying.ts';
import * as usedCodes from './migrations/0006_used_codes.ts';
import * as searchEngine from './migrations/0007_search_engine.ts';
import * as agents from './migrations/0008_agents.ts';
import * as sync from './migrations/0009_sync.ts';
import * as webhooks from './migrations/0010_webhooks.ts';
import * as registrations from './migrations/0011_registrations.ts';
import * as authorizedPayments from './migrations/0012_authorized_payments.ts';
import * as shippingKind from './migrations/0013_shipping_kind.ts';
import * as eventTruth from './migrations/0014_event_truth.ts';
import * as searchMeanings from './migrations/0015_search_meanings.ts';
import * as productsHidden from './migrations/0016_products_hidden.ts';

/** All migrations, oldest first. A landed one is never edited: changes come as a new file. */
const MIGRATIONS: Record<string, Knex.Migration> = {
  '0001_foundation': foundation,
  '0002_catalogue': catalogue,
  '0003_search': search,
  '0004_sweep': sweep,
  '0005_buying': buying,
  '0006_used_codes': usedCodes,
  '0007_search_engine': searchEngine,
  '0008_agents': agents,
  '0009_sync': sync,
  '0010_webhooks': webhooks,
  '0011_registrations': registrations,
  '0012_authorized_payments': authorizedPayments,
  '0013_shipping_kind': shippingKind,
  '0014_event_truth': eventTruth,
  '0015_search_meanings': searchMeanings,
  '0016_products_hidden': productsHidden,
};

const source: Knex.MigrationSource<string> = {
  getMigrations: async () => Object.keys(MIGRATIONS),
  getMigrationName: (name) => name,
  getMigration: async (name) => {
    const migration = MIGRATIONS[name];
    if (!migration) throw new Error(`There is no migration ${name}.`);
    return migration;
  },
};

// Any constant: it only has to be the same in every process.
const MIGRATION_LOCK = 7_301_964;

/**
 * Brings the database to the schema of this release, as the owner of the database. Returns the names of what was applied.
 * Processes that start together take turns on an advisory lock, which dies with its holder; knex's own lock row does
 * not, so it is cleared under ours.
 */
export async function migrate(url: string): Promise<string[]> {
  return withMigrator(url, async (knex) => {
    const lock = new pg.Client({ connectionString: url });
    await lock.connect();
    try {
      await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await knex.migrate.list();
      await knex.migrate.forceFreeMigrationsLock();
      const [, applied] = (await knex.migrate.latest()) as [number, string[]];
      // A restored database goes on in an era of its own (see 0009_sync).
      await lock.query('call commerce.begin_change_era()');
      return applied;
    } finally {
      await lock.end();
    }
  });
}

/** Takes the last batch of migrations back. */
export async function rollback(url: string): Promise<string[]> {
  return withMigrator(url, async (knex) => {
    const [, undone] = (await knex.migrate.rollback()) as [number, string[]];
    return undone;
  });
}

/** The migrations that the database still lacks, oldest first. */
export async function pendingMigrations(url: string): Promise<string[]> {
  return withMigrator(url, async (knex) => {
    const [, pending] = (await knex.migrate.list()) as [unknown[], string[]];
    return pending;
  });
}

/** The name of the newest migration of this release, for the readiness check. */
export const LATEST_MIGRATION = Object.keys(MIGRATIONS).at(-1) ?? '';

// knex prints what fails by itself; whoever called is told by the error.
const SILENT = { warn() {}, error() {}, deprecate() {}, debug() {} };

async function withMigrator<T>(url: string, deed: (knex: Knex) => Promise<T>): Promise<T> {
  const knex = knexFactory({
    client: 'pg',
    connection: url,
    pool: { min: 0, max: 2 },
    log: SILENT,
    migrations: { migrationSource: source, tableName: 'commerce_migrations', schemaName: 'public' },
  });
  try {
    return await deed(knex);
  } finally {
    await knex.destroy();
  }
}
