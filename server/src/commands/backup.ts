import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import manifest from '../../package.json' with { type: 'json' };
import { dump } from '../backup/dump.ts';
import { type Contents, verify } from '../backup/verify.ts';
import type { Config } from '../config.ts';
import { BACKUP_ROLE } from '../db/access.ts';
import { withClient } from '../db/client.ts';
import { mendAccess } from '../db/mend-access.ts';
import { ensureRoles, mayBackUp, RolesMissing } from '../db/roles.ts';
import { fingerprintOf } from '../secret-key.ts';
import { shareDatabase } from './database.ts';
import { printProgress } from './progress.ts';
import { ofTables, showProgress } from './progress-line.ts';

/**
 * Writes the whole database to a file: first under a temporary name, where it is synced to disk and read back, and only then
 * renamed. So a file of that name is a complete backup, whatever happens meanwhile.
 */
export async function backup(config: Config, file: string): Promise<void> {
  const place = resolve(file);
  if (!existsSync(dirname(place)))
    throw new Error(`The directory ${dirname(place)} does not exist. Create it, or choose another place.`);
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'postgres'))) {
    throw new Error(`There is no database in ${config.dataDir}. Set DATA_DIR to its directory, or set DATABASE_URL.`);
  }
  const database = await shareDatabase(config, printProgress);
  const draft = `${place}.${randomBytes(4).toString('hex')}.part`;
  const removed = removeOnSignal(draft);
  try {
    printProgress(`Backing up ${database.description}.`);
    await write(database.directUrl, draft, config);
    const contents = await verify(draft);
    await rename(draft, place);
    await sync(dirname(place));
    printProgress(await summaryOf(file, contents));
  } finally {
    removed();
    await rm(draft, { force: true });
    await database.stop();
  }
}

async function write(url: string, draft: string, { secretKey }: Config): Promise<void> {
  const connection = { connectionString: url, application_name: 'commerce backup', keepAlive: true };
  await withClient(connection, async (client) => {
    const progress = showProgress();
    try {
      await openToBackups(client);
      const about = { release: manifest.version, secret_key: fingerprintOf(secretKey) };
      const source = dump(client, about, (done) => progress.update(ofTables(done)));
      // It holds every customer and every order, so only its owner may read it.
      await pipeline(source, createGzip(), createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
    } finally {
      progress.end();
    }
  });
}

/** A database that was last migrated by a release without backups has no role for them yet. */
async function openToBackups(client: pg.Client): Promise<void> {
  const may = (await mayBackUp(client)) || ((await createRoles(client)) && (await mayBackUp(client)));
  if (!may) {
    throw new Error(
      `This login may not act as ${BACKUP_ROLE}, the role that can read every row. Run commerce-server doctor to see how to fix that.`,
    );
  }
  // A login that is only for backups may grant nothing; `dump` then reports the tables that it cannot read.
  await mendAccess(client, BACKUP_ROLE).catch(unlessForbidden);
}

async function createRoles(client: pg.Client): Promise<boolean> {
  try {
    await ensureRoles(client);
    return true;
  } catch (error) {
    if (error instanceof RolesMissing) return false;
    throw error;
  }
}

function unlessForbidden(error: { code?: string }): void {
  if (error.code !== '42501') throw error;
}

async function summaryOf(file: string, { header, rows }: Contents): Promise<string> {
  const total = rows.reduce((sum, count) => sum + count, 0);
  const megabytes = ((await stat(file)).size / 1e6).toFixed(1);
  return (
    `${file}: ${total.toLocaleString('en')} rows of ${rows.length} tables as of ${header.made_at}, ${megabytes} MB, verified. ` +
    `It does not contain SECRET_KEY: back that up separately (fingerprint ${header.secret_key}).`
  );
}

/** Syncs a directory, so that the new name of a file is on disk. */
async function sync(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Removes the unfinished file if a signal ends the process. Returns a function that stops listening for signals. */
function removeOnSignal(draft: string): () => void {
  const stop = (signal: NodeJS.Signals) => {
    void rm(draft, { force: true }).finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return () => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  };
}
