import type { CustomerRecord } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { decimal, minorUnits } from '../money.ts';
import { amountReceived } from '../orders/received.ts';
import type { Shop } from '../shop.ts';
import { wholeShop } from '../whole-shop.ts';

/** How customers are read: as they see themselves, and as the merchant sees them. */
export const PROFILE = sql`id, email, first_name, last_name, phone, marketing_opt_in, email_verified_at, created_at`;

type RecordRow = Omit<CustomerRecord, 'total_spent'> & { total_spent: string };

/** The merchant's view of the customers that a condition and an order choose; `c` is the table. */
export async function records(shop: Shop, chosen: Sql): Promise<CustomerRecord[]> {
  const rows = await shop.rows<RecordRow>(
    sql`with chosen as (
        select c.*, row_number() over () as place from (
          select * from customers c where c.site_id = ${wholeShop(shop)} and ${chosen}
        ) c
      )
      select ${PROFILE}, password_hash is not null as has_account, email not like '%.invalid' as has_email, note, metadata, updated_at,
        anonymized_at, locale, pending_email,
        o.orders_count, (o.paid - r.refunded)::text as total_spent
      from chosen c
      cross join lateral (
        select count(*) as orders_count, coalesce(sum(${amountReceived}), 0) as paid
        from orders o where o.site_id = ${wholeShop(shop)} and o.customer_id = c.id
      ) o
      cross join lateral (
        select coalesce(sum(r.amount), 0) as refunded
        from orders o join refunds r on r.site_id = o.site_id and r.order_id = o.id
        left join payment_moves m on m.site_id = r.site_id and m.id = r.id
        where o.site_id = ${wholeShop(shop)} and o.customer_id = c.id and coalesce(m.status, 'succeeded') = 'succeeded'
      ) r
      order by c.place`,
  );
  return rows.map(({ total_spent, ...row }) => ({ ...row, total_spent: canonical(total_spent, shop.currencyDigits) }));
}

/** A sum over no orders has no decimals yet. */
function canonical(amount: string, digits: number): string {
  return decimal(minorUnits(amount, digits), digits);
}
