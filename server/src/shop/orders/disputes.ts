import type { Dispute } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { jsonObject } from '../../db/fields.ts';
import { ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { amountReceived } from './received.ts';

/**
 * Disputes (chargebacks) of a payment at a provider. An open dispute blocks the shipping of its order, unless staff
 * override it. Open and lost disputes lower the refundable amount.
 */

const disputeObject = jsonObject<Dispute>({
  id: sql`d.id`,
  order_id: sql`d.order_id`,
  payment_id: sql`d.payment_id`,
  amount: sql`d.amount::text`,
  currency: sql`o.currency`,
  status: sql`d.status`,
  reason: sql`d.reason`,
  provider_reference: sql`d.reference`,
  respond_by: sql`iso(d.respond_by)`,
  created_at: sql`iso(d.created_at)`,
  updated_at: sql`iso(d.updated_at)`,
});

/** The disputes of `orders o`, oldest first. */
export const disputes: Sql = sql`(
  select coalesce(json_agg(${disputeObject} order by d.id), '[]')
  from disputes d where d.site_id = o.site_id and d.order_id = o.id)`;

/**
 * Sets `disputed` of a locked order to the sum of its open and lost disputes, capped at the amount received and not
 * refunded.
 */
export async function countDisputed(shop: Shop, order_id: string): Promise<void> {
  await shop.run(
    sql`update orders o set updated_at = now(), disputed = least(greatest(0, ${amountReceived} - o.refunds_begun), (
        select coalesce(sum(d.amount), 0) from disputes d
        where d.site_id = o.site_id and d.order_id = o.id and d.status in ('open', 'lost')))
      where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
}

/**
 * Throws `order_disputed` if the order has an open dispute, or if it is an exchange and the order whose payment covers
 * it has one.
 */
export async function refuseDisputed(shop: Shop, order_id: string): Promise<void> {
  const open = await shop.rows<Pick<Dispute, 'id' | 'amount' | 'currency' | 'provider_reference'>>(
    sql`with recursive paid_by as (
        select o.id, o.exchange_of, o.currency from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}
        union all
        select o.id, o.exchange_of, o.currency from paid_by b
        join orders o on o.site_id = ${shop.siteId} and o.id = b.exchange_of
      )
      select d.id, d.amount, b.currency, d.reference as provider_reference from paid_by b
      join disputes d on d.site_id = ${shop.siteId} and d.order_id = b.id
      where d.status = 'open' order by d.id`,
  );
  if (open.length === 0) return;
  const amounts = open.map(({ amount, currency }) => `${amount} ${currency}`).join(' and ');
  const message = `The customer disputes ${amounts} of the payment. Send override_dispute to ship anyway.`;
  throw new ShopError('order_disputed', message, { disputes: open });
}
