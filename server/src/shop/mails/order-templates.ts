import type { PaymentStatus } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { orderLink } from '../links.ts';
import { enqueue, enqueueForStaff, type Mails } from '../mail.ts';
import { mintLink } from '../orders/links.ts';
import { getShown } from '../orders/shown.ts';
import type { Shop } from '../shop.ts';
import { languageOf, type MailContext } from './context.ts';
import {
  amountOf,
  contentOf,
  dueOf,
  exchangeOf,
  moneyAfterEdit,
  moneyBack,
  next,
  parcelOf,
  type Told,
  trackingOf,
} from './order-parts.ts';
import type { Part } from './parts.ts';
import type { MailContent } from './rendering.ts';

/** No payment is expected in these states. */
const ENDED = new Set<PaymentStatus>(['failed', 'expired', 'voided']);

/**
 * Mails about orders: to buyers in the order's language, to the shop in its own language. They show the order at the
 * time of sending, and are not sent if later events made them obsolete.
 */
export const WRITERS = {
  new_order: newOrder,
  order_placed: (context: MailContext, { order_id }: About) =>
    aboutOrder(context, order_id, (told) => {
      const { say } = told.language;
      const { order_number: number, status, payment_status } = told.order;
      if (status === 'cancelled' || ENDED.has(payment_status)) return undefined;
      return {
        subject: say('mail.placed_subject', { number, shop: context.front.name }),
        headline: say('checkout.thanks'),
        lead: [...exchangeOf(told), ...next(told), ...dueOf(told)],
        details: [
          ...contentOf(told),
          // Sellers must confirm the consent on a durable medium (§ 312f (3) BGB).
          ...(told.order.digital_consent_wording ? [{ paragraph: say('mail.digital_consent') }] : []),
        ],
      };
    }),
  payment_reminder: (context: MailContext, { order_id }: About) =>
    aboutOrder(context, order_id, (told) => {
      const { say } = told.language;
      const { order_number: number, payment_status, payment } = told.order;
      if (payment_status === 'pending' && payment.due_at) {
        return {
          subject: say('mail.overdue_subject', { number }),
          lead: [{ paragraph: say('mail.overdue', { number, day: told.language.day(payment.due_at) }) }, ...next(told)],
          details: contentOf(told),
        };
      }
      if (payment_status !== 'awaiting_payment') return undefined;
      return {
        subject: say('mail.reminder_subject', { number }),
        lead: [{ paragraph: say('mail.reminder', { number }) }, ...next(told)],
        details: contentOf(told),
      };
    }),
  payment_received: (context: MailContext, { order_id, payment_id }: Mails['payment_received']) =>
    aboutOrder(context, order_id, (told) => {
      if (payment_id) return partReceived(told, payment_id);
      const { say } = told.language;
      const { order_number: number, payment_status, amount_received, status, fulfillment_status } = told.order;
      if (payment_status !== 'paid') return undefined;
      const isNext = status !== 'cancelled' && fulfillment_status === 'unfulfilled' && told.order.has_goods;
      return {
        subject: say('mail.received_subject', { number }),
        lead: [
          { paragraph: say('mail.received', { amount: amountOf(told, amount_received), number }) },
          ...(isNext ? [{ paragraph: say('mail.received_next') }] : []),
          ...(status === 'cancelled' ? moneyBack(told) : []),
        ],
        details: contentOf(told),
      };
    }),
  order_edited: (context: MailContext, { order_id }: About) =>
    aboutOrder(context, order_id, (told) => {
      const { say } = told.language;
      const { order_number: number, status } = told.order;
      if (status === 'cancelled') return undefined;
      return {
        subject: say('mail.edited_subject', { number }),
        lead: [{ paragraph: say('mail.edited', { number }) }, ...moneyAfterEdit(told)],
        details: contentOf(told),
      };
    }),
  order_shipped: (context: MailContext, { order_id, fulfillment_id }: Mails['order_shipped']) =>
    aboutOrder(context, order_id, (told) => {
      const { say } = told.language;
      const { order_number: number, fulfillments } = told.order;
      const parcel = fulfillments.find(({ id }) => id === fulfillment_id);
      if (!parcel) return undefined;
      const way = told.order.has_goods ? 'shipped' : 'provided';
      return {
        subject: say(`mail.${way}_subject`, { number }),
        lead: [{ paragraph: say(`mail.${way}`, { number }) }, ...trackingOf(told, parcel)],
        details: [...parcelOf(told, parcel), ...contentOf(told)],
      };
    }),
  order_cancelled: (context: MailContext, { order_id }: About) =>
    aboutOrder(context, order_id, (told) => {
      const { say } = told.language;
      const { order_number: number, payment_status, status } = told.order;
      if (status !== 'cancelled') return undefined;
      const why = payment_status === 'expired' || payment_status === 'failed' ? (`_${payment_status}` as const) : '';
      return {
        subject: say('mail.cancelled_subject', { number }),
        lead: [
          { paragraph: say(`mail.cancelled${why}`, { number }), ...(why === '' && { in_text_only: true }) },
          ...moneyBack(told),
        ],
        details: contentOf(told),
      };
    }),
  refund_sent_back: (context: MailContext, { order_id, refund_id }: Mails['refund_sent_back']) =>
    aboutOrder(context, order_id, async (told) => {
      const { say } = told.language;
      const refund = await context.shop.one<{ amount: string }>(
        sql`select amount::text as amount from payment_moves
          where site_id = ${context.shop.siteId} and id = ${refund_id} and order_id = ${order_id} and status = 'failed'`,
      );
      if (!refund) return undefined;
      const values = { amount: amountOf(told, refund.amount), number: told.order.order_number };
      return {
        subject: say('mail.sent_back_subject', values),
        lead: [{ paragraph: say('mail.sent_back', values) }, { paragraph: say('mail.sent_back_answer') }],
        details: contentOf(told),
      };
    }),
};

