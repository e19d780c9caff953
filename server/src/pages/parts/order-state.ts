import type { Order } from '@commerce-backend/spec';

type Stated = Pick<
  Order,
  'status' | 'payment_status' | 'payment_method' | 'fulfillment_status' | 'shipping_kind' | 'shipping_method'
> & { has_goods?: boolean };

/** An order's state in one phrase. Its text is `order.state_…`, and the next step `order.state_…_next`. */
export type OrderState =
  | 'cancelled'
  | 'returned'
  | 'refunded'
  | 'delivered'
  | 'sent'
  | 'part_sent'
  | 'handed_over'
  | 'completed'
  | 'transfer'
  | 'confirming'
  | 'payment_failed'
  | 'preparing'
  | 'confirmed';

/**
 * Returns the state that matters most to the customer. The end of the order takes precedence over its delivery, and the
 * delivery over its payment.
 */
export function orderState(order: Stated): OrderState {
  if (order.status === 'cancelled') return 'cancelled';
  if (order.payment_status === 'refunded') return 'refunded';
  return deliveryState(order) ?? paymentState(order) ?? (hasGoods(order) ? 'preparing' : 'confirmed');
}

function deliveryState(order: Stated): OrderState | undefined {
  switch (order.fulfillment_status) {
    case 'returned':
      return 'returned';
    case 'delivered':
      return hasGoods(order) ? 'delivered' : 'completed';
    case 'fulfilled':
      if (!hasGoods(order)) return 'completed';
      return order.shipping_kind === 'pickup' ? 'handed_over' : 'sent';
    case 'partially_fulfilled':
      return 'part_sent';
    default:
      return undefined;
  }
}

function paymentState({ payment_status, payment_method }: Stated): OrderState | undefined {
  switch (payment_status) {
    case 'awaiting_payment':
      return 'transfer';
    case 'pending':
      return payment_method === 'card' || payment_method === 'online' ? 'confirming' : undefined;
    case 'failed':
    case 'expired':
    case 'voided':
      return 'payment_failed';
    default:
      return undefined;
  }
}

/** Lists of orders do not contain `has_goods`. Only orders with goods have a shipping method. */
function hasGoods({ has_goods, shipping_method }: Stated): boolean {
  return has_goods ?? Boolean(shipping_method);
}
