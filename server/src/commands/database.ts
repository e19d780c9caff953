import { join } from 'node:path';
import type { Pool } from 'pg';
import type { Config } from '../config.ts';
import { openPool } from '../db/connect.ts';
import { DataDirInUse, startEmbedded } from '../db/embedded.ts';
import { runningEmbeddedUrl } from '../db/embedded-running.ts';
import { prepareSchema } from './schema.ts';
import { tell } from './tell.ts';

/** The database that the configuration names, running. */
export interface Database {
  /** Of a login that may change the schema. Holds a password. */
  url: string;
  embedded: boolean;
  /** In words, without a password. */
  description: string;
  /** Stops what was started for it: the embedded database, or nothing. */
  stop(): Promise<void>;
}

type Progress = (sentence: string) => void;

/** Starts the embedded database when there is no DATABASE_URL. A real one is not touched yet. */
export async function openDatabase({ databaseUrl, dataDir }: Config, onProgress: Progress): Promise<Database> {
  if (databaseUrl) {
    return { url: databaseUrl, embedded: false, description: withoutPassword(databaseUrl), stop: async () => {} };
  }
  const { url, stop } = await startEmbedded({ dataDir, onProgress });
  return { url, embedded: true, description: describeEmbedded(dataDir), stop };
}

/** The same for a command that may work beside a running server: it then uses that server's database. */
export async function shareDatabase(config: Config, onProgress: Progress): Promise<Database> {
  try {
    return await openDatabase(config, onProgress);
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error;
    const description = `${describeEmbedded(config.dataDir)}, of a running server`;
    return { url: runningEmbeddedUrl(config.dataDir), embedded: true, description, stop: async () => {} };
  }
}

function describeEmbedded(dataDir: string): string {
  return `embedded PostgreSQL in ${join(dataDir, 'postgres')}`;
}

function withoutPassword(address: string): string {
  const { host, pathname } = new URL(address);
  return `PostgreSQL at ${host}${pathname}`;
}

/** Runs a deed of a command on the database, brought to the schema of this release first. */
export async function withPool<T>(config: Config, deed: (db: Pool) => Promise<T>): Promise<T> {
  const database = await shareDatabase(config, tell);
  try {
    await prepareSchema(database.url);
    const db = openPool({ url: database.url, max: 2, pooling: config.databasePooling });
    try {
      return await deed(db);
    } finally {
      await db.end();
    }
  } finally {
    await database.stop();
  }
}
