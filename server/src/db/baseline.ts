import type pg from 'pg';

/**
 * The first migration. It creates the schema that resulted from the migrations 0001 to 0195, and has the name of the
 * last of them: until they are replaced, processes of that version look for this name to answer `/readyz`.
 */
export const BASELINE = '0195_online_payments';

/** A commit that still contains the replaced migrations. Its newest migration has the name of the baseline. */
const COMMIT_BEFORE = '8ac8a862';

/** The migrations that the database has recorded, in the order in which they ran; none in a new database. */
export async function recordedMigrations(client: pg.ClientBase): Promise<string[]> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    `select to_regclass('public.commerce_migrations') is not null as found`,
  );
  if (!tables[0]?.found) return [];
  const { rows } = await client.query<{ name: string }>('select name from public.commerce_migrations order by id');
  return rows.map(({ name }) => name);
}

/** The migrations without those that the baseline replaced. */
export function withoutReplaced(migrations: string[]): string[] {
  return migrations.filter((name) => name >= BASELINE);
}

/** The newest of the recorded migrations if their schema is older than the baseline; otherwise undefined. */
export function versionBeforeBaseline(migrations: string[]): string | undefined {
  return migrations.includes(BASELINE) ? undefined : migrations.findLast((name) => name < BASELINE);
}

/** Throws if this release cannot migrate the database. */
export async function refuseBeforeBaseline(client: pg.ClientBase): Promise<void> {
  const version = versionBeforeBaseline(await recordedMigrations(client));
  if (version)
    throw new Error(`The database is at migration ${version}. ${remedyFor('database')} Nothing was changed.`);
}

/** Instructions for a database or a backup that is older than the baseline. */
export function remedyFor(what: 'database' | 'backup'): string {
  const steps = {
    database: `Check out commit ${COMMIT_BEFORE}, run its commerce-server migrate, then run commerce-server migrate of this release.`,
    backup: `Check out commit ${COMMIT_BEFORE}, restore the backup into an empty database with its commerce-server restore, make a new backup of that database, and restore the new backup with this release.`,
  };
  return `This release needs ${BASELINE} or later. ${steps[what]}`;
}

/**
 * Removes the replaced migrations from the record of a database that ran them, and returns the recorded migrations. The
 * caller holds the migration lock.
 */
export async function adoptBaseline(client: pg.ClientBase): Promise<string[]> {
  await refuseBeforeBaseline(client);
  const recorded = await recordedMigrations(client);
  const kept = withoutReplaced(recorded);
  // A single statement, and so a single transaction.
  if (kept.length < recorded.length)
    await client.query('delete from public.commerce_migrations where name <> all($1)', [kept]);
  return kept;
}
