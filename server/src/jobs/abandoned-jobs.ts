/**
 * Unlocks jobs whose runner has died, which graphile-worker does only after four hours. Each process holds an advisory
 * lock for each of its runners, which PostgreSQL releases with the connection. A job whose runner no longer holds its
 * lock is unlocked. A job that a runner of this process has locked but does not run is unlocked too: the connection was
 * lost before PostgreSQL's answer arrived. As a result a job may run twice, which every job tolerates.
 */

import pg from 'pg';
import type { Logger } from 'pino';
import { ADVISORY_LOCKS } from '../db/advisory-locks.ts';
import { isLostConnection } from '../db/transaction.ts';

const EVERY_MS = 5_000;
const STATEMENT_MS = 5_000;
/**
 * Time limit for an answer of PostgreSQL. Slightly longer than the statement timeout, so that PostgreSQL's own error
 * arrives first.
 */
const SILENCE_MS = 6_000;
const CONNECT_MS = 3_000;
/** Jobs locked more recently are skipped, because their runner may not hold its advisory lock yet. */
const GRACE = '10 seconds';
const HOLD = 'select pg_advisory_lock($1, hashtext(name)) from unnest($2::text[]) as name';

/** A runner of this process. */
export interface JobHolder {
  /** The name under which the runner locks jobs. */
  name: string;
  /** The ids of the jobs that the runner is running. */
  running: ReadonlySet<string>;
}

export interface Watch {
  /** Adds a runner of this process. */
  add(holder: JobHolder): void;
  /** Acquires the advisory locks of our runners, and then unlocks the jobs of dead runners every few seconds. */
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** Watches for abandoned jobs. `url` must log in as the owner of the queue. */
export function watchForAbandonedJobs(url: string, logger: Logger): Watch {
  const runners: JobHolder[] = [];
  let connection: pg.Client | undefined;
  /** The number of runners whose locks this connection holds. */
  let announced = 0;
  /** The jobs that our runners hold without running them, as of the last search. */
  let lost = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let searching = false;

  function forget(client: pg.Client): void {
    if (connection !== client) return;
    connection = undefined;
    announced = 0;
  }

  async function look(): Promise<void> {
    // Statements must not pile up behind one that PostgreSQL does not answer.
    if (searching) return;
    searching = true;
    try {
      connection ??= await open(url, forget);
      const added = runners.slice(announced);
      if (added.length > 0) await connection.query(HOLD, [ADVISORY_LOCKS.jobRunner, namesOf(added)]);
      announced += added.length;
      const freed = await freeAbandoned(connection);
      if (freed > 0) logger.warn({ job: 'free_abandoned', runners: freed }, 'freed the jobs of dead processes');
      const unknown = await heldWithoutRunning(connection, runners);
      // A job is unlocked only if two searches in a row find it, because the end of a completed job may not be recorded
      // yet.
      const stillLost = unknown.filter((job) => lost.has(keyOf(job)));
      lost = new Set(unknown.map(keyOf));
      if (stillLost.length > 0) await unlock(connection, stillLost);
      for (const { id } of stillLost)
        logger.warn({ job: 'free_abandoned', job_id: id }, 'freed a job that its runner did not run');
    } catch (cause) {
      logger.debug({ cause }, 'the search for abandoned jobs failed');
      if (connection && isLostConnection(cause)) discard(connection);
    } finally {
      searching = false;
    }
  }

  /** Closes a connection whose statement is not answered, because it would block all later ones. */
  function discard(client: pg.Client): void {
    forget(client);
    client.end().catch(() => undefined);
  }

  return {
    add(holder) {
      runners.push(holder);
    },
    async begin() {
      await look();
      timer = setInterval(() => void look(), EVERY_MS);
      timer.unref();
    },
    async end() {
      clearInterval(timer);
      await connection?.end();
    },
  };
}

async function open(url: string, lost: (client: pg.Client) => void): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `commerce jobs, process ${process.pid}`,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: SILENCE_MS,
  });
  client.on('error', () => lost(client));
  client.on('end', () => lost(client));
  await client.connect();
  return client;
}

async function freeAbandoned(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ freed: number; force_unlock_workers: null }>(
    `with holders as materialized (
        select distinct locked_by from graphile_worker.jobs
        where locked_by is not null and locked_at < now() - $2::interval
      ), dead as materialized (
        select locked_by from holders
        where not exists (select from pg_locks where locktype = 'advisory' and classid = $1 and objsubid = 2 and granted
          and objid::bigint = hashtext(locked_by)::bigint & 4294967295
          and database = (select oid from pg_database where datname = current_database()))
      )
      select count(*)::int as freed, graphile_worker.force_unlock_workers(array_agg(locked_by)) from dead
      having count(*) > 0`,
    [ADVISORY_LOCKS.jobRunner, GRACE],
  );
  return rows[0]?.freed ?? 0;
}

function namesOf(holders: JobHolder[]): string[] {
  return holders.map(({ name }) => name);
}

/** A lock on a job. `locked_at` is text, which keeps microseconds. */
interface Held {
  id: string;
  locked_at: string;
}

function keyOf({ id, locked_at }: Held): string {
  return `${id} ${locked_at}`;
}

/** The jobs that runners of this process have locked, but do not run. */
async function heldWithoutRunning(client: pg.Client, runners: JobHolder[]): Promise<Held[]> {
  const { rows } = await client.query<Held>(
    `select id::text, locked_at::text from graphile_worker.jobs
      where locked_by = any($1) and locked_at < now() - $2::interval`,
    [namesOf(runners), GRACE],
  );
  return rows.filter(({ id }) => !runners.some(({ running }) => running.has(id)));
}

/** Unlocks jobs that have not begun, with their queues. The lost attempt does not count. */
async function unlock(client: pg.Client, jobs: Held[]): Promise<void> {
  await client.query(
    `with freed as (
        update graphile_worker._private_jobs set locked_by = null, locked_at = null, attempts = attempts - 1
        where (id, locked_at) in (select * from unnest($1::bigint[], $2::timestamptz[]))
        returning job_queue_id
      )
      update graphile_worker._private_job_queues set locked_by = null, locked_at = null
      where id in (select job_queue_id from freed)`,
    [jobs.map(({ id }) => id), jobs.map(({ locked_at }) => locked_at)],
  );
}
