import type { CustomerOrder, Fulfillment, PaymentStatus } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { Mails } from '../mail.ts';
import { getForCustomer } from '../orders/rows.ts';
import type { MailContext } from './context.ts';
import type { MailContent, Part } from './rendering.ts';

/** Letters about orders. Each says how the order stands when it is sent; one that has been overtaken is not sent. */
export const WRITERS = {
  order_placed: (context: MailContext, { order_id }: About) =>
    about(context, order_id, async (order) => ({
      subject: `Your order ${order.order_number} at ${context.shop_name}`,
      parts: [
        { paragraph: 'Thank you for your order.' },
        { facts: linesOf(order) },
        { facts: amountsOf(order, await isTaxIncluded(context, order_id)) },
        ...howToPay(order),
      ],
    })),
  payment_reminder: (context: MailContext, { order_id }: About) =>
    about(context, order_id, (order) =>
      order.payment_status === 'awaiting_payment'
        ? {
            subject: `Your order ${order.order_number} awaits your payment`,
            parts: [{ paragraph: `We are holding order ${order.order_number} for you.` }, ...howToPay(order)],
          }
        : undefined,
    ),
  payment_received: (context: MailContext, { order_id }: About) =>
    about(context, order_id, (order) =>
      order.payment_status === 'paid'
        ? {
            subject: `We have your payment for order ${order.order_number}`,
            parts: [{ paragraph: `Thank you: ${money(order, order.total)} arrived for order ${order.order_number}.` }],
          }
        : undefined,
    ),
  order_shipped: (context: MailContext, { order_id, fulfillment_id }: Mails['order_shipped']) =>
    about(context, order_id, (order) => {
      const parcel = order.fulfillments.find(({ id }) => id === fulfillment_id);
      return (
        parcel && {
          subject: `Your order ${order.order_number} is on its way`,
          parts: [{ paragraph: `A parcel of order ${order.order_number} is on its way.` }, ...partsOf(order, parcel)],
        }
      );
    }),
  order_cancelled: (context: MailContext, { order_id }: About) =>
    about(context, order_id, (order) =>
      order.status === 'cancelled'
        ? {
            subject: `Your order ${order.order_number} is cancelled`,
            parts: [
              { paragraph: `${WHY_CANCELLED[order.payment_status] ?? ''}Order ${order.order_number} is cancelled.` },
            ],
          }
        : undefined,
    ),
};

const WHY_CANCELLED: Partial<Record<PaymentStatus, string>> = {
  expired: 'The payment did not arrive in time. ',
  failed: 'The payment failed. ',
};

interface About {
  order_id: string;
}

type Words = Omit<MailContent, 'to'> | undefined;

async function about({ shop }: MailContext, order_id: string, write: (order: CustomerOrder) => Words | Promise<Words>) {
  const order = await getForCustomer(shop, order_id);
  const words = order.email ? await write(order) : undefined;
  return words && order.email ? { to: order.email, ...words } : undefined;
}

function linesOf(order: CustomerOrder): [string, string][] {
  return order.line_items.map((line) => [`${line.quantity} × ${nameOf(line)}`, money(order, line.total)]);
}

function nameOf({ name, variant_name }: CustomerOrder['line_items'][number]): string {
  return variant_name ? `${name}, ${variant_name}` : name;
}

/** What is in a parcel, and how to follow it. */
function partsOf({ line_items }: CustomerOrder, { items, ...parcel }: Fulfillment): Part[] {
  const content = line_items.flatMap((line): [string, string][] => {
    const item = items.find(({ line_item_id }) => line_item_id === line.id);
    return item ? [[nameOf(line), `${item.quantity} of ${line.quantity}`]] : [];
  });
  const tracking: [string, string][] = [];
  if (parcel.carrier) tracking.push(['Carrier', parcel.carrier]);
  if (parcel.tracking_number) tracking.push(['Tracking number', parcel.tracking_number]);
  return [
    { facts: content },
    ...(tracking.length > 0 ? [{ facts: tracking }] : []),
    ...(parcel.tracking_url ? [{ link: parcel.tracking_url, label: 'Track the parcel' }] : []),
  ];
}

async function isTaxIncluded({ shop }: MailContext, order_id: string): Promise<boolean> {
  const order = await shop.one<{ tax_included: boolean }>(
    sql`select tax_included from orders where site_id = ${shop.siteId} and id = ${order_id}`,
  );
  return order?.tax_included ?? false;
}

/** The amounts down to the total add up to it; a tax that is in the prices already stands below. */
function amountsOf(order: CustomerOrder, tax_included: boolean): [string, string][] {
  const total: [string, string] = ['Total', order.total];
  const amounts: [string, string][] = [
    ['Subtotal', order.subtotal],
    ['Discount', `−${order.discount}`],
    ['Shipping', order.shipping_cost],
    ...(tax_included
      ? [total, ['Tax, included', order.tax] satisfies [string, string]]
      : [['Tax', order.tax] satisfies [string, string], total]),
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
