import pg from 'pg';
import { type Gap, mendAccess } from '../db/mend-access.ts';
import { migrate } from '../db/migrate.ts';
import type { MigrationWait } from '../db/migration-lock.ts';
import { ensureRoles, refuseForeignOwner } from '../db/roles.ts';
import { migrateQueue } from '../jobs/run.ts';

export interface Prepared {
  /** The migrations that were run. */
  applied: string[];
  /** What was missing of roles, grants and policies in a database that was migrated before, in words. */
  mended: string[];
}

/**
 * Brings a database to the schema of this release, or of the migration `last`, that of the job queue included, and makes its
 * roles whole.
 */
export async function prepareSchema(url: string, wait?: MigrationWait, last?: string): Promise<Prepared> {
  const made = await withClient(url, async (client) => {
    await refuseForeignOwner(client);
    return ensureRoles(client);
  });
  const applied = await migrate(url, wait, last);
  await migrateQueue(url);
  const gaps = await withClient(url, (client) => mendAccess(client));
  return { applied, mended: applied.length > 0 ? [] : inWords(made, gaps) };
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'commerce migrate' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Roles each by name, grants and policies, of which there may be many, by their number. */
function inWords(roles: string[], gaps: Gap[]): string[] {
  const count = (kind: Gap['kind']) => gaps.filter((gap) => gap.kind === kind).length;
  const counted = [
    [count('grant'), 'grants'],
    [count('policy'), 'policies'],
    [count('owner'), 'owners of functions'],
  ] as const;
  return [...roles, ...counted.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)];
}
