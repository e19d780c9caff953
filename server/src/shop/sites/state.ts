import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import { restoreJobs } from './postponed-jobs.ts';

/** A connection of the login that owns the tables. */
export type Owner = Pick<pg.ClientBase, 'query'>;

/** What an operator decided about a site. */
export interface SiteState extends RowOf<'sites', 'site_id' | 'suspended_at' | 'suspended_reason'> {
  /** Since when it has moved to another server. */
  moved_at: string | null;
  /** When it is deleted, unless that is taken back before. */
  delete_at: string | null;
}

const STATE = sql`site_id, suspended_at, suspended_reason, moved_at, delete_at`;

/**
 * From the next call on the site answers 403 `site_suspended`, but for its payment provider's webhooks and the exports of its
 * staff. Jobs go on: payments are settled or given back, refunds finished, what is due expires. Suspending it again only changes
 * the reason. Throws `not_found`.
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
 * The site answers again, and a planned deletion is cancelled. A site that has moved is resumed only where the operator confirms that
 * no other server has imported it: else two servers would sell the same stock. Throws `not_found`, and `conflict` for a moved site and
 * once the deletion has begun.
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

/** Takes back a deletion that is to come; the site stays suspended. Throws `not_found`, and `conflict` once it has begun. */
export function cancelDeletion(owner: Owner, site_id: string): Promise<SiteState> {
  return change(
    owner,
    site_id,
    sql`update commerce.sites set delete_at = null, delete_forced = false
      where site_id = ${site_id}::uuid and delete_begun_at is null returning ${STATE}`,
  );
}

/** Suspends the site now, and has it deleted after that many days, or earlier if that was planned. Throws `not_found`. */
export function planDeletion(owner: Owner, site_id: string, days: number, force: boolean): Promise<SiteState> {
  return change(
    owner,
    site_id,
    sql`update commerce.sites set suspended_at = coalesce(suspended_at, now()), delete_forced = ${force},
        delete_at = least(delete_at, now() + make_interval(days => ${days}))
      where site_id = ${site_id}::uuid returning ${STATE}`,
  );
}

/** Marks the site as one that is being deleted, until its row is gone. */
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
  if (found[0].begun) throw new ShopError('conflict', 'The deletion of this site has begun. Let it end.');
  throw new ShopError(
    'conflict',
    'This site was exported for good. Resume it only if no other server has imported it (site resume --not-imported).',
  );
}

/** Undefined for an unknown site. */
export async function stateOf(owner: Owner, site_id: string): Promise<SiteState | undefined> {
  const { rows } = await owner.query<SiteState>(
    sql`select ${STATE} from commerce.sites where site_id = ${site_id}::uuid`,
  );
  return rows[0];
}
