import type { Knex } from 'knex';
import type pg from 'pg';
import { withClient } from './client.ts';
import { type MigrationWait, underMigrationLock } from './migration-lock.ts';

/** All migrations, oldest first, loaded when they are to run. A released migration is never edited: a change is a new file. */
const MIGRATIONS: Record<string, () => Promise<Knex.Migration>> = {
  '0001_foundation': () => import('./migrations/0001_foundation.ts'),
  '0002_catalogue': () => import('./migrations/0002_catalogue.ts'),
  '0003_search': () => import('./migrations/0003_search.ts'),
  '0004_sweep': () => import('./migrations/0004_sweep.ts'),
  '0005_buying': () => import('./migrations/0005_buying.ts'),
  '0006_used_codes': () => import('./migrations/0006_used_codes.ts'),
  '0007_search_engine': () => import('./migrations/0007_search_engine.ts'),
  '0008_agents': () => import('./migrations/0008_agents.ts'),
  '0009_sync': () => import('./migrations/0009_sync.ts'),
  '0010_webhooks': () => import('./migrations/0010_webhooks.ts'),
  '0011_registrations': () => import('./migrations/0011_registrations.ts'),
  '0012_authorized_payments': () => import('./migrations/0012_authorized_payments.ts'),
  '0013_shipping_kind': () => import('./migrations/0013_shipping_kind.ts'),
  '0014_event_truth': () => import('./migrations/0014_event_truth.ts'),
  '0015_search_meanings': () => import('./migrations/0015_search_meanings.ts'),
  '0016_products_hidden': () => import('./migrations/0016_products_hidden.ts'),
  '0017_checkout_links': () => import('./migrations/0017_checkout_links.ts'),
  '0018_login_unlocks': () => import('./migrations/0018_login_unlocks.ts'),
  '0019_limits': () => import('./migrations/0019_limits.ts'),
  '0020_private_storefront_tokens': () => import('./migrations/0020_private_storefront_tokens.ts'),
  '0021_order_event_types': () => import('./migrations/0021_order_event_types.ts'),
  '0022_shown_catalogue': () => import('./migrations/0022_shown_catalogue.ts'),
  '0023_queued_jobs': () => import('./migrations/0023_queued_jobs.ts'),
  '0024_plans': () => import('./migrations/0024_plans.ts'),
  '0025_customers_by_email': () => import('./migrations/0025_customers_by_email.ts'),
  '0026_payments_in_progress': () => import('./migrations/0026_payments_in_progress.ts'),
  '0027_payment_accounts': () => import('./migrations/0027_payment_accounts.ts'),
  '0028_pages': () => import('./migrations/0028_pages.ts'),
  '0029_storefront_reads': () => import('./migrations/0029_storefront_reads.ts'),
  '0030_tax_and_delivery': () => import('./migrations/0030_tax_and_delivery.ts'),
  '0031_new_order_mails': () => import('./migrations/0031_new_order_mails.ts'),
  '0032_marketing_consents': () => import('./migrations/0032_marketing_consents.ts'),
  '0033_site_domains': () => import('./migrations/0033_site_domains.ts'),
  '0034_attribution': () => import('./migrations/0034_attribution.ts'),
  '0036_reorders': () => import('./migrations/0036_reorders.ts'),
  '0037_ended_links': () => import('./migrations/0037_ended_links.ts'),
  '0038_leaner_purchases': () => import('./migrations/0038_leaner_purchases.ts'),
  '0040_import': () => import('./migrations/0040_import.ts'),
  '0041_cheaper_orders': () => import('./migrations/0041_cheaper_orders.ts'),
  '0042_catalogue_statistics': () => import('./migrations/0042_catalogue_statistics.ts'),
  '0043_tax_decided': () => import('./migrations/0043_tax_decided.ts'),
  '0044_movements_and_skus': () => import('./migrations/0044_movements_and_skus.ts'),
  '0045_event_patterns': () => import('./migrations/0045_event_patterns.ts'),
  '0046_roles': () => import('./migrations/0046_roles.ts'),
  '0047_staff_accounts': () => import('./migrations/0047_staff_accounts.ts'),
  '0048_files': () => import('./migrations/0048_files.ts'),
  '0050_opening': () => import('./migrations/0050_opening.ts'),
  '0051_stock_noted_by_row': () => import('./migrations/0051_stock_noted_by_row.ts'),
  '0053_budget_periods': () => import('./migrations/0053_budget_periods.ts'),
  '0054_oauth': () => import('./migrations/0054_oauth.ts'),
  '0056_ucp': () => import('./migrations/0056_ucp.ts'),
  '0057_audit_tells': () => import('./migrations/0057_audit_tells.ts'),
  '0059_names_and_pictures': () => import('./migrations/0059_names_and_pictures.ts'),
  '0060_pictures_of_orders': () => import('./migrations/0060_pictures_of_orders.ts'),
  '0063_ucp_answers': () => import('./migrations/0063_ucp_answers.ts'),
  '0070_meanings_shown_at_once': () => import('./migrations/0070_meanings_shown_at_once.ts'),
  '0072_last_changes': () => import('./migrations/0072_last_changes.ts'),
  '0075_site_life': () => import('./migrations/0075_site_life.ts'),
  '0080_operators': () => import('./migrations/0080_operators.ts'),
  '0085_formatted_descriptions': () => import('./migrations/0085_formatted_descriptions.ts'),
  '0090_imported_customers': () => import('./migrations/0090_imported_customers.ts'),
  '0100_order_search': () => import('./migrations/0100_order_search.ts'),
  '0101_stock_search': () => import('./migrations/0101_stock_search.ts'),
  '0110_deletion_begun': () => import('./migrations/0110_deletion_begun.ts'),
  '0120_site_usage': () => import('./migrations/0120_site_usage.ts'),
  '0130_sites_at_a_glance': () => import('./migrations/0130_sites_at_a_glance.ts'),
  '0150_reduced_variants': () => import('./migrations/0150_reduced_variants.ts'),
  '0165_file_names': () => import('./migrations/0165_file_names.ts'),
  '0169_traced_jobs': () => import('./migrations/0169_traced_jobs.ts'),
  '0170_leaner_policies': () => import('./migrations/0170_leaner_policies.ts'),
  '0185_picture_turns': () => import('./migrations/0185_picture_turns.ts'),
  '0186_former_staff': () => import('./migrations/0186_former_staff.ts'),
  '0190_shown_events': () => import('./migrations/0190_shown_events.ts'),
  '0195_online_payments': () => import('./migrations/0195_online_payments.ts'),
  '0196_lazy_policies': () => import('./migrations/0196_lazy_policies.ts'),
  '0200_line_quantities': () => import('./migrations/0200_line_quantities.ts'),
  '0201_late_payments': () => import('./migrations/0201_late_payments.ts'),
  '0202_order_updated': () => import('./migrations/0202_order_updated.ts'),
  '0205_bound_checkouts': () => import('./migrations/0205_bound_checkouts.ts'),
  '0210_statement_runs': () => import('./migrations/0210_statement_runs.ts'),
  '0215_removed_limits': () => import('./migrations/0215_removed_limits.ts'),
  '0216_webhook_makers': () => import('./migrations/0216_webhook_makers.ts'),
  '0217_second_factor_step_up': () => import('./migrations/0217_second_factor_step_up.ts'),
  '0218_pending_emails': () => import('./migrations/0218_pending_emails.ts'),
  '0220_moved_sites': () => import('./migrations/0220_moved_sites.ts'),
  '0221_queue_state': () => import('./migrations/0221_queue_state.ts'),
  '0225_shipping_tax': () => import('./migrations/0225_shipping_tax.ts'),
  '0226_customer_updated': () => import('./migrations/0226_customer_updated.ts'),
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
      return migration();
    },
  };
}

