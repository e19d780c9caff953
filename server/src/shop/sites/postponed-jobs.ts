import type pg from 'pg';
import sql from 'sql-template-tag';

/** A connection of the login that owns the queue. */
type Owner = Pick<pg.ClientBase, 'query'>;

/** How far the jobs of a moved site are postponed: none of them runs again, and the times can be restored. */
const POSTPONED = sql`interval '1000 years'`;
const IS_POSTPONED = sql`run_at > now() + interval '500 years'`;

/** A job that runs at this moment is postponed as well: if it fails, it is not tried again. */
export async function postponeJobs(owner: Owner, site_id: string): Promise<void> {
  await owner.query(
    sql`update graphile_worker._private_jobs set run_at = run_at + ${POSTPONED}
      where payload->>'site_id' = ${site_id.toLowerCase()} and not (${IS_POSTPONED})`,
  );
}

/** The jobs of a site run again at their times. */
export async function restoreJobs(owner: Owner, site_id: string): Promise<void> {
  await owner.query(
    sql`update graphile_worker._private_jobs set run_at = run_at - ${POSTPONED}
      where payload->>'site_id' = ${site_id.toLowerCase()} and ${IS_POSTPONED}`,
  );
}
