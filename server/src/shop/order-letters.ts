import type { CustomerOrder } from '@commerce-backend/spec';
import type { Desk } from './mail-letters.ts';
import type { Letter, Part } from './mail-rendering.ts';
import { getForCustomer } from './order-rows.ts';

/** Letters about orders. Each says how the order stands when it is sent; one that has been overtaken is not sent. */
export const WRITERS = {
  order_placed: (desk: Desk, { order_id }: About) =>
    about(desk, order_id, (order) => ({
      subject: `Your order ${order.order_number} at ${desk.shop_name}`,
      parts: [
        { paragraph: 'Thank you for your order.' },
        { facts: linesOf(order) },
        { facts: amountsOf(order) },
        ...howToPay(order),
      ],
    })),
  payment_reminder: (desk: Desk, { order_id }: About) =>
    about(desk, order_id, (order) =>
      order.payment_status === 'awaiting_payment'
        ? {
            subject: `Your order ${order.order_number} awaits your payment`,
            parts: [{ paragraph: `We keep order ${order.order_number} for you.` }, ...howToPay(order)],
          }
        : undefined,
    ),
  payment_received: (desk: Desk, { order_id }: About) =>
    about(desk, order_id, (order) =>
      order.payment_status === 'paid'
        ? {
            subject: `We have your payment for order ${order.order_number}`,
            parts: [{ paragraph: `Thank you: ${money(order, order.total)} arrived for order ${order.order_number}.` }],
          }
        : undefined,
    ),
  order_shipped: (desk: Desk, { order_id }: About) =>
    about(desk, order_id, (order) => ({
      subject: `Your order ${order.order_number} is on its way`,
      parts: [
        { paragraph: `A parcel of order ${order.order_number} is on its way.` },
        ...(order.tracking_number ? [{ facts: [['Tracking number', order.tracking_number]] } satisfies Part] : []),
        ...(order.tracking_url ? [{ link: order.tracking_url, label: 'Follow the parcel' }] : []),
      ],
    })),
  order_cancelled: (desk: Desk, { order_id }: About) =>
    about(desk, order_id, (order) =>
      order.status === 'cancelled'
        ? {
            subject: `Your order ${order.order_number} is cancelled`,
            parts: [
              {
                paragraph:
                  order.payment_status === 'expired'
                    ? `The payment for order ${order.order_number} did not arrive in time, so it is cancelled.`
                    : `Order ${order.order_number} is cancelled.`,
              },
            ],
          }
        : undefined,
    ),
};

interface About {
  order_id: string;
}

type Words = Omit<Letter, 'to'> | undefined;

async function about({ shop }: Desk, order_id: string, write: (order: CustomerOrder) => Words) {
  const order = await getForCustomer(shop, order_id);
  const words = order.email ? write(order) : undefined;
  return words && order.email ? { to: order.email, ...words } : undefined;
}

function linesOf(order: CustomerOrder): [string, string][] {
  return order.line_items.map(({ name, variant_name, quantity, total }) => [
    `${quantity} × ${variant_name ? `${name}, ${variant_name}` : name}`,
    money(order, total),
  ]);
}

function amountsOf(order: CustomerOrder): [string, string][] {
  const amounts: [string, string][] = [
    ['Subtotal', order.subtotal],
    ['Discount', order.discount],
    ['Shipping', order.shipping_cost],
    ['Tax', order.tax],
    ['Total', order.total],
  ];
  return amounts.filter(([, amount]) => /[1-9]/.test(amount)).map(([name, amount]) => [name, money(order, amount)]);
}

function howToPay(order: CustomerOrder): Part[] {
  const { instructions } = order.payment;
  if (!instructions) return [];
  const facts: [string, string][] = [
    ['Amount', money(order, instructions.amount)],
    ['Reference', instructions.reference],
    ['To', instructions.account_holder],
    ['IBAN', instructions.iban],
  ];
  if (instructions.bic) facts.push(['BIC', instructions.bic]);
  if (instructions.bank_name) facts.push(['Bank', instructions.bank_name]);
  return [
    { paragraph: `Please transfer the amount by ${instructions.due_at.slice(0, 10)}, with the reference.` },
    { facts },
    ...(instructions.instructions ? [{ paragraph: instructions.instructions }] : []),
  ];
}

function money({ currency }: CustomerOrder, amount: string): string {
  return `${amount} ${currency}`;
}
