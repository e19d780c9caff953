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

/** Dependencies for starting PostgreSQL's main process, the postmaster. */
export interface PostmasterDeps {
  cluster: Cluster;
  binaries: Binaries;
  account: Account | undefined;
  /** File for PostgreSQL's log. */
  logFile: string;
  /** False trades crash safety for speed. Only for tests. */
  durable: boolean;
  onProgress: (sentence: string) => void;
  /** Called when PostgreSQL was started but does not accept connections yet. */
  onSpawn: () => void;
}

export interface Running {
  port: number;
  /** Connected as superuser. */
  client: pg.Client;
  /** Whether the postmaster was already running. */
  reused: boolean;
}

const READY_WITHIN_MS = 60_000;
const POLL_MS = 20;

/**
 * Returns a postmaster of this cluster that accepts connections: one that a killed server left running, or a new one on
 * `port` (undefined: any free port). Waits while an existing one recovers or shuts down. If none starts, throws an
 * Error with the end of PostgreSQL's log.
 */
export async function runningPostmaster(deps: PostmasterDeps, port?: number): Promise<Running> {
  const deadline = Date.now() + READY_WITHIN_MS;
  let waited = false;
  for (;;) {
    const found = lockOf(deps.cluster.directory);
    // A starting postmaster has not written its port yet.
    const answering = found && found.port > 0 ? await connect(deps.cluster, found.port) : undefined;
    if (found && answering) return { port: found.port, client: answering, reused: true };
    const state = found ? stateOf(deps.cluster, found) : 'gone';
    if (found && state === 'foreign') disownLock(deps.cluster.directory);
    if (state !== 'busy') {
      const chosen = port ?? (await freePort());
      const client = await start(deps, chosen, deadline);
      if (client) return { port: chosen, client, reused: false };
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
 * Stops the postmaster. Open transactions are rolled back. `pg_ctl stop --wait` is not used: another server may start a
 * postmaster as soon as this one has stopped, and pg_ctl would wait for that one.
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
  // An immediate stop is safe, but the next start must replay the log and takes longer.
  for (const [mode, seconds] of [['fast', 15] as const, ['immediate', 5] as const]) {
    // pg_ctl fails if the postmaster has already stopped.
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

/** Contents of postmaster.pid, the status file of the postmaster. */
interface Lock {
  pid: number;
  port: number;
  status: string;
}

/**
 * Whether the postmaster has ended or does not report that it is ready. A postmaster that shuts down reports this
 * before it closes its connections.
 */
export function isStopping(directory: string): boolean {
  return lockOf(directory)?.status !== 'ready';
}

function lockOf(directory: string): Lock | undefined {
  try {
    const [pid, , , port, , , , status] = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(pid), port: Number(port ?? 0), status: status?.trim() ?? '' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * State of a postmaster that accepts no connections. `busy`: ours, is starting, recovering or stopping. `foreign`:
 * another program has the process id. `gone`: there is no process with this id.
 */
function stateOf(cluster: Cluster, lock: Lock): 'busy' | 'foreign' | 'gone' {
  if (!isAlive(lock.pid)) return 'gone';
  return isPostmaster(lock.pid, cluster.directory) ? 'busy' : 'foreign';
}

/**
 * Connects to our cluster as superuser. Undefined if nothing accepts connections on the port, or if a copy of the
 * cluster or another program does.
 */
async function connect({ directory, password }: Cluster, port: number): Promise<pg.Client | undefined> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password,
    database: 'postgres',
    ssl: false,
    connectionTimeoutMillis: 3_000,
    query_timeout: 10_000,
    keepAlive: true,
    application_name: `commerce-server, process ${process.pid}`,
  });
  // Without a handler, a lost connection would crash the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    if (realpathSync(rows[0]?.data_directory ?? '') === directory) return client;
  } catch {
    // The postmaster may accept connections later.
  }
  client.end().catch(() => {});
  return undefined;
}

/** Whether a process with this id exists, even one of another user. */
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
 * Replaces the process id in postmaster.pid with one that does not exist. After a reboot, another process of the same
 * user may have the old id; PostgreSQL would take that process for a running postmaster and refuse to start. The file
 * is kept, because PostgreSQL also uses it to check that no process is still attached to its shared memory.
 */
function disownLock(directory: string): void {
  const file = join(directory, 'postmaster.pid');
  if (!existsSync(file)) return; // PostgreSQL has just stopped and removed the file.
  const [, ...rest] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, ['999999999', ...rest].join('\n'));
}

/** Starts a postmaster. Undefined if it has exited or accepts no connections in time. */
async function start(deps: PostmasterDeps, port: number, deadline: number): Promise<pg.Client | undefined> {
  const { cluster, binaries, account } = deps;
  // PostgreSQL runs in its own session, so that Ctrl-C does not reach it. The server handles Ctrl-C, and stops
  // PostgreSQL last.
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
    const client = await connect(cluster, port);
    if (client) return client;
    await sleep(POLL_MS);
  }
  return undefined;
}

function settings(durable: boolean): string[] {
  const chosen = {
    listen_addresses: '127.0.0.1',
    // A socket path may have at most 107 bytes, and a data directory may be longer.
    unix_socket_directories: '',
    // Tests run dozens of servers at once on one PostgreSQL.
    max_connections: durable ? '100' : '300',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    // PostgreSQL replaces the plans made for an empty table only when it analyses the table. The default interval of a
    // minute would be too long after the first import.
    autovacuum_naptime: '10s',
    // After a crash the whole directory is synced before recovery. File by file, that takes seconds.
    recovery_init_sync_method: canSyncAtOnce() ? 'syncfs' : 'fsync',
    // Short statements gain nothing from these settings, and parallel workers need more shared memory than containers
    // have.
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

/** Whether a single call can sync a file system and report failures (Linux 5.8 and later). */
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
