/** Mails to the staff about returns, withdrawals and disputes of orders, in the shop's language. */

import sql from 'sql-template-tag';
import type { Mails } from '../mail.ts';
import { get } from '../returns/rows.ts';
import * as withdrawals from '../withdrawals/rows.ts';
import { languageOf, type MailContext } from './context.ts';
import type { Part } from './parts.ts';
import type { MailContent } from './rendering.ts';
import { withoutLinks } from './withdrawal-templates.ts';

/** Notifies staff that a customer requested a return; undefined if it was cancelled meanwhile. */
export async function newReturn(
  context: MailContext,
  { return_id, staff_id }: Mails['new_return'],
): Promise<MailContent | undefined> {
  const found = await get(context.shop, return_id);
  const email = await emailOf(context, staff_id);
  if (!email || found.status === 'cancelled') return undefined;
  const language = languageOf(context, null);
  const { say } = language;
  const { number, status, customer_note } = found;
  const told = { number, order: found.order_number };
  const items = found.lines.map(({ name, variant_name, quantity, reason }) => ({
    name,
    variant: [variant_name, say(`returns.reason_${reason}`)].filter(Boolean).join(' · '),
    ...{ detail: String(quantity), amount: null, picture: null },
  }));
  return {
    to: email,
    language,
    subject: say('notification.new_return_subject', told),
    parts: [
      { paragraph: say(status === 'requested' ? 'notification.new_return' : 'notification.new_return_approved', told) },
      { items },
      ...(customer_note ? [{ paragraph: say('notification.new_order_note', { note: customer_note }) }] : []),
      { link: `${context.serverUrl}/panel/returns/${return_id}`, label: say('notification.new_order_panel') },
      { small: say('notification.new_order_command', { command: `commerce returns show ${number}` }) },
    ],
  };
}

/** Notifies staff that a consumer withdrew from a contract; undefined if it was closed without a return. */
export async function newWithdrawal(
  context: MailContext,
  { withdrawal_id, staff_id }: Mails['new_withdrawal'],
): Promise<MailContent | undefined> {
  const found = await withdrawals.get(context.shop, withdrawal_id);
  const email = await emailOf(context, staff_id);
  if (!email || (found.status === 'closed' && found.return_id === null)) return undefined;
  const language = languageOf(context, null);
  const { say } = language;
  const day = language.day(found.refund_due_at);
  const { order_number, name } = found;
  return {
    to: email,
    language,
    subject: say('notification.new_withdrawal_subject', { name: withoutLinks(name) }),
    parts: [
      {
        paragraph: order_number
          ? say('notification.new_withdrawal', { order: order_number, day })
          : say('notification.new_withdrawal_unmatched', { day }),
      },
      {
        facts: [
          [say('withdrawal.name'), withoutLinks(name)],
          [say('withdrawal.email'), withoutLinks(found.email)],
          [say('withdrawal.contract'), withoutLinks(found.contract)],
          [say('withdrawal.items'), withoutLinks((found.items ?? say('withdrawal.all')).slice(0, MOST_ITEMS))],
        ],
      },
      { link: `${context.serverUrl}/panel/withdrawals/${withdrawal_id}`, label: say('notification.new_order_panel') },
      {
        small: say('notification.new_order_command', { command: `commerce withdrawals show ${withdrawal_id}` }),
      },
    ],
  };
}

/** Maximum number of characters to show of the consumer's text about the items. */
const MOST_ITEMS = 1000;

/** Notifies staff of a new dispute or a bank's decision; undefined if the dispute has another status meanwhile. */
export async function orderDisputed(
  context: MailContext,
  { dispute_id, status, staff_id }: Mails['order_disputed'],
): Promise<MailContent | undefined> {
  const { shop } = context;
  const found = await shop.one<DisputedOrder>(
    sql`select o.id as order_id, o.order_number as number, d.amount, o.currency, d.reference, d.respond_by
      from disputes d join orders o on o.site_id = d.site_id and o.id = d.order_id
      where d.site_id = ${shop.siteId} and d.id = ${dispute_id} and d.status = ${status}`,
  );
  const email = await emailOf(context, staff_id);
  if (!found || !email) return undefined;
  const language = languageOf(context, null);
  const { say } = language;
  const { number, reference } = found;
  const told = { number, reference, amount: language.amount(found.amount, found.currency) };
  const due: Part[] =
    status === 'open' && found.respond_by
      ? [{ facts: [[say('notification.dispute_due'), language.day(found.respond_by)]] }]
      : [];
  return {
    to: email,
    language,
    subject: say(`notification.dispute_${status}_subject`, told),
    parts: [
      { paragraph: say(`notification.dispute_${status}`, told) },
      ...due,
      { link: `${context.serverUrl}/panel/orders/${found.order_id}`, label: say('notification.new_order_panel') },
      { small: say('notification.new_order_command', { command: `commerce orders get ${number}` }) },
    ],
  };
}

interface DisputedOrder {
  order_id: string;
  number: string;
  amount: string;
  currency: string;
  reference: string;
  respond_by: string | null;
}

async function emailOf({ shop }: MailContext, staff_id: string): Promise<string | undefined> {
  const found = await shop.one<{ email: string }>(
    sql`select s.email from staff s join staff_memberships m on m.staff_id = s.id
      where m.site_id = ${shop.siteId} and s.id = ${staff_id}`,
  );
  return found?.email;
}
