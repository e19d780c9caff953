import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Header } from '../backup/format.ts';
import { load } from '../backup/load.ts';
import { type Contents, verify } from '../backup/verify.ts';
import type { Config } from '../config.ts';
import { recordedMigrations, remedyFor, versionBeforeBaseline, withoutReplaced } from '../db/baseline.ts';
import { withClient } from '../db/client.ts';
import { MIGRATION_NAMES } from '../db/migrate.ts';
import { openStore } from '../files/open-store.ts';
import type { FileStore } from '../files/store.ts';
import { fingerprintOf } from '../secret-key.ts';
import { openDatabase } from './database.ts';
import { closeMoved, movedSites, refuseMissing } from './moved-away.ts';
import { printProgress } from './progress.ts';
import { ofFiles, ofTables, showProgress } from './progress-line.ts';
import { prepareSchema } from './schema.ts';

export interface RestoreOptions {
  otherKey: boolean;
  /** Ids of the sites that moved to another server since the backup, or only `none`. */
  moved?: string[];
}

/**
 * Restores a backup into an empty database: first the schema of its version, then all rows in one transaction and the
 * files, then newer migrations. The whole file is verified before anything is changed.
 */
export async function restore(config: Config, file: string, { otherKey, moved = [] }: RestoreOptions): Promise<void> {
  if (!existsSync(file)) throw new Error(`The file ${file} does not exist.`);
  printProgress(`Verifying ${file}.`);
  const contents = await verify(file);
  const { header: written, rows, files } = contents;
  refuseOlder(written);
  const header = { ...written, migrations: withoutReplaced(written.migrations) };
  if (header.site) throw new Error(`${file} is the export of a site. Import it with commerce-server site import.`);
  refuseNewer(header);
  if (!otherKey) refuseOtherKey(header, config.secretKey);
  const away = movedSites(moved, contents);
  const store = await openStore(config);
  // No server may be running, because it would write to the tables.
  const database = await openDatabase(config, printProgress);
  try {
    const { migrationWaitSeconds: seconds, skippedNumbers } = config;
    const wait = { onWait: printProgress, seconds, skippedNumbers };
    const connection = { connectionString: database.directUrl, application_name: 'commerce restore', keepAlive: true };
    await withClient(connection, (client) => refuseUsed(client, header));
    await prepareSchema(database.directUrl, wait, header.migrations.at(-1));
    await withClient(connection, (client) => fill(client, store, file, away));
    const { applied } = await prepareSchema(database.directUrl, wait);
    await withClient(connection, (client) => closeMoved(client, away));
    printProgress(summaryOf(database.description, { header, rows, files }, applied));
    if (!header.files)
      printProgress('It contains no files: restore the directory files of DATA_DIR, or the bucket, yourself.');
    if (away.length > 0) printProgress(`Closed, because they moved to another server: ${away.join(', ')}.`);
  } finally {
    await database.stop();
  }
}

function refuseOlder({ migrations, release }: Header): void {
  const version = versionBeforeBaseline(migrations);
  if (!version) return;
  throw new Error(
    `The backup was written by release ${release} at migration ${version}. ${remedyFor('backup')} Nothing was changed.`,
  );
}

function refuseNewer({ migrations, release }: Header): void {
  const unknown = migrations.find((name, i) => MIGRATION_NAMES[i] !== name);
  if (unknown === undefined) return;
  throw new Error(
    `The backup was written by release ${release} with the migration ${unknown}, which this release does not have. ` +
      'Restore it with that release or a newer one.',
  );
}

function refuseOtherKey({ secret_key }: Header, secretKey: string): void {
  const own = secretKey === '' ? 'none' : fingerprintOf(secretKey);
  if (secret_key === own) return;
  throw new Error(
    `The backup was written with another SECRET_KEY (fingerprint ${secret_key}, here ${own}). Set SECRET_KEY to that key, or ` +
      'put its secret.key into DATA_DIR. With --other-key it is restored anyway, but then webhook secrets cannot be ' +
      'decrypted and must be rotated, stored responses that contain a secret are not replayed for their Idempotency-Key, and ' +
      'new links to the restored checkouts do not work.',
  );
}

/**
 * Throws if another client is connected, a site exists, or the database has migrations that the backup does not have.
 * Tables without any site count as empty, because a failed restore may have left them.
 */
async function refuseUsed(client: pg.Client, { migrations }: Header): Promise<void> {
  await refuseOtherClients(client);
  const { rows } = await client.query<{ made: boolean }>(`select to_regclass('commerce.sites') is not null as made`);
  const applied = withoutReplaced(await recordedMigrations(client));
  const sites = rows[0]?.made ? await sitesIn(client) : 0;
  const empty = 'Restore into an empty database, such as a new one (create database … owner …) or a new DATA_DIR.';
  if (sites > 0)
    throw new Error(`The database is not empty: it has ${sites} ${sites === 1 ? 'site' : 'sites'}. ${empty}`);
  if (applied.some((name, i) => migrations[i] !== name)) {
    throw new Error(
      `The database has migrations that the backup does not have (its last is ${migrations.at(-1)}). ${empty}`,
    );
  }
}

async function sitesIn(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ sites: number }>('select count(*)::int as sites from commerce.sites');
  return rows[0]?.sites ?? 0;
}

/** Time for which PostgreSQL may still list a client that has just disconnected. */
const LISTED_WITHIN_MS = 3_000;

async function refuseOtherClients(client: pg.Client): Promise<void> {
  for (const deadline = Date.now() + LISTED_WITHIN_MS; ; await sleep(100)) {
    const { rows } = await client.query<{ name: string }>(
      `select coalesce(nullif(application_name, ''), 'unnamed') as name from pg_stat_activity
        where datname = current_database() and usename = session_user and pid <> pg_backend_pid()
          and backend_type = 'client backend' limit 1`,
    );
    if (rows.length === 0) return;
    if (Date.now() > deadline) {
      throw new Error(
        `Another program (${rows[0]?.name}) is connected to the database. First stop it and every server process.`,
      );
    }
  }
}

async function fill(client: pg.Client, store: FileStore, file: string, moved: string[]): Promise<void> {
  const progress = showProgress();
  try {
    await load(client, store, file, {
      onRows: (done) => progress.update(ofTables(done)),
      onFile: (done) => progress.update(ofFiles(done)),
      beforeCommit: () => refuseMissing(client, moved),
    });
    progress.update('Collecting statistics for the query planner');
    await client.query('analyze');
  } finally {
    progress.end();
  }
}

function summaryOf(description: string, { header, rows, files }: Contents, applied: string[]): string {
  const total = rows.reduce((sum, count) => sum + count, 0).toLocaleString('en');
  const later = applied.length > 0 ? ` Migrations applied to it: ${applied.join(', ')}.` : '';
  return `Restored ${total} rows of ${rows.length} tables and ${files.count} files as of ${header.made_at} into ${description}.${later}`;
}
