import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Config } from '../config.ts';
import { recordedMigrations } from '../db/baseline.ts';
import { openPool } from '../db/connect.ts';
import { beginEra } from '../db/era.ts';
import { MIGRATION_NAMES } from '../db/migrate.ts';
import type { MigrationWait } from '../db/migration-lock.ts';
import { acceptsWrites, DatabaseReadOnly, isReadOnlyError } from '../db/read-only.ts';
import { findNewerSchema } from '../db/schema-release.ts';
import { prepareSchema } from './schema.ts';

type Settings = Pick<
  Config,
  'migrates' | 'migrationWaitSeconds' | 'databasePooling' | 'skippedNumbers' | 'role' | 'operatorPort'
>;

/** The URLs of the database: for requests, and past a pooler. */
interface Addresses {
  url: string;
  directUrl: string;
}

const TRY_AGAIN_MS = 1_000;

const SET_PRIMARY =
  'The database is read-only: it is a standby or was demoted. Set DATABASE_URL and DATABASE_DIRECT_URL to the primary.';

/**
 * Like `prepareOrCheck`, but a process that starts during a failover waits for a limited time until the database
 * accepts writes.
 */
export async function prepareOnceWritable(
  database: Addresses,
  settings: Settings,
  onWait: Required<MigrationWait>['onWait'],
): Promise<void> {
  const seconds = settings.migrationWaitSeconds;
  const end = Date.now() + seconds * 1_000;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await prepareOrCheck(database, settings, onWait);
      return;
    } catch (error) {
      if (!isReadOnlyError(error)) throw error;
      if (Date.now() >= end) throw new Error(`${SET_PRIMARY} Gave up after ${seconds} s.`);
      if (attempt === 1) onWait(`${SET_PRIMARY} The server starts when it accepts writes.`);
      await sleep(TRY_AGAIN_MS);
    }
  }
}

/**
 * Migrates the database. With MIGRATE=off, or if a newer release has migrated it, only checks it: throws if a migration
 * is missing, the database is read-only, or the login lacks rights that this process needs.
 */
export async function prepareOrCheck(
  { url, directUrl }: Addresses,
  settings: Settings,
  onWait: Required<MigrationWait>['onWait'],
): Promise<void> {
  const { migrationWaitSeconds: seconds, databasePooling: pooling, skippedNumbers } = settings;
  if (settings.migrates) {
    const { newer } = await prepareSchema(directUrl, { onWait, seconds, skippedNumbers });
    if (!newer) return;
  }
  const db = openPool({ url, max: 1, pooling, skippedNumbers });
  try {
    if (!(await findNewerSchema(db))) await refuseIncomplete(db);
    // The earlier steps only read, so they do not show whether the database is read-only.
    if (!(await acceptsWrites(db))) throw new DatabaseReadOnly();
    await beginEra(db);
  } finally {
    await db.end();
  }
  if (settings.role !== 'api' || settings.operatorPort) await refuseForeignLogin({ url, directUrl }, settings);
}

async function refuseIncomplete(db: pg.Pool): Promise<void> {
  const recorded = await recordedMigrations(db);
  const missing = MIGRATION_NAMES.filter((name) => !recorded.includes(name));
  if (missing.length === 0) return;
  throw new Error(
    `The database lacks the migration ${missing[0]}, and MIGRATE=off. Run commerce-server migrate with the login that owns the schema.`,
  );
}

/** Throws if the login does not own the schema. Jobs and the listener for operators need the owner's rights. */
async function refuseForeignLogin(
  { url, directUrl }: Addresses,
  { role, databasePooling: pooling }: Settings,
): Promise<void> {
  const db = openPool({ url: directUrl, max: 1, pooling });
  try {
    const { rows } = await db.query<{ login: string; owner: string; owns: boolean }>(
      `select session_user as login, pg_get_userbyid(nspowner) as owner, pg_has_role(session_user, nspowner, 'usage') as owns
        from pg_namespace where nspname = 'commerce'`,
    );
    const [found] = rows;
    if (!found || found.owns) return;
    const setting = directUrl === url ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
    const needed = role === 'api' ? 'OPERATOR_PORT' : `ROLE=${role}`;
    throw new Error(
      `${needed} needs the login that owns the schema (${found.owner}); ${setting} has ${found.login}. Use its login, or set ROLE=api without OPERATOR_PORT.`,
    );
  } finally {
    await db.end();
  }
}
