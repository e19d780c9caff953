import type pg from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { notFound } from '../errors.ts';

/** A connection of the login that owns the tables. */
export type Owner = Pick<pg.ClientBase, 'query'>;

/** What an operator decided about a site. */
export interface SiteState {
  site_id: string;
  suspended_at: string | null;
  suspended_reason: string | null;
  /** When it is deleted, unless that is taken back before. */
  delete_at: string | null;
}

const STATE = sql`site_id, suspended_at, suspended_reason, delete_at`;

/**
 * From the next call on the site answers 403 `site_suspended`, but for its payment provider's webhooks and the exports of its
 * staff. Jobs go on: payments are settled or given back, refunds finished, what is due expires. Suspending it again only changes
 * the reason. Throws `not_found`.
 */
export function suspendSite(owner: Owner, site_id: string, reason: string | null): Promise<SiteState> {
  return change(
    owner,
    sql`update commerce.sites set suspended_at = coalesce(suspended_at, now()),
        suspended_reason = coalesce(${reason}, suspended_reason)
      where site_id = ${site_id}::uuid returning ${STATE}`,
  );
}

/** The site answers again, and a deletion that was to come is taken back. Throws `not_found`. */
export function resumeSite(owner: Owner, site_id: string): Promise<SiteState> {
  return change(
    owner,
    sql`update commerce.sites set suspended_at = null, suspended_reason = null, delete_at = null, delete_forced = false
      where site_id = ${site_id}::uuid returning ${STATE}`,
  );
}

/** Takes back a deletion that is to come; the site stays suspended. Throws `not_found`. */
export function cancelDeletion(owner: Owner, site_id: string): Promise<SiteState> {
  return change(
    owner,
    sql`update commerce.sites set delete_at = null, delete_forced = false
      where site_id = ${site_id}::uuid returning ${STATE}`,
  );
}

/** Suspends the site now, and has it deleted after that many days, or earlier if that was planned. Throws `not_found`. */
export function planDeletion(owner: Owner, site_id: string, days: number, force: boolean): Promise<SiteState> {
  return change(
    owner,
    sql`update commerce.sites set suspended_at = coalesce(suspended_at, now()), delete_forced = ${force},
        delete_at = least(delete_at, now() + make_interval(days => ${days}))
      where site_id = ${site_id}::uuid returning ${STATE}`,
  );
}

async function change(owner: Owner, statement: Sql): Promise<SiteState> {
  const { rows } = await owner.query<SiteState>(statement);
  const [changed] = rows;
  if (!changed) throw notFound('site');
  return changed;
}
