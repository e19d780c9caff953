import { prepareSchema } from '../../server/src/commands/schema.ts';
import { asOwner } from './server-process.ts';

let count = 0;

/**
 * A migrated database of its own on the server of `databaseUrl`, for proofs that move its time or read all of it.
 * It is dropped afterwards.
 */
export function withOwnDatabase<T>(databaseUrl: string, work: (url: string) => Promise<T>): Promise<T> {
  return withEmptyDatabase(databaseUrl, async (url) => {
    await prepareSchema(url);
    return work(url);
  });
}

/** The same without a schema. */
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
