import type pg from 'pg';
import sql from 'sql-template-tag';

type Owner = Pick<pg.ClientBase, 'query'>;

/** Interval by which the jobs of a moved site are postponed, so that none runs and the times can be restored. */
export const POSTPONED = sql`interval '1000 years'`;
export const IS_POSTPONED = sql`run_at > now() + interval '500 years'`;

/** Postpones the jobs of a site. A running job is not interrupted, but its retry is postponed. */
export async function postponeJobs(owner: Owner, site_id: string): Promise<void> {
  await owner.query(
    sql`update graphile_worker._private_jobs set run_at = run_at + ${POSTPONED}
      where payload->>'site_id' = ${site_id.toLowerCase()} and not (${IS_POSTPONED})`,
  );
}

/** Restores the times of a site's postponed jobs. */
export async function restoreJobs(owner: Owner, site_id: string): Promise<void> {
  await owner.query(
    sql`update graphile_worker._private_jobs set run_at = run_at - ${POSTPONED}
      where payload->>'site_id' = ${site_id.toLowerCase()} and ${IS_POSTPONED}`,
  );
}
