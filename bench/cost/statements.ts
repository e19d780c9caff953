import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { end } from '../processes.ts';
import { cpuOf } from './cpu.ts';
import type { Commerce } from './shop.ts';

/**
 * The cost of an empty statement, in CPU milliseconds. It shows how much of a purchase is due to the number of its statements.
 */
export interface Statements {
  /** The cost of a statement that is sent in a separate round trip. */
  alone: Each;
  /** The cost of a statement if ten such statements are sent in one round trip. */
  together: Each;
}

interface Each {
  server: number;
  postgres: number;
}

const WARM_UP_MS = 3_000;
const GROUP = 10;

export async function timeStatements({ database, postmaster }: Commerce, seconds: number): Promise<Statements> {
  process.stderr.write('  a statement that does nothing\n');
  const timed = (size: number) => timeEach(database.url, postmaster, size, seconds);
  return { alone: await timed(1), together: await timed(GROUP) };
}

async function timeEach(url: string, postmaster: number, size: number, seconds: number): Promise<Each> {
  const loop = spawn(process.execPath, [join(import.meta.dirname, 'statement-loop.ts'), url, String(size)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const sent = counterOf(loop);
    await sleep(WARM_UP_MS);
    const now = () => ({ sent: sent(), server: cpuOf(loop.pid ?? 0), postgres: cpuOf(postmaster) });
    const before = now();
    await sleep(seconds * 1_000);
    const after = now();
    const statements = after.sent - before.sent;
    return {
      server: (after.server - before.server) / statements,
      postgres: (after.postgres - before.postgres) / statements,
    };
  } finally {
    await end(loop);
  }
}

function counterOf({ stdout }: ChildProcess): () => number {
  let sent = 0;
  if (stdout) createInterface(stdout).on('line', (line) => (sent = Number(line)));
  return () => sent;
}
