/**
 * The profile of a project. The nearest `.commerce.json`, in the current folder or above it, contains its name and no
 * secrets.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { usageError } from './errors.ts';
import type { Terminal } from './terminal.ts';

const FILE = '.commerce.json';

interface FolderProfile {
  /** The path of the file. */
  path: string;
  profile: string;
}

/**
 * Reads the nearest file, from the current folder upwards; undefined without one. Throws a usage error if it is
 * invalid.
 */
export function folderProfile({ cwd }: Pick<Terminal, 'cwd'>): FolderProfile | undefined {
  for (let folder = cwd(); ; folder = dirname(folder)) {
    const path = join(folder, FILE);
    const text = readIfExists(path);
    if (text !== undefined) return { path, profile: profileIn(text, path) };
    if (folder === dirname(folder)) return undefined;
  }
}

/** Writes the file into the current folder, and returns its path. */
export function saveFolderProfile({ cwd }: Pick<Terminal, 'cwd'>, profile: string): string {
  const path = join(cwd(), FILE);
  writeFileSync(path, `${JSON.stringify({ profile })}\n`);
  return path;
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // Skips a file that the user may not read, and a folder of that name.
    if (['ENOENT', 'EACCES', 'EISDIR'].includes((error as { code?: string }).code ?? '')) return undefined;
    throw error;
  }
}

function profileIn(text: string, path: string): string {
  try {
    const { profile } = JSON.parse(text) as { profile?: unknown };
    if (typeof profile === 'string' && profile !== '') return profile;
  } catch {
    // The error below reports the invalid JSON.
  }
  throw usageError(`${path} names no profile.`, 'Write it again: commerce use PROFILE');
}
