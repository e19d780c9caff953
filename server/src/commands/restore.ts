import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Header } from '../backup/format.ts';
import { load } from '../backup/load.ts';
import { type Contents, verify } from '../backup/verify.ts';
import type { Config } from '../config.ts';
import { MIGRATION_NAMES } from '../db/migrate.ts';
import { fingerprintOf } from '../secret-key.ts';
import { openDatabase } from './database.ts';
import { printProgress } from './progress.ts';
import { ofTables, showProgress } from './progress-line.ts';
import { prepareSchema } from './schema.ts';

export interface RestoreOptions {
  otherKey: boolean;
}

/**
 * Loads a backup into an empty database: the schema of its version first, then all rows in one transaction, then the
 * migrations that came since. The file is read to its end before anything is changed.
 */
export async function restore(config: Config, file: string, { otherKey }: RestoreOptions): Promise<void> {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  printProgress(`Reading ${file} to its end.`);
  const { header, rows } = await verify(file);
  refuseNewer(header);
  if (!otherKey) refuseOtherKey(header, config.secretKey);
  // Not beside a running server: it would sell into the tables that are being filled.
  const database = await openDatabase(config, printProgress);
  try {
    const wait = { onWait: printProgress, seconds: config.migrationWaitSeconds };
    await withClient(database.directUrl, (client) => refuseUsed(client, header));
    await prepareSchema(database.directUrl, wait, header.migrations.at(-1));
    await withClient(database.directUrl, (client) => fill(client, file));
    const { applied } = await prepareSchema(database.directUrl, wait);
    printProgress(summaryOf(database.description, header, rows, applied));
  } finally {
    await database.stop();
  }
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'commerce restore', keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function refuseNewer({ migrations, release }: Header): void {
  const unknown = migrations.find((name, i) => MIGRATION_NAMES[i] !== name);
  if (unknown === undefined) return;
  throw new Error(
    `The backup was made by release ${release} with the migration ${unknown}, which this release does not have. ` +
      'Restore it with that release or a newer one.',
  );
}

function refuseOtherKey({ secret_key }: Header, secretKey: string): void {
  const own = secretKey === '' ? 'none' : fingerprintOf(secretKey);
  if (secret_key === own) return;
  throw new Error(
    `The backup was made under another SECRET_KEY (fingerprint ${secret_key}, here ${own}). Set SECRET_KEY to that one, or ` +
      'put its secret.key into DATA_DIR. With --other-key it is restored all the same: then the secrets of webhooks do not ' +
      'open and must be rotated, answers with a secret are not replayed under their Idempotency-Key, and links to checkouts ' +
      'that are shown from then on lead nowhere.',
  );
}

/** Tables without a site are empty enough: of a restore that failed, say. */
async function refuseUsed(client: pg.Client, { migrations }: Header): Promise<void> {
  await refuseCompany(client);
  const { rows } = await client.query<{ made: boolean; migrated: boolean }>(
    `select to_regclass('commerce.sites') is not null as made,
      to_regclass('public.commerce_migrations') is not null as migrated`,
  );
  const applied = rows[0]?.migrated ? await appliedTo(client) : [];
  const sites = rows[0]?.made ? await sitesIn(client) : 0;
  const empty = 'Restore into an empty database, such as a new one (create database … owner …) or a new DATA_DIR.';
  if (sites > 0) throw new Error(`The database is in use: it holds ${sites} sites. ${empty}`);
  if (applied.some((name, i) => migrations[i] !== name)) {
    throw new Error(`The database was migrated further than the backup (${migrations.at(-1)}). ${empty}`);
  }
}

async function appliedTo(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from public.commerce_migrations order by id');
  return rows.map(({ name }) => name);
}

async function sitesIn(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ sites: number }>('select count(*)::int as sites from commerce.sites');
  return rows[0]?.sites ?? 0;
}

const LEAVE_WITHIN_MS = 3_000;

async function refuseCompany(client: pg.Client): Promise<void> {
  for (const deadline = Date.now() + LEAVE_WITHIN_MS; ; await sleep(100)) {
    const { rows } = await client.query<{ name: string }>(
      `select coalesce(nullif(application_name, ''), 'unnamed') as name from pg_stat_activity
        where datname = current_database() and usename = session_user and pid <> pg_backend_pid()
          and backend_type = 'client backend' limit 1`,
    );
    if (rows.length === 0) return;
    if (Date.now() > deadline) {
      throw new Error(
        `Another program (${rows[0]?.name}) is connected to the database. Stop it, and the server, first.`,
      );
    }
  }
}

async function fill(client: pg.Client, file: string): Promise<void> {
  const progress = showProgress();
  try {
    await load(client, file, (done) => progress.update(ofTables(done)));
    progress.update('Counting what there is, for the planner of queries');
    await client.query('analyze');
  } finally {
    progress.end();
  }
}

function summaryOf(description: string, { made_at }: Header, rows: Contents['rows'], applied: string[]): string {
  const total = rows.reduce((sum, count) => sum + count, 0).toLocaleString('en');
  const later = applied.length > 0 ? ` Applied since: ${applied.join(', ')}.` : '';
  return `Restored ${total} rows of ${rows.length} tables as of ${made_at} into ${description}.${later}`;
}
