import type { Runner } from 'graphile-worker';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/**
 * A process that is killed leaves its jobs locked, and graphile-worker waits four hours before it gives up on it. Each
 * runner therefore says that it is alive by the application_name of the connection it listens on, and the others free what
 * those hold who are gone. One that only lost its connection for a moment may have a job done twice, which every job bears.
 */
const ALIVE = 'commerce jobs';
const EVERY_MS = 5_000;

/** Frees abandoned jobs now and every few seconds, until it is called off. `pool` is the login that owns the queue. */
export function freeAbandonedJobs(pool: Pool, runners: Runner[], logger: Logger): () => void {
  for (const runner of runners) {
    runner.events.on('pool:listen:success', ({ workerPool, client }) => {
      client
        .query(`select set_config('application_name', $1, false)`, [`${ALIVE} ${workerPool.id}`])
        .catch(() => undefined);
    });
  }
  const free = () =>
    freeOnce(pool).then(
      (freed) =>
        freed > 0 && logger.warn({ job: 'free_abandoned', runners: freed }, 'freed the jobs of dead processes'),
      (cause: unknown) => logger.debug({ cause }, 'abandoned jobs could not be looked for'),
    );
  const timer = setInterval(free, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Locks younger than this may be of a runner that has not yet said that it is alive. */
const GRACE = '10 seconds';

async function freeOnce(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ freed: number }>(
    `with dead as (
        select array_agg(distinct locked_by) as ids from (
          select locked_by, locked_at from graphile_worker._private_jobs where locked_by is not null
          union all
          select locked_by, locked_at from graphile_worker._private_job_queues where locked_by is not null
        ) as locks
        where locked_at < now() - $2::interval
          and not exists (select from pg_stat_activity where application_name = $1 || ' ' || locked_by)
      )
      select cardinality(ids) as freed, graphile_worker.force_unlock_workers(ids) from dead where ids is not null`,
    [ALIVE, GRACE],
  );
  return rows[0]?.freed ?? 0;
}
