import type pg from 'pg';

/** The newest migration of the installed graphile-worker. */
export const NEWEST_QUEUE_MIGRATION = 20;

/**
 * Migrates the queue's own schema, graphile_worker, to the installed version. Its code is loaded only if there is work.
 */
export async function migrateQueue(client: pg.Client, url: string): Promise<void> {
  if (await isMigrated(client)) return;
  const { Logger, runMigrations } = await import('graphile-worker');
  await runMigrations({ connectionString: url, maxPoolSize: 1, logger: new Logger(() => () => undefined) });
}

async function isMigrated(client: pg.Client): Promise<boolean> {
  const { rows: tables } = await client.query(`select to_regclass('graphile_worker.migrations') as found`);
  if (!tables[0].found) return false;
  const { rows } = await client.query('select max(id) as newest from graphile_worker.migrations');
  return rows[0].newest === NEWEST_QUEUE_MIGRATION;
}
