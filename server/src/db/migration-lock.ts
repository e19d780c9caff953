/**
 * Makes processes that start together migrate one after the other, by an advisory lock. A transaction holds the lock
 * instead of a session, because a pooler may keep a session after its client has disconnected. A waiting process
 * reports which process holds the lock, and gives up after a time limit.
 */

import { hostname } from 'node:os';
import pg from 'pg';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { isSharedBetweenClients, isThroughProxy } from './pooler.ts';

export interface MigrationWait {
  /** Called with the reason for waiting after one second and then every ten seconds. */
  onWait?: (sentence: string) => void;
  /** Maximum waiting time in seconds. */
  seconds?: number;
  /** Number of order numbers to skip if a new era begins (era.ts). */
  skippedNumbers?: number;
}

const WAIT_SECONDS = 300;
const FIRST_NOTICE_MS = 1_000;
const NOTICE_EVERY_MS = 10_000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs migrations while holding the lock. If the lock is not available in time, throws an Error that names its holder.
 */
export async function underMigrationLock<T>(
  url: string,
  wait: MigrationWait | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: applicationName(), keepAlive: true });
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost = error;
  });
  await client.connect();
  try {
    await refusePooler(client, url);
    await acquire(client, wait ?? {});
    const result = await work();
    if (lost) throw new Error(`The connection that held the migration lock was lost: ${lost.message}.`);
    await client.query('commit');
    return result;
  } finally {
    await client.end();
  }
}

/**
 * Throws if the URL leads to a pooler in transaction or statement mode. Migrations would work, but jobs use the same
 * URL and would not.
 */
export async function refusePooler(client: pg.Client, url: string): Promise<void> {
  if (!(await isThroughProxy(client)) || !(await isSharedBetweenClients(url))) return;
  throw new Error(
    'Migrations and background jobs do not work through a pooler in transaction mode. Set DATABASE_DIRECT_URL to the address of PostgreSQL itself, and DATABASE_POOLING=transaction.',
  );
}

async function acquire(client: pg.Client, { onWait = () => {}, seconds = WAIT_SECONDS }: MigrationWait): Promise<void> {
  const deadline = Date.now() + seconds * 1_000;
  for (let waitMs = FIRST_NOTICE_MS; ; waitMs = NOTICE_EVERY_MS) {
    const left = deadline - Date.now();
    if (await acquireWithin(client, Math.max(1, Math.min(waitMs, left)))) return;
    const holder = await holderOf(client);
    if (Date.now() >= deadline) throw new Error(gaveUp(seconds, holder));
    onWait(`Waiting for the migrations of another process: ${holder?.sentence ?? 'it has just ended'}.`);
  }
}

async function acquireWithin(client: pg.Client, milliseconds: number): Promise<boolean> {
  // Operators may set timeouts for the database that suit requests. Migrations take longer.
  await client.query(
    `begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0;
     set local lock_timeout = ${milliseconds}`,
  );
  try {
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.migration]);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    await client.query('rollback');
    return false;
  }
}

interface Holder {
  pid: number;
  sentence: string;
}

async function holderOf(client: pg.Client): Promise<Holder | undefined> {
  const { rows } = await client.query<{ pid: number; name: string; state: string; since: string | null }>(
    `select a.pid, coalesce(nullif(a.application_name, ''), 'unnamed') as name, coalesce(a.state, 'hidden') as state,
        coalesce(a.xact_start, a.state_change, a.backend_start) as since
      from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.classid = 0 and l.objid = $1 and l.objsubid = 1 and l.granted
        and l.database = (select oid from pg_database where datname = current_database())`,
    [ADVISORY_LOCKS.migration],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { pid, name, state, since } = row;
  const when = since ? ` since ${new Date(since).toISOString()}` : '';
  return { pid, sentence: `PostgreSQL process ${pid} ("${name}", ${state}) holds the lock${when}` };
}

function gaveUp(seconds: number, holder: Holder | undefined): string {
  const waited = `Gave up after waiting ${seconds} s for the migrations of another process`;
  if (!holder) return `${waited}, which has just ended. Start again.`;
  return `${waited}: ${holder.sentence}. Let it finish and start again; if it is stuck, end it with: select pg_terminate_backend(${holder.pid});`;
}

function applicationName(): string {
  return `commerce migrations, process ${process.pid} on ${hostname()}`.slice(0, 63);
}
