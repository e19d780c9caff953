import type { Customer } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Shop } from '../shop.ts';
import * as events from './timeline.ts';

/** Assigns guest orders with the customer's e-mail address to the customer's account. */
export async function attachGuestOrders(shop: Shop, { id, email }: Pick<Customer, 'id' | 'email'>): Promise<void> {
  const attached = await shop.rows<RowOf<'orders', 'id'>>(
    sql`with own as (
        select id from orders where site_id = ${shop.siteId} and customer_id is null and lower(email) = lower(${email})
        order by id for update
      )
      update orders o set customer_id = ${id} from own where o.site_id = ${shop.siteId} and o.id = own.id
      returning o.id`,
  );
  if (attached.length === 0) return;
  const message = 'The order now belongs to the account of its e-mail address.';
  const order_ids = attached.map((order) => order.id);
  await events.recordForAll(shop, order_ids, { type: 'customer_attached', message, context: { customer_id: id } });
}
