import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { refuseBeforeBaseline } from '../db/baseline.ts';
import { withClient } from '../db/client.ts';
import { accessGaps, type Gap, mendAccess } from '../db/mend-access.ts';
import { continueHistory, isMigrated, migrateLocked } from '../db/migrate.ts';
import { type MigrationWait, refusePooler, underMigrationLock } from '../db/migration-lock.ts';
import { ensureRoles, missingRoles, refuseForeignOwner } from '../db/roles.ts';
import { findNewerSchema, type NewerSchema } from '../db/schema-release.ts';
import { isQueueMigrated, migrateQueue } from '../jobs/queue-schema.ts';
import { refuseOldVersion } from './version.ts';

export interface Prepared {
  /** The migrations that were applied. */
  applied: string[];
  /** Roles, grants and policies that were missing in a migrated database, in words. */
  mended: string[];
  /** Set if a newer release has migrated the database. In that case, nothing was changed. */
  newer?: NewerSchema;
}

/**
 * Migrates a database to the schema of this release, or to the migration `last`, including the job queue, and creates
 * missing roles, grants and policies. Changes nothing if a newer release has migrated it; throws if this release does
 * not run on that schema.
 */
export async function prepareSchema(url: string, wait?: MigrationWait, last?: string): Promise<Prepared> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const prepared = last === undefined ? await ifPrepared(url, wait) : undefined;
      if (prepared) return prepared;
      // Everything runs under the lock, because processes that start together would also conflict over roles and
      // grants.
      return await underMigrationLock(url, wait, () => prepareLocked(url, last, wait));
    } catch (error) {
      if (attempt === ATTEMPTS || !isRaceForRoles(error)) throw error;
      await sleep(100 * attempt);
    }
  }
}

/**
 * Returns the result of `prepareSchema` if there is nothing to prepare, as at nearly every start; otherwise undefined.
 * Needs no lock. The statements of the checks are sent together, and PostgreSQL answers in their order, so the first
 * failed check throws.
 */
async function ifPrepared(url: string, wait: MigrationWait = {}): Promise<Prepared | undefined> {
  return withClient(connectionTo(url), async (client) => {
    // Runs before the other statements, because a pooler shares a connection only while it is idle.
    await refusePooler(client, url);
    const [, , newer, ...prepared] = await Promise.all([
      refuseOldVersion(client),
      refuseOthers(client),
      findNewerSchema(client),
      isMigrated(client),
      isQueueMigrated(client),
      missingRoles(client).then((roles) => roles.length === 0),
      accessGaps(client).then((gaps) => gaps.length === 0),
    ]);
    if (newer) return { applied: [], mended: [], newer };
    if (prepared.includes(false)) return undefined;
    await continueHistory(client, wait.skippedNumbers);
    return { applied: [], mended: [] };
  });
}

async function prepareLocked(url: string, last: string | undefined, wait: MigrationWait = {}): Promise<Prepared> {
  return withClient(connectionTo(url), async (client) => {
    await refuseOldVersion(client);
    await refuseOthers(client);
    const newer = await findNewerSchema(client);
    if (newer) return { applied: [], mended: [], newer };
    const made = await ensureRoles(client);
    const applied = await migrateLocked(client, url, { last, skippedNumbers: wait.skippedNumbers });
    await migrateQueue(client, url);
    const gaps = await mendAccess(client);
    return { applied, mended: applied.length > 0 ? [] : inWords(made, gaps) };
  });
}

const ATTEMPTS = 5;

/**
 * Whether the error is a conflict with the preparation of another database. Roles are shared by all databases of a
 * cluster, but each database has its own migration lock.
 */
function isRaceForRoles(error: unknown): boolean {
  return (error as { code?: string }).code === 'XX000' && String(error).includes('tuple concurrently updated');
}

/** Creates missing roles of the server, and lets the login switch to them. Returns descriptions of what it did. */
export async function prepareRoles(url: string): Promise<string[]> {
  return withClient(connectionTo(url), async (client) => {
    await refuseOthers(client);
    return ensureRoles(client);
  });
}

/** Throws if the schema belongs to another login, or is too old. */
async function refuseOthers(client: pg.Client): Promise<void> {
  await refuseForeignOwner(client);
  await refuseBeforeBaseline(client);
}

function connectionTo(url: string) {
  return { connectionString: url, application_name: 'commerce migrate', pipeline: true };
}

/**
 * Describes the added roles, grants and policies. Names only the roles, because there may be many grants and policies.
 */
function inWords(roles: string[], gaps: Gap[]): string[] {
  const count = (kind: Gap['kind']) => gaps.filter((gap) => gap.kind === kind).length;
  const counted = [
    [count('grant'), 'grants'],
    [count('policy'), 'policies'],
    [count('owner'), 'function owners'],
  ] as const;
  return [...roles, ...counted.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)];
}
