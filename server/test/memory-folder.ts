import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'commerce-tests-';

/** Four times the peak memory that a run of all tests uses. */
const ENOUGH_BYTES = 2 * 1024 ** 3;

/**
 * Creates a folder in memory for the temporary files of this process and its children, and removes it when the process exits.
 * Returns undefined if there is not enough room. A new database is a thousand files, which on a disk take a tenth of all tests'
 * time.
 */
export function memoryFolder(): string | undefined {
  return hasRoom() ? ownFolder(MEMORY) : undefined;
}

/** Does the same as memoryFolder, but on the disk. */
export function diskFolder(): string {
  return ownFolder(tmpdir());
}

function ownFolder(parent: string): string {
  removeFoldersOfTheDead(parent);
  const folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  // PostgreSQL may run as another user, who must be able to enter.
  chmodSync(folder, 0o711);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, process.availableMemory()) >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}

/** Removes the folders of runs that were killed. */
function removeFoldersOfTheDead(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    if (pid && !isAlive(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
