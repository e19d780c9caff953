import sql from 'sql-template-tag';
import * as codes from '../customers/codes.ts';
import { resetLink, verificationLink } from '../links.ts';
import type { Mails, MailTemplate, QueuedMail } from '../mail.ts';
import { readFront } from '../merchant/front.ts';
import type { Shop } from '../shop.ts';
import { agentApproved } from './agent-templates.ts';
import type { MailContext } from './context.ts';
import { loginDelayed, staffLoginDelayed } from './login-delay-templates.ts';
import * as orderTemplates from './order-templates.ts';
import { type Mail, type MailContent, type Part, render } from './rendering.ts';

/** Writes a mail, or none when by now there is nothing to say or nobody to say it to. */
type Writer<Template extends MailTemplate> = (
  context: MailContext,
  about: Mails[Template],
) => Promise<MailContent | undefined>;

const WRITERS: { [Template in MailTemplate]: Writer<Template> } = {
  registration,
  verification,
  address_changed_by_staff: (context, { customer_id }) => verifyOwnAddress(context, sql`id = ${customer_id}`),
  address_change: addressChange,
  address_changed: addressChanged,
  password_reset: passwordReset,
  password_changed: passwordChanged,
  agent_approved: agentApproved,
  ...orderTemplates.WRITERS,
  login_delayed: loginDelayed,
  staff_login_delayed: staffLoginDelayed,
  webhook_disabled: webhookDisabled,
};

/** The mail that was queued, as it is to be sent now. Secrets in links are made here, and replace those sent before. */
export async function compose(shop: Shop, baseUrl: string, { template, about }: QueuedMail): Promise<Mail | undefined> {
  const front = await readFront(shop);
  const write = WRITERS[template] as Writer<MailTemplate>;
  const content = await write({ shop, front, shop_name: front.name, baseUrl }, about);
  return content && render(content, front);
}

async function registration(
  context: MailContext,
  { email, registration_id }: Mails['registration'],
): Promise<MailContent | undefined> {
  const { shop, shop_name } = context;
  if (!(await hasAccount(shop, email))) return verifyRegistration(context, email, registration_id);
  await shop.run(sql`delete from customer_registrations where site_id = ${shop.siteId} and email = ${email}`);
  return {
    to: email,
    subject: `You have an account at ${shop_name}`,
    parts: [
      {
        paragraph: `Someone, probably you, asked for an account at ${shop_name} with this address. You have one already.`,
      },
      { paragraph: 'If you forgot the password, ask for a new one where you log in. If it was not you, do nothing.' },
    ],
  };
}

async function verification(context: MailContext, { email }: Mails['verification']): Promise<MailContent | undefined> {
  const change = await context.shop.one<{ customer_id: string }>(
    sql`select customer_id from customer_codes
      where site_id = ${context.shop.siteId} and purpose = 'verify_email' and email = ${email} and used_at is null`,
  );
  if (change) return addressChange(context, { customer_id: change.customer_id, email });
  if (await hasAccount(context.shop, email)) return verifyOwnAddress(context, sql`email = ${email}`);
  return verifyRegistration(context, email);
}

const RESENT_AT_MOST = 10;

/**
 * The link of a registration, or those of the newest ones of the address. Each says when it was asked for: only so can the
 * reader tell their own from somebody else's.
 */
async function verifyRegistration(
  context: MailContext,
  email: string,
  registration_id: string | null = null,
): Promise<MailContent | undefined> {
  const { shop, shop_name } = context;
  const pending = await shop.rows<Pending>(
    sql`select id, created_at from customer_registrations where site_id = ${shop.siteId} and email = ${email}
      order by id for update`,
  );
  const asked = registration_id ? pending.filter(({ id }) => id === registration_id) : pending.slice(-RESENT_AT_MOST);
  if (asked.length === 0) return undefined;
  const links: Part[] = [];
  for (const one of asked) links.push(...(await registrationParts(context, email, one)));
  return {
    to: email,
    subject: `Confirm your address for ${shop_name}`,
    parts: [
      { paragraph: `Welcome to ${shop_name}. Confirm your address to activate your account.` },
      ...links,
      ...(pending.length > 1 ? [{ paragraph: SEVERAL }] : []),
      { paragraph: 'If you did not request an account at that time, do not open the link, and no account is created.' },
    ],
  };
}

const SEVERAL =
  'An account was requested with this address more than once. Open only the link of your own request. If you cannot tell ' +
  'which that is, ask the shop for a new password as soon as the address is confirmed.';

interface Pending {
  id: string;
  created_at: string;
}

async function registrationParts(
  { shop, baseUrl }: MailContext,
  email: string,
  { id, created_at }: Pending,
): Promise<Part[]> {
  const token = await codes.mint(shop, 'register', { registration_id: id, email });
  const asked = `${created_at.slice(0, 10)} at ${created_at.slice(11, 19)} UTC`;
  const link = verificationLink(baseUrl, shop.siteId, token);
  return [
    { paragraph: `The account was requested on ${asked}. It gets the password that was chosen then.` },
    ...linkParts('Confirm the address', link, token, codes.LIFETIMES.register),
  ];
}

