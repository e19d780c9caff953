import type { CustomerOrder } from '@commerce-backend/spec';
import { later } from '../moments.ts';
import { decimal } from '../money.ts';
import { paymentOf } from '../orders/rows.ts';
import type { OrderStates } from '../orders/states.ts';
import type { Shop } from '../shop.ts';
import { totalsOnTheWire } from '../totals.ts';
import { dueOf, methodOf } from './payment-deadline.ts';
import type { Priced } from './state.ts';

/**
 * Builds an order that this transaction has written, without reading it back. Only for orders without a provider
 * payment.
 */
export async function asMade(
  shop: Shop,
  priced: Priced,
  {
    id,
    order_number,
    customer_id,
    states,
  }: Pick<CustomerOrder, 'id' | 'order_number' | 'customer_id'> & { states: OrderStates },
): Promise<CustomerOrder> {
  const { row, terms, shipping_option, payment_method } = priced;
  const digits = shop.currencyDigits;
  const now = await shop.moment();
  const due = dueOf(priced);
  const order = {
    ...{ id, merchant_id: shop.merchantId, order_number, customer_id, email: row.email, phone: row.phone },
    line_items: priced.lines.map((line) => ({
      ...{ id: line.id, name: line.name, sku: line.sku },
      ...{ variant_id: line.custom ? null : line.variant_id, product_id: line.custom ? null : line.product_id },
      ...{ option1: line.option1, option2: line.option2, option3: line.option3, variant_name: line.variant_name },
      quantity: line.quantity,
      price: decimal(line.price, digits),
      total: decimal(line.price * line.quantity, digits),
      image_url: line.image_url,
    })),
    ...totalsOnTheWire(priced.totals, digits),
    ...{ currency: shop.currency, ...states, payment_method: methodOf(payment_method) },
    ...{ billing_address: row.billing_address, shipping_address: row.shipping_address },
    ...{
      shipping_method: shipping_option?.name ?? null,
      shipping_kind: shipping_option?.kind ?? null,
      tracking_number: null,
      tracking_url: null,
    },
    ...{ source: row.source, note: row.note, staff_note: null, created_at: now, updated_at: now },
    ...{ shipped_at: null, delivered_at: null, cancelled_at: null },
  };
  const payment = paymentOf(order, {
    payment_due_at: due ? later(now, due.hours, 'hours') : null,
    bank_details: due ? terms.bank_details : null,
    left_to_pay: order.total,
    payment_terms_days: due?.terms_days ?? null,
    failure_reason: null,
  });
  return { ...order, fulfillments: [], payment };
}
