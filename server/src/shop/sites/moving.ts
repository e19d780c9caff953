import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import sql from 'sql-template-tag';
import { notFound, ShopError } from '../errors.ts';
import { postponeJobs } from './postponed-jobs.ts';
import { type Owner, type SiteState, stateOf } from './state.ts';

/**
 * The end of a site on the server that it leaves:
 *
 * 1. `markMoved` blocks it: calls answer `site_moved`, and its jobs are postponed beyond the life of the server.
 * 2. `drain` waits until nothing runs that began before.
 * 3. The export reads one snapshot, which is the last state of the site here.
 *
 * `resumeSite` takes it back, as long as no other server has imported the file.
 */

/** Blocks a site from the next transaction on. Repeating it is harmless. Throws `not_found`, and `conflict` while it is deleted. */
export async function markMoved(owner: Owner, site_id: string): Promise<SiteState> {
  await owner.query(
    sql`update commerce.sites set moved_at = coalesce(moved_at, now())
      where site_id = ${site_id}::uuid and delete_begun_at is null`,
  );
  await postponeJobs(owner, site_id);
  const state = await stateOf(owner, site_id);
  if (!state) throw notFound('site');
  if (!state.moved_at)
    throw new ShopError('conflict', 'The deletion of this site has begun: it is no longer complete.');
  return state;
}

/** How long an export waits for what still runs. */
const DRAIN_MS = 3_000;
const POLL_MS = 50;

/** What an export does first. */
export async function drainIfMoved(owner: pg.ClientBase, site_id: string): Promise<void> {
  if ((await stateOf(owner, site_id))?.moved_at) await drain(owner, site_id);
}

/**
 * Waits until the transactions that began before the site was blocked have ended, and its running jobs with them. A job that takes
 * longer (a mail that is being sent) can write nothing more. A transaction could: after 3 s this throws `conflict`.
 */
async function drain(owner: pg.ClientBase, site_id: string): Promise<void> {
  const until = Date.now() + DRAIN_MS;
  const earlier = (await runningTransactions(owner)).map(({ id }) => id);
  for (;;) {
    const left = (await runningTransactions(owner)).filter(({ id }) => earlier.includes(id));
    const waits = left.length > 0 || (await hasRunningJobs(owner, site_id));
    if (!waits || Date.now() > until) {
      if (left.length > 0) throw busy(left);
      break;
    }
    await sleep(POLL_MS);
  }
  // What those transactions have queued.
  await postponeJobs(owner, site_id);
}

interface Running {
  id: string;
  pid: number;
  name: string;
}

/**
 * The transactions of others on this database, by their locks: those can be read without rights. Copies read a snapshot of their own
 * and take long.
 */
async function runningTransactions(owner: pg.ClientBase): Promise<Running[]> {
  const { rows } = await owner.query<Running>(
    `select l.virtualtransaction as id, l.pid, coalesce(nullif(a.application_name, ''), 'unnamed') as name
      from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'virtualxid' and l.granted and l.pid <> pg_backend_pid() and a.datname = current_database()
        and a.usesysid is not null
        and a.application_name not in ('commerce backup', 'commerce site export', 'commerce site import')`,
  );
  return rows;
}

async function hasRunningJobs(owner: pg.ClientBase, site_id: string): Promise<boolean> {
  const { rowCount } = await owner.query(
    sql`select from graphile_worker._private_jobs
      where locked_at is not null and payload->>'site_id' = ${site_id.toLowerCase()} limit 1`,
  );
  return rowCount === 1;
}

function busy(left: Running[]): ShopError {
  const named = left.map(({ pid, name }) => `${pid} (${name})`).join(', ');
  return new ShopError(
    'conflict',
    `Transactions that began before the site was blocked still run, in PostgreSQL processes ${named}. Export it again when they have ended.`,
  );
}
