import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/src/db/free-port.ts';
import { median } from '../load.ts';
import { end, failed, ROOT, type Running, ready, residentMegabytes } from '../processes.ts';
import { type Bare, startBare } from './bare-server.ts';
import { cpuOf } from './cpu.ts';
import type { Commerce } from './shop.ts';

/** The figures of a start with a migrated database. A start ends with the first 200 of /readyz. */
export interface Start {
  seconds: number;
  /** The CPU time of the start, in seconds. */
  cpu: number;
  /** The resident memory, in MB, a while after the start. */
  rss: number;
}

export type Starts = Record<'bare' | 'api' | 'all', Start>;

type Starting = (env: NodeJS.ProcessEnv) => Promise<Running>;

const STARTS = 5;
const REST_MS = 5_000;

export function compareStarts(commerce: Commerce, bare: Bare): Promise<Starts> {
  return timeStarts({
    bare: (env) => startBare(bare.database.url, env),
    api: (env) => installed(commerce, { ...env, ROLE: 'api' }),
    all: (env) => installed(commerce, env),
  });
}

/**
 * Measures starts. All servers keep compiled code from one start to the next, as an installation does, so the first
 * start is not counted.
 */
export async function timeStarts<Name extends string>(servers: Record<Name, Starting>): Promise<Record<Name, Start>> {
  process.stderr.write('  start\n');
  const compiled = await mkdtemp(join(tmpdir(), 'commerce-bench-compiled-'));
  const names = Object.keys(servers) as Name[];
  const starts = Object.fromEntries(names.map((name) => [name, [] as Start[]])) as Record<Name, Start[]>;
  try {
    for (let count = 0; count <= STARTS; count += 1) {
      for (const name of names) {
        const one = await timed(() => servers[name]({ NODE_COMPILE_CACHE: join(compiled, name) }));
        if (count > 0) starts[name].push(one);
      }
    }
  } finally {
    await rm(compiled, { recursive: true, force: true });
  }
  return Object.fromEntries(names.map((name) => [name, medianOf(starts[name])])) as Record<Name, Start>;
}

async function timed(start: () => Promise<Running>): Promise<Start> {
  const began = performance.now();
  const { process: child } = await start();
  const seconds = (performance.now() - began) / 1000;
  const cpu = cpuOf(child.pid ?? 0) / 1000;
  await sleep(REST_MS);
  const rss = residentMegabytes(child.pid) ?? Number.NaN;
  await end(child);
  return { seconds, cpu, rss };
}

/** Starts the server by its command, as an installation does. */
export async function installed({ database, root = ROOT }: Commerce, env: NodeJS.ProcessEnv): Promise<Running> {
  const port = await freePort();
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [join(root, 'server/bin/commerce-server.js'), 'start'], {
    env: {
      ...{ PATH, HOME, PORT: String(port), RATE_LIMITS: 'off' },
      ...{ DATABASE_URL: database.url, DATA_DIR: database.dataDir },
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([ready(url), failed(child, 'The server')]);
  return { url, process: child };
}

function medianOf(starts: Start[]): Start {
  const of = (field: keyof Start) => median(starts.map((start) => start[field]));
  return { seconds: of('seconds'), cpu: of('cpu'), rss: of('rss') };
}
