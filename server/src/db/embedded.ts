/**
 * The PostgreSQL that comes with the server, in `DATA_DIR/postgres`. It listens only on the loopback interface, with a
 * random password. It is a separate process that outlives a killed server, so a start takes these steps:
 *
 * 1. Open the cluster, or create it (embedded-cluster.ts).
 * 2. Find its postmaster, or start one (embedded-postmaster.ts).
 * 3. Take the owner's advisory lock on our connection. A killed server loses the lock immediately. While a server holds
 *    it, a second one on the same directory is rejected.
 * 4. Create the role and the database of the shop if they are missing.
 *
 * The connection that holds the lock also detects when PostgreSQL stops: if it breaks, steps 2 and 3 are repeated.
 */

import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { accountOfPostgres, findBinaries } from './embedded-binaries.ts';
import { type Cluster, openCluster } from './embedded-cluster.ts';
import { isStopping, type PostmasterDeps, runningPostmaster, stopPostmaster } from './embedded-postmaster.ts';

export interface Embedded {
  /** URL of the database `commerce` for its owner, who is not a superuser. */
  url: string;
  /** URL of the same database for the superuser. Tests use it to bypass row-level security. */
  superuserUrl: string;
  /** Whether PostgreSQL was still running from a killed server. */
  reused: boolean;
  stop: () => Promise<void>;
}

export interface EmbeddedOptions {
  dataDir: string;
  /** Called with a sentence for each slow step or repair. */
  onProgress?: (sentence: string) => void;
  /** Called when PostgreSQL was started. The caller can do other work until it accepts connections. */
  onSpawn?: () => void;
  /** False trades crash safety for speed. Only for tests. */
  durable?: boolean;
}

/** Thrown if another server uses the data directory. */
export class DataDirInUse extends Error {
  constructor(dataDir: string, holder: string) {
    super(`${dataDir} is in use by another server${holder}. Stop that one, or set DATA_DIR to another directory.`);
    this.name = 'DataDirInUse';
  }
}

/**
 * Starts the embedded PostgreSQL, or connects to one that a killed server left running. Throws DataDirInUse if another
 * server uses it, or an Error that explains what to do.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const dataDir = resolve(options.dataDir);
  const { onProgress = () => {}, onSpawn = () => {}, durable = true } = options;
  const account = accountOfPostgres(join(dataDir, 'postgres'));
  const binaries = await findBinaries(account);
  const cluster = await openCluster({ dataDir, binaries, account, durable, onProgress });
  const deps: PostmasterDeps = {
    cluster,
    binaries,
    account,
    logFile: join(dataDir, 'postgres.log'),
    durable,
    onProgress,
    onSpawn,
  };

  const { owner, port, reused } = await own(deps, dataDir);
  if (reused) onProgress('Found PostgreSQL running, left behind by a server that was killed');
  await prepareDatabase(owner, cluster);

  const watch = keepOwned(deps, dataDir, owner, port);
  const urlOf = (user: string) => `postgres://${user}:${cluster.password}@127.0.0.1:${port}/commerce?sslmode=disable`;
  return {
    url: urlOf('commerce'),
    superuserUrl: urlOf('postgres'),
    reused,
    stop: async () => {
      watch.end();
      await othersToLeave(watch.owner());
      // The lock is held until PostgreSQL has stopped. Otherwise a server that starts meanwhile would use the stopping
      // PostgreSQL.
      await stopPostmaster(deps);
    },
  };
}

const LOCK_WITHIN_MS = 2_000;
const ATTEMPTS = 15;

interface Owned {
  /** Holds the advisory lock of the data directory. */
  owner: pg.Client;
  port: number;
  reused: boolean;
}

async function own(deps: PostmasterDeps, dataDir: string, port?: number): Promise<Owned> {
  for (let attempt = 1; ; attempt += 1) {
    let owner: pg.Client | undefined;
    try {
      const running = await runningPostmaster(deps, port);
      owner = running.client;
      await lockDataDirectory(owner, dataDir);
      // The lock may be free only because PostgreSQL is stopping and has already closed the other server's connection.
      if (isStopping(deps.cluster.directory)) throw new Error('PostgreSQL is stopping.');
      return { owner, port: running.port, reused: running.reused };
    } catch (error) {
      owner?.end().catch(() => {});
      // The other server may have stopped PostgreSQL in the meantime. The next attempt starts it.
      if (error instanceof DataDirInUse || attempt === ATTEMPTS) throw error;
      await sleep(100);
    }
  }
}

/**
 * Takes the advisory lock of the data directory. Retries for a while, because PostgreSQL may not have noticed yet that
 * the previous server was killed.
 */
async function lockDataDirectory(owner: pg.Client, dataDir: string): Promise<void> {
  const deadline = Date.now() + LOCK_WITHIN_MS;
  for (;;) {
    const { rows } = await owner.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
      ADVISORY_LOCKS.embeddedOwner,
    ]);
    if (rows[0]?.mine) return;
    if (Date.now() > deadline) throw new DataDirInUse(dataDir, await holderOfLock(owner));
    await sleep(50);
  }
}

async function holderOfLock(owner: pg.Client): Promise<string> {
  const { rows } = await owner.query<{ name: string }>(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.classid = 0 and l.objid = $1 and l.granted`,
    [ADVISORY_LOCKS.embeddedOwner],
  );
  return rows[0] ? ` (${rows[0].name})` : '';
}

/**
 * Creates the shop's database and its owner. The owner may create roles, because migrations do, but is not a superuser.
 */
async function prepareDatabase(owner: pg.Client, { password }: Cluster): Promise<void> {
  const { rows } = await owner.query<{ role: boolean; database: boolean }>(
    `select exists (select from pg_roles where rolname = 'commerce') as role,
            exists (select from pg_database where datname = 'commerce') as database`,
  );
  if (!rows[0]?.role) {
    await owner.query(`create role commerce login createrole password ${owner.escapeLiteral(password)}`);
  }
  if (!rows[0]?.database) await owner.query('create database commerce owner commerce');
}

/**
 * Repeats steps 2 and 3 on the same port whenever the connection that holds the lock breaks, until the server stops.
 */
function keepOwned(deps: PostmasterDeps, dataDir: string, first: pg.Client, port: number) {
  let ended = false;
  let current = first;
  const watch = (owner: pg.Client) => {
    current = owner;
    owner.once('end', () => {
      if (!ended) void mend();
    });
  };
  const mend = async () => {
    deps.onProgress('PostgreSQL has stopped; starting it again');
    while (!ended) {
      try {
        const { owner } = await own(deps, dataDir, port);
        watch(owner);
        if (!ended) deps.onProgress('PostgreSQL is running again');
        return;
      } catch (error) {
        deps.onProgress(`PostgreSQL cannot start yet: ${(error as Error).message}`);
        await sleep(1_000);
      }
    }
  };
  watch(first);
  return {
    owner: () => current,
    end: () => {
      ended = true;
    },
  };
}

const LEAVE_WITHIN_MS = 1_000;

/**
 * Waits for a limited time until all other connections have ended. A pool reports too early that it has ended. If
 * PostgreSQL then closes one of the pool's connections, the error is not handled.
 */
async function othersToLeave(owner: pg.Client): Promise<void> {
  const deadline = Date.now() + LEAVE_WITHIN_MS;
  const others = `select 1 from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`;
  try {
    while (Date.now() < deadline && (await owner.query(others)).rowCount) await sleep(10);
  } catch {
    // PostgreSQL has stopped, so all connections have ended.
  }
}
