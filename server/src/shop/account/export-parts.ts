/** Customer data that appears only in the customer's data export. */

import type { CustomerCheckout, CustomerRefund } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import type { Shop } from '../shop.ts';

const CHECKOUTS_AT_MOST = 50;

const checkoutColumns = selectList<CustomerCheckout>({
  id: sql`k.id`,
  status: sql`k.status`,
  email: sql`k.email`,
  phone: sql`k.phone`,
  shipping_address: sql`k.shipping_address`,
  billing_address: sql`k.billing_address`,
  note: sql`k.note`,
  locale: sql`k.locale`,
  marketing_opt_in: sql`k.marketing_opt_in`,
  items: sql`(
    select coalesce(json_agg(json_build_object('variant_id', i.variant_id, 'name', i.name,
      'variant_name', i.variant_name, 'quantity', i.quantity) order by i.created_at, i.id), '[]')
    from cart_items i where i.site_id = k.site_id and i.cart_id = k.cart_id)`,
  created_at: sql`k.created_at`,
  updated_at: sql`k.updated_at`,
});

const refundColumns = selectList<CustomerRefund>({
  id: sql`r.id`,
  order_id: sql`r.order_id`,
  amount: sql`r.amount`,
  currency: sql`o.currency`,
  status: sql`coalesce(m.status, 'succeeded')`,
  created_at: sql`r.created_at`,
});

/** Lists the customer's open checkouts with the entered data, newest first, at most 50. */
export function openCheckouts(shop: Shop, customer_id: string): Promise<CustomerCheckout[]> {
  return shop.rows<CustomerCheckout>(
    sql`select ${checkoutColumns} from checkouts k
      where k.site_id = ${shop.siteId} and k.customer_id = ${customer_id}
        and k.status in ('open', 'ready', 'requires_escalation') and (k.expires_at > now() or k.payment_id is not null)
      order by k.created_at desc, k.id desc limit ${CHECKOUTS_AT_MOST}`,
  );
}

/** Lists successful and pending refunds of these orders, without staff notes. */
export function refundsOf(shop: Shop, order_ids: string[]): Promise<CustomerRefund[]> {
  return shop.rows<CustomerRefund>(
    sql`select ${refundColumns}
      from orders o join refunds r on r.site_id = o.site_id and r.order_id = o.id
      left join payment_moves m on m.site_id = r.site_id and m.id = r.id
      where o.site_id = ${shop.siteId} and o.id = any(${order_ids}::uuid[]) and m.status is distinct from 'failed'
      order by r.created_at desc, r.id desc`,
  );
}