/**
 * Confirms a part of the price, and asks for the rest. Undefined if the order is cancelled, or if nothing is due any
 * more and the customer did not pay this part online.
 */
async function partReceived(told: Told, payment_id: string): Promise<Words> {
  const { context, language, order } = told;
  const { order_number: number, status, payment_status } = order;
  const isOpen = payment_status === 'pending' || payment_status === 'awaiting_payment';
  const found = await context.shop.one<RowOf<'order_payments', 'amount' | 'payment_id'>>(
    sql`select amount, payment_id from order_payments where site_id = ${context.shop.siteId} and id = ${payment_id}`,
  );
  if (!found || status === 'cancelled') return undefined;
  const amount = amountOf(told, found.amount);
  if (!isOpen && !found.payment_id) return undefined;
  if (!isOpen) {
    return {
      subject: language.say('mail.received_subject', { number }),
      lead: [{ paragraph: language.say('mail.received', { amount, number }) }, ...moneyAfterEdit(told)],
      details: contentOf(told),
    };
  }
  return {
    subject: language.say('mail.received_part_subject', { number }),
    lead: [{ paragraph: language.say('mail.received_part', { amount, number }) }, ...next(told)],
    details: contentOf(told),
  };
}

/**
 * Notifies the shop or a staff member of a new order. Without a recipient in the job, enqueues a mail for the shop and
 * one for each staff member who gets this mail.
 */
async function newOrder(
  context: MailContext,
  { order_id, staff_id, to_shop }: Mails['new_order'],
): Promise<MailContent | undefined> {
  const { shop, front } = context;
  if (!staff_id && !to_shop) {
    if (front.brand.support_email) await enqueue(shop, 'new_order', { order_id, to_shop: true });
    await enqueueForStaff(shop, 'new_order', { order_id });
    return undefined;
  }
  const to = staff_id ? await emailOf(shop, staff_id) : front.brand.support_email;
  if (!to) return undefined;
  const told = await readOrder(context, order_id);
  const language = languageOf(context, null);
  const { say } = language;
  const { order } = told;
  const { order_number: number, email, phone, note } = order;
  const facts: [string, string][] = [[say('notification.new_order_customer'), email ?? '']];
  if (phone) facts.push([say('notification.new_order_phone'), phone]);
  return {
    to,
    language,
    subject: say('notification.new_order_subject', { number, amount: language.amount(order.total, shop.currency) }),
    parts: [
      { paragraph: say('notification.new_order', { number }), in_text_only: true },
      { facts },
      ...(note ? [{ paragraph: say('notification.new_order_note', { note }) }] : []),
      { link: `${context.serverUrl}/panel/orders/${order_id}`, label: say('notification.new_order_panel') },
      ...(email ? [{ small: say('notification.new_order_answer') }] : []),
      ...contentOf({ ...told, language }, say('notification.new_order_details')),
      { small: say('notification.new_order_command', { command: `commerce orders get ${number}` }) },
    ],
    ...(email && { reply_to: email }),
  };
}

/** Finds the e-mail address of a current staff member. */
async function emailOf(shop: Shop, staff_id: string): Promise<string | undefined> {
  const staff = await shop.one<RowOf<'staff', 'email'>>(
    sql`select s.email from staff_memberships m join staff s on s.id = m.staff_id
      where m.site_id = ${shop.siteId} and m.staff_id = ${staff_id}`,
  );
  return staff?.email;
}

interface About {
  order_id: string;
}

/** The parts before and after the button of the mail. */
type Words = (Omit<MailContent, 'to' | 'language' | 'parts'> & { lead: Part[]; details: Part[] }) | undefined;

/** Writes a mail to the buyer of an order; undefined if `write` returns nothing or the order has no e-mail address. */
export async function aboutOrder(
  context: MailContext,
  order_id: string,
  write: (told: Told) => Words | Promise<Words>,
): Promise<MailContent | undefined> {
  const told = await readOrder(context, order_id);
  const { email } = told.order;
  const words = email ? await write(told) : undefined;
  const token = words && (await mintLink(context.shop, order_id));
  if (!email || !token) return undefined;
  const { lead, details, ...rest } = words;
  const parts = [...lead, ...linksTo(told, token), ...details, ...contactOf(told)];
  return { to: email, language: told.language, ...rest, parts };
}

async function readOrder(context: MailContext, order_id: string): Promise<Told> {
  const order = await getShown(context.shop, order_id);
  return { context, language: languageOf(context, order.locale), order };
}

/** Links to the order, which work without an account: to pay an amount due, and to view it. */
function linksTo(told: Told, token: string): Part[] {
  const { context, language, order } = told;
  const link = orderLink(context.baseUrl, context.shop.siteId, token);
  const { due } = order;
  return [
    ...(due?.has_payment_account && !due.is_processing
      ? [{ link: `${link}#due`, label: language.say('order.pay_due', { amount: amountOf(told, due.amount) }) }]
      : []),
    { link, label: language.say('mail.view') },
  ];
}

function contactOf({ context: { front }, language: { say } }: Told): Part[] {
  const { support_email, support_phone } = front.brand;
  return [
    ...(support_email ? [{ small: say('mail.questions') }] : []),
    ...(support_phone ? [{ small: say('mail.call', { phone: support_phone }) }] : []),
  ];
}
