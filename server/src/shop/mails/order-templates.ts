import type { Address, CustomerOrder, Fulfillment } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { Language } from '../../language/language.ts';
import { orderLink } from '../links.ts';
import type { Mails } from '../mail.ts';
import { mintLink } from '../orders/links.ts';
import { getForCustomer } from '../orders/rows.ts';
import { languageOf, type MailContext } from './context.ts';
import type { MailContent, Part } from './rendering.ts';

/** Mails about orders, in the language of the order. Each says how the order stands when it is sent; one that has been overtaken is not sent. */
export const WRITERS = {
  new_order: newOrder,
  order_placed: (context: MailContext, { order_id }: About) =>
    about(context, order_id, (told) => {
      const { say } = told.language;
      const { order_number: number } = told.order;
      return {
        subject: say('mail.placed_subject', { number, shop: context.front.name }),
        parts: [{ paragraph: say('mail.placed') }, ...next(told), ...contentOf(told)],
      };
    }),
  payment_reminder: (context: MailContext, { order_id }: About) =>
    about(context, order_id, (told) => {
      const { say } = told.language;
      const { order_number: number, payment_status } = told.order;
      if (payment_status !== 'awaiting_payment') return undefined;
      return {
        subject: say('mail.reminder_subject', { number }),
        parts: [{ paragraph: say('mail.reminder', { number }) }, ...next(told), ...contentOf(told)],
      };
    }),
  payment_received: (context: MailContext, { order_id }: About) =>
    about(context, order_id, (told) => {
      const { say } = told.language;
      const { order_number: number, payment_status, total } = told.order;
      if (payment_status !== 'paid') return undefined;
      return {
        subject: say('mail.received_subject', { number }),
        parts: [
          { paragraph: say('mail.received', { amount: amountOf(told, total), number }) },
          { paragraph: say('mail.received_next') },
          ...contentOf(told),
        ],
      };
    }),
  order_shipped: (context: MailContext, { order_id, fulfillment_id }: Mails['order_shipped']) =>
    about(context, order_id, (told) => {
      const { say } = told.language;
      const { order_number: number, fulfillments } = told.order;
      const parcel = fulfillments.find(({ id }) => id === fulfillment_id);
      if (!parcel) return undefined;
      return {
        subject: say('mail.shipped_subject', { number }),
        parts: [{ paragraph: say('mail.shipped', { number }) }, ...parcelOf(told, parcel)],
      };
    }),
  order_cancelled: (context: MailContext, { order_id }: About) =>
    about(context, order_id, (told) => {
      const { say } = told.language;
      const { order_number: number, payment_status, status } = told.order;
      if (status !== 'cancelled') return undefined;
      const why = payment_status === 'expired' || payment_status === 'failed' ? (`_${payment_status}` as const) : '';
      return {
        subject: say('mail.cancelled_subject', { number }),
        parts: [{ paragraph: say(`mail.cancelled${why}`, { number }) }, ...contentOf(told)],
      };
    }),
  order_refunded: (context: MailContext, { order_id, refund_id }: Mails['order_refunded']) =>
    about(context, order_id, async (told) => {
      const { say } = told.language;
      const refund = await context.shop.one<{ amount: string }>(
        sql`select amount::text as amount from refunds
          where site_id = ${context.shop.siteId} and id = ${refund_id} and order_id = ${order_id}`,
      );
      if (!refund) return undefined;
      const { order_number: number, payment_method } = told.order;
      const amount = amountOf(told, refund.amount);
      const way = payment_method === 'card' ? 'card' : 'other';
      return {
        subject: say('mail.refunded_subject', { amount, number }),
        parts: [
          { paragraph: say('mail.refunded', { amount, number }) },
          { paragraph: say(`mail.refunded_${way}`) },
          ...contentOf(told),
        ],
      };
    }),
};

/** To the shop, in its own language, so that nobody has to look whether something was ordered. */
async function newOrder(context: MailContext, { order_id }: About): Promise<MailContent | undefined> {
  const { shop, front } = context;
  const to = front.brand.support_email;
  const told = await readOrder(context, order_id);
  if (!to) return undefined;
  const language = languageOf(context, null);
  const { say } = language;
  const { order } = told;
  const { order_number: number, payment_method: method, payment_status, shipping_method, email, phone, note } = order;
  const state = say(`account.payment_${payment_status}`);
  const facts: [string, string][] = [[say('notification.new_order_customer'), email ?? '']];
  if (phone) facts.push([say('notification.new_order_phone'), phone]);
  const paid = method ? say('order.payment_by', { method: say(`checkout.pay_${method}`), state }) : state;
  facts.push([say('notification.new_order_payment'), paid]);
  if (shipping_method) facts.push([say('notification.new_order_method'), shipping_method]);
  return {
    to,
    language,
    subject: say('notification.new_order_subject', { number, amount: language.amount(order.total, shop.currency) }),
    parts: [
      { paragraph: say('notification.new_order', { number }) },
      { facts },
      ...(note ? [{ paragraph: say('notification.new_order_note', { note }) }] : []),
      ...contentOf({ ...told, language }),
      ...(email ? [{ paragraph: say('notification.new_order_answer') }] : []),
      { paragraph: say('notification.new_order_command', { command: `commerce orders get ${number}` }) },
    ],
    ...(email && { reply_to: email }),
  };
}

interface About {
  order_id: string;
}

/** An order as its mails tell it. */
interface Told {
  context: MailContext;
  language: Language;
  order: CustomerOrder;
  tax_included: boolean;
}

type Words = Omit<MailContent, 'to' | 'language'> | undefined;

