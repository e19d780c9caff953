import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../db/row-of.ts';
import type { Shop } from './shop.ts';

/**
 * What each mail is about. Only that is queued: addressee, words and secrets in links are determined when the mail is sent, so
 * that no secret is in the queue, and a request takes the same time whether or not there is anyone to write to.
 */
export interface Mails {
  /** Someone asked for an account. Goes out with a link, or as a warning to whoever has the address. */
  registration: { email: string; registration_id: string };
  /**
   * Someone who waits for a verification link asked for another. It is not known whose registration it was: all of them get
   * one.
   */
  verification: { email: string };
  /** Staff entered another address: its owner is asked to confirm it. */
  address_changed_by_staff: { customer_id: string };
  /** The same, to the address that counts until then. */
  address_change_requested: { customer_id: string };
  /** A customer wants another address. */
  address_change: { customer_id: string; email: string };
  /** To the address that a customer had before. */
  address_changed: { former_email: string; customer_id?: string };
  /** `locale` is that of the request; it is used for a customer who has chosen none. */
  password_reset: { email: string; locale?: string };
  password_changed: { customer_id: string };
  /** A customer has approved what an agent asks for. */
  agent_approved: { consent_id: string };
  order_placed: { order_id: string };
  /** To the shop's own address or to a member of staff; without either, a mail is queued for each who wants it. */
  new_order: { order_id: string; staff_id?: string; to_shop?: true };
  /** To a member of staff: variants that were sold down to their thresholds, the first of `count`. */
  low_stock: { variant_ids: string[]; count: number; staff_id: string };
  payment_reminder: { order_id: string };
  payment_received: { order_id: string };
  order_shipped: { order_id: string; fulfillment_id: string };
  order_cancelled: { order_id: string };
  order_refunded: { order_id: string; refund_id: string };
  /** The customer's bank has sent a refund back. */
  refund_sent_back: { order_id: string; refund_id: string };
  /** Strangers guess at the password of an address, if it has an account: its owner gets a link past the delay. */
  login_delayed: { email: string };
  staff_login_delayed: { email: string };
  /** Somebody is invited to the staff. */
  staff_invited: { invitation_id: string };
  /** To a member of staff who forgot the password. */
  staff_password_reset: { email: string };
  /** To a member of staff whose password or second factor was changed. */
  staff_account_changed: { email: string; change: 'password' | 'two_factor_on' | 'two_factor_off' | 'recovery_codes' };
  /** To those who own the shop: something was changed that would help a thief. `who` is a member of staff or an API key. */
  sensitive_change: { change: SensitiveChange; who: string | null; at: string; staff_id: string };
  /** To a member of staff: a webhook was taken out of service. */
  webhook_disabled: { webhook_id: string; staff_id: string };
  /** To a member of staff: the provider did not take the money that it had reserved. */
  capture_failed: { capture_id: string; staff_id: string };
  /** To a member of staff: the provider did not return the money. */
  refund_failed: { refund_id: string; staff_id: string };
  /** To a member of staff: the provider did not return the money of a payment without an order. */
  payment_kept: { payment_id: string; staff_id: string };
}

export type SensitiveChange = 'keys' | 'payments' | 'settings' | 'staff';

export type MailTemplate = keyof Mails;

/** A mail as it is queued. */
export interface QueuedMail<Template extends MailTemplate = MailTemplate> {
  /** Null for staff, who may belong to several: the mail then comes from the first of their shops. */
  site_id: string | null;
  template: Template;
  about: Mails[Template];
}

/** Has a mail sent once the transaction commits, and never if it does not. */
export async function enqueue<Template extends MailTemplate>(
  shop: Shop,
  template: Template,
  about: Mails[Template],
): Promise<void> {
  const mail: QueuedMail<Template> = { site_id: shop.siteId, template, about };
  await shop.run(sql`select enqueue('send_mail', ${JSON.stringify(mail)}::json, now())`);
}

/** The same for several mails about one thing, in one statement. */
export async function enqueueAll<Template extends MailTemplate>(
  shop: Shop,
  templates: Template[],
  about: Mails[Template],
): Promise<void> {
  const mails = templates.map((template): QueuedMail<Template> => ({ site_id: shop.siteId, template, about }));
  await shop.run(sql`select enqueue_all('send_mail', ${mails.map((mail) => JSON.stringify(mail))}::json[], now())`);
}

type StaffTemplate =
  | 'new_order'
  | 'low_stock'
  | 'webhook_disabled'
  | 'capture_failed'
  | 'refund_failed'
  | 'payment_kept';

/** Whether a member `m` of the staff `s` of a shop with the settings `t` wants a mail. The others go to all: money waits. */
const SWITCHES: Partial<Record<StaffTemplate, Sql>> = {
  new_order: sql`coalesce(m.mail_new_orders, t.brand ->> 'support_email' is null)
    and lower(s.email) is distinct from lower(t.brand ->> 'support_email')`,
  low_stock: sql`m.mail_low_stock`,
  webhook_disabled: sql`m.mail_disabled_webhooks`,
};

/** Those who run the shop and want a mail. */
export async function membersFor(shop: Shop, template: StaffTemplate): Promise<string[]> {
  const members = await shop.rows<RowOf<'staff_memberships', 'staff_id'>>(
    sql`select m.staff_id from staff_memberships m join staff s on s.id = m.staff_id
      join site_settings t on t.site_id = m.site_id
      where m.site_id = ${shop.siteId} and ${SWITCHES[template] ?? sql`true`} order by m.staff_id`,
  );
  return members.map(({ staff_id }) => staff_id);
}

/** The same mail to each of them. */
export async function enqueueForStaff<Template extends StaffTemplate>(
  shop: Shop,
  template: Template,
  about: Omit<Mails[Template], 'staff_id'>,
): Promise<void> {
  for (const staff_id of await membersFor(shop, template)) {
    await enqueue(shop, template, { ...about, staff_id } as Mails[Template]);
  }
}

/** The same to those who own the shop. */
export async function enqueueForOwners(shop: Shop, about: Omit<Mails['sensitive_change'], 'staff_id'>): Promise<void> {
  const owners = await shop.rows<RowOf<'staff_memberships', 'staff_id'>>(
    sql`select staff_id from staff_memberships where site_id = ${shop.siteId} and role = 'owner'`,
  );
  for (const { staff_id } of owners) await enqueue(shop, 'sensitive_change', { ...about, staff_id });
}

export type PersonTemplate = 'staff_login_delayed' | 'staff_password_reset' | 'staff_account_changed';

/** One to a member of staff about their account, which belongs to no shop. It is sent if somebody has the address. */
export async function enqueueForPerson<Template extends PersonTemplate>(
  shop: Shop,
  template: Template,
  about: Mails[Template],
): Promise<void> {
  const mail: QueuedMail<Template> = { site_id: null, template, about };
  await shop.run(sql`select enqueue('send_mail', ${JSON.stringify(mail)}::json, now())`);
}
