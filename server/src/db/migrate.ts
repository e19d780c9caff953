import knexFactory, { type Knex } from 'knex';
import { type MigrationWait, underMigrationLock } from './migration-lock.ts';
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
import * as checkoutLinks from './migrations/0017_checkout_links.ts';
import * as loginUnlocks from './migrations/0018_login_unlocks.ts';
import * as limits from './migrations/0019_limits.ts';
import * as privateStorefrontTokens from './migrations/0020_private_storefront_tokens.ts';
import * as orderEventTypes from './migrations/0021_order_event_types.ts';
import * as shownCatalogue from './migrations/0022_shown_catalogue.ts';

/** All migrations, oldest first. A released migration is never edited: a change is a new file. */
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
  '0017_checkout_links': checkoutLinks,
  '0018_login_unlocks': loginUnlocks,
  '0019_limits': limits,
  '0020_private_storefront_tokens': privateStorefrontTokens,
  '0021_order_event_types': orderEventTypes,
  '0022_shown_catalogue': shownCatalogue,
};

/** The names of all migrations of this release, oldest first. */
export const MIGRATION_NAMES = Object.keys(MIGRATIONS);

/** The name of the newest migration of this release, for the readiness check. */
export const LATEST_MIGRATION = MIGRATION_NAMES.at(-1) ?? '';

function sourceUpTo(last: string): Knex.MigrationSource<string> {
  return {
    getMigrations: async () => MIGRATION_NAMES.slice(0, MIGRATION_NAMES.indexOf(last) + 1),
    getMigrationName: (name) => name,
    getMigration: async (name) => {
      const migration = MIGRATIONS[name];
      if (!migration) throw new Error(`There is no migration ${name}.`);
      return migration;
    },
  };
}

/**
 * Migrates the database to the schema of this release, or to the migration `last`, as the owner of the database. Returns the
 * names of the migrations that it applied. The address must be that of PostgreSQL itself. knex's lock row would outlive a process
 * that is killed, so it is cleared under our own lock, which does not.
 */
export function migrate(url: string, wait: MigrationWait = {}, last = LATEST_MIGRATION): Promise<string[]> {
  return underMigrationLock(url, wait, () => migrateLocked(url, last));
}

/** The same for a caller that holds the lock already. */
export function migrateLocked(url: string, last = LATEST_MIGRATION): Promise<string[]> {
  return withMigrator(url, last, async (knex) => {
    await knex.migrate.list();
    await knex.migrate.forceFreeMigrationsLock();
    const [, applied] = (await knex.migrate.latest()) as [number, string[]];
    // A restored database begins an era of its own (see 0009_sync).
    await knex.raw('call commerce.begin_change_era()');
    return applied;
  });
}

/** Rolls the last batch of migrations back. */
export async function rollback(url: string): Promise<string[]> {
  return withMigrator(url, LATEST_MIGRATION, async (knex) => {
    const [, undone] = (await knex.migrate.rollback()) as [number, string[]];
    return undone;
  });
}

/** The migrations that the database still lacks, oldest first. */
export async function pendingMigrations(url: string): Promise<string[]> {
  return withMigrator(url, LATEST_MIGRATION, async (knex) => {
    const [, pending] = (await knex.migrate.list()) as [unknown[], string[]];
    return pending;
  });
}

// knex would print failures itself; the caller gets them as errors.
const SILENT = { warn() {}, error() {}, deprecate() {}, debug() {} };

async function withMigrator<T>(url: string, last: string, work: (knex: Knex) => Promise<T>): Promise<T> {
  const knex = knexFactory({
    client: 'pg',
    connection: url,
    pool: { min: 0, max: 2 },
    log: SILENT,
    migrations: { migrationSource: sourceUpTo(last), tableName: 'commerce_migrations', schemaName: 'public' },
  });
  try {
    return await work(knex);
  } finally {
    await knex.destroy();
  }
}
