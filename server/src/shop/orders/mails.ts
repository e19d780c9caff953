import type { OrderMailKind } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { notFound, ShopError } from '../errors.ts';
import * as mail from '../mail.ts';
import type { Shop } from '../shop.ts';
import { current } from './overdue.ts';
import { isOwed } from './owed.ts';
import * as events from './timeline.ts';

interface Mailable {
  email: string | null;
  status: string;
  payment_status: string;
  is_owed: boolean;
  fulfillment_id: string | null;
  refund_id: string | null;
  edits: number;
}

/**
 * Sends a mail to the customer again. Throws `not_found`, and `conflict` if the order has no e-mail address or its
 * state does not allow the mail.
 */
export async function sendAgain(
  shop: Shop,
  order_id: string,
  kind: OrderMailKind,
): Promise<{ kind: OrderMailKind; email: string }> {
  const order = await shop.one<Mailable>(
    sql`select o.email, o.edits, ${current.status} as status, ${current.payment_status} as payment_status, ${isOwed} as is_owed, (
        select f.id from fulfillments f where f.site_id = o.site_id and f.order_id = o.id order by f.id desc limit 1
      ) as fulfillment_id, (
        select r.id from refunds r left join payment_moves m on m.site_id = r.site_id and m.id = r.id
        where r.site_id = o.site_id and r.order_id = o.id and coalesce(m.status, 'succeeded') = 'succeeded'
        order by r.id desc limit 1
      ) as refund_id
      from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  if (!order) throw notFound('order');
  const { email } = order;
  if (email === null) throw new ShopError('conflict', 'The order has no e-mail address.');
  await enqueue(shop, order_id, kind, order);
  const message = `The mail "${kind.replaceAll('_', ' ')}" was sent again.`;
  await events.record(shop, order_id, { type: 'updated', message, context: { mail: kind } });
  return { kind, email };
}

async function enqueue(shop: Shop, order_id: string, kind: OrderMailKind, order: Mailable): Promise<void> {
  const { status, payment_status, fulfillment_id, refund_id } = order;
  if (kind === 'shipped' && fulfillment_id) {
    return mail.enqueue(shop, 'order_shipped', { order_id, fulfillment_id });
  }
  if (kind === 'refunded' && refund_id) return mail.enqueue(shop, 'order_refunded', { order_id, refund_id });
  if (kind === 'edited' && order.edits > 0 && status !== 'cancelled') {
    return mail.enqueue(shop, 'order_edited', { order_id });
  }
  if (kind === 'placed' && status !== 'cancelled') return mail.enqueue(shop, 'order_placed', { order_id });
  if (kind === 'cancelled' && status === 'cancelled') return mail.enqueue(shop, 'order_cancelled', { order_id });
  if (kind === 'payment_received' && payment_status === 'paid') {
    return mail.enqueue(shop, 'payment_received', { order_id });
  }
  if (kind === 'payment_reminder' && (payment_status === 'awaiting_payment' || order.is_owed)) {
    return mail.enqueue(shop, 'payment_reminder', { order_id });
  }
  throw new ShopError(
    'conflict',
    `This mail does not apply to an order with status ${status} and payment status ${payment_status}.`,
  );
}
