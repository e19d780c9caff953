import { type ChildProcess, execFile, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../server/src/db/free-port.ts';
import type { Sent } from './count-statements.ts';

/** A server process of the bench. Each measured server has its own process. */
export interface Running {
  url: string;
  process: ChildProcess;
}

export const ROOT = join(import.meta.dirname, '..');
const SERVER = 'server/src/main.ts';
export const CLI = join(ROOT, 'cli/bin/commerce.js');

const started = new Set<ChildProcess>();

/** Makes a process end when the bench is stopped. */
export function endWithBench(child: ChildProcess): ChildProcess {
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

export async function endAll(): Promise<void> {
  await Promise.all([...started].map(end));
}

/** Reports the server's port to the parent process, once it listens. */
export function announce(server: Server): void {
  server.once('listening', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}

/** Starts a server from a file of this folder, and waits until it announces its port. */
export async function startFile(file: string, args: string[] = []): Promise<Running> {
  const child = endWithBench(fork(join(import.meta.dirname, file), args));
  const [{ port }] = (await Promise.race([once(child, 'message'), failed(child, file)])) as [{ port: number }];
  return { url: `http://127.0.0.1:${port}`, process: child };
}

export interface CommerceOptions {
  databaseUrl: string;
  dataDir: string;
  env?: NodeJS.ProcessEnv;
  /** The server's port; a free one when absent. */
  port?: number;
  /** Counts the statements that the server sends, for `sentBy`. */
  counted?: boolean;
  /** The checkout that the server belongs to. */
  root?: string;
}

/** Starts a server that does not run jobs. */
export function startApi({ url, dataDir }: { url: string; dataDir: string }, counted = false): Promise<Running> {
  return startCommerce({ databaseUrl: url, dataDir, counted, env: { ROLE: 'api' } });
}

/**
 * Starts the commerce server with its log discarded, on a free port unless one is given. Rate limits are off, because
 * they would block a load from one IP address after 600 requests.
 */
export async function startCommerce(options: CommerceOptions): Promise<Running> {
  const { databaseUrl, dataDir, env, counted, root = ROOT } = options;
  const port = options.port ?? (await freePort());
  const counter = counted ? ['--import', join(root, COUNTER)] : [];
  const child = spawn(process.execPath, [...counter, join(root, SERVER), 'start'], {
    env: { ...settings(databaseUrl, dataDir), PORT: String(port), RATE_LIMITS: 'off', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  endWithBench(child);
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([ready(url), failed(child, 'The server')]);
  return { url, process: child };
}

/**
 * The file that counts statements. It must be from the checkout of the server, because it counts in that checkout's
 * `pg`.
 */
export const COUNTER = 'bench/count-statements.ts';

/** Asks a counted server for the numbers of statements and round trips that it has sent to its database so far. */
export async function sentBy({ process: child }: Running): Promise<Sent> {
  child.send('count');
  const [sent] = (await once(child, 'message')) as [Sent];
  return sent;
}

export interface Site {
  site_id: string;
  storefront_token: string;
  api_key: string;
  sync_secret: string;
}

/** A site that the bench created, and the login of its owner. */
export interface OwnedSite extends Site {
  staff: { email: string; password: string };
}

/** Creates a site by `commerce-server site create`. */
export async function createSite(
  databaseUrl: string,
  dataDir: string,
  currency: string,
  root = ROOT,
): Promise<OwnedSite> {
  const args = ['site', 'create', '--name', 'Bench', '--currency', currency];
  return JSON.parse(await runCommand(args, { databaseUrl, dataDir, root })) as OwnedSite;
}

export async function migrate(databaseUrl: string, dataDir: string, root = ROOT): Promise<void> {
  await runCommand(['migrate'], { databaseUrl, dataDir, root });
}

/** Runs a command of `commerce-server` and returns its output. */
export async function runCommand(
  args: string[],
  { databaseUrl, dataDir, env, root = ROOT }: CommerceOptions,
): Promise<string> {
  const command = [join(root, SERVER), ...args];
  const options = { env: { ...settings(databaseUrl, dataDir), ...env }, maxBuffer: 64 * 2 ** 20 };
  return (await promisify(execFile)(process.execPath, command, options)).stdout;
}

function settings(databaseUrl: string, dataDir: string): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, DATABASE_URL: databaseUrl, DATA_DIR: dataDir };
}

const READY_WITHIN_MS = 60_000;

/** Resolves when the server is ready for requests. Throws after a minute. */
export async function ready(url: string): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  while (Date.now() < until) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(20);
  }
  throw new Error(`${url} was not ready within ${READY_WITHIN_MS / 1000} s.`);
}

/** Rejects when a process ends, so that waiting for its readiness stops. */
export async function failed(child: ChildProcess, name: string): Promise<never> {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`${name} ended with ${code ?? signal} before it was ready.`);
}

export async function stop(...running: (Running | undefined)[]): Promise<void> {
  await Promise.all(running.map((one) => one && end(one.process)));
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/**
 * Returns the resident memory of a process in MB; undefined if it has ended. Reads /proc if it exists, because `ps`
 * would take CPU time from the measurement.
 */
export function residentMegabytes(pid: number | undefined): number | undefined {
  try {
    if (existsSync('/proc/self/status')) {
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
    }
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
  } catch {
    return undefined;
  }
}
