import { migrate } from '../db/migrate.ts';
import type { MigrationWait } from '../db/migration-lock.ts';
import { migrateQueue } from '../jobs/run.ts';

/** Brings a database to the schema of this release, that of the job queue included. Returns what was applied to ours. */
export async function prepareSchema(url: string, wait?: MigrationWait): Promise<string[]> {
  const applied = await migrate(url, wait);
  await migrateQueue(url);
  return applied;
}
