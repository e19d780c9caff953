import type { DisputeStatus, ReturnStatus } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../db/row-of.ts';
import type { Shop } from './shop.ts';

/** The amounts of a draft order when it was sent. They add up to the total of the draft. */
interface OfferedAmounts {
  subtotal: string;
  discount: string;
  shipping_cost: string;
  tax: string;
  tax_included: boolean;
  total: string;
}

/**
 * The data of queued mails by template. The recipient, the text and the secrets of links are determined when the mail
 * is sent. So the queue contains no secrets, and a request takes the same time with and without a recipient.
 */
export interface Mails {
  /** Sends a link, or a warning if the e-mail address already has an account. */
  registration: { email: string; registration_id: string };
  /**
   * Sends a link that verifies the e-mail address: for a pending change to it, or for the account that has it. Without
   * either, sends a link for each of its newest registrations, because the request does not identify one.
   */
  verification: { email: string };
  /** Asks the owner of a new e-mail address to confirm it. */
  address_changed_by_staff: { customer_id: string };
  /** Notifies the current e-mail address that staff entered a new one. */
  address_change_requested: { customer_id: string };
  /** Sends a link to the e-mail address that the customer entered. */
  address_change: { customer_id: string; email: string };
  /** To the previous e-mail address of a customer. */
  address_changed: { former_email: string; customer_id?: string };
  /** `locale` is the language of the request. It is used if the customer has not chosen one. */
  password_reset: { email: string; locale?: string };
  password_changed: { customer_id: string };
  /** To the customer who approved an agent. */
  agent_approved: { consent_id: string };
  order_placed: { order_id: string };
  /**
   * To the shop's e-mail address or to a staff member. Without a recipient, the job queues one mail for each of them.
   */
  new_order: { order_id: string; staff_id?: string; to_shop?: true };
  /** To a staff member. `variant_ids` are the first of `count` variants at or below their threshold. */
  low_stock: { variant_ids: string[]; count: number; staff_id: string };
  /** Offers a draft order to the customer, with a link to accept it. */
  draft_sent: { draft_order_id: string; amounts?: OfferedAmounts };
  payment_reminder: { order_id: string };
  /** With `payment_id`, a part of the price was received. */
  payment_received: { order_id: string; payment_id?: string };
  order_edited: { order_id: string };
  order_shipped: { order_id: string; fulfillment_id: string };
  order_cancelled: { order_id: string };
  order_refunded: { order_id: string; refund_id: string };
  return_changed: { order_id: string; return_id: string; status: ReturnStatus };
  /** Sends an invoice or credit note as attachment. */
  document_issued: { order_id: string; document_id: string };
  /** Acknowledges a statement of withdrawal, to the e-mail address in it. */
  withdrawal_stated: { statement_id: string };
  /** Notifies the customer that the bank rejected a refund. */
  refund_sent_back: { order_id: string; refund_id: string };
  /** Somebody is guessing the password. The owner of the account gets a link that ends the delay. */
  login_delayed: { email: string };
  staff_login_delayed: { email: string };
  /** To an invited person. */
  staff_invited: { invitation_id: string };
  /** To a staff member who forgot the password. */
  staff_password_reset: { email: string };
  /** To a staff member whose password or second factor was changed. */
  staff_account_changed: { email: string; change: 'password' | 'two_factor_on' | 'two_factor_off' | 'recovery_codes' };
  /** To an owner. `who` is the staff member or API key that made the change. */
  sensitive_change: { change: SensitiveChange; who: string | null; at: string; staff_id: string };
  /** To a staff member. */
  webhook_disabled: { webhook_id: string; staff_id: string };
  /** To a staff member: the provider failed to capture an authorized payment. */
  capture_failed: { capture_id: string; staff_id: string };
  /** To a staff member: a customer disputes a payment at the bank, or the bank has decided. */
  order_disputed: { dispute_id: string; status: DisputeStatus; staff_id: string };
  /** To a staff member: a customer requested a return. */
  new_return: { return_id: string; staff_id: string };
  /** To a staff member: a consumer withdrew from a contract. */
  new_withdrawal: { withdrawal_id: string; staff_id: string };
  /** To a staff member: the provider failed to refund. */
  refund_failed: { refund_id: string; staff_id: string };
  /** To a staff member: the provider failed to refund a payment that has no order. */
  payment_kept: { payment_id: string; staff_id: string };
}

export type SensitiveChange = 'assistants' | 'keys' | 'payments' | 'settings' | 'staff';

export type MailTemplate = keyof Mails;

export interface QueuedMail<Template extends MailTemplate = MailTemplate> {
  /**
   * Null for mails about a staff login, which belongs to no shop. They are sent in the name of the person's first shop.
   */
  site_id: string | null;
  template: Template;
  about: Mails[Template];
}

/** Enqueues a mail. It is sent after the commit, or at `at`. */
export async function enqueue<Template extends MailTemplate>(
  shop: Shop,
  template: Template,
  about: Mails[Template],
  at: string | null = null,
): Promise<void> {
  const mail: QueuedMail<Template> = { site_id: shop.siteId, template, about };
  await shop.run(sql`select enqueue('send_mail', ${JSON.stringify(mail)}::json, coalesce(${at}::timestamptz, now()))`);
}

/** Enqueues several mails with the same data in one statement. They are sent after the commit. */
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
  | 'new_return'
  | 'new_withdrawal'
  | 'order_disputed'
  | 'capture_failed'
  | 'refund_failed'
  | 'payment_kept';

/**
 * Whether staff member `s` with membership `m` gets a mail of a shop with settings `t`. Mails without a condition go to
 * all staff, because they concern money.
 */
const SWITCHES: Partial<Record<StaffTemplate, Sql>> = {
  new_order: sql`coalesce(m.mail_new_orders, t.brand ->> 'support_email' is null)
    and lower(s.email) is distinct from lower(t.brand ->> 'support_email')`,
  new_return: sql`coalesce(m.mail_new_orders, true)`,
  new_withdrawal: sql`coalesce(m.mail_new_orders, true)`,
  low_stock: sql`m.mail_low_stock`,
  webhook_disabled: sql`m.mail_disabled_webhooks`,
};

/** Lists the ids of the staff members who get a mail. */
export async function membersFor(shop: Shop, template: StaffTemplate): Promise<string[]> {
  const members = await shop.rows<RowOf<'staff_memberships', 'staff_id'>>(
    sql`select m.staff_id from staff_memberships m join staff s on s.id = m.staff_id
      join site_settings t on t.site_id = m.site_id
      where m.site_id = ${shop.siteId} and ${SWITCHES[template] ?? sql`true`} order by m.staff_id`,
  );
  return members.map(({ staff_id }) => staff_id);
}

/**
 * Enqueues a mail for each staff member who receives mails of this template. They are sent after the commit, or at
 * `at`.
 */
export async function enqueueForStaff<Template extends StaffTemplate>(
  shop: Shop,
  template: Template,
  about: Omit<Mails[Template], 'staff_id'>,
  at: string | null = null,
): Promise<void> {
  for (const staff_id of await membersFor(shop, template)) {
    await enqueue(shop, template, { ...about, staff_id } as Mails[Template], at);
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
