import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Throws an Error with instructions if the directory of a file does not exist. */
export function refuseNoDirectory(file: string): void {
  const directory = dirname(resolve(file));
  if (existsSync(directory)) return;
  throw new Error(`The directory ${directory} does not exist. Create it, or choose another one.`);
}

/**
 * Writes a file under a temporary name, and renames it after `write` has written and verified it, so that a file with
 * the final name is always complete.
 */
export async function writeWhole<T>(file: string, write: (draft: string) => Promise<T>): Promise<T> {
  const place = resolve(file);
  const draft = `${place}.${randomBytes(4).toString('hex')}.part`;
  const removed = removeOnSignal(draft);
  try {
    const written = await write(draft);
    await rename(draft, place);
    await sync(dirname(place));
    return written;
  } finally {
    removed();
    await rm(draft, { force: true });
  }
}

/** Syncs a directory to disk, so that the new name of a file is not lost. */
async function sync(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Deletes the unfinished file if a signal ends the process. Returns a function that removes the signal handlers. */
function removeOnSignal(draft: string): () => void {
  const stop = (signal: NodeJS.Signals) => {
    void rm(draft, { force: true }).finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return () => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  };
}
