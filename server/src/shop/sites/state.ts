import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import { restoreJobs } from './postponed-jobs.ts';

export type Owner = Pick<pg.ClientBase, 'query'>;

export interface SiteState extends RowOf<'sites', 'site_id' | 'suspended_at' | 'suspended_reason'> {
  /** The time when the site moved to another server. */
  moved_at: string | null;
  /** The time of the scheduled deletion; null if none is scheduled. */
  delete_at: string | null;
}

const STATE = sql`site_id, suspended_at, suspended_reason, moved_at, delete_at`;

/**
 * Suspends a site: requests fail with 403 `site_suspended`, except webhooks of its payment provider and logins and
 * exports of its staff. Jobs continue to settle payments, complete refunds and release expired reservations. Suspending
 * it again changes only the reason. Throws `not_found`.
 */
export function suspendSite(owner: Owner, site_id: string, reason: string | null): Promise<SiteState> {
  return change(
    owner,
    site_id,
    sql`update commerce.sites set suspended_at = coalesce(suspended_at, now()),
        suspended_reason = coalesce(${reason}, suspended_reason)
      where site_id = ${site_id}::uuid returning ${STATE}`,
  );
}

/**
 * Resumes a site and cancels a scheduled deletion. Throws `not_found`, and `conflict` once the deletion has begun. A
 * moved site needs the operator's confirmation that no other server has imported it; otherwise two servers would sell
 * the same stock.
 */
export async function resumeSite(
  owner: Owner,
  site_id: string,
  { notImported = false }: { notImported?: boolean } = {},
): Promise<SiteState> {
  const resumed = await change(
    owner,
    site_id,
    sql`update commerce.sites set suspended_at = null, suspended_reason = null, moved_at = null, delete_at = null,
        delete_forced = false
      where site_id = ${site_id}::uuid and delete_begun_at is null and (moved_at is null or ${notImported})
      returning ${STATE}`,
  );
  await restoreJobs(owner, site_id);
  return resumed;
}

/**
 * Cancels a scheduled deletion and leaves the site suspended. Throws `not_found`, or `conflict` once the deletion has
 * begun.
 */
export function cancelDeletion(owner: Owner, site_id: string): Promise<SiteState> {
  return change(
    owner,
    site_id,
    sql`update commerce.sites set delete_at = null, delete_forced = false
      where site_id = ${site_id}::uuid and delete_begun_at is null returning ${STATE}`,
  );
}

/** Suspends the site and schedules its deletion in `days` days. Keeps an earlier date. Throws `not_found`. */
export function planDeletion(owner: Owner, site_id: string, days: number, force: boolean): Promise<SiteState> {
  return change(
    owner,
    site_id,
    sql`update commerce.sites set suspended_at = coalesce(suspended_at, now()), delete_forced = ${force},
        delete_at = least(delete_at, now() + make_interval(days => ${days}))
      where site_id = ${site_id}::uuid returning ${STATE}`,
  );
}

/** Marks the site as being deleted. */
export async function beginDeletion(owner: Owner, site_id: string): Promise<void> {
  await owner.query(
    sql`update commerce.sites set suspended_at = coalesce(suspended_at, now()), delete_at = coalesce(delete_at, now()),
        delete_begun_at = coalesce(delete_begun_at, now())
      where site_id = ${site_id}::uuid`,
  );
}

async function change(owner: Owner, site_id: string, statement: Sql): Promise<SiteState> {
  const { rows } = await owner.query<SiteState>(statement);
  const [changed] = rows;
  if (changed) return changed;
  const { rows: found } = await owner.query<{ begun: boolean }>(
    sql`select delete_begun_at is not null as begun from commerce.sites where site_id = ${site_id}::uuid`,
  );
  if (!found[0]) throw notFound('site');
  if (found[0].begun)
    throw new ShopError('conflict', 'The deletion of this site has begun. Wait until it has finished.');
  throw new ShopError(
    'conflict',
    'This site was exported for a move. Resume it only if no other server has imported it (site resume --not-imported).',
  );
}

/** Returns the state of a site; undefined for an unknown one. */
export async function stateOf(owner: Owner, site_id: string): Promise<SiteState | undefined> {
  const { rows } = await owner.query<SiteState>(
    sql`select ${STATE} from commerce.sites where site_id = ${site_id}::uuid`,
  );
  return rows[0];
}
