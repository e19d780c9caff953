import { createWriteStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import manifest from '../../package.json' with { type: 'json' };
import { dump } from '../backup/dump.ts';
import type { FileProgress } from '../backup/files.ts';
import { type Contents, verify } from '../backup/verify.ts';
import type { Config } from '../config.ts';
import { BACKUP_ROLE } from '../db/access.ts';
import { withClient } from '../db/client.ts';
import { mendAccess } from '../db/mend-access.ts';
import { ensureRoles, mayBackUp, RolesMissing } from '../db/roles.ts';
import { openStore } from '../files/open-store.ts';
import { fingerprintOf } from '../secret-key.ts';
import { shareDatabase } from './database.ts';
import { printProgress } from './progress.ts';
import { ofFiles, ofTables, showProgress } from './progress-line.ts';
import { refuseNoDirectory, writeWhole } from './whole-file.ts';

export interface BackupOptions {
  /** Whether to include the stored files; false with --without-files, for a file store that has its own backup. */
  files: boolean;
}

/**
 * Writes the whole database and, unless `files` is false, the stored files to a file. The file is verified before it
 * gets its name.
 */
export async function backup(config: Config, file: string, { files }: BackupOptions = { files: true }): Promise<void> {
  refuseNoDirectory(file);
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'postgres'))) {
    throw new Error(`There is no database in ${config.dataDir}. Set DATA_DIR to its directory, or set DATABASE_URL.`);
  }
  const database = await shareDatabase(config, printProgress);
  try {
    printProgress(`Backing up ${database.description}.`);
    const { contents, missing } = await writeWhole(file, async (draft) => ({
      missing: await write(database.directUrl, draft, config, files),
      contents: await verify(draft),
    }));
    printProgress(await summaryOf(file, contents));
    if (missing > 0) printProgress(`${missing} files of the database were missing in the file store.`);
  } finally {
    await database.stop();
  }
}

/** Writes the backup. Returns the number of files that were missing in the store. */
async function write(url: string, draft: string, config: Config, withFiles: boolean): Promise<number> {
  const connection = { connectionString: url, application_name: 'commerce backup', keepAlive: true };
  let missing = 0;
  await withClient(connection, async (client) => {
    const progress = showProgress();
    const files = withFiles && {
      store: await openStore(config),
      onFile: (done: FileProgress) => progress.update(ofFiles(done)),
      onMissing: (count: number) => {
        missing = count;
      },
    };
    try {
      await withClient({ ...connection, pipeline: true }, openToBackups);
      const about = { release: manifest.version, secret_key: fingerprintOf(config.secretKey) };
      const source = dump(client, about, (done) => progress.update(ofTables(done)), files || undefined);
      // The file contains all customers and orders, so only its owner may read it.
      await pipeline(source, createGzip(), createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
    } finally {
      progress.end();
    }
  });
  return missing;
}

/**
 * Lets the login act as the backup role. The role does not exist yet if the database was last migrated by a release
 * without backups.
 */
async function openToBackups(client: pg.Client): Promise<void> {
  const may = (await mayBackUp(client)) || ((await createRoles(client)) && (await mayBackUp(client)));
  if (!may) {
    throw new Error(
      `This login may not act as ${BACKUP_ROLE}, the role that can read every row. Run commerce-server doctor for instructions.`,
    );
  }
  // A login that is only for backups may not grant rights; `dump` then reports the tables that it cannot read.
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

async function summaryOf(file: string, { header, rows, files }: Contents): Promise<string> {
  const total = rows.reduce((sum, count) => sum + count, 0);
  const megabytes = ((await stat(file)).size / 1e6).toFixed(1);
  return (
    `${file}: ${total.toLocaleString('en')} rows of ${rows.length} tables as of ${header.made_at}, ` +
    `${header.files ? `${files.count.toLocaleString('en')} files` : 'no files'}, ${megabytes} MB, verified. ` +
    `It does not contain SECRET_KEY: back that up separately (fingerprint ${header.secret_key}).`
  );
}
