import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { type Connection, query } from '../db/connect.ts';
import { CONFLICTS, hasCode, inTransaction, queryAlone, retryConflicts } from '../db/transaction.ts';
import { siteSuspended } from './errors.ts';
import { type Actor, Shop, SYSTEM, type Tenant } from './shop.ts';

/** Runs a transaction's work on its connection, and may end both before COMMIT. */
type Holder = <T>(connection: Connection, work: () => Promise<T>) => Promise<T>;

const holdOn: Holder = (_connection, work) => work();

/** A job has the time to wait for a lock once more; a request gets its answer instead. */
const CONFLICTS_OF_JOBS = [...CONFLICTS, '55P03'];

/**
 * Runs work in a shop, in a transaction of its own: for what happens outside a request's transaction. Runs it again when
 * the database chose it as the victim of a deadlock.
 */
export function inShop<T>(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  work: (shop: Shop) => Promise<T>,
  { conflicts = CONFLICTS, hold = holdOn }: { conflicts?: readonly string[]; hold?: Holder } = {},
): Promise<T> {
  const run = () =>
    inTransaction(db, (connection) =>
      hold(connection, async () => {
        const { rows } = await query<{ moment: string }>(
          connection,
          sql`select now() as moment, set_config('app.site_id', ${tenant.site_id}, true)`,
        );
        return work(new Shop({ ...tenant, ...rows[0] }, actor, connection));
      }),
    );
  return retryConflicts(run, (error) => hasCode(error, conflicts));
}

/** From here on the transaction changes nothing, whatever its code says. */
export async function promiseNoChange(shop: Shop): Promise<void> {
  await shop.run(sql`set transaction read only`);
}

/**
 * The tenant that has a site, for whoever asks from outside; nothing when there is no such site. Throws `site_suspended` while an
 * operator has suspended it.
 */
export async function findTenant(db: Pool, site_id: string): Promise<Tenant | undefined> {
  const found = tenantIn(await queryAlone<TenantRow>(db, tenantOf(site_id)));
  if (found?.suspended) throw siteSuspended();
  return found?.tenant;
}

/** The same for what goes on while a site is suspended: jobs, events of payment providers, commands of operators. */
export async function findAnyTenant(db: Pool, site_id: string): Promise<Tenant | undefined> {
  return tenantIn(await queryAlone<TenantRow>(db, tenantOf(site_id)))?.tenant;
}

/** That on a connection. */
export async function findAnyTenantOn(connection: Connection, site_id: string): Promise<Tenant | undefined> {
  return tenantIn(await query<TenantRow>(connection, tenantOf(site_id)))?.tenant;
}

type TenantRow = Tenant & { suspended: boolean };

function tenantOf(site_id: string): Sql {
  return sql`select site_id, merchant_id, currency, currency_digits, show_stock, '' as catalog_version,
      suspended_at is not null as suspended
    from sites where site_id = ${site_id}`;
}

function tenantIn({ rows: [row] }: { rows: TenantRow[] }): { tenant: Tenant; suspended: boolean } | undefined {
  if (!row) return undefined;
  const { suspended, ...tenant } = row;
  return { tenant, suspended };
}

/** Runs a job's work in the shop of a site, as the system itself. Throws when there is no such site. */
export async function inShopAsSystem<T>(db: Pool, site_id: string, work: (shop: Shop) => Promise<T>): Promise<T> {
  const tenant = await findAnyTenant(db, site_id);
  if (!tenant) throw new Error(`There is no site ${site_id}.`);
  return inShop(db, tenant, SYSTEM, work, { conflicts: CONFLICTS_OF_JOBS });
}
