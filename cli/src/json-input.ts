import { readFile } from 'node:fs/promises';
import { usageError } from './errors.ts';
import type { Terminal } from './terminal.ts';

/** Parses the JSON in a file, or from standard input for "-". */
export async function readJson(path: string, { stdin }: Terminal): Promise<unknown> {
  const text = path === '-' ? Buffer.concat(await stdin.toArray()).toString() : await readFile(path, 'utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw usageError(`${path === '-' ? 'The input' : path} is not JSON.`);
  }
}
