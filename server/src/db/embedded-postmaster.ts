import { execFile, execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Account, Binaries } from './embedded-binaries.ts';
import { type Cluster, plainEnv } from './embedded-cluster.ts';
import { freePort } from './free-port.ts';

/** What is needed to run the postmaster, PostgreSQL's main process, of one cluster. */
export interface PostmasterDeps {
  cluster: Cluster;
  binaries: Binaries;
  account: Account | undefined;
  /** Where PostgreSQL logs. */
  logFile: string;
  /** False gives up crash safety for speed; for tests only. */
  durable: boolean;
  onProgress: (sentence: string) => void;
  /** Called when PostgreSQL was started but does not answer yet. */
  onSpawn: () => void;
}

export interface Running {
  port: number;
  /** Whether the postmaster was already running; false if we started it. */
  reused: boolean;
}

const READY_WITHIN_MS = 60_000;
const POLL_MS = 20;

/**
 * A postmaster of this cluster that answers: one that a killed server left running, or a new one on `port` (any free
 * port if undefined). Waits while one recovers or shuts down. Throws an Error with the end of the log if none starts.
 */
export async function runningPostmaster(deps: PostmasterDeps, port?: number): Promise<Running> {
  const deadline = Date.now() + READY_WITHIN_MS;
  let waited = false;
  for (;;) {
    const found = lockOf(deps.cluster.directory);
    const state = found ? await stateOf(deps.cluster, found) : 'gone';
    if (found && state === 'answers') return { port: found.port, reused: true };
    if (found && state === 'foreign') disownLock(deps.cluster.directory);
    if (state !== 'busy') {
      const chosen = port ?? (await freePort());
      if ((await start(deps, chosen, deadline)) === 'answers') return { port: chosen, reused: false };
    } else if (!waited) {
      waited = true;
      deps.onProgress('Waiting for PostgreSQL to recover or to shut down');
    }
    if (Date.now() > deadline) {
      throw new Error(`PostgreSQL did not start. The end of ${deps.logFile}:\n${endOf(deps.logFile)}`);
    }
    await sleep(5 * POLL_MS);
  }
}

/**
 * Stops the postmaster. Open transactions are rolled back; committed ones are on disk. Another server may start the
 * next postmaster as soon as this one has ended, and `pg_ctl stop --wait` would mistake that one for this one.
 */
export async function stopPostmaster({ cluster, binaries, account }: PostmasterDeps): Promise<void> {
  const lock = lockOf(cluster.directory);
  if (!lock) return;
  const stop = (mode: string) =>
    promisify(execFile)(binaries.pg_ctl, ['stop', '-D', cluster.directory, '-m', mode, '-W'], {
      ...account,
      env: plainEnv(),
      windowsHide: true,
    });
  // An immediate stop is safe too, but it makes the next start slower, because the log must be replayed.
  for (const [mode, seconds] of [['fast', 15] as const, ['immediate', 5] as const]) {
    // This fails if the postmaster has ended meanwhile.
    const failure = await stop(mode).then(
      () => undefined,
      (error: Error) => error,
    );
    if (await hasGone(cluster.directory, lock.pid, failure ? 0 : seconds)) return;
    if (failure && mode === 'immediate') throw failure;
  }
  throw new Error(`PostgreSQL (process ${lock.pid}) does not stop.`);
}

async function hasGone(directory: string, pid: number, seconds: number): Promise<boolean> {
  for (const deadline = Date.now() + seconds * 1_000; ; await sleep(POLL_MS)) {
    if (lockOf(directory)?.pid !== pid || !isAlive(pid)) return true;
    if (Date.now() >= deadline) return false;
  }
}

/** The postmaster's own status file in its directory. */
interface Lock {
  pid: number;
  port: number;
  status: string;
}

/** Whether the postmaster is shutting down. It becomes true before its connections are closed. */
export function isStopping(directory: string): boolean {
  return lockOf(directory)?.status !== 'ready';
}

