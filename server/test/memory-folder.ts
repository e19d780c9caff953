import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'commerce-tests-';

/** Four times the space that a run of all tests needs. */
const ENOUGH_BYTES = 2 * 1024 ** 3;

/**
 * Creates a folder in memory for temporary files, and removes it when the process exits. Returns undefined if there
 * is not enough memory. On a disk, creating the thousand files of each new database takes a tenth of the tests' time.
 */
export function memoryFolder(): string | undefined {
  return hasRoom() ? ownFolder(MEMORY) : undefined;
}

/** Creates a folder for temporary files on the disk, and removes it when the process exits. */
export function diskFolder(): string {
  return ownFolder(tmpdir());
}

function ownFolder(parent: string): string {
  removeFoldersOfKilledRuns(parent);
  const folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  // PostgreSQL may run as another user, who must be able to open the folder.
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

function removeFoldersOfKilledRuns(parent: string): void {
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
