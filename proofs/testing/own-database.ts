import { migratedTemplate } from '../../server/test/worker-database.ts';
import { asOwner } from './server-process.ts';

let count = 0;

/**
 * Runs work with a new migrated database on the server of `databaseUrl`, for proofs that change its time or read all of
 * it. The database is dropped afterwards.
 */
export function withOwnDatabase<T>(databaseUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  return withCopy(databaseUrl, `template ${migratedTemplate(databaseUrl)}`, work);
}

/** Runs work with a new database without a schema, which is dropped afterwards. */
export function withEmptyDatabase<T>(databaseUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  return withCopy(databaseUrl, '', work);
}

async function withCopy<T>(databaseUrl: string, option: string, work: (url: string) => Promise<T>): Promise<T> {
  count += 1;
  const name = `commerce_proof_${process.pid}_${Date.now()}_${count}`;
  await asOwner(databaseUrl, `create database ${name} ${option}`);
  try {
    return await work(Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href);
  } finally {
    await asOwner(databaseUrl, `drop database ${name} with (force)`);
  }
}
