import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { type Connection, query, together } from '../db/connect.ts';
import { ERA, inOneHistory } from '../db/era.ts';
import { CONFLICTS, hasCode, inSentTransaction, queryAlone, retryConflicts } from '../db/transaction.ts';
import { type Closed, siteClosed } from './errors.ts';
import { type Actor, Shop, SYSTEM, type Tenant } from './shop.ts';

/** Runs `work` in a transaction on this connection. May abort the work and the transaction before COMMIT. */
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
 * Runs work for a shop in a separate transaction. Retries after a deadlock. Throws `site_moved` if the site has moved
 * to another server, even during the call, because writes to it would be lost. `whileMoved` lets operators read a moved
 * site.
 */
export function inShop<T>(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  work: (shop: Shop) => Promise<T>,
  { conflicts = CONFLICTS, hold = holdOn, whileMoved = false }: InShopOptions = {},
): Promise<T> {
  const enter = sql`select ${ERA} as era, now() as moment, set_config('app.site_id', ${tenant.site_id}, true),
      exists (select from sites where site_id = ${tenant.site_id}::uuid and moved_at is not null) as moved`;
  const run = () =>
    inSentTransaction(db, (connection, begun) =>
      hold(connection, async () => {
        const [, { rows }] = await together(
          begun,
          query<{ era: number; moment: string; moved: boolean }>(connection, enter),
        );
        const { moved, ...now } = rows[0] ?? {};
        if (moved && !whileMoved) throw siteClosed('moved');
        return { result: await work(new Shop({ ...tenant, ...now }, actor, connection)), last: undefined };
      }),
    );
  return retryConflicts(
    () => inOneHistory(db, run),
    (error) => hasCode(error, conflicts),
  );
}

/** Makes the transaction read-only, so that PostgreSQL rejects later writes in it. */
export async function promiseNoChange(shop: Shop): Promise<void> {
  await shop.run(sql`set transaction read only`);
}

/**
 * Finds the tenant of a site for requests; undefined if the site is unknown. Throws `site_suspended` or `site_moved`.
 */
export async function findTenant(db: Pool, site_id: string): Promise<Tenant | undefined> {
  const found = await tenantFor(db, site_id);
  if (found?.closed) throw siteClosed(found.closed);
  return found?.tenant;
}

/**
 * Finds the tenant of a site for jobs and webhooks of providers, which continue while the site is suspended. Throws
 * `site_moved`.
 */
export async function findAnyTenant(db: Pool, site_id: string): Promise<Tenant | undefined> {
  const found = await tenantFor(db, site_id);
  if (found?.closed === 'moved') throw siteClosed('moved');
  return found?.tenant;
}

/** Finds the tenant of a site in any state, for operators. */
export async function findSite(db: Pool, site_id: string): Promise<Tenant | undefined> {
  return (await tenantFor(db, site_id))?.tenant;
}

/** Like `findSite`, on the given connection. */
export async function findSiteOn(connection: Connection, site_id: string): Promise<Tenant | undefined> {
  return tenantIn(await query<TenantRow>(connection, tenantOf(site_id)))?.tenant;
}

type TenantRow = Tenant & { closed: Closed | null };

async function tenantFor(db: Pool, site_id: string) {
  return tenantIn(await inOneHistory(db, () => queryAlone<TenantRow>(db, tenantOf(site_id))));
}

function tenantOf(site_id: string): Sql {
  return sql`select site_id, merchant_id, currency, currency_digits, show_stock, '' as catalog_version,
      ${ERA} as era, closed
    from sites where site_id = ${site_id}`;
}

function tenantIn({ rows: [row] }: { rows: TenantRow[] }): { tenant: Tenant; closed: Closed | null } | undefined {
  if (!row) return undefined;
  const { closed, ...tenant } = row;
  return { tenant, closed };
}

/** Runs a job's work for a site, with the system as actor. Throws if the site is unknown. */
export async function inShopAsSystem<T>(db: Pool, site_id: string, work: (shop: Shop) => Promise<T>): Promise<T> {
  const tenant = await findAnyTenant(db, site_id);
  if (!tenant) throw new Error(`Site ${site_id} does not exist.`);
  return inShop(db, tenant, SYSTEM, work, { conflicts: CONFLICTS_OF_JOBS });
}
