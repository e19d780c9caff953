import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The URL of the embedded database that a running server uses in this data directory, for commands. Throws if its files
 * cannot be read.
 */
export function runningEmbeddedUrl(dataDir: string): string {
  const directory = join(dataDir, 'postgres');
  const password = readFileSync(join(directory, 'commerce.password'), 'utf8').trim();
  const port = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[3];
  return `postgres://commerce:${password}@127.0.0.1:${port}/commerce?sslmode=disable`;
}
