/**
 * Defines sales for the overview and the sales report, as SQL on `orders o`. All amounts of an order count on the day
 * on which the order was placed.
 */

import sql, { type Sql } from 'sql-template-tag';
import { isOverdue } from './overdue.ts';
import { amountReceived } from './received.ts';

/** Cancelled orders do not count, nor do orders whose payment deadline has passed. */
export const counts: Sql = sql`(o.status <> 'cancelled' and not ${isOverdue})`;

/**
 * `disputed` contains open and lost disputes; only lost ones are subtracted. Failed refunds are not in `refunds_begun`.
 */
export const amountRefunded: Sql = sql`(o.refunds_begun + case when o.disputed = 0 then 0 else least(o.disputed, (
    select coalesce(sum(d.amount), 0) from disputes d
    where d.site_id = o.site_id and d.order_id = o.id and d.status = 'lost')) end)`;

export const netSales: Sql = sql`(${amountReceived} - ${amountRefunded})`;
