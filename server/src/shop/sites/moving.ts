/**
 * Moves a site to another server:
 * 1. `markMoved` closes the site. Requests then fail with `site_moved`, and the site's jobs are postponed indefinitely.
 * 2. `drain` waits for transactions and jobs that began before.
 * 3. The export reads the last state of the site in one snapshot.
 * `resumeSite` opens the site again, as long as no other server has imported the file.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import sql from 'sql-template-tag';
import { notFound, ShopError } from '../errors.ts';
import { postponeJobs } from './postponed-jobs.ts';
import { type Owner, type SiteState, stateOf } from './state.ts';

/** Closes a site to all later transactions. Can be repeated. Throws `not_found`, and `conflict` during its deletion. */
export async function markMoved(owner: Owner, site_id: string): Promise<SiteState> {
  await owner.query(
    sql`update commerce.sites set moved_at = coalesce(moved_at, now())
      where site_id = ${site_id}::uuid and delete_begun_at is null`,
  );
  await postponeJobs(owner, site_id);
  const state = await stateOf(owner, site_id);
  if (!state) throw notFound('site');
  if (!state.moved_at) throw new ShopError('conflict', 'The deletion of this site has begun, so it is incomplete.');
  return state;
}

/** The maximum time that an export waits for running transactions. */
const DRAIN_MS = 3_000;
const POLL_MS = 50;

/** If the site has moved, waits until nothing can write to it. Every export calls this first. */
export async function drainIfMoved(owner: pg.ClientBase, site_id: string): Promise<void> {
  if ((await stateOf(owner, site_id))?.moved_at) await drain(owner, site_id);
}

/**
 * Waits for transactions and jobs that began before the site was closed. A job that takes longer, for example to send a
 * mail, can no longer write. A transaction can, so this throws `conflict` if one is still running after 3 s.
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
  // Postpones jobs that these transactions enqueued.
  await postponeJobs(owner, site_id);
}

interface Running {
  id: string;
  pid: number;
  name: string;
}

/**
 * Lists other transactions on this database. Finds them by their locks, which any role may read. Omits backups, exports
 * and imports, because they do not write to this site and may take long.
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
    `Transactions from before the site was closed are still running, in PostgreSQL processes ${named}. Export it again when they have ended.`,
  );
}
