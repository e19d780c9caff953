import { createHmac, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the secret key in the data directory, and generates it on first use. Only the file's owner can read it.
 * Processes that start at the same time get the same key. Throws an Error that explains what to do.
 */
export function secretKeyIn(dataDir: string): string {
  const file = fileIn(dataDir);
  try {
    const key = readOrMake(dataDir, file);
    if (key.length >= 32) return key;
  } catch (error) {
    throw new Error(
      `DATA_DIR cannot be used: ${(error as Error).message}. Set DATA_DIR to a directory that you can write to.`,
    );
  }
  throw new Error(`${file} is damaged. Restore it from a backup; without it, stored secrets cannot be decrypted.`);
}

/** Whether the data directory contains a secret key. */
export function hasSecretKey(dataDir: string): boolean {
  return existsSync(fileIn(dataDir));
}

/**
 * Returns the key that will replace the current one. Keeps it in a second file until `adoptNewKey` is called, so that
 * an interrupted change continues with the same key.
 */
export function newKeyIn(dataDir: string, given?: string): string {
  const draft = newFileIn(dataDir);
  const kept = readKey(draft);
  if (kept !== undefined && kept.length >= 32 && (given === undefined || given === kept)) return kept;
  if (kept !== undefined && given !== undefined) {
    throw new Error(
      `${draft} contains another key, from a change that was not finished. Finish it by running the command without NEW_SECRET_KEY.`,
    );
  }
  const key = given ?? randomBytes(48).toString('base64url');
  writeFileSync(draft, `${key}\n`, { mode: 0o600, flush: true });
  return key;
}

export function adoptNewKey(dataDir: string): void {
  renameSync(newFileIn(dataDir), fileIn(dataDir));
}

function newFileIn(dataDir: string): string {
  return `${fileIn(dataDir)}.new`;
}

/** Identifies a key without revealing it. */
export function fingerprintOf(secretKey: string): string {
  return createHmac('sha256', secretKey).update('fingerprint of the secret key').digest('hex').slice(0, 16);
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'secret.key');
}

function readOrMake(dataDir: string, file: string): string {
  const kept = readKey(file);
  if (kept !== undefined) return kept;

  makeDataDir(dataDir);
  // The key is written to a temporary file, which is then linked, so that nobody reads a partial key and only the first
  // of two writers succeeds.
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readKey(file) ?? '';
}

function readKey(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Creates the data directory if it does not exist. Other users may enter it but not list it: if the server runs as
 * root, the embedded database in this directory runs as another user.
 */
export function makeDataDir(dataDir: string): void {
  const made = mkdirSync(dataDir, { recursive: true });
  if (made !== undefined) chmodSync(dataDir, 0o711);
}
