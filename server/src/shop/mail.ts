import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../db/row-of.ts';
import type { Shop } from './shop.ts';

/**
 * The data of queued mails by template. The recipient, text and link secrets are determined only when the mail is sent.
 * So the queue contains no secrets, and a request takes the same time whether or not there is a recipient.
 */
export interface Mails {
  /** A registration was requested. Sends a link, or a warning if the e-mail address already has an account. */
  registration: { email: string; registration_id: string };
  /**
   * A verification link was requested again. All pending registrations of the e-mail address get one, because the
   * caller is unknown.
   */
  verification: { email: string };
  /** Staff entered a new e-mail address. Asks its owner to confirm it. */
  address_changed_by_staff: { customer_id: string };
  /** Staff entered a new e-mail address. Notifies the current one. */
  address_change_requested: { customer_id: string };
  /** A customer requested a new e-mail address. Sends a link to it. */
  address_change: { customer_id: string; email: string };
  /** To the previous e-mail address of a customer. */
  address_changed: { former_email: string; customer_id?: string };
  /** `locale` is the language of the request, used if the customer has not chosen one. */
  password_reset: { email: string; locale?: string };
  password_changed: { customer_id: string };
  /** A customer approved an agent's request. */
  agent_approved: { consent_id: string };
  order_placed: { order_id: string };
  /**
   * To the shop's e-mail address or to a staff member. If neither is set, one mail is queued for each subscribed
   * member.
   */
  new_order: { order_id: string; staff_id?: string; to_shop?: true };
  /** To a staff member: variants at or below their low-stock threshold, the first of `count`. */
  low_stock: { variant_ids: string[]; count: number; staff_id: string };
  payment_reminder: { order_id: string };
  payment_received: { order_id: string };
  order_shipped: { order_id: string; fulfillment_id: string };
  order_cancelled: { order_id: string };
  order_refunded: { order_id: string; refund_id: string };
  /** The customer's bank rejected a refund. */
  refund_sent_back: { order_id: string; refund_id: string };
  /**
   * Strangers are guessing the password of an e-mail address. If it has an account, its owner gets a link that avoids
   * the delay.
   */
  login_delayed: { email: string };
  staff_login_delayed: { email: string };
  /** Invitation to the staff. */
  staff_invited: { invitation_id: string };
  /** To a staff member who forgot the password. */
  staff_password_reset: { email: string };
  /** To a staff member whose password or second factor was changed. */
  staff_account_changed: { email: string; change: 'password' | 'two_factor_on' | 'two_factor_off' | 'recovery_codes' };
  /** To an owner: a sensitive setting was changed. `who` is a staff member or an API key. */
  sensitive_change: { change: SensitiveChange; who: string | null; at: string; staff_id: string };
  /** To a staff member: a webhook was disabled. */
  webhook_disabled: { webhook_id: string; staff_id: string };
  /** To a staff member: the provider failed to capture an authorized payment. */
  capture_failed: { capture_id: string; staff_id: string };
  /** To a staff member: the provider failed to refund. */
  refund_failed: { refund_id: string; staff_id: string };
  /** To a staff member: the provider failed to refund a payment that has no order. */
  payment_kept: { payment_id: string; staff_id: string };
}

export type SensitiveChange = 'keys' | 'payments' | 'settings' | 'staff';

export type MailTemplate = keyof Mails;

/** A queued mail. */
export interface QueuedMail<Template extends MailTemplate = MailTemplate> {
  /**
   * Null for mails about a staff login, which belongs to no shop. They are sent in the name of the first of the
   * person's shops.
   */
  site_id: string | null;
  template: Template;
  about: Mails[Template];
}

/** Enqueues a mail, which is sent if the transaction commits. */
export async function enqueue<Template extends MailTemplate>(
  shop: Shop,
  template: Template,
  about: Mails[Template],
): Promise<void> {
  const mail: QueuedMail<Template> = { site_id: shop.siteId, template, about };
  await shop.run(sql`select enqueue('send_mail', ${JSON.stringify(mail)}::json, now())`);
}

/** Enqueues several mails with the same data in one statement. They are sent if the transaction commits. */
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

/**
 * Conditions for whether a member `m`, with staff row `s`, has subscribed to a mail in a shop with the settings `t`.
 * Mails without a condition go to all members, because they concern money.
 */
const SWITCHES: Partial<Record<StaffTemplate, Sql>> = {
  new_order: sql`coalesce(m.mail_new_orders, t.brand ->> 'support_email' is null)
    and lower(s.email) is distinct from lower(t.brand ->> 'support_email')`,
  low_stock: sql`m.mail_low_stock`,
  webhook_disabled: sql`m.mail_disabled_webhooks`,
};

/** The ids of the staff members who subscribed to a mail. */
export async function membersFor(shop: Shop, template: StaffTemplate): Promise<string[]> {
  const members = await shop.rows<RowOf<'staff_memberships', 'staff_id'>>(
    sql`select m.staff_id from staff_memberships m join staff s on s.id = m.staff_id
      join site_settings t on t.site_id = m.site_id
      where m.site_id = ${shop.siteId} and ${SWITCHES[template] ?? sql`true`} order by m.staff_id`,
  );
  return members.map(({ staff_id }) => staff_id);
}

/** Enqueues a mail for each staff member who subscribed to it. */
export async function enqueueForStaff<Template extends StaffTemplate>(
  shop: Shop,
  template: Template,
  about: Omit<Mails[Template], 'staff_id'>,
): Promise<void> {
  for (const staff_id of await membersFor(shop, template)) {
    await enqueue(shop, template, { ...about, staff_id } as Mails[Template]);
  }
}

/** Enqueues a mail for each owner. */
export async function enqueueForOwners(shop: Shop, about: Omit<Mails['sensitive_change'], 'staff_id'>): Promise<void> {
  const owners = await shop.rows<RowOf<'staff_memberships', 'staff_id'>>(
    sql`select staff_id from staff_memberships where site_id = ${shop.siteId} and role = 'owner'`,
  );
  for (const { staff_id } of owners) await enqueue(shop, 'sensitive_change', { ...about, staff_id });
}

export type PersonTemplate = 'staff_login_delayed' | 'staff_password_reset' | 'staff_account_changed';

/** Enqueues a mail about a staff login, which belongs to no shop. It is sent only if the e-mail address has a login. */
export async function enqueueForPerson<Template extends PersonTemplate>(
  shop: Shop,
  template: Template,
  about: Mails[Template],
): Promise<void> {
  const mail: QueuedMail<Template> = { site_id: null, template, about };
  await shop.run(sql`select enqueue('send_mail', ${JSON.stringify(mail)}::json, now())`);
}
