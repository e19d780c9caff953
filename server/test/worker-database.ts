import { inject } from 'vitest';

/**
 * The database of the worker that runs a file. Files that run at the same time have one each, so that no test sees what another
 * is in the middle of. Separate shops are not enough, because invariants, the queue and cursors concern all shops.
 */

export function databaseUrl(): string {
  return inject('databaseUrls')[worker()] ?? unknownWorker();
}

/** A database of the tests through PgBouncer in transaction mode, if the tests run behind it. */
export function pooledUrl(url: string): string | undefined {
  // The environment is read first, because the full form of a proof runs without vitest, which provides the rest.
  if (process.env.TEST_POOLER !== 'on') return undefined;
  const { host, pathname } = new URL(url);
  const pooler = inject('poolerUrl');
  if (!pooler || host !== new URL(databaseUrl()).host) return undefined;
  return Object.assign(new URL(pooler), { pathname }).href;
}

/** The URL of the same database for a superuser, who sees past row-level security. */
export function superuserUrl(): string {
  return inject('superuserUrls')[worker()] ?? unknownWorker();
}

/**
 * The name of a migrated database without rows, to which nobody is connected: `create database … template` copies it, while
 * migrating takes seconds.
 */
export function migratedTemplate(): string {
  return new URL(superuserUrl()).pathname.slice(1).replace(/_\d+$/, '');
}

/** The number of this worker, counted from 0. */
function worker(): number {
  return Number(process.env.VITEST_POOL_ID) - 1;
}

function unknownWorker(): never {
  throw new Error(`There is no database for worker ${process.env.VITEST_POOL_ID}.`);
}