/**
 * Migrates the database to the schema of this release, or to the migration `last`, as the owner of the database. Returns the
 * names of the migrations that it applied. The address must be that of PostgreSQL itself. knex's lock row would outlive a process
 * that is killed, so it is cleared under our own lock, which does not.
 */
export function migrate(url: string, wait: MigrationWait = {}, last = LATEST_MIGRATION): Promise<string[]> {
  const connection = { connectionString: url, application_name: 'commerce migrate' };
  return underMigrationLock(url, wait, () => withClient(connection, (client) => migrateLocked(client, url, last)));
}

/** The same for a caller that holds the lock already. Most starts find nothing to do, and do not load knex for it. */
export async function migrateLocked(client: pg.Client, url: string, last = LATEST_MIGRATION): Promise<string[]> {
  if (last === LATEST_MIGRATION && (await isMigrated(client))) return [];
  return withMigrator(url, last, async (knex) => {
    await knex.migrate.list();
    await knex.migrate.forceFreeMigrationsLock();
    const [, applied] = (await knex.migrate.latest()) as [number, string[]];
    await knex.raw(BEGIN_ERA);
    return applied;
  });
}

/** A restored database begins an era of its own (see 0009_sync). */
const BEGIN_ERA = 'call commerce.begin_change_era()';

/** Whether exactly the migrations of this release have run. Every other case is left to knex. */
async function isMigrated(client: pg.Client): Promise<boolean> {
  const { rows: tables } = await client.query(`select to_regclass('public.commerce_migrations') as found`);
  if (!tables[0].found) return false;
  const { rows } = await client.query<{ name: string }>('select name from public.commerce_migrations order by name');
  if (rows.map(({ name }) => name).join() !== MIGRATION_NAMES.join()) return false;
  await client.query(BEGIN_ERA);
  return true;
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

/**
 * Policies read `app.site_id`, also for statements of triggers: a migration that changes rows sees those of no shop, unless it turns
 * row-level security off for the owner. Whether PostgreSQL reads a policy where nothing is scanned depends on the plan, so on 15 a
 * migration failed without the setting that works on 18.
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
