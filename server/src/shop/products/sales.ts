import sql from 'sql-template-tag';
import type { Shop } from '../shop.ts';

/** Limits the time of one statement after the job has not run for a while. */
const BATCH = 5_000;

/**
 * Adds recent sales to the products for the best-seller sort order. Runs once a minute for all orders together, because
 * each run changes the catalogue's version. Returns the number of counted sales entries, at most 5,000.
 */
export async function countSales(shop: Shop): Promise<number> {
  const counted = await shop.one<{ entries: number }>(
    sql`with counted as (
        delete from product_sales where site_id = ${shop.siteId} and (order_id, product_id) in (
          select order_id, product_id from product_sales where site_id = ${shop.siteId}
          limit ${BATCH} for update skip locked)
        returning product_id, quantity
      ), sums as (
        select product_id, sum(quantity) as quantity from counted group by product_id
      ), locked as materialized (
        select p.id, s.quantity from products p join sums s on s.product_id = p.id
        where p.site_id = ${shop.siteId} order by p.id for no key update of p
      ), added as (
        update products p set sales_count = p.sales_count + l.quantity from locked l
        where p.site_id = ${shop.siteId} and p.id = l.id
      )
      select count(*) as entries from counted`,
  );
  return counted?.entries ?? 0;
}
