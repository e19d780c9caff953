/** Figures for the staff's overview. Each statement can use an index. */

import type { Overview, OverviewAgents, OverviewDay } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { jsonObject, selectList } from '../../db/fields.ts';
import { pendingCents, usedCents } from '../agent-limits/budgets.ts';
import { isAwaited } from '../orders/overdue.ts';
import { isToShip } from '../orders/quantities.ts';
import { counts, netSales } from '../orders/sales.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import { isOpenReturn } from '../returns/rows.ts';
import type { Shop } from '../shop.ts';
import { isLowStock, isOutOfStock } from '../stock/inventory.ts';
import { isOpenWithdrawal } from '../withdrawals/rows.ts';
import * as setup from './setup.ts';

const DAYS = 30;

export async function get(shop: Shop, deps: CheckoutDeps): Promise<Overview> {
  const sold = await readSales(shop);
  const waiting = await readWaiting(shop);
  const agents = await readAgents(shop);
  const { can_sell, items } = await setup.get(shop, deps);
  const { time_zone, days, orders_count, sales, agent_orders_count, agent_sales } = sold;
  return {
    currency: shop.currency,
    time_zone,
    days,
    orders_count,
    sales,
    ...waiting,
    agents: { ...agents, orders_count: agent_orders_count, sales: agent_sales },
    setup: { can_sell, open_count: items.filter(({ done }) => !done).length },
  };
}

interface Sales extends Pick<Overview, 'time_zone' | 'orders_count' | 'sales'> {
  days: OverviewDay[];
  agent_orders_count: number;
  agent_sales: string;
}

/** Reads the sales per day in the shop's time zone, up to today. A day can have 23 or 25 hours. */
async function readSales(shop: Shop): Promise<Sales> {
  const digits = shop.currencyDigits;
  const found = await shop.one<Sales>(
    sql`with zone as (
        select time_zone, (now() at time zone time_zone)::date as today from site_settings where site_id = ${shop.siteId}
      ), sold as (
        select (o.created_at at time zone z.time_zone)::date as day, o.agent_token_id is not null as by_agent,
          count(*) as orders_count,
          sum(${netSales}) as sales
        from zone z cross join orders o
        where o.site_id = ${shop.siteId} and ${counts}
          -- The first bound lets the planner see that few of many orders match; the second is the exact start of the
          -- day.
          and o.created_at > now() - interval '31 days'
          and o.created_at >= (select (today - ${DAYS - 1}::int)::timestamp at time zone time_zone from zone)
        group by 1, 2
      ), days as (
        select d.day, coalesce(sum(s.orders_count), 0)::int as orders_count, coalesce(sum(s.sales), 0) as sales,
          coalesce(sum(s.orders_count) filter (where s.by_agent), 0)::int as agent_orders_count,
          coalesce(sum(s.sales) filter (where s.by_agent), 0) as agent_sales
        from zone z cross join lateral generate_series(0, ${DAYS - 1}::int) as ago (n)
        cross join lateral (select z.today - ago.n as day) d left join sold s on s.day = d.day
        group by d.day
      )
      select (select time_zone from zone) as time_zone,
        json_agg(${jsonObject<OverviewDay>({
          date: sql`day`,
          orders_count: sql`orders_count`,
          sales: sql`round(sales, ${digits})::text`,
        })} order by day) as days,
        sum(orders_count)::int as orders_count, round(sum(sales), ${digits})::text as sales,
        sum(agent_orders_count)::int as agent_orders_count, round(sum(agent_sales), ${digits})::text as agent_sales
      from days`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found;
}

type Waiting = Pick<
  Overview,
  | 'orders_to_pay_count'
  | 'orders_to_ship_count'
  | 'open_returns_count'
  | 'open_withdrawals_count'
  | 'low_stock_count'
  | 'out_of_stock_count'
>;

/**
 * Counts the orders, returns, withdrawals and variants that need an action. The conditions on orders match the index
 * orders_open.
 */
async function readWaiting(shop: Shop): Promise<Waiting> {
  const found = await shop.one<Waiting>(
    sql`select (
          select count(*)::int from orders o
          where o.site_id = ${shop.siteId} and o.status = 'pending' and o.fulfillment_status = 'unfulfilled'
            and ${isAwaited}) as orders_to_pay_count, (
          select count(*)::int from orders o where o.site_id = ${shop.siteId} and ${isToShip}) as orders_to_ship_count, (
          select count(*)::int from returns r where r.site_id = ${shop.siteId} and ${isOpenReturn}) as open_returns_count, (
          select count(*)::int from withdrawals w
          where w.site_id = ${shop.siteId} and ${isOpenWithdrawal}) as open_withdrawals_count,
        coalesce(sum(low.is_low::int), 0)::int as low_stock_count, coalesce(sum(low.is_out::int), 0)::int as out_of_stock_count
      from (
        select ${isLowStock} as is_low, ${isOutOfStock} as is_out from variants v where v.site_id = ${shop.siteId}
      ) low`,
  );
  if (!found) throw new Error('Counting returned nothing.');
  return found;
}

type Agents = Omit<OverviewAgents, 'orders_count' | 'sales'>;

async function readAgents(shop: Shop): Promise<Agents> {
  const found = await shop.one<Agents>(
    sql`with active as (
        select a.budget_cents, ${usedCents} as budget_used_cents, ${pendingCents(shop)} as pending_cents
        from agent_tokens a join tokens t using (site_id, id)
        where a.site_id = ${shop.siteId} and t.revoked_at is null and t.expires_at > now()
      )
      select ${selectList<Agents>({
        active_count: sql`count(*)::int`,
        budget_cents: sql`coalesce(sum(budget_cents), 0)::bigint`,
        budget_used_cents: sql`coalesce(sum(budget_used_cents), 0)::bigint`,
        budget_pending_cents: sql`coalesce(sum(pending_cents), 0)::bigint`,
        open_confirmations_count: sql`(
          select count(*)::int from checkouts k
          where k.site_id = ${shop.siteId} and k.agent_token_id is not null
            and k.status in ('open', 'ready', 'requires_escalation')
            and (k.expires_at > now() or k.payment_id is not null))`,
      })}
      from active`,
  );
  if (!found) throw new Error('Counting returned nothing.');
  return found;
}
