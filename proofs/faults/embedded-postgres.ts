import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the process id of the embedded PostgreSQL in a data directory. */
export function postmasterOf(dataDir: string): number {
  const [pid = ''] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  if (!(Number(pid) > 1)) throw new Error(`postmaster.pid begins with "${pid}".`);
  return Number(pid);
}
