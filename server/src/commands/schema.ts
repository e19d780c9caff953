import { migrate } from '../db/migrate.ts';
import { migrateQueue } from '../jobs/run.ts';

/** Brings a database to the schema of this release, that of the job queue included. Returns what was applied to ours. */
export async function prepareSchema(url: string): Promise<string[]> {
  const applied = await migrate(url);
  await migrateQueue(url);
  return applied;
}
