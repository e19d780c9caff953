import type pg from 'pg';
import sql from 'sql-template-tag';

type Owner = Pick<pg.ClientBase, 'query'>;

/** How far the jobs of a moved site are postponed: none runs again, and the times can be restored. */
const POSTPONED = sql`interval '1000 years'`;
const IS_POSTPONED = sql`run_at > now() + interval '500 years'`;

/** Also postpones running jobs, which prevents their retry. */
export async function postponeJobs(owner: Owner, site_id: string): Promise<void> {
  await owner.query(
    sql`update graphile_worker._private_jobs set run_at = run_at + ${POSTPONED}
      where payload->>'site_id' = ${site_id.toLowerCase()} and not (${IS_POSTPONED})`,
  );
}

/** Restores the times of a site's jobs. */
export async function restoreJobs(owner: Owner, site_id: string): Promise<void> {
  await owner.query(
    sql`update graphile_worker._private_jobs set run_at = run_at - ${POSTPONED}
      where payload->>'site_id' = ${site_id.toLowerCase()} and ${IS_POSTPONED}`,
  );
}
