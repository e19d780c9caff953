import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../server/src/db/free-port.ts';
import { type Load, median, round } from './load.ts';
import { failed, ready, residentMegabytes, type Site } from './processes.ts';
import { report, table } from './report.ts';

const LATER_STARTS = 3;
const IDLE_MS = 5_000;

/**
 * Measures `npm start` on an empty data directory, and again on the same one: the time until it is ready, and its
 * memory when idle and after load.
 */
export async function starting({ seconds, connections }: Load): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'commerce-bench-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  try {
    const first = await start(dataDir, port);
    await stopAll(first.npm);
    const later: number[] = [];
    for (let count = 1; count < LATER_STARTS; count += 1) {
      const again = await start(dataDir, port);
      later.push(again.seconds);
      await stopAll(again.npm);
    }

    const last = await start(dataDir, port);
    later.push(last.seconds);
    await sleep(IDLE_MS);
    const server = serverAmong(descendants(last.npm));
    const idle = residentMegabytes(server);
    const demo = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Site;
    const headers = { 'X-Site-ID': demo.site_id, 'X-Service-Token': demo.storefront_token };
    for (const path of ['/api/storefront/products?limit=20', '/api/storefront/products?limit=20&q=lamp']) {
      await round({ url: url + path, headers }, 2 * seconds, connections);
    }
    const loaded = residentMegabytes(server);
    await sleep(IDLE_MS);
    const after = residentMegabytes(server);
    await stopAll(last.npm);
    await report('process', undefined, [
      ...table(
        ['`npm start`', ''],
        [
          ['first start to ready (database made, migrated, demo shop seeded), s', first.seconds.toFixed(2)],
          [`later start to ready, median of ${later.length}, s`, median(later).toFixed(2)],
          ['server RSS idle, MB', megabytes(idle)],
          ['server RSS at the end of the load, MB', megabytes(loaded)],
          [`server RSS ${IDLE_MS / 1000} s later, MB`, megabytes(after)],
        ],
      ),
    ]);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function start(dataDir: string, port: number): Promise<{ npm: ChildProcess; seconds: number }> {
  const { PATH, HOME } = process.env;
  const began = performance.now();
  const npm = spawn('npm', ['start'], {
    cwd: join(import.meta.dirname, '..'),
    env: { PATH, HOME, DATA_DIR: dataDir, PORT: String(port), RATE_LIMITS: 'off' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await Promise.race([ready(`http://127.0.0.1:${port}`), failed(npm, 'npm start')]);
  return { npm, seconds: (performance.now() - began) / 1000 };
}

interface Descendant {
  pid: number;
  command: string;
}

/** Returns the descendants of a process. */
function descendants({ pid: root }: ChildProcess): Descendant[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const all = lines.flatMap((line) => {
    const [, pid, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid ? [{ pid: Number(pid), parent: Number(parent), command }] : [];
  });
  const below = (pid: number | undefined): Descendant[] =>
    all.filter(({ parent }) => parent === pid).flatMap((child) => [child, ...below(child.pid)]);
  return below(root);
}

/**
 * The process id of the server: the last process below npm that runs our command. npm, a shell and an older Node may
 * precede it in the list.
 */
function serverAmong(processes: Descendant[]): number | undefined {
  return processes.findLast(({ command }) => /commerce-server|main\.ts/.test(command) && !/^(sh|npm)\b/.test(command))
    ?.pid;
}

async function stopAll(npm: ChildProcess): Promise<void> {
  const ended = once(npm, 'exit');
  const server = serverAmong(descendants(npm));
  if (server) process.kill(server, 'SIGTERM');
  await ended;
}

function megabytes(value: number | undefined): string {
  return value === undefined ? '?' : value.toFixed(0);
}
