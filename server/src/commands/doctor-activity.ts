/** Checks the current state of the database: blocking sessions, free space, standbys and its clock. */

import type pg from 'pg';
import { readStandbys } from '../db/standby-state.ts';
import { tryToWrite } from '../db/storage.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

/** A session that waits longer for a lock is reported with the session that blocks it. Requests wait at most 2 s. */
const BLOCKED_SECONDS = 1;

/** Reports the sessions that block others, such as psql with an open transaction. */
export async function checkBlocking(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{
    pid: number;
    name: string;
    state: string;
    since: string | null;
    waiting: number;
  }>(
    `with waiting as (
      select pid, unnest(pg_blocking_pids(pid)) as blocker from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query_start < now() - make_interval(secs => $1)
    )
    select b.pid, coalesce(nullif(b.application_name, ''), 'unnamed') as name, coalesce(b.state, 'hidden') as state,
        b.xact_start as since, count(distinct w.pid)::int as waiting
      from waiting w join pg_stat_activity b on b.pid = w.blocker
      -- Only sessions that do not wait themselves. A COMMIT that waits for a standby must not be ended (checkStandbys).
      where b.pid not in (select pid from waiting) and b.wait_event is distinct from 'SyncRep'
      group by b.pid, name, b.state, b.xact_start order by waiting desc, b.pid limit 20`,
    [BLOCKED_SECONDS],
  );
  if (rows.length === 0) return ok('locks', 'no session waits for another one');
  const named = rows.map(({ pid, name, state, since, waiting }) => {
    const when = since ? ` since ${new Date(since).toISOString()}` : '';
    return `PostgreSQL process ${pid} ("${name}", ${state}${when}) blocks ${waiting}`;
  });
  const ending = rows.map(({ pid }) => `select pg_terminate_backend(${pid});`).join(' ');
  return warning('locks', named.join('; '), `Let it finish its transaction, or end it with: ${ending}`);
}

const TRIAL_MS = 5_000;

/** Tries to write 1 MB, and rolls it back. */
export async function checkTrialWrite(client: pg.Client): Promise<Finding> {
  try {
    await tryToWrite(client, TRIAL_MS);
    return ok('storage', 'the database has space for 1 MB more');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    const { code, message } = error as { code?: string; message: string };
    // The check `requests` reports a read-only database.
    if (code === '25006') return ok('storage', 'not checked: the database is read-only');
    return wrong('storage', `1 MB cannot be written: ${message}`, 'Free space on the disk of PostgreSQL.');
  }
}

/** Normal lag is smaller: even under heavy load, the database needs about a second to write this much. */
const LAG_BYTES = 64 * 1024 * 1024;

/** Reports standbys that are far behind. If COMMIT waits for none of them, a failover may lose confirmed orders. */
export async function checkStandbys(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query<{ standby: boolean; monitor: boolean; made: boolean }>(
    `select pg_is_in_recovery() as standby, pg_has_role(current_user, 'pg_monitor', 'usage') as monitor,
      to_regprocedure('commerce.standby_state()') is not null as made`,
  );
  const { standby, monitor, made } = rows[0] ?? {};
  if (standby) {
    const mend = 'Set DATABASE_URL (and DATABASE_DIRECT_URL) to the primary, or promote this server.';
    return wrong('standby', 'this database is a standby: it rejects every write', mend);
  }
  const waiting = await commitsWaiting(client);
  if (waiting > 0) {
    const mend =
      'Start a standby, and the COMMITs continue. Do not end their sessions: retries would confirm orders that only this server has.';
    return wrong('standby', `${waiting} COMMITs wait for a synchronous standby, and none answers`, mend);
  }
  if (!monitor || !made) return ok('standby', 'unknown: grant pg_monitor to the owner of the schema to see standbys');
  const standbys = await readStandbys(client);
  if (standbys.length === 0) return ok('standby', 'none');
  const named = standbys.map(
    ({ standby: name, sync_state, lag_bytes }) => `${name} (${sync_state}, ${Math.round(lag_bytes / 1024)} KB behind)`,
  );
  if (standbys.some(({ lag_bytes }) => lag_bytes > LAG_BYTES)) {
    return warning(
      'standby',
      named.join(', '),
      'Check the load, the disk and the network of the standby that is behind.',
    );
  }
  if (standbys.some(({ sync_state }) => sync_state !== 'async')) return ok('standby', named.join(', '));
  const mend = 'Replicate synchronously, so that a failover loses no confirmed order (docs/high-availability.md).';
  return warning('standby', `only asynchronous: ${named.join(', ')}`, mend);
}

/**
 * The number of sessions whose COMMIT waits for a standby. If such a session is ended, its transaction becomes visible
 * although no standby has received it.
 */
async function commitsWaiting(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event = 'SyncRep'
      and query_start < now() - make_interval(secs => $1)`,
    [BLOCKED_SECONDS],
  );
  return rows[0]?.waiting ?? 0;
}

/** Far below 30 s, the shortest validity that depends on the clock (second-factor codes). */
const CLOCK_SECONDS = 2;

/** Compares the clock of this machine with the clock of the database. */
export async function checkClock(client: pg.Client): Promise<Finding> {
  const before = Date.now();
  const { rows } = await client.query<{ now: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
  );
  const after = Date.now();
  const database = rows[0]?.now ?? before;
  // The database read its clock at some time between `before` and `after`.
  const ahead = Math.max(before - database, database - after, 0) / 1_000;
  if (ahead <= CLOCK_SECONDS) return ok('clock', 'agrees with that of the database');
  const which = database > after ? 'behind' : 'ahead of';
  const mend = 'Synchronize the clocks of both machines (NTP): deadlines and second factors depend on them.';
  return warning('clock', `this machine is ${ahead.toFixed(1)} s ${which} the database`, mend);
}
