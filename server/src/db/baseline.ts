import type pg from 'pg';

/**
 * The first migration, which creates the schema that the migrations 0001 to 0195 created. It has the name of migration
 * 0195, because processes of that version check for this name in `/readyz` until they are replaced.
 */
export const BASELINE = '0195_online_payments';

/** The last commit with the replaced migrations. Its newest migration has the baseline's name. */
const COMMIT_BEFORE = '8ac8a862';

/** Recorded migrations in the order in which they ran; empty for a new database. */
export async function recordedMigrations(client: Pick<pg.ClientBase, 'query'>): Promise<string[]> {
  const { rows: tables } = await client.query<{ found: boolean }>(
    `select to_regclass('public.commerce_migrations') is not null as found`,
  );
  if (!tables[0]?.found) return [];
  const { rows } = await client.query<{ name: string }>('select name from public.commerce_migrations order by id');
  return rows.map(({ name }) => name);
}

/** Removes the migrations that the baseline replaced from a list. */
export function withoutReplaced(migrations: string[]): string[] {
  return migrations.filter((name) => name >= BASELINE);
}

/** The newest recorded migration if the schema is older than the baseline; otherwise undefined. */
export function versionBeforeBaseline(migrations: string[]): string | undefined {
  return migrations.includes(BASELINE) ? undefined : migrations.findLast((name) => name < BASELINE);
}

/** Returns the recorded migrations. Throws if the database is too old for this release to migrate. */
export async function refuseBeforeBaseline(client: pg.ClientBase): Promise<string[]> {
  const recorded = await recordedMigrations(client);
  const version = versionBeforeBaseline(recorded);
  if (version)
    throw new Error(`The database is at migration ${version}. ${remedyFor('database')} Nothing was changed.`);
  return recorded;
}

/** Explains how to proceed with a database or a backup that is older than the baseline. */
export function remedyFor(what: 'database' | 'backup'): string {
  const steps = {
    database: `Check out commit ${COMMIT_BEFORE}, run its commerce-server migrate, then run commerce-server migrate of this release.`,
    backup: `Check out commit ${COMMIT_BEFORE}, restore the backup into an empty database with its commerce-server restore, make a new backup of that database, and restore the new backup with this release.`,
  };
  return `This release needs ${BASELINE} or later. ${steps[what]}`;
}

/**
 * Removes the replaced migrations from the record of a database that ran them. Returns the recorded migrations. The
 * caller must hold the migration lock.
 */
export async function adoptBaseline(client: pg.ClientBase): Promise<string[]> {
  const recorded = await refuseBeforeBaseline(client);
  const kept = withoutReplaced(recorded);
  // A single statement, so that it is atomic.
  if (kept.length < recorded.length)
    await client.query('delete from public.commerce_migrations where name <> all($1)', [kept]);
  return kept;
}
