import sql from 'sql-template-tag';
import { returnable } from '../orders/quantities.ts';
import type { Shop } from '../shop.ts';
import { policyOf } from './policy.ts';
import { windowEnd } from './request.ts';

export interface ReturnableLine {
  id: string;
  name: string;
  variant_name: string | null;
  returnable: number;
}

export interface ReturnOffer {
  lines: ReturnableLine[];
  closes_at: string | null;
  /** The amount that the shop withholds from the refund; null if none. */
  fee: { amount: string; currency: string } | null;
}

/** Returns the lines of an order that its customer can return now, with the deadline and the fee. */
export async function returnOffer(shop: Shop, order_id: string): Promise<ReturnOffer> {
  const { enabled, window_days, fee: amount } = await policyOf(shop);
  const found = await shop.one<{ closes_at: string | null; is_open: boolean | null; currency: string }>(
    sql`select w.closes_at, w.closes_at > now() as is_open, w.currency from (
        select ${windowEnd(window_days)} as closes_at, o.currency
        from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}
      ) w`,
  );
  if (!enabled || !found?.is_open) return { lines: [], closes_at: null, fee: null };
  const lines = await shop.rows<ReturnableLine>(
    sql`select l.id, l.name, l.variant_name, ${returnable} as returnable
      from order_lines l left join products p on p.site_id = l.site_id and p.id = l.product_id
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and ${returnable} > 0 and p.returnable is not false
      order by l.position`,
  );
  const { closes_at, currency } = found;
  return { lines, closes_at, fee: /[1-9]/.test(amount) ? { amount, currency } : null };
}
