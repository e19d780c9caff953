import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { type Connection, query } from '../db/connect.ts';
import { CONFLICTS, hasCode, inTransaction, queryAlone, retryConflicts } from '../db/transaction.ts';
import { type Closed, siteClosed } from './errors.ts';
import { type Actor, Shop, SYSTEM, type Tenant } from './shop.ts';

/** Runs the work of a transaction on its connection, and may end both before COMMIT. */
type Holder = <T>(connection: Connection, work: () => Promise<T>) => Promise<T>;

const holdOn: Holder = (_connection, work) => work();

/** A job can retry after a lock timeout; a request returns an error instead. */
const CONFLICTS_OF_JOBS = [...CONFLICTS, '55P03'];

interface InShopOptions {
  conflicts?: readonly string[];
  hold?: Holder;
  whileMoved?: boolean;
}

/**
 * Runs work in a shop in its own transaction, outside of a request's transaction. Retries after a deadlock. Throws
 * `site_moved` for a site that has moved to another server, even during the call: writes made then would be lost.
 * `whileMoved` allows operators to read it.
 */
export function inShop<T>(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  work: (shop: Shop) => Promise<T>,
  { conflicts = CONFLICTS, hold = holdOn, whileMoved = false }: InShopOptions = {},
): Promise<T> {
  const run = () =>
    inTransaction(db, (connection) =>
      hold(connection, async () => {
        const { rows } = await query<{ moment: string; moved: boolean }>(
          connection,
          sql`select now() as moment, set_config('app.site_id', ${tenant.site_id}, true),
              exists (select from sites where site_id = ${tenant.site_id}::uuid and moved_at is not null) as moved`,
        );
        const { moved, ...now } = rows[0] ?? {};
        if (moved && !whileMoved) throw siteClosed('moved');
        return work(new Shop({ ...tenant, ...now }, actor, connection));
      }),
    );
  return retryConflicts(run, (error) => hasCode(error, conflicts));
}

/** Makes the rest of the transaction read-only, so that PostgreSQL rejects writes. */
export async function promiseNoChange(shop: Shop): Promise<void> {
  await shop.run(sql`set transaction read only`);
}

/**
 * Finds the tenant of a site for external calls; undefined if the site is unknown. Throws `site_suspended` or
 * `site_moved` while it is closed.
 */
export async function findTenant(db: Pool, site_id: string): Promise<Tenant | undefined> {
  const found = tenantIn(await queryAlone<TenantRow>(db, tenantOf(site_id)));
  if (found?.closed) throw siteClosed(found.closed);
  return found?.tenant;
}

/**
 * Finds the tenant of a site for jobs and provider events, which continue while a site is suspended. Throws
 * `site_moved`.
 */
export async function findAnyTenant(db: Pool, site_id: string): Promise<Tenant | undefined> {
  const found = tenantIn(await queryAlone<TenantRow>(db, tenantOf(site_id)));
  if (found?.closed === 'moved') throw siteClosed('moved');
  return found?.tenant;
}

/** Finds the tenant of a site for operators, whatever the state of the site. */
export async function findSite(db: Pool, site_id: string): Promise<Tenant | undefined> {
  return tenantIn(await queryAlone<TenantRow>(db, tenantOf(site_id)))?.tenant;
}

/** Finds the tenant of a site for operators on a given connection. */
export async function findSiteOn(connection: Connection, site_id: string): Promise<Tenant | undefined> {
  return tenantIn(await query<TenantRow>(connection, tenantOf(site_id)))?.tenant;
}

type TenantRow = Tenant & { closed: Closed | null };

function tenantOf(site_id: string): Sql {
  return sql`select site_id, merchant_id, currency, currency_digits, show_stock, '' as catalog_version, closed
    from sites where site_id = ${site_id}`;
}

function tenantIn({ rows: [row] }: { rows: TenantRow[] }): { tenant: Tenant; closed: Closed | null } | undefined {
  if (!row) return undefined;
  const { closed, ...tenant } = row;
  return { tenant, closed };
}

/** Runs a job's work in a site's shop as the system. Throws if the site is unknown. */
export async function inShopAsSystem<T>(db: Pool, site_id: string, work: (shop: Shop) => Promise<T>): Promise<T> {
  const tenant = await findAnyTenant(db, site_id);
  if (!tenant) throw new Error(`Site ${site_id} does not exist.`);
  return inShop(db, tenant, SYSTEM, work, { conflicts: CONFLICTS_OF_JOBS });
}
