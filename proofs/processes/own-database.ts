import { prepareSchema } from '../../server/src/commands/schema.ts';
import { asOwner } from './server-process.ts';

let count = 0;

/**
 * Runs work with a new migrated database on the server of `databaseUrl`, for proofs that change its time or read all of it. The
 * database is dropped afterwards.
 */
export function withOwnDatabase<T>(databaseUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  return withEmptyDatabase(databaseUrl, async (url) => {
    await prepareSchema(url);
    return work(url);
  });
}

/** Runs work with a new database without a schema, which is dropped afterwards. */
export async function withEmptyDatabase<T>(databaseUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  count += 1;
  const name = `commerce_proof_${process.pid}_${Date.now()}_${count}`;
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  await asOwner(databaseUrl, `create database ${name}`);
  try {
    return await work(url.href);
  } finally {
    await asOwner(databaseUrl, `drop database ${name} with (force)`);
  }
}
