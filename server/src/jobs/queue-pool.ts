import type { RunnerOptions } from 'graphile-worker';
import pg from 'pg';
import { ignoreLostConnections } from '../db/connect.ts';

/**
 * Opens a pool for graphile-worker. graphile-worker's own pool stops handling lost connections before it closes them,
 * so a connection lost at that time would end the process. The caller ends the pool.
 */
export function openQueuePool({ connectionString, maxPoolSize }: RunnerOptions): pg.Pool {
  return ignoreLostConnections(new pg.Pool({ connectionString, max: maxPoolSize }));
}