function lockOf(directory: string): Lock | undefined {
  try {
    const [pid, , , port, , , , status] = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n');
    // If the file contains no port, its postmaster is still starting. Nothing answers on port 0.
    return { pid: Number(pid), port: Number(port ?? 0), status: status?.trim() ?? '' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * State of a postmaster. `answers`: it is ours and accepts connections. `busy`: it is ours and is starting, recovering
 * or stopping. `foreign`: another program has its process id. `gone`: no process has its id.
 */
async function stateOf(cluster: Cluster, lock: Lock): Promise<'answers' | 'busy' | 'foreign' | 'gone'> {
  if (lock.port > 0 && (await answers(cluster, lock.port))) return 'answers';
  if (!isAlive(lock.pid)) return 'gone';
  return isPostmaster(lock.pid, cluster.directory) ? 'busy' : 'foreign';
}

/** Whether our cluster, not a copy of it or another program, accepts connections on the port. */
async function answers(cluster: Cluster, port: number): Promise<boolean> {
  const client = clientOf(cluster, port, 'postgres');
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    return realpathSync(rows[0]?.data_directory ?? '') === cluster.directory;
  } catch {
    return false;
  } finally {
    client.end().catch(() => {});
  }
}

/** A client that logs in as superuser and is not connected yet. A lost connection throws nothing. */
export function clientOf({ password }: Cluster, port: number, database: string, name = 'commerce-start'): pg.Client {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password,
    database,
    ssl: false,
    connectionTimeoutMillis: 3_000,
    query_timeout: 10_000,
    keepAlive: true,
    application_name: name,
  });
  client.on('error', () => {});
  return client;
}

/** Whether a process with this id exists, whoever runs it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isPostmaster(pid: number, directory: string): boolean {
  try {
    const command =
      process.platform === 'linux'
        ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' });
    return /postgres/.test(command) && command.includes(directory);
  } catch {
    return false;
  }
}

/**
 * Replaces the process id in the lock file with one that no process has. If another process of the same user got the
 * old id after a reboot, PostgreSQL would take it for its former postmaster and not start. The file itself stays, so
 * that PostgreSQL still checks its shared memory for other processes of its own.
 */
function disownLock(directory: string): void {
  const file = join(directory, 'postmaster.pid');
  if (!existsSync(file)) return; // PostgreSQL was just stopping.
  const [, ...rest] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, ['999999999', ...rest].join('\n'));
}

async function start(deps: PostmasterDeps, port: number, deadline: number): Promise<'answers' | 'exited'> {
  const { cluster, binaries, account } = deps;
  // In a session of its own, PostgreSQL does not get Ctrl-C. We do, and stop it last.
  const log = openSync(deps.logFile, logMode(deps.logFile), 0o600);
  const child = spawn(binaries.postgres, ['-D', cluster.directory, '-p', String(port), ...settings(deps.durable)], {
    ...account,
    cwd: cluster.directory,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', log, log],
    env: plainEnv(),
  });
  closeSync(log);
  child.unref();
  let exited = false;
  const exit = () => {
    exited = true;
  };
  child.once('exit', exit).once('error', exit);
  deps.onSpawn();

  while (!exited && Date.now() < deadline) {
    if (await answers(cluster, port)) return 'answers';
    await sleep(POLL_MS);
  }
  return 'exited';
}

function settings(durable: boolean): string[] {
  const chosen = {
    listen_addresses: '127.0.0.1',
    // The path of a socket has at most 107 bytes, and a data directory may be longer.
    unix_socket_directories: '',
    max_connections: '100',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    // Plans made while a table is empty are replaced once it has been analysed, which should not take a minute after
    // the first import.
    autovacuum_naptime: '10s',
    // After a crash the whole directory is synced before recovery, which takes seconds if done file by file.
    recovery_init_sync_method: canSyncAtOnce() ? 'syncfs' : 'fsync',
    // Short statements gain nothing from these, and parallel workers need more shared memory than containers have.
    jit: 'off',
    max_parallel_workers_per_gather: '0',
    // Keeps row values out of the log.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_line_prefix: '%m [%p] ',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
  return Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Whether one call can sync a file system and report failures, as in Linux since 5.8. */
function canSyncAtOnce(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return process.platform === 'linux' && (major > 5 || (major === 5 && minor >= 8));
}

const LOG_LIMIT_BYTES = 10_000_000;

function logMode(file: string): 'a' | 'w' {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES ? 'w' : 'a';
}

function endOf(logFile: string): string {
  try {
    return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-8).join('\n');
  } catch {
    return '(there is no log)';
  }
}
