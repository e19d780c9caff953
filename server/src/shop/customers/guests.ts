import type { Guest } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import type { OrNulls } from '../../db/nulls.ts';
import { escapeLike } from '../like.ts';
import { decimal, minorUnits } from '../money.ts';
import { amountReceived } from '../orders/received.ts';
import { type Page, type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';

interface GuestQuery extends PageQuery {
  q?: string;
  sort?: 'last_order' | 'email_asc' | 'orders_desc' | 'spent_desc';
}

interface GuestRow {
  email: string;
  first_name: string | null;
  last_name: string | null;
  orders_count: number;
  total_spent: string;
  first_order_at: string;
  last_order_at: string;
}

const SORTS: Record<NonNullable<GuestQuery['sort']>, Sql> = {
  last_order: sql`g.last_order_at desc, g.email`,
  email_asc: sql`g.email`,
  orders_desc: sql`g.orders_count desc, g.email`,
  spent_desc: sql`g.total_spent desc, g.email`,
};

/**
 * Lists the e-mail addresses of orders that belong to no customer. The erasure of a customer assigns guest orders to
 * the customer and removes their addresses, so that they do not appear here.
 */
export async function list(shop: Shop, query: GuestQuery): Promise<{ guests: Guest[] } & Page> {
  const { page, limit, offset } = pageOf(query);
  const matching = query.q === undefined ? sql`true` : sql`o.email ilike ${`%${escapeLike(query.q.trim())}%`}`;
  const sorted = SORTS[query.sort ?? 'last_order'];
  const rows = await shop.rows<{ counted: number } & OrNulls<GuestRow>>(
    sql`with refunded as (
        select r.order_id, sum(r.amount) as amount from refunds r
        left join payment_moves m on m.site_id = r.site_id and m.id = r.id
        where r.site_id = ${shop.siteId} and coalesce(m.status, 'succeeded') = 'succeeded' group by r.order_id
      ), guests as materialized (
        select lower(o.email) as email, count(*) as orders_count, min(o.created_at) as first_order_at,
          max(o.created_at) as last_order_at, (array_agg(o.id order by o.created_at desc, o.id desc))[1] as last_order_id,
          sum(${amountReceived} - coalesce(r.amount, 0)) as total_spent
        from orders o left join refunded r on r.order_id = o.id
        where o.site_id = ${shop.siteId} and o.customer_id is null and o.email is not null and ${matching}
        group by lower(o.email)
      )
      select counted.counted, chosen.*
      from (select count(*) as counted from guests) counted left join lateral (
        select g.email, coalesce(l.shipping_address->>'first_name', l.billing_address->>'first_name') as first_name,
          coalesce(l.shipping_address->>'last_name', l.billing_address->>'last_name') as last_name,
          g.orders_count, g.total_spent::text as total_spent, g.first_order_at, g.last_order_at
        from (select * from guests g order by ${sorted} limit ${limit} offset ${offset}) g
        join orders l on l.site_id = ${shop.siteId} and l.id = g.last_order_id
        order by ${sorted}
      ) chosen on true`,
  );
  const total = rows[0]?.counted ?? 0;
  const guests = rows.flatMap(({ counted: _, ...guest }) =>
    guest.email === null ? [] : [{ ...guest, total_spent: money(shop, guest.total_spent) }],
  );
  return { guests, total, page, limit, pages: Math.ceil(total / limit) };
}

/** Formats a sum with the currency's decimals. PostgreSQL may return it with fewer. */
function money(shop: Shop, amount: string): string {
  return decimal(minorUnits(amount, shop.currencyDigits), shop.currencyDigits);
}
