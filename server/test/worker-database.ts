/**
 * The database of the worker that runs a test file. Each worker has one, because invariants, the job queue and cursors
 * concern all shops in a database.
 */

import pg from 'pg';
import { inject } from 'vitest';

export function databaseUrl(): string {
  return inject('databaseUrls')[worker()] ?? unknownWorker();
}

/** A test database through PgBouncer in transaction mode, if the tests use it. */
export function pooledUrl(url: string): string | undefined {
  // Reads the environment first, because full proofs run without vitest, whose values `inject` reads.
  if (process.env.TEST_POOLER !== 'on') return undefined;
  const { host, pathname } = new URL(url);
  const pooler = inject('poolerUrl');
  if (!pooler || host !== new URL(databaseUrl()).host) return undefined;
  return Object.assign(new URL(pooler), { pathname }).href;
}

/** The same database for a superuser, to whom row-level security does not apply. */
export function superuserUrl(): string {
  return inject('superuserUrls')[worker()] ?? unknownWorker();
}

/**
 * The name of a migrated database without rows and connections. `create database … template` copies it, which takes
 * less time than migrating.
 */
export function migratedTemplate(url = superuserUrl()): string {
  return new URL(url).pathname.slice(1).replace(/_\d+$/, '');
}

/**
 * Replaces the database of this worker by a new copy of the template, under the same name. Ends all its connections.
 */
export async function renewDatabase(): Promise<void> {
  const name = new URL(superuserUrl()).pathname.slice(1);
  const client = new pg.Client(Object.assign(new URL(superuserUrl()), { pathname: '/postgres' }).href);
  await client.connect();
  try {
    await client.query(`drop database ${name} with (force)`);
    const owner = decodeURIComponent(new URL(databaseUrl()).username);
    await client.query(`create database ${name} template ${migratedTemplate()} owner ${owner}`);
  } finally {
    await client.end();
  }
}

/** The number of this worker, counted from 0. */
function worker(): number {
  return Number(process.env.VITEST_POOL_ID) - 1;
}

function unknownWorker(): never {
  throw new Error(`There is no database for worker ${process.env.VITEST_POOL_ID}.`);
}
