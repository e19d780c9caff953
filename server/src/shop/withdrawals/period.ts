import sql from 'sql-template-tag';
import type { Shop } from '../shop.ts';

const PERIOD_DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Whether a statement was made after the withdrawal period: 14 days from the receipt of the last piece, or from the
 * order if none of its items needs shipping. Never late if the date of receipt is unknown.
 */
export async function isLate(shop: Shop, order_id: string, stated_at: string): Promise<boolean> {
  const found = await shop.one<{ began: string | null; stated: string }>(
    sql`select coalesce(o.delivered_at, case when not exists (
          select from order_lines l left join variants v on v.site_id = l.site_id and v.id = l.variant_id
          where l.site_id = o.site_id and l.order_id = o.id and l.requires_shipping and v.requires_shipping is not false)
        then o.created_at end at time zone t.time_zone)::date::text as began,
        (${stated_at}::timestamptz at time zone t.time_zone)::date::text as stated
      from orders o join site_settings t on t.site_id = o.site_id
      where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  return found?.began != null && found.stated > lastDay(found.began);
}

/**
 * The last day of a period that begins on `began`, both in the shop's time zone. A last day on a weekend moves to
 * Monday (Regulation 1182/71). Public holidays are ignored, because they differ by region, and staff decide about late
 * withdrawals anyway.
 */
export function lastDay(began: string): string {
  const last = new Date(Date.parse(`${began}T00:00:00Z`) + PERIOD_DAYS * DAY_MS);
  const weekday = last.getUTCDay();
  const moved = weekday === 6 ? 2 : weekday === 0 ? 1 : 0;
  return new Date(last.getTime() + moved * DAY_MS).toISOString().slice(0, 10);
}
