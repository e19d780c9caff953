import sql, { type Sql } from 'sql-template-tag';
import { leftToPay } from './received.ts';

/** Whether `orders o` is on payment terms and not fully paid. Matches the index orders_on_terms. */
export const isOwed: Sql = sql`(o.payment_terms_days is not null and o.payment_status = 'pending' and o.status <> 'cancelled'
  and o.total - o.credited > coalesce(o.captured, 0))`;

/** The amount left to pay of an order on payment terms. */
const owed: Sql = sql`(o.total - o.credited - coalesce(o.captured, 0))`;

/** The amount that `customers c` owes for orders on payment terms, including amounts due after edits of paid orders. */
export const owedBy: Sql = sql`((
    select coalesce(sum(${owed}), 0) from orders o
    where o.site_id = c.site_id and o.customer_id = c.id and ${isOwed}) + (
    select coalesce(sum(${leftToPay}), 0) from orders o
    where o.site_id = c.site_id and o.customer_id = c.id and o.payment_terms_days is not null and o.released is not null
      and o.status <> 'cancelled'))::text`;
