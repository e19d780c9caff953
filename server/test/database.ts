import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { prepareSchema } from '../src/commands/schema.ts';
import { BACKUP_MEMBERS, BACKUP_ROLE, SERVER_ROLES } from '../src/db/access.ts';
import { startEmbedded } from '../src/db/embedded.ts';
import { forgetObserved } from './observed-rows.ts';
import { PGBOUNCER, startPgBouncer } from './pgbouncer.ts';
import { forgetStatements } from './sent-statements.ts';
import { findTool, skippedWithout } from './tools.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The URLs of the migrated databases, one for each worker (worker-database.ts). Their role owns the databases and
     * is not a superuser.
     */
    databaseUrls: string[];
    /** The URLs of the same databases for a superuser, to whom row-level security does not apply. */
    superuserUrls: string[];
    /** The URL of the first database through PgBouncer in transaction mode, with TEST_POOLER=on. */
    poolerUrl: string | undefined;
    /** The folder for the mails of all tests. */
    mailDir: string;
  }
}

/** Runs once before all tests. */
export async function setup({ provide, vitest }: TestProject): Promise<() => Promise<void>> {
  forgetObserved();
  forgetStatements();
  const { urls, superuserUrls, stop } = await migratedDatabases(vitest.config.maxWorkers);
  provide('databaseUrls', urls);
  provide('superuserUrls', superuserUrls);
  const pooler = process.env.TEST_POOLER === 'on' ? await poolerBefore(urls[0] ?? '') : undefined;
  provide('poolerUrl', pooler?.url);
  const mailDir = mkdtempSync(join(tmpdir(), 'commerce-mail-'));
  provide('mailDir', mailDir);
  return async () => {
    rmSync(mailDir, { recursive: true, force: true });
    await pooler?.stop();
    await stop();
  };
}

function poolerBefore(url: string) {
  const program = findTool(PGBOUNCER);
  if (!program) throw new Error(skippedWithout(PGBOUNCER));
  return startPgBouncer(program, url);
}

/**
 * Starts PostgreSQL and creates this number of migrated databases. With DATABASE_URL (a superuser), creates them on
 * that server. `stop` drops them.
 */
export async function migratedDatabases(count: number) {
  const server = process.env.DATABASE_URL ? await serverOf(process.env.DATABASE_URL) : await ownServer();
  const { username } = new URL(server.url);
  const template = `commerce_test_${process.pid}_${Date.now()}`;
  const copies = Array.from({ length: count }, (_, i) => `${template}_${i + 1}`);
  const stop = async () => {
    for (const name of [template, ...copies]) await server.admin(`drop database if exists ${name} with (force)`);
    await server.stop();
  };
  try {
    await server.admin(`create database ${template} owner ${username}`);
    await prepareSchema(inDatabase(server.url, template));
    for (const name of copies) await server.admin(`create database ${name} template ${template} owner ${username}`);
  } catch (error) {
    await stop();
    throw error;
  }
  const urls = copies.map((name) => inDatabase(server.url, name));
  const superuserUrls = copies.map((name) => inDatabase(server.superuserUrl, name));
  return { urls, superuserUrls, stop };
}

interface DatabaseServer {
  /** The URL of the server for the role that owns the databases. */
  url: string;
  superuserUrl: string;
  /** Runs a statement as a superuser, outside of the test databases. */
  admin: (statement: string) => Promise<void>;
  stop: () => Promise<void>;
}

async function ownServer(): Promise<DatabaseServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'commerce-test-'));
  // PostgreSQL may run as another user, who must be able to open the folder.
  chmodSync(dataDir, 0o711);
  const { url, superuserUrl, stop } = await startEmbedded({ dataDir, durable: false });
  return {
    url,
    superuserUrl,
    admin: sender(superuserUrl),
    stop: async () => {
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const ALL_ROLES = [...SERVER_ROLES, BACKUP_ROLE, BACKUP_MEMBERS];
const LOGIN = 'tests_login';

/**
 * Creates the owner of the databases with the rights of a real installation: it may create roles, and is not a
 * superuser.
 */
async function serverOf(superuserUrl: string): Promise<DatabaseServer> {
  const admin = sender(superuserUrl);
  await admin(`do $$ declare known text; begin
      if not exists (select from pg_roles where rolname = '${LOGIN}') then
        create role ${LOGIN} login createrole password '${LOGIN}';
      end if;
      for known in select rolname from pg_roles where rolname = any('{${ALL_ROLES.join(',')}}') loop
        execute format('grant %I to ${LOGIN} with admin option', known);
      end loop;
    end $$`);
  const url = Object.assign(new URL(superuserUrl), { username: LOGIN, password: LOGIN }).href;
  return { url, superuserUrl, admin, stop: async () => undefined };
}

function sender(url: string): DatabaseServer['admin'] {
  return async (statement) => {
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
}

function inDatabase(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}
