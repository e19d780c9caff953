import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Config, readConfig } from '../src/config.ts';
import { directoryStore } from '../src/files/directory.ts';
import { startServer, stopServer } from './server.ts';
import { databaseUrl, migratedTemplate, superuserUrl } from './worker-database.ts';

/** Creates a database without connections: empty, or migrated and without sites. */
export async function newDatabase({ migrated }: { migrated: boolean }) {
  const name = `other_${randomBytes(6).toString('hex')}`;
  const url = Object.assign(new URL(databaseUrl()), { pathname: `/${name}` });
  const template = migrated ? migratedTemplate() : 'template1';
  await send(`create database ${name} template ${template} owner ${decodeURIComponent(url.username)}`);
  return {
    url: url.href,
    ownerUrl: Object.assign(new URL(superuserUrl()), { pathname: `/${name}` }).href,
    drop: () => send(`drop database ${name} with (force)`),
  };
}

/** Starts another installation: a database without sites, its own file store and SECRET_KEY, and a server. */
export async function openOtherServer({ stripeApiUrl }: { stripeApiUrl?: string } = {}) {
  const database = await newDatabase({ migrated: true });
  const dataDir = mkdtempSync(join(tmpdir(), 'commerce-other-'));
  const secretKey = randomBytes(32).toString('base64');
  const settings = { secretKey, files: directoryStore(dataDir), stripeApiUrl };
  const server = await startServer(database.url, settings, database.ownerUrl);
  const config: Config = readConfig({
    ...{ DATABASE_URL: database.url, DATA_DIR: dataDir, SECRET_KEY: secretKey, BASE_URL: server.baseUrl },
    ...(stripeApiUrl && { STRIPE_API_URL: stripeApiUrl }),
  });
  return {
    ...server,
    dataDir,
    config,
    async close() {
      await stopServer(server);
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function send(statement: string): Promise<void> {
  const client = new pg.Client(superuserUrl());
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