async function about(context: MailContext, order_id: string, write: (told: Told) => Words | Promise<Words>) {
  const told = await readOrder(context, order_id);
  const { email } = told.order;
  const words = email ? await write(told) : undefined;
  const token = words && (await mintLink(context.shop, order_id));
  if (!email || !token) return undefined;
  return { to: email, language: told.language, ...words, parts: [...words.parts, ...closing(told, token)] };
}

async function readOrder(context: MailContext, order_id: string): Promise<Told> {
  const { shop } = context;
  const order = await getForCustomer(shop, order_id);
  const terms = await shop.one<{ tax_included: boolean; locale: string }>(
    sql`select tax_included, locale from orders where site_id = ${shop.siteId} and id = ${order_id}`,
  );
  return { context, language: languageOf(context, terms?.locale), order, tax_included: terms?.tax_included ?? false };
}

/** What happens next, with what is needed to pay. */
function next({ language, order }: Told): Part[] {
  const { say } = language;
  const { instructions } = order.payment;
  if (!instructions) {
    const isOpen = order.payment_status === 'pending';
    const wait = order.payment_method === 'manual' ? 'mail.next_handed_over' : 'mail.next_unconfirmed';
    return [{ paragraph: say(isOpen ? wait : 'mail.next_preparing') }];
  }
  const facts: [string, string][] = [
    [say('checkout.amount'), language.amount(instructions.amount, instructions.currency)],
    [say('checkout.reference'), instructions.reference],
    [say('checkout.recipient'), instructions.account_holder],
    [say('checkout.iban'), instructions.iban.replaceAll(/(.{4})(?=.)/g, '$1 ')],
  ];
  if (instructions.bic) facts.push([say('checkout.bic'), instructions.bic]);
  if (instructions.bank_name) facts.push([say('checkout.bank'), instructions.bank_name]);
  return [
    { paragraph: say('mail.next_transfer', { day: language.day(instructions.due_at) }) },
    { facts },
    ...(instructions.instructions ? [{ paragraph: instructions.instructions }] : []),
  ];
}

/** The order itself: number, what was bought, what it comes to, and where it goes. */
function contentOf(told: Told): Part[] {
  const { language, order } = told;
  const { say } = language;
  const address = linesOf(language, order.shipping_address);
  return [
    { heading: say('mail.items') },
    {
      facts: [
        [say('mail.number'), order.order_number],
        [say('mail.placed_on'), language.day(order.created_at)],
      ],
    },
    { items: order.line_items.map((line) => itemOf(line, String(line.quantity), amountOf(told, line.total))) },
    { amounts: amountsOf(told) },
    ...(address.length > 0 ? [{ heading: say('checkout.delivery_address') }, { lines: address }] : []),
  ];
}

/** Where to look, without an account as well, and whom to ask. */
function closing({ context, language }: Told, token: string): Part[] {
  const { say } = language;
  const { support_email, support_phone } = context.front.brand;
  return [
    { link: orderLink(context.baseUrl, context.shop.siteId, token), label: say('mail.view') },
    ...(support_email ? [{ paragraph: say('mail.questions') }] : []),
    ...(support_phone ? [{ paragraph: say('mail.call', { phone: support_phone }) }] : []),
  ];
}

type Line = CustomerOrder['line_items'][number];

/** Mail programs ask for pictures over https alone. */
function itemOf({ name, variant_name, image_url }: Line, detail: string, amount: string) {
  const picture = image_url?.startsWith('https://') ? image_url : null;
  return { name: variant_name ? `${name}, ${variant_name}` : name, detail, amount, picture };
}

function linesOf(language: Language, address: Address | null | undefined): string[] {
  if (!address) return [];
  const { first_name, last_name, company, address1, address2, postal_code, city, state, country } = address;
  const name = [first_name, last_name].filter(Boolean).join(' ');
  const place = [postal_code, city].filter(Boolean).join(' ');
  const lines = [name, company, address1, address2, place, state, country && language.country(country)];
  return lines.filter((line): line is string => Boolean(line));
}

/** What is in a parcel, and how to follow it. */
function parcelOf({ language, order }: Told, { items, ...parcel }: Fulfillment): Part[] {
  const { say } = language;
  const content = order.line_items.flatMap((line) => {
    const item = items.find(({ line_item_id }) => line_item_id === line.id);
    const detail = item && say('mail.of', { count: item.quantity, total: line.quantity });
    return detail ? [itemOf(line, detail, '')] : [];
  });
  const tracking: [string, string][] = [];
  if (parcel.carrier) tracking.push([say('mail.carrier'), parcel.carrier]);
  if (parcel.tracking_number) tracking.push([say('mail.tracking_number'), parcel.tracking_number]);
  return [
    ...(tracking.length > 0 ? [{ facts: tracking }] : []),
    ...(parcel.tracking_url ? [{ link: parcel.tracking_url, label: say('mail.track') }] : []),
    { items: content },
  ];
}

/** The amounts down to the total add up to it; a tax that is in the prices already stands below. */
function amountsOf(told: Told): [string, string][] {
  const { language, order, tax_included } = told;
  const { say } = language;
  const line = (name: string, amount: string, sign = ''): [string, string][] =>
    /[1-9]/.test(amount) ? [[name, sign + amountOf(told, amount)]] : [];
  const total = line(say('checkout.total'), order.total);
  const tax = line(say(tax_included ? 'mail.tax_included' : 'checkout.tax'), order.tax);
  return [
    ...line(say('checkout.subtotal'), order.subtotal),
    ...line(say('checkout.discount'), order.discount, '−'),
    ...line(say('checkout.delivery'), order.shipping_cost),
    ...(tax_included ? [...total, ...tax] : [...tax, ...total]),
  ];
}

function amountOf({ language, order }: Pick<Told, 'language' | 'order'>, amount: string): string {
  return language.amount(amount, order.currency);
}
