import type pg from 'pg';
import manifest from '../../package.json' with { type: 'json' };
import { recordedMigrations, withoutReplaced } from './baseline.ts';
import { MIGRATION_NAMES } from './migrate.ts';

/** A schema that a newer release has migrated but that this release accepts. */
export interface NewerSchema {
  /** The newest migration; this release does not have it. */
  migration: string;
  /** The oldest release that accepts the schema. */
  minimum: string;
}

/** Describes the newer schema in a sentence. */
export function describeNewer({ migration, minimum }: NewerSchema): string {
  return `A newer release has migrated the database to ${migration}; release ${manifest.version} runs on it (minimum: ${minimum}).`;
}

/**
 * Returns undefined if no newer release has migrated the database. If one has, this release changes nothing: it returns
 * the newer schema if this release is at least the minimum release stored with it, and otherwise throws an Error with
 * the remedy.
 */
export async function findNewerSchema(
  db: Pick<pg.ClientBase, 'query'>,
  release = manifest.version,
): Promise<NewerSchema | undefined> {
  const recorded = withoutReplaced(await recordedMigrations(db));
  const migration = recorded.findLast((name) => !MIGRATION_NAMES.includes(name));
  if (!migration) return undefined;
  const missing = MIGRATION_NAMES.find((name) => !recorded.includes(name));
  if (missing) {
    throw new Error(
      `The database has the migration ${migration}, which release ${release} does not have, but lacks ${missing}. Run commerce-server migrate of a release that has both.`,
    );
  }
  const { rows } = await db.query<{ minimum: string }>('select commerce.minimum_release() as minimum');
  const minimum = rows[0]?.minimum ?? '';
  if (isOlder(release, minimum)) {
    throw new Error(
      `The database has the migration ${migration}, which needs release ${minimum} or later; this is ${release}. Start release ${minimum} or later. To go back further, restore a backup from before the upgrade.`,
    );
  }
  return { migration, minimum };
}

/** Whether a version of the form 1.2.3 is older than another one. */
function isOlder(version: string, other: string): boolean {
  const [own, minimum] = [partsOf(version), partsOf(other)];
  const at = own.findIndex((part, i) => part !== minimum[i]);
  return at >= 0 && (own[at] ?? 0) < (minimum[at] ?? 0);
}

function partsOf(version: string): number[] {
  return version.split(/[.-]/, 3).map(Number);
}
