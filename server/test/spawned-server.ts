import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { freePort } from '../src/db/free-port.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const READY_WITHIN_MS = 60_000;

/** A process of the server, which ends with the test. */
export interface SpawnedServer {
  process: ChildProcess;
  baseUrl: string;
  /** The standard output and standard error of the server so far. */
  output(): string;
  /** Resolves with the exit code. */
  ended: Promise<number | null>;
  /** Stops it with SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `commerce-server start` without waiting until it is ready. `main` is the main file of another checkout. */
export async function spawnServer(
  env: Record<string, string>,
  { main = MAIN, args = [] as string[] } = {},
): Promise<SpawnedServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'commerce-server-'));
  const port = env.PORT ?? String(await freePort());
  // Compiling would take most of a start, so the processes share the compile cache of the tests.
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [main, 'start', ...args], {
    cwd: dataDir,
    env: { PATH, NODE_COMPILE_CACHE, PORT: port, DATA_DIR: dataDir, RATE_LIMITS: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const append = (text: Buffer) => {
    output += text;
  };
  child.stdout.on('data', append);
  child.stderr.on('data', append);
  const closed = once(child, 'close');
  const ended = once(child, 'exit').then(async ([code]) => {
    // The last output may arrive after the exit. Children of a killed server keep its output open.
    await Promise.race([closed, sleep(1_000)]);
    return code as number | null;
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
    await rm(dataDir, { recursive: true, force: true });
  });
  return {
    process: child,
    baseUrl: `http://127.0.0.1:${port}`,
    output: () => output,
    ended,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/**
 * Starts `commerce-server start` and waits until it is ready. If the server ends instead, throws an Error with its
 * output.
 */
export async function startSpawned(...given: Parameters<typeof spawnServer>): Promise<SpawnedServer> {
  const server = await spawnServer(...given);
  for (const end = Date.now() + READY_WITHIN_MS; Date.now() < end; await sleep(50)) {
    if (server.process.exitCode !== null) throw new Error(`The server did not start: ${server.output()}`);
    if ((await fetch(`${server.baseUrl}/readyz`).catch(() => undefined))?.ok) return server;
  }
  throw new Error(`The server is not ready: ${server.output()}`);
}
