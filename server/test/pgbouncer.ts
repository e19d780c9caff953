import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../src/db/free-port.ts';

export const PGBOUNCER = { names: ['pgbouncer'], debianPackage: 'pgbouncer' };

export interface PoolerOptions {
  mode?: 'session' | 'transaction';
  /** The number of connections that it opens to PostgreSQL. */
  size?: number;
  /** Startup parameters to ignore. PgBouncer rejects a client that sends any other unknown parameter. */
  ignore?: string[];
}

export interface Pooler {
  /** The URL of the same database through the pooler. */
  url: string;
  stop(): Promise<void>;
}

/** The id of the user nobody, because PgBouncer refuses to run as root. */
const NOBODY = 65_534;
const ANSWERS_WITHIN_MS = 10_000;

/** Starts PgBouncer in front of PostgreSQL. Its clients act as the role in `databaseUrl`, in any database. */
export async function startPgBouncer(
  program: string,
  databaseUrl: string,
  { mode = 'transaction', size = 10, ignore = [] }: PoolerOptions = {},
): Promise<Pooler> {
  const directory = mkdtempSync(join(tmpdir(), 'commerce-pgbouncer-'));
  chmodSync(directory, 0o755);
  const { hostname, port, username, password } = new URL(databaseUrl);
  const own = await freePort();
  // Leaves out an empty password, which PgBouncer rejects.
  const secret = password && ` password='${decodeURIComponent(password)}'`;
  const login = `user=${decodeURIComponent(username)}${secret}`;
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${port || 5432} ${login}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    `default_pool_size = ${size}`,
    'max_client_conn = 500',
    ...(ignore.length > 0 ? [`ignore_startup_parameters = ${ignore.join(', ')}`] : []),
  ];
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o644 });
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(program, ['--quiet', file], { ...account, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const stop = async () => {
    if (isRunning(child)) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    rmSync(directory, { recursive: true, force: true });
  };
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(own) }).href;
  try {
    await answers(url, child, () => said);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

async function answers(url: string, child: ChildProcess, said: () => string): Promise<void> {
  for (const deadline = Date.now() + ANSWERS_WITHIN_MS; ; await sleep(20)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isRunning(child)) throw new Error(`PgBouncer ended: ${said()}`);
      if (Date.now() > deadline) throw new Error(`PgBouncer does not answer: ${(error as Error).message} ${said()}`);
    }
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
