import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Measures the CPU time in milliseconds that the processes of the embedded PostgreSQL in this directory use during
 * `work`. Excludes processes that end meanwhile.
 */
export async function cpuDuring(directory: string, work: () => Promise<unknown>): Promise<number> {
  const before = usedCpu(directory);
  await work();
  return [...usedCpu(directory)].reduce((sum, [pid, used]) => sum + used - (before.get(pid) ?? 0), 0);
}

/** Returns the CPU time in milliseconds that each running process has used. */
function usedCpu(directory: string): Map<string, number> {
  const [postmaster = ''] = readFileSync(join(directory, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
  return new Map(
    children.flatMap((pid) => {
      try {
        return [[pid, Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6]];
      } catch {
        // The process has ended since it was listed.
        return [];
      }
    }),
  );
}
