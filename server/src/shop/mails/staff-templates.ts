/** Mails to the staff, in the shop's language. */

import sql from 'sql-template-tag';
import type { Language } from '../../language/language.ts';
import type { Mails } from '../mail.ts';
import { languageOf, type MailContext } from './context.ts';
import type { MailContent } from './rendering.ts';

export async function webhookDisabled(
  context: MailContext,
  { webhook_id, staff_id }: Mails['webhook_disabled'],
): Promise<MailContent | undefined> {
  const { shop, shop_name } = context;
  const found = await shop.one<{ email: string; url: string; disabled_reason: string }>(
    sql`select s.email, w.url, w.disabled_reason from webhooks w join staff s on s.id = ${staff_id}
      where w.site_id = ${shop.siteId} and w.id = ${webhook_id} and w.status = 'disabled'`,
  );
  if (!found) return undefined;
  const { email, url, disabled_reason } = found;
  const language = languageOf(context, null);
  const { say } = language;
  const why = disabled_reason === 'gone' ? 'notification.webhook_gone' : 'notification.webhook_failing';
  const replay = 'commerce deliveries replay --failed-since TIME';
  return {
    to: email,
    language,
    subject: say('notification.webhook_subject', { shop: shop_name }),
    parts: [
      // Without the scheme, so that mail programs do not turn the URL into a link.
      { paragraph: say(why, { url: url.replace(/^https?:\/\//, '') }) },
      { link: `${context.serverUrl}/panel/settings/webhooks/${webhook_id}`, label: say('notification.webhook_panel') },
      { small: say('notification.webhook_enable', { command: `commerce webhooks enable ${webhook_id}` }) },
      { small: say('notification.webhook_replay', { command: replay }) },
    ],
  };
}

/** Lists variants whose stock has fallen to their low-stock threshold and has not recovered. */
export async function lowStock(
  context: MailContext,
  { variant_ids, count, staff_id }: Mails['low_stock'],
): Promise<MailContent | undefined> {
  const { shop, shop_name, serverUrl } = context;
  const found = await shop.rows<{ email: string; name: string; sku: string | null; left: number }>(
    sql`select s.email, concat_ws(' · ', p.name, nullif(concat_ws(' / ', v.option1, v.option2, v.option3), '')) as name,
        v.sku, v.on_hand - v.reserved as left
      from unnest(${variant_ids}::uuid[]) with ordinality as told (id, place)
      join variants v on v.site_id = ${shop.siteId} and v.id = told.id
      join products p on p.site_id = v.site_id and p.id = v.product_id
      join staff_memberships m on m.site_id = v.site_id and m.staff_id = ${staff_id}
      join staff s on s.id = m.staff_id
      where v.track_inventory and v.on_hand <= v.low_stock_threshold
      order by told.place`,
  );
  const [first] = found;
  if (!first) return undefined;
  const language = languageOf(context, null);
  const { say } = language;
  const amounts = found.map(({ name, sku, left }) => ({
    name: sku ? `${name} (${sku})` : name,
    amount: say('notification.low_stock_left', { count: Math.max(0, left) }),
  }));
  const more = count - variant_ids.length;
  return {
    to: first.email,
    language,
    subject: say('notification.low_stock_subject', { shop: shop_name, count: found.length + more }),
    parts: [
      { paragraph: say('notification.low_stock') },
      { amounts },
      ...(more > 0 ? [{ paragraph: say('notification.low_stock_more', { count: more }) }] : []),
      { link: `${serverUrl}/panel/stock`, label: say('notification.low_stock_panel') },
      { small: say('notification.new_order_command', { command: 'commerce inventory list --low-stock' }) },
    ],
  };
}

export async function refundFailed(
  context: MailContext,
  { refund_id, staff_id }: Mails['refund_failed'],
): Promise<MailContent | undefined> {
  const { shop, serverUrl } = context;
  const found = await shop.one<{
    email: string;
    order_id: string;
    number: string;
    amount: string;
    currency: string;
    reason: string | null;
  }>(
    sql`select s.email, o.id as order_id, o.order_number as number, r.amount, o.currency, m.failure_reason as reason
      from refunds r
      join orders o on o.site_id = r.site_id and o.id = r.order_id
      join payment_moves m on m.site_id = r.site_id and m.id = r.id and m.status = 'failed'
      join staff s on s.id = ${staff_id}
      where r.site_id = ${shop.siteId} and r.id = ${refund_id}`,
  );
  if (!found) return undefined;
  const { email, order_id, number, amount, currency, reason } = found;
  const language = languageOf(context, null);
  const { say } = language;
  const told = { amount: language.amount(amount, currency), number, reason: inWords(language, reason) };
  const command = `commerce orders refund ${number} --amount ${amount} --reason other`;
  return {
    to: email,
    language,
    subject: say('notification.refund_subject', { number }),
    parts: [
      { paragraph: say('notification.refund_failed', told) },
      { link: `${serverUrl}/panel/orders/${order_id}`, label: say('notification.new_order_panel') },
      { small: say('notification.refund_again', { command }) },
    ],
  };
}

export async function captureFailed(
  context: MailContext,
  { capture_id, staff_id }: Mails['capture_failed'],
): Promise<MailContent | undefined> {
  const { shop, serverUrl } = context;
  const found = await shop.one<{
    email: string;
    order_id: string;
    number: string;
    amount: string;
    reason: string | null;
  }>(
    sql`select s.email, o.id as order_id, o.order_number as number, m.amount, m.failure_reason as reason
      from payment_moves m
      join orders o on o.site_id = m.site_id and o.id = m.order_id
      join staff s on s.id = ${staff_id}
      where m.site_id = ${shop.siteId} and m.id = ${capture_id} and m.status = 'failed'
        and o.payment_status = 'authorized'`,
  );
  if (!found) return undefined;
  const { email, order_id, number, amount, reason } = found;
  const language = languageOf(context, null);
  const { say } = language;
  const told = { amount: language.amount(amount, shop.currency), number, reason: inWords(language, reason) };
  return {
    to: email,
    language,
    subject: say('notification.capture_subject', { number }),
    parts: [
      { paragraph: say('notification.capture_failed', told) },
      { link: `${serverUrl}/panel/orders/${order_id}`, label: say('notification.new_order_panel') },
      { small: say('notification.capture_again', { command: `commerce orders capture ${number}` }) },
    ],
  };
}

export async function paymentKept(
  context: MailContext,
  { payment_id, staff_id }: Mails['payment_kept'],
): Promise<MailContent | undefined> {
  const { shop } = context;
  const found = await shop.one<{ email: string; reference: string; amount: string; reason: string | null }>(
    sql`select s.email, coalesce(p.reference, p.id::text) as reference, p.amount, p.failure_reason as reason
      from payments p join staff s on s.id = ${staff_id}
      where p.site_id = ${shop.siteId} and p.id = ${payment_id} and p.status = 'failed'`,
  );
  if (!found) return undefined;
  const { email, reference, amount, reason } = found;
  const language = languageOf(context, null);
  const { say } = language;
  const told = { amount: language.amount(amount, shop.currency), reference, reason: inWords(language, reason) };
  return {
    to: email,
    language,
    subject: say('notification.payment_kept_subject', { amount: told.amount }),
    parts: [
      { paragraph: say('notification.payment_kept', told) },
      { paragraph: say('notification.payment_kept_return', told) },
    ],
  };
}

/** Texts for the reasons of failed refunds. Other reasons are shown as the provider reports them. */
const REASONS = {
  lost_or_stolen_card: 'notification.reason_lost_card',
  expired_or_canceled_card: 'notification.reason_ended_card',
  declined: 'notification.reason_declined',
  insufficient_funds: 'notification.reason_insufficient_funds',
  charge_already_refunded: 'notification.reason_already_refunded',
  account_not_available: 'notification.reason_no_account',
} as const;

function inWords({ say }: Language, reason: string | null): string {
  if (reason === null) return say('notification.reason_unknown');
  return reason in REASONS ? say(REASONS[reason as keyof typeof REASONS]) : reason;
}
