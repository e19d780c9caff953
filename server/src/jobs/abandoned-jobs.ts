import pg from 'pg';
import type { Logger } from 'pino';
import { ADVISORY_LOCKS } from '../db/advisory-locks.ts';
import { isLostConnection } from '../db/transaction.ts';

/**
 * Unlocks the jobs of killed processes, which graphile-worker does only after four hours. Each process holds an
 * advisory lock for each of its runners, which is released with its connection. A job whose runner no longer holds that
 * lock is unlocked. If a process lost its connection only for a moment, a job may run twice, which every job tolerates.
 */
const EVERY_MS = 5_000;
const STATEMENT_MS = 5_000;
/**
 * How long to wait for an answer: slightly longer than the statement timeout, so that PostgreSQL's own error arrives
 * first.
 */
const SILENCE_MS = 6_000;
const CONNECT_MS = 3_000;
/** Jobs locked more recently are left alone: their runner may not hold its advisory lock yet. */
const GRACE = '10 seconds';
const HOLD = 'select pg_advisory_lock($1, hashtext(name)) from unnest($2::text[]) as name';

export interface Watch {
  /** Adds the name under which a runner of this process locks jobs. */
  add(holder: string): void;
  /** Takes the locks of our runners, and unlocks the jobs of dead ones every few seconds. */
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** Watches for abandoned jobs. `url` contains the login that owns the queue. */
export function watchForAbandonedJobs(url: string, logger: Logger): Watch {
  const runners: string[] = [];
  let connection: pg.Client | undefined;
  /** The number of runners whose locks this connection holds. */
  let announced = 0;
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
      if (added.length > 0) await connection.query(HOLD, [ADVISORY_LOCKS.jobRunner, added]);
      announced += added.length;
      const freed = await freeAbandoned(connection);
      if (freed > 0) logger.warn({ job: 'free_abandoned', runners: freed }, 'freed the jobs of dead processes');
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
