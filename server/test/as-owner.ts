import type pg from 'pg';
import { withClient } from '../src/db/client.ts';
import { databaseUrl } from './worker-database.ts';

/** Works as the login that owns the tables, as the commands of an operator do. */
export function asOwner<T>(work: (owner: pg.Client) => Promise<T>): Promise<T> {
  return withClient({ connectionString: databaseUrl() }, work);
}
