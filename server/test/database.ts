import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { prepareSchema } from '../src/commands/schema.ts';
import { startEmbedded } from '../src/db/embedded.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Of the migrated database that all tests of the run share, each in shops of its own. The login is a superuser:
     * tests look behind row-level security, which requests are under whatever the login (see openPool).
     */
    databaseUrl: string;
    /** The same database, seen past row-level security. */
    superuserUrl: string;
    /** Where the mails of all tests are written. */
    mailDir: string;
  }
}

/**
 * Starts one PostgreSQL for the whole run of the tests and migrates it. With DATABASE_URL, whose
 * login must be a superuser, a database of its own is made on that server, and dropped at the end. Tests get the address by `inject('databaseUrl')`.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { url, superuserUrl, stop } = process.env.DATABASE_URL
    ? await ownDatabaseOn(process.env.DATABASE_URL)
    : await ownServer();
  try {
    await prepareSchema(url);
  } catch (error) {
    await stop();
    throw error;
  }
  provide('databaseUrl', url);
  provide('superuserUrl', superuserUrl);
  const mailDir = mkdtempSync(join(tmpdir(), 'commerce-mail-'));
  provide('mailDir', mailDir);
  return async () => {
    rmSync(mailDir, { recursive: true, force: true });
    await stop();
  };
}

interface TestDatabase {
  url: string;
  superuserUrl: string;
  stop: () => Promise<void>;
}

async function ownServer(): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'commerce-test-'));
  // PostgreSQL may run as another user, who must pass through.
  chmodSync(dataDir, 0o711);
  const { url, superuserUrl, stop } = await startEmbedded({ dataDir, durable: false });
  return {
    url,
    superuserUrl,
    stop: async () => {
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function ownDatabaseOn(server: string): Promise<TestDatabase> {
  const name = `commerce_test_${process.pid}_${Date.now()}`;
  const admin = async (statement: string) => {
    const client = new pg.Client(server);
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await admin(`create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, superuserUrl: url.href, stop: () => admin(`drop database ${name} with (force)`) };
}
