import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { Shop } from '../shop.ts';
import { unshipped } from './quantities.ts';
import { changesBetween, type OrderStates } from './states.ts';
import * as events from './timeline.ts';

/** Whether `orders o` has a line whose items are shipped or handed over. */
export const hasGoods: Sql = sql`exists (
  select from order_lines l
  where l.site_id = o.site_id and l.order_id = o.id and l.quantity > 0 and l.requires_shipping)`;

/**
 * Fulfils a locked order that is paid and whose open items need no shipping, such as downloads and services. Sends the
 * customer no mail. Leaves orders with an open withdrawal or dispute to staff.
 */
export async function fulfillIfNothingShips(shop: Shop, order_id: string): Promise<void> {
  const order = await shop.one<OrderStates>(
    sql`select o.status, o.payment_status, o.fulfillment_status from orders o
      where o.site_id = ${shop.siteId} and o.id = ${order_id} and o.status in ('confirmed', 'processing')
        and o.fulfillment_status in ('unfulfilled', 'partially_fulfilled')
        and o.payment_status in ('paid', 'partially_refunded') and o.disputed = 0
        and coalesce((
          select bool_and(not l.requires_shipping and l.withheld = 0) from order_lines l
          where l.site_id = o.site_id and l.order_id = o.id and ${unshipped} > 0), false)`,
  );
  if (!order) return;
  const id = uuidv7();
  await shop.run(
    sql`with made as (
        insert into fulfillments (site_id, id, order_id) values (${shop.siteId}, ${id}, ${order_id}) returning id
      )
      insert into fulfillment_items (site_id, fulfillment_id, line_id, quantity)
      select ${shop.siteId}, made.id, l.id, ${unshipped} from made, order_lines l
      where l.site_id = ${shop.siteId} and l.order_id = ${order_id} and ${unshipped} > 0`,
  );
  await shop.run(
    sql`update orders set status = 'processing', fulfillment_status = 'fulfilled', shipped_at = now(), updated_at = now()
      where site_id = ${shop.siteId} and id = ${order_id}`,
  );
  const context = {
    ...changesBetween(order, { status: 'processing', fulfillment_status: 'fulfilled' }),
    ...{ fulfillment_id: id, carrier: null },
  };
  await events.record(shop, order_id, {
    type: 'fulfilled',
    message: 'The order is paid, and nothing of it ships.',
    context,
  });
}
