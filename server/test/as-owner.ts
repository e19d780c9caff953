import type pg from 'pg';
import { withClient } from '../src/db/client.ts';
import { databaseUrl } from './worker-database.ts';

/** Runs work as the owner of the database, as the server's commands do. */
export function asOwner<T>(work: (owner: pg.Client) => Promise<T>): Promise<T> {
  return withClient({ connectionString: databaseUrl() }, work);
}
