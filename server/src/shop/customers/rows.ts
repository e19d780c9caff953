import type { Customer, CustomerRecord } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import { decimal, minorUnits } from '../money.ts';
import { owedBy } from '../orders/owed.ts';
import { amountReceived } from '../orders/received.ts';
import type { Shop } from '../shop.ts';
import { wholeShop } from '../whole-shop.ts';

export const PROFILE = selectList<Customer>({
  id: sql`id`,
  email: sql`email`,
  first_name: sql`first_name`,
  last_name: sql`last_name`,
  phone: sql`phone`,
  marketing_opt_in: sql`marketing_opt_in`,
  email_verified_at: sql`email_verified_at`,
  created_at: sql`created_at`,
});

const RECORD = selectList<Omit<CustomerRecord, keyof Customer>>({
  has_account: sql`password_hash is not null`,
  has_email: sql`email not like '%.invalid'`,
  note: sql`note`,
  metadata: sql`metadata`,
  updated_at: sql`updated_at`,
  anonymized_at: sql`anonymized_at`,
  locale: sql`locale`,
  pending_email: sql`pending_email`,
  payment_terms_days: sql`payment_terms_days`,
  credit_limit: sql`credit_limit::text`,
  amount_due: owedBy,
  orders_count: sql`o.orders_count`,
  total_spent: sql`(o.paid - r.refunded)::text`,
});

type RecordRow = Omit<CustomerRecord, 'total_spent'> & { total_spent: string };

/**
 * Returns customers as staff see them. `chosen` is a condition on `customers c`, and may end with an order and a limit.
 */
export async function records(shop: Shop, chosen: Sql): Promise<CustomerRecord[]> {
  const rows = await shop.rows<RecordRow>(
    sql`with chosen as (
        select c.*, row_number() over () as place from (
          select * from customers c where c.site_id = ${wholeShop(shop)} and ${chosen}
        ) c
      )
      select ${PROFILE}, ${RECORD}
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
  const money = (amount: string) => canonical(amount, shop.currencyDigits);
  return rows.map(({ total_spent, amount_due, credit_limit, ...row }) => ({
    ...row,
    total_spent: money(total_spent),
    amount_due: money(amount_due),
    credit_limit: credit_limit && money(credit_limit),
  }));
}

/** Formats an amount with the currency's decimals. PostgreSQL returns the sum of no orders as `0`. */
function canonical(amount: string, digits: number): string {
  return decimal(minorUnits(amount, digits), digits);
}
