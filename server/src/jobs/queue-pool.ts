import type { RunnerOptions } from 'graphile-worker';
import pg from 'pg';
import { ignoreLostConnections } from '../db/connect.ts';

/**
 * Opens a pool for graphile-worker. A pool that graphile-worker opens by itself stops handling lost connections before it
 * closes them, so that a connection lost just then would end the process. The caller ends the pool.
 */
export function openQueuePool({ connectionString, maxPoolSize }: RunnerOptions): pg.Pool {
  return ignoreLostConnections(new pg.Pool({ connectionString, max: maxPoolSize }));
}
