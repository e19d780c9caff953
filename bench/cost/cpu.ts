/**
 * Reads CPU time from /proc. Unlike requests per second, CPU time hardly depends on other load on the machine, so it is
 * the figure to compare. Linux only.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const TICKS_PER_SECOND = 100;

interface Process {
  pid: number;
  parent: number;
  /** The ticks of the process itself. */
  own: number;
  /** The ticks of the process's children that have ended. */
  children: number;
}

function processOf(pid: string): Process[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The fields follow the last bracket, because the process name before it may contain spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const at = (index: number) => Number(fields[index]);
    return [{ pid: Number(pid), parent: at(1), own: at(11) + at(12), children: at(13) + at(14) }];
  } catch {
    return [];
  }
}

/** Returns the CPU milliseconds that a process and its descendants, including ended ones, have used so far. */
export function cpuOf(root: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(processOf);
  const belongs = new Set([root]);
  for (let before = 0; before < belongs.size; ) {
    before = belongs.size;
    for (const { pid, parent } of all) if (belongs.has(parent)) belongs.add(pid);
  }
  const ticks = all.filter(({ pid }) => belongs.has(pid)).reduce((sum, { own, children }) => sum + own + children, 0);
  return (ticks / TICKS_PER_SECOND) * 1000;
}

/** Returns the process id of PostgreSQL's main process, which must run on this machine. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const [backend] = processOf(String(rows[0]?.pid));
    const name = backend && readFileSync(`/proc/${backend.parent}/comm`, 'utf8').trim();
    if (!backend || name !== 'postgres') throw new Error('CPU time can only be read of a PostgreSQL on this machine.');
    return backend.parent;
  } finally {
    await client.end();
  }
}

const SETTLED_SHARE = 0.02;
const SETTLE_WITHIN_MS = 20_000;

/** Waits, for at most 20 s, until PostgreSQL has finished the work that follows many writes, such as vacuum. */
export async function settled(root: number): Promise<void> {
  const until = Date.now() + SETTLE_WITHIN_MS;
  while (Date.now() < until) {
    const before = cpuOf(root);
    await sleep(1_000);
    if (cpuOf(root) - before < SETTLED_SHARE * 1000) return;
  }
}
