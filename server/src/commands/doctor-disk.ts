/** Checks the disk of DATA_DIR and the store of uploaded files. */

import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { keyOfOriginal } from '../files/keys.ts';
import { openStore } from '../files/open-store.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

const GIBIBYTE = 1024 ** 3;
/** The key of a file that does not exist. */
const NO_FILE = keyOfOriginal('00000000-0000-0000-0000-000000000000', '0'.repeat(32));
/** The disk counts as almost full if its free space is below both limits. */
const LOW = { bytes: GIBIBYTE, share: 0.05 };

export async function checkDisk({ dataDir }: Config): Promise<Finding> {
  const disk = await statfs(dataDir).catch(() => statfs(dirname(dataDir)).catch(() => undefined));
  if (!disk) return ok('disk', `${dataDir} does not exist yet`);
  const free = disk.bavail * disk.bsize;
  const found = `${(free / GIBIBYTE).toFixed(1)} GiB of ${((disk.blocks * disk.bsize) / GIBIBYTE).toFixed(1)} GiB free for ${dataDir}`;
  if (free < 2 ** 20) return wrong('disk', found, 'Free disk space: files and mails cannot be stored.');
  const low = free < LOW.bytes && disk.bavail < disk.blocks * LOW.share;
  return low ? warning('disk', found, 'Free disk space before uploads fail.') : ok('disk', found);
}

/**
 * Checks that the store can be read, by requesting a file that does not exist. For a directory, also checks that it is
 * writable.
 */
export async function checkStore({ dataDir, s3 }: Config): Promise<Finding> {
  const place = s3 ? `the bucket ${s3.bucket} at ${new URL(s3.endpoint).host}` : `${dataDir}/files`;
  try {
    await (await openStore({ dataDir, s3 })).open(NO_FILE);
    if (!s3) await access(dataDir, constants.W_OK | constants.X_OK).catch(unlessMissing);
    return ok('files', `stored in ${place}`);
  } catch (error) {
    const mend = s3
      ? 'Check S3_ENDPOINT, S3_BUCKET and the access key.'
      : 'Let the user of the server write to DATA_DIR, or set S3_ENDPOINT.';
    return wrong('files', `${place} cannot be used: ${(error as Error).message}`, mend);
  }
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
