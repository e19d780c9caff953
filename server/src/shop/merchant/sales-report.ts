/** The sales of a period per day, compared with the period before. Reads only indexed ranges of orders and carts. */

import type { SalesConversion, SalesDay, SalesFigures, SalesProduct, SalesReport } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { jsonObject, selectList } from '../../db/fields.ts';
import { ValidationError } from '../errors.ts';
import { amountReceived } from '../orders/received.ts';
import { amountRefunded, counts } from '../orders/sales.ts';
import type { Shop } from '../shop.ts';

const DEFAULT_DAYS = 30;
const MAX_DAYS = 366;
const MAX_PRODUCTS = 10;
/**
 * Carts live at least 7 days, and are deleted no sooner than 30 days after their end (docs/retention.md). One of these
 * 37 days is lost to time zones.
 */
const CART_DAYS = 36;

export interface Period {
  from?: string;
  to?: string;
}

/** Throws a ValidationError for days that do not exist, in the wrong order, or too far apart. */
export async function get(shop: Shop, period: Period): Promise<SalesReport> {
  const { time_zone, today } = await readZone(shop);
  const to = dayIn(period, 'to') ?? today;
  const from = dayIn(period, 'from') ?? later(to, 1 - DEFAULT_DAYS);
  const days = daysBetween(from, to);
  if (days < 1) throw mistake('from', 'The first day must not be after the last day.');
  if (days > MAX_DAYS) throw mistake('from', `At most ${MAX_DAYS} days.`);
  const previous = { from: later(from, -days), to: later(from, -1) };
  const range = { time_zone, from, to, previous_from: previous.from, days, isOpen: from <= today && to >= today };
  const sums = await readSums(shop, range);
  return {
    currency: shop.currency,
    time_zone,
    current: { from, to, ...sums.current },
    previous: { ...previous, ...sums.previous },
    days: sums.days,
    previous_days: sums.previous_days,
    top_products: await readProducts(shop, range),
    conversion: daysBetween(from, today) > CART_DAYS ? null : await readConversion(shop, range),
  };
}

interface Range {
  time_zone: string;
  from: string;
  to: string;
  previous_from: string;
  days: number;
  /** Whether the period includes today, so that it is not over. */
  isOpen: boolean;
}

