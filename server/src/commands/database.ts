import { join } from 'node:path';
import type { Pool } from 'pg';
import type { Config } from '../config.ts';
import { openPool } from '../db/connect.ts';
import { runningEmbeddedUrl } from '../db/embedded-running.ts';
import { prepareOrCheck } from './check-schema.ts';
import { printProgress } from './progress.ts';
import { refuseUndeclaredPooler } from './undeclared-pooler.ts';

/** The running database of this configuration. */
export interface Database {
  /** URL for requests; it may lead to a pooler. Contains a password. */
  url: string;
  /** URL that leads to PostgreSQL directly, without a pooler, for migrations and jobs. */
  directUrl: string;
  embedded: boolean;
  /** The database in words, without a password. */
  description: string;
  /** Stops the embedded database. Does nothing for any other. */
  stop(): Promise<void>;
}

type Progress = (sentence: string) => void;

/** Opens the database. Starts the embedded one if DATABASE_URL is not set; otherwise does not connect yet. */
export async function openDatabase(config: Config, onProgress: Progress, onSpawn?: () => void): Promise<Database> {
  const { databaseUrl: url, databaseDirectUrl: directUrl = url, dataDir } = config;
  if (url && directUrl) {
    return { url, directUrl, embedded: false, description: withoutPassword(url), stop: async () => {} };
  }
  const { startEmbedded } = await import('../db/embedded.ts');
  const embedded = await startEmbedded({ dataDir, onProgress, onSpawn });
  const { stop } = embedded;
  return { url: embedded.url, directUrl: embedded.url, embedded: true, description: describeEmbedded(dataDir), stop };
}

/**
 * Opens the database for a command that may run next to a server. If a server already runs the embedded database,
 * connects to it.
 */
export async function shareDatabase(config: Config, onProgress: Progress): Promise<Database> {
  try {
    return await openDatabase(config, onProgress);
  } catch (error) {
    const { DataDirInUse } = await import('../db/embedded.ts');
    if (!(error instanceof DataDirInUse)) throw error;
    const description = `${describeEmbedded(config.dataDir)}, of a running server`;
    const url = runningEmbeddedUrl(config.dataDir);
    return { url, directUrl: url, embedded: true, description, stop: async () => {} };
  }
}

function describeEmbedded(dataDir: string): string {
  return `embedded PostgreSQL in ${join(dataDir, 'postgres')}`;
}

function withoutPassword(address: string): string {
  const { host, pathname } = new URL(address);
  return `PostgreSQL at ${host}${pathname}`;
}

/** Runs a command's work on the database, after migrating it or, with MIGRATE=off, checking its schema. */
export function withPool<T>(config: Config, work: (db: Pool) => Promise<T>): Promise<T> {
  return withDatabase(config, work);
}

/** Like `withPool`, with connections of the login that owns the schema. */
export function withOwnerPool<T>(config: Config, work: (db: Pool) => Promise<T>): Promise<T> {
  return withDatabase(config, async (_db, ownerUrl) => {
    const { databasePooling: pooling, skippedNumbers } = config;
    const owner = openPool({ url: ownerUrl, max: 1, pooling, skippedNumbers });
    try {
      return await work(owner);
    } finally {
      await owner.end();
    }
  });
}

/** Like `withPool`, but also passes the URL with which the owner of the schema logs in. */
export async function withDatabase<T>(config: Config, work: (db: Pool, ownerUrl: string) => Promise<T>): Promise<T> {
  const database = await shareDatabase(config, printProgress);
  try {
    const { databasePooling: pooling, skippedNumbers } = config;
    await prepareOrCheck(database, config, printProgress);
    const db = openPool({ url: database.url, max: 2, pooling, skippedNumbers });
    try {
      await refuseUndeclaredPooler(db, pooling);
      return await work(db, database.directUrl);
    } finally {
      await db.end();
    }
  } finally {
    await database.stop();
  }
}
