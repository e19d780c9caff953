import type pg from 'pg';

/** The number of the newest migration in the installed graphile-worker. */
export const NEWEST_QUEUE_MIGRATION = 20;

/**
 * Migrates the queue's schema, graphile_worker, to the installed version. graphile-worker is loaded only if there is a
 * migration to run.
 */
export async function migrateQueue(client: pg.Client, url: string): Promise<void> {
  if (await isQueueMigrated(client)) return;
  const { Logger, runMigrations } = await import('graphile-worker');
  await runMigrations({ connectionString: url, maxPoolSize: 1, logger: new Logger(() => () => undefined) });
}

export async function isQueueMigrated(client: pg.Client): Promise<boolean> {
  const { rows: tables } = await client.query(`select to_regclass('graphile_worker.migrations') as found`);
  if (!tables[0].found) return false;
  const { rows } = await client.query('select max(id) as newest from graphile_worker.migrations');
  return rows[0].newest === NEWEST_QUEUE_MIGRATION;
}