/** To a customer whose address is not verified. */
async function verifyOwnAddress({ shop, shop_name, baseUrl }: MailContext, who: ReturnType<typeof sql>) {
  const customer = await shop.one<{ id: string; email: string }>(
    sql`select id, email from customers where site_id = ${shop.siteId} and ${who}
      and email_verified_at is null and password_hash is not null for no key update`,
  );
  if (!customer) return undefined;
  const { id, email } = customer;
  const token = await codes.mint(shop, 'verify_email', { customer_id: id, email });
  return {
    to: email,
    subject: `Confirm your address for ${shop_name}`,
    parts: [
      { paragraph: `Your account at ${shop_name} has this address. Confirm it to log in again.` },
      ...linkParts(
        'Confirm the address',
        verificationLink(baseUrl, shop.siteId, token),
        token,
        codes.LIFETIMES.verify_email,
      ),
    ],
  };
}

async function addressChange(
  { shop, shop_name, baseUrl }: MailContext,
  { customer_id, email }: Mails['address_change'],
): Promise<MailContent | undefined> {
  const customer = await shop.one(
    sql`select from customers where site_id = ${shop.siteId} and id = ${customer_id} for no key update`,
  );
  if (!customer) return undefined;
  const owner = await shop.one(
    sql`select from customers where site_id = ${shop.siteId} and email = ${email} and id <> ${customer_id}`,
  );
  if (owner) {
    return {
      to: email,
      subject: `Someone wanted to use your address at ${shop_name}`,
      parts: [
        { paragraph: `Someone wanted this address for another account at ${shop_name}. It stays with yours.` },
        { paragraph: 'If that was you, log in to the account that has it.' },
      ],
    };
  }
  const token = await codes.mint(shop, 'verify_email', { customer_id, email });
  return {
    to: email,
    subject: `Confirm your new address for ${shop_name}`,
    parts: [
      { paragraph: `Confirm that your account at ${shop_name} gets this address. Until then it keeps the old one.` },
      ...linkParts(
        'Confirm the address',
        verificationLink(baseUrl, shop.siteId, token),
        token,
        codes.LIFETIMES.verify_email,
      ),
      { paragraph: 'If you did not ask for this, do nothing.' },
    ],
  };
}

async function addressChanged(
  { shop_name }: MailContext,
  { former_email }: Mails['address_changed'],
): Promise<MailContent> {
  return {
    to: former_email,
    subject: `Your address at ${shop_name} has changed`,
    parts: [
      { paragraph: `Your account at ${shop_name} now has another e-mail address. This one is no longer used.` },
      { paragraph: 'If you did not change it, tell the shop at once.' },
    ],
  };
}

async function passwordReset({ shop, shop_name, baseUrl }: MailContext, { email }: Mails['password_reset']) {
  const customer = await shop.one<{ id: string }>(
    sql`select id from customers where site_id = ${shop.siteId} and email = ${email} and anonymized_at is null
      for no key update`,
  );
  if (!customer) return undefined;
  const token = await codes.mint(shop, 'reset_password', { customer_id: customer.id, email });
  return {
    to: email,
    subject: `A new password for ${shop_name}`,
    parts: [
      { paragraph: `Someone, probably you, requested a new password for your account at ${shop_name}.` },
      ...linkParts(
        'Choose a new password',
        resetLink(baseUrl, shop.siteId, token),
        token,
        codes.LIFETIMES.reset_password,
      ),
      { paragraph: 'If it was not you, do nothing. Your password does not change.' },
    ],
  };
}

async function passwordChanged({ shop, shop_name }: MailContext, { customer_id }: Mails['password_changed']) {
  const customer = await shop.one<{ email: string }>(
    sql`select email from customers where site_id = ${shop.siteId} and id = ${customer_id} and anonymized_at is null`,
  );
  return (
    customer && {
      to: customer.email,
      subject: `Your password at ${shop_name} has changed`,
      parts: [
        { paragraph: `Your account at ${shop_name} has a new password.` },
        { paragraph: 'If you did not set it, request a new one where you log in, and tell the shop.' },
      ],
    }
  );
}

async function hasAccount(shop: Shop, email: string): Promise<boolean> {
  const found = await shop.one(
    sql`select from customers where site_id = ${shop.siteId} and email = ${email} and password_hash is not null`,
  );
  return found !== undefined;
}

/** A link, what it is good for, and its code for those who have to type it elsewhere. */
function linkParts(label: string, link: string, token: string, life: string): Part[] {
  return [
    { link, label },
    { paragraph: `The link works once, for ${life}. If the shop asks for a code, this is it:` },
    { facts: [['Code', token]] },
  ];
}

async function webhookDisabled(
  { shop, shop_name }: MailContext,
  about: Mails['webhook_disabled'],
): Promise<MailContent | undefined> {
  const found = await shop.one<{ email: string; url: string; disabled_reason: string }>(
    sql`select s.email, w.url, w.disabled_reason from webhooks w join staff s on s.id = ${about.staff_id}
      where w.site_id = ${shop.siteId} and w.id = ${about.webhook_id} and w.status = 'disabled'`,
  );
  if (!found) return undefined;
  const why =
    found.disabled_reason === 'gone'
      ? 'Its receiver answered 410, which means that it no longer wants events.'
      : 'Every delivery to its receiver failed for five days.';
  return {
    to: found.email,
    subject: `A webhook of ${shop_name} was disabled`,
    parts: [
      { paragraph: `The webhook to ${found.url} was disabled. ${why}` },
      { paragraph: `Once it works again, run: commerce webhooks enable ${about.webhook_id}` },
      { paragraph: 'To replay the failed deliveries: commerce deliveries replay --failed-since TIME' },
    ],
  };
}
