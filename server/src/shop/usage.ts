import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { type Connection, query } from '../db/connect.ts';
import { CommitUnknown, inTransaction } from '../db/transaction.ts';
import type { Shop } from './shop.ts';

/** Interval of writes in seconds. A process that is killed loses the counts since its last write. */
export const USAGE_ADDED_EVERY_SECONDS = 10;

/** Usage that must be counted when it happens. */
interface Counts {
  calls: number;
  deliveries: number;
}

/**
 * Counts the usage of sites in this process and writes the counts periodically, so that requests do not wait for locks.
 * After a failed write, the counts are added to the next write. If the result of the COMMIT is unknown, they are
 * dropped instead, so that nothing is counted twice.
 */
export interface UsageCounter {
  count(site_id: string, what: keyof Counts): void;
  flush(): Promise<void>;
}

/** Maximum number of rows that one transaction locks. */
const SITES_AT_ONCE = 200;

export function createUsageCounter(db: Pool): UsageCounter {
  const counted = new Map<string, Counts>();

  function add(site_id: string, { calls, deliveries }: Counts) {
    const known = counted.get(site_id);
    if (!known) {
      counted.set(site_id, { calls, deliveries });
      return;
    }
    known.calls += calls;
    known.deliveries += deliveries;
  }

  return {
    count: (site_id, what) => add(site_id, { calls: 0, deliveries: 0, [what]: 1 }),
    async flush() {
      // All processes write in the same order, to avoid deadlocks.
      const all = [...counted].sort(([a], [b]) => (a < b ? -1 : 1));
      counted.clear();
      while (all.length > 0) {
        const some = all.splice(0, SITES_AT_ONCE);
        try {
          await inTransaction(db, (connection) => addCounts(connection, some));
        } catch (error) {
          const lost = error instanceof CommitUnknown ? [] : some;
          for (const [site_id, counts] of [...lost, ...all]) add(site_id, counts);
          throw error;
        }
      }
    },
  };
}

/**
 * Adds the counts of each site with that site as tenant, so that row-level security stays on. Sends all statements
 * together.
 */
async function addCounts(connection: Connection, counted: [string, Counts][]): Promise<void> {
  await Promise.all(
    counted.flatMap(([site_id, { calls, deliveries }]) => [
      query(connection, sql`select set_config('app.site_id', ${site_id}, true)`),
      // A site that was deleted meanwhile has no row.
      query(
        connection,
        sql`insert into site_usage as u (site_id, month, calls, deliveries)
          select s.site_id, date_trunc('month', now() at time zone 'UTC')::date, ${calls}, ${deliveries}
          from sites s where s.site_id = ${site_id}
          on conflict (site_id, month) do update
            set calls = u.calls + excluded.calls, deliveries = u.deliveries + excluded.deliveries`,
      ),
    ]),
  );
}

export interface MonthUsage extends Counts {
  /** In UTC, such as `2026-11`. */
  month: string;
  /** Orders placed in the month, except imported ones. */
  orders: number;
  /** The highest number of products in the month, including the current number. */
  products: number;
  storage_bytes: number;
}

/** Returns the usage of the last months, current month first. */
export function usageOf(shop: Shop, months: number): Promise<MonthUsage[]> {
  return shop.rows<MonthUsage>(
    sql`with wanted as (
        select generate_series(
          date_trunc('month', now() at time zone 'UTC') - make_interval(months => ${months - 1}),
          date_trunc('month', now() at time zone 'UTC'), '1 month')::date as month
      ), present as (
        select (select count(*) from products p where p.site_id = ${shop.siteId}) as products,
          coalesce((select f.bytes from file_usage f where f.site_id = ${shop.siteId}), 0) as storage_bytes,
          date_trunc('month', now() at time zone 'UTC')::date as month
      )
      select to_char(w.month, 'YYYY-MM') as month, coalesce(u.calls, 0) as calls, coalesce(u.deliveries, 0) as deliveries,
        (select count(*) from orders o where o.site_id = ${shop.siteId} and o.source <> 'import'
          and o.created_at >= w.month::timestamp at time zone 'UTC'
          and o.created_at < (w.month + interval '1 month') at time zone 'UTC') as orders,
        greatest(coalesce(u.products, 0), coalesce(n.products, 0)) as products,
        greatest(coalesce(u.storage_bytes, 0), coalesce(n.storage_bytes, 0)) as storage_bytes
      from wanted w
      left join site_usage u on u.site_id = ${shop.siteId} and u.month = w.month
      left join present n on n.month = w.month
      order by w.month desc`,
  );
}

/** Records the current numbers of products and stored bytes if they are the highest of the month. */
export async function noteHoldings(shop: Shop): Promise<void> {
  await shop.run(
    sql`insert into site_usage as u (site_id, month, products, storage_bytes)
      select s.site_id, date_trunc('month', now() at time zone 'UTC')::date,
        (select count(*) from products p where p.site_id = ${shop.siteId}),
        coalesce((select f.bytes from file_usage f where f.site_id = ${shop.siteId}), 0)
      from sites s where s.site_id = ${shop.siteId}
      on conflict (site_id, month) do update set products = greatest(u.products, excluded.products),
        storage_bytes = greatest(u.storage_bytes, excluded.storage_bytes)`,
  );
}