async function readZone(shop: Shop): Promise<{ time_zone: string; today: string }> {
  const found = await shop.one<{ time_zone: string; today: string }>(
    sql`select time_zone, (now() at time zone time_zone)::date::text as today
      from site_settings where site_id = ${shop.siteId}`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found;
}

type Figures = Omit<SalesFigures, 'from' | 'to'>;

interface Sums {
  current: Figures;
  previous: Figures;
  days: SalesDay[];
  previous_days: SalesDay[];
}

/** Sums the orders per day in the shop's time zone. A day can have 23 or 25 hours. */
async function readSums(shop: Shop, range: Range): Promise<Sums> {
  const { time_zone, from, to, previous_from, days, isOpen } = range;
  // `at time zone` converts a local time to a moment. The previous period ends at the same local time as the current
  // one.
  const cut = isOpen
    ? sql`((now() at time zone ${time_zone}) - make_interval(days => ${days}::int)) at time zone ${time_zone}`
    : startOf(time_zone, from);
  const isCurrent = sql`day >= ${from}::date`;
  const found = await shop.one<Sums>(
    sql`with sold as (
        select (o.created_at at time zone ${time_zone})::date as day, o.agent_token_id is not null as by_agent,
          count(*) as orders_count, count(*) filter (where ${amountReceived} > 0) as paid_orders_count,
          sum(${amountReceived}) as paid, sum(${amountRefunded}) as refunded
        from orders o
        where o.site_id = ${shop.siteId} and ${counts}
          and o.created_at >= ${startOf(time_zone, previous_from)} and o.created_at < ${startOf(time_zone, to, 1)}
          and (o.created_at < ${cut} or o.created_at >= ${startOf(time_zone, from)})
        group by 1, 2
      ), days as (
        select d.day::date as day, coalesce(sum(s.orders_count), 0)::int as orders_count,
          coalesce(sum(s.paid_orders_count), 0)::int as paid_orders_count,
          coalesce(sum(s.paid), 0) as paid, coalesce(sum(s.refunded), 0) as refunded,
          coalesce(sum(s.orders_count) filter (where s.by_agent), 0)::int as agent_orders_count,
          coalesce(sum(s.paid - s.refunded) filter (where s.by_agent), 0) as agent_sales
        from generate_series(${previous_from}::date::timestamp, ${to}::date::timestamp, interval '1 day') as d (day)
        left join sold s on s.day = d.day::date
        group by d.day
      )
      select ${figures(shop, isCurrent)} as current, ${figures(shop, sql`not ${isCurrent}`)} as previous,
        ${listed(shop, isCurrent)} as days, ${listed(shop, sql`not ${isCurrent}`)} as previous_days
      from days`,
  );
  if (!found) throw new Error('Summing returned nothing.');
  return found;
}

function figures(shop: Shop, which: Sql): Sql {
  const sum = (column: Sql) => sql`sum(${column}) filter (where ${which})`;
  const money = (amount: Sql) => sql`round(${amount}, ${shop.currencyDigits})::text`;
  return jsonObject<Figures>({
    orders_count: sql`${sum(sql`orders_count`)}::int`,
    paid_orders_count: sql`${sum(sql`paid_orders_count`)}::int`,
    paid: money(sum(sql`paid`)),
    refunded: money(sum(sql`refunded`)),
    sales: money(sum(sql`paid - refunded`)),
    average_order_value: money(sql`${sum(sql`paid`)} / nullif(${sum(sql`paid_orders_count`)}, 0)`),
    agent_orders_count: sql`${sum(sql`agent_orders_count`)}::int`,
    agent_sales: money(sum(sql`agent_sales`)),
  });
}

function listed(shop: Shop, which: Sql): Sql {
  const money = (amount: Sql) => sql`round(${amount}, ${shop.currencyDigits})::text`;
  return sql`json_agg(${jsonObject<SalesDay>({
    date: sql`day::text`,
    orders_count: sql`orders_count`,
    paid: money(sql`paid`),
    refunded: money(sql`refunded`),
    sales: money(sql`paid - refunded`),
  })} order by day) filter (where ${which})`;
}

function readProducts(shop: Shop, { time_zone, from, to }: Range): Promise<SalesProduct[]> {
  return shop.rows<SalesProduct>(
    sql`with best as (
        select l.product_id, sum(l.quantity)::int as quantity, sum(l.total - l.discount) as revenue,
          (array_agg(l.name order by o.created_at desc, l.id desc))[1] as name,
          (array_agg(l.image_url order by o.created_at desc, l.id desc))[1] as image_url
        from orders o join order_lines l on l.site_id = o.site_id and l.order_id = o.id
        where o.site_id = ${shop.siteId} and ${counts} and ${amountReceived} > 0 and l.product_id is not null
          and o.created_at >= ${startOf(time_zone, from)} and o.created_at < ${startOf(time_zone, to, 1)}
        group by l.product_id order by revenue desc, l.product_id limit ${MAX_PRODUCTS}
      )
      select ${selectList<SalesProduct>({
        product_id: sql`p.id`,
        name: sql`coalesce(p.name, b.name)`,
        image_url: sql`b.image_url`,
        quantity: sql`b.quantity`,
        revenue: sql`round(b.revenue, ${shop.currencyDigits})::text`,
      })}
      from best b left join products p on p.site_id = ${shop.siteId} and p.id = b.product_id
      order by b.revenue desc, b.product_id`,
  );
}

/** Ids begin with the time of their creation, so the primary key finds the carts of a period. */
async function readConversion(shop: Shop, { time_zone, from, to }: Range): Promise<SalesConversion> {
  const found = await shop.one<SalesConversion>(
    sql`select ${selectList<SalesConversion>({
      carts_count: sql`count(*)::int`,
      checkouts_count: sql`(count(*) filter (where c.status = 'converted' or exists (
          select from checkouts k where k.site_id = c.site_id and k.cart_id = c.id)))::int`,
      orders_count: sql`(count(*) filter (where c.status = 'converted'))::int`,
    })}
      from carts c
      where c.site_id = ${shop.siteId} and not c.is_draft and c.status <> 'merged'
        and c.id >= ${lowestId(from)}::uuid
        and c.created_at >= ${startOf(time_zone, from)} and c.created_at < ${startOf(time_zone, to, 1)}`,
  );
  if (!found) throw new Error('Counting returned nothing.');
  return found;
}

/** The start of the day that is `days` days after `day`, in a time zone. */
function startOf(time_zone: string, day: string, days = 0): Sql {
  return sql`((${day}::date + ${days}::int)::timestamp at time zone ${time_zone})`;
}

const DAY_MS = 86_400_000;

/** The lowest possible id two days before the day (UTC), when the day has not started in any time zone. */
function lowestId(day: string): string {
  const hex = (Date.parse(day) - 2 * DAY_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

function dayIn(period: Period, name: 'from' | 'to'): string | undefined {
  const day = period[name];
  if (day === undefined) return undefined;
  // The pattern accepts 31 February, for which Date.parse returns a day in March.
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== day) throw mistake(name, 'No such day.');
  return day;
}

function later(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The number of days from the first to the last, including both. */
function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

function mistake(name: 'from' | 'to', msg: string): ValidationError {
  return new ValidationError([{ loc: ['query', name], msg, type: 'value_error' }]);
}
