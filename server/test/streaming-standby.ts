import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryConfig, QueryResultRow } from 'pg';
import pg from 'pg';
import { accountOfPostgres, findBinaries } from '../src/db/embedded-binaries.ts';
import { freePort } from '../src/db/free-port.ts';

const WITHIN_MS = 30_000;

/** A streaming standby of the embedded PostgreSQL, whose cluster is in `dataDir/postgres`. */
export class StreamingStandby {
  readonly #directory: string;
  readonly #primaryUrl: string;
  readonly #port: number;
  #postmaster: ChildProcess | undefined;

  /** `primaryUrl` is the URL for the superuser of the primary. */
  static async start(dataDir: string, primaryUrl: string): Promise<StreamingStandby> {
    const standby = new StreamingStandby(join(dataDir, 'standby'), primaryUrl, await freePort());
    await standby.#copy(join(dataDir, 'postgres'));
    await standby.run();
    return standby;
  }

  private constructor(directory: string, primaryUrl: string, port: number) {
    this.#directory = directory;
    this.#primaryUrl = primaryUrl;
    this.#port = port;
  }

  /** The URL of the standby for the login and the database of a URL of the primary. */
  urlFor(url: string): string {
    return Object.assign(new URL(url), { port: String(this.#port) }).href;
  }

  /** Copies the running cluster. */
  async #copy(cluster: string): Promise<void> {
    const client = new pg.Client(this.#primaryUrl);
    await client.connect();
    await client.query("select pg_backup_start('standby', true)");
    execFileSync('cp', ['-a', cluster, this.#directory]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    await client.end();
    rmSync(join(this.#directory, 'postmaster.pid'), { force: true });
    const { hostname, port, username, password } = new URL(this.#primaryUrl);
    const primary = `host=${hostname} port=${port} user=${username} password=${password}`;
    appendFileSync(join(this.#directory, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
    const account = accountOfPostgres(this.#directory);
    for (const [name, content] of Object.entries({ backup_label: rows[0]?.labelfile ?? '', 'standby.signal': '' })) {
      const file = join(this.#directory, name);
      writeFileSync(file, content);
      if (account) chownSync(file, account.uid, account.gid);
    }
  }

  /** Starts PostgreSQL, and waits until it accepts reads. */
  async run(): Promise<void> {
    const account = accountOfPostgres(this.#directory);
    const { postgres } = await findBinaries(account);
    const options = [`port=${this.#port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'jit=off'];
    const log = openSync(`${this.#directory}.log`, 'a');
    this.#postmaster = spawn(postgres, ['-D', this.#directory, ...options.flatMap((option) => ['-c', option])], {
      ...account,
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    });
    await this.#until(() => this.query('select 1'));
  }

  /** Runs a statement on the standby as the superuser. */
  async query<Row extends QueryResultRow>(text: string | QueryConfig): Promise<Row[]> {
    return queryAt<Row>(this.urlFor(this.#primaryUrl), text);
  }

  /** Waits until the standby has replayed everything that is committed on the primary. */
  async caughtUp(): Promise<void> {
    const [primary] = await queryAt<{ lsn: string }>(this.#primaryUrl, 'select pg_current_wal_lsn()::text as lsn');
    await this.#until(async () => {
      const [row] = await this.query<{ is: boolean }>({
        text: 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as is',
        values: [primary?.lsn],
      });
      if (!row?.is) throw new Error('behind');
    });
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote()');
  }

  /** Stops or continues all processes of the standby; on Linux only. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    const { pid } = this.#postmaster ?? {};
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    for (const one of [pid, ...children]) {
      try {
        process.kill(Number(one), name);
      } catch {
        // The process has already ended.
      }
    }
  }

  async kill(): Promise<void> {
    const postmaster = this.#postmaster;
    if (!postmaster || postmaster.exitCode !== null || postmaster.signalCode !== null) return;
    postmaster.kill('SIGKILL');
    await once(postmaster, 'exit');
    // Waits for PostgreSQL's other processes, which end when they notice that the postmaster has ended.
    await sleep(200);
    rmSync(join(this.#directory, 'postmaster.pid'), { force: true });
  }

  #log(): string {
    return readFileSync(`${this.#directory}.log`, 'utf8').slice(-2_000);
  }

  async #until(attempt: () => Promise<unknown>): Promise<void> {
    const end = Date.now() + WITHIN_MS;
    for (;;) {
      try {
        await attempt();
        return;
      } catch (cause) {
        if (Date.now() > end) throw new Error(`The standby does not follow:\n${this.#log()}`, { cause });
        await sleep(50);
      }
    }
  }
}

async function queryAt<Row extends QueryResultRow>(url: string, text: string | QueryConfig): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
