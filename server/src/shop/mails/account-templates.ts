/**
 * Mails about customer accounts, in the customer's language, otherwise in the language of the registration or of the
 * reset request, otherwise in the shop's. Writing a mail creates the secret in its link, which invalidates the previous
 * secret.
 */

import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Language } from '../../language/language.ts';
import * as codes from '../customers/codes.ts';
import { resetLink, verificationLink } from '../links.ts';
import type { Mails } from '../mail.ts';
import type { Shop } from '../shop.ts';
import { languageOf, type MailContext } from './context.ts';
import type { Part } from './parts.ts';
import type { MailContent } from './rendering.ts';

export async function registration(
  context: MailContext,
  { email, registration_id }: Mails['registration'],
): Promise<MailContent | undefined> {
  const { shop, shop_name } = context;
  const account = await findAccount(shop, email);
  if (!account) return verifyRegistration(context, email, registration_id);
  await shop.run(sql`delete from customer_registrations where site_id = ${shop.siteId} and email = ${email}`);
  const language = languageOf(context, account.locale);
  const { say } = language;
  return {
    to: email,
    language,
    subject: say('notification.registered_subject', { shop: shop_name }),
    parts: [
      { paragraph: say('notification.registered', { shop: shop_name }) },
      { paragraph: say('notification.registered_next') },
    ],
  };
}

export async function verification(
  context: MailContext,
  { email }: Mails['verification'],
): Promise<MailContent | undefined> {
  const change = await context.shop.one<{ customer_id: string }>(
    sql`select customer_id from customer_codes
      where site_id = ${context.shop.siteId} and purpose = 'verify_email' and email = ${email} and used_at is null`,
  );
  if (change) return addressChange(context, { customer_id: change.customer_id, email });
  if (await findAccount(context.shop, email)) return verifyOwnAddress(context, sql`email = ${email}`);
  return verifyRegistration(context, email);
}

export async function verificationByStaff(
  context: MailContext,
  { customer_id }: Mails['address_changed_by_staff'],
): Promise<MailContent | undefined> {
  const found = await findPending(context.shop, customer_id);
  return found && addressChange(context, { customer_id, email: found.pending_email });
}

/** Notifies the current e-mail address of a requested change. */
export async function addressChangeRequested(
  context: MailContext,
  { customer_id }: Mails['address_change_requested'],
): Promise<MailContent | undefined> {
  const { shop, shop_name } = context;
  const found = await findPending(shop, customer_id);
  if (!found) return undefined;
  const language = languageOf(context, found.locale);
  const { say } = language;
  return {
    to: found.email,
    language,
    subject: say('notification.requested_subject', { shop: shop_name }),
    parts: [
      { paragraph: say('notification.requested', { shop: shop_name }) },
      { paragraph: say('notification.requested_not_you') },
    ],
  };
}

/** Finds a customer for whom staff entered a new e-mail address that is not confirmed yet. */
function findPending(shop: Shop, customer_id: string) {
  return shop.one<RowOf<'customers', 'email' | 'locale'> & { pending_email: string }>(
    sql`select email, pending_email, locale from customers
      where site_id = ${shop.siteId} and id = ${customer_id} and pending_email is not null`,
  );
}

const RESENT_AT_MOST = 10;

/**
 * Writes a mail with the link of one registration, or of the newest registrations of an e-mail address. Each link shows
 * the time of its registration, so that readers recognize their own.
 */
async function verifyRegistration(
  context: MailContext,
  email: string,
  registration_id: string | null = null,
): Promise<MailContent | undefined> {
  const { shop, shop_name } = context;
  const pending = await shop.rows<Pending>(
    sql`select id, created_at, profile ->> 'locale' as locale from customer_registrations where site_id = ${shop.siteId} and email = ${email}
      order by id for update`,
  );
  const asked = registration_id ? pending.filter(({ id }) => id === registration_id) : pending.slice(-RESENT_AT_MOST);
  if (asked.length === 0) return undefined;
  const language = languageOf(context, asked.at(-1)?.locale);
  const { say } = language;
  const links: Part[] = [];
  for (const one of asked) {
    const parts = await registrationParts(context, language, email, one);
    links.push(
      ...parts.map((part) => ('link' in part && asked.length > 1 ? { ...part, among_others: true as const } : part)),
    );
  }
  return {
    to: email,
    language,
    subject: say('notification.verify_subject', { shop: shop_name }),
    parts: [
      { paragraph: say('notification.verify_welcome', { shop: shop_name }) },
      ...links,
      ...(pending.length > 1 ? [{ paragraph: say('notification.verify_several') }] : []),
      { paragraph: say('notification.verify_not_you') },
    ],
  };
}

interface Pending {
  id: string;
  locale: string | null;
  created_at: string;
}

async function registrationParts(
  { shop, baseUrl }: MailContext,
  language: Language,
  email: string,
  { id, created_at }: Pending,
): Promise<Part[]> {
  const token = await codes.mint(shop, 'register', { registration_id: id, email });
  const link = verificationLink(baseUrl, shop.siteId, token);
  return [
    { paragraph: language.say('notification.verify_requested', { moment: language.second(created_at) }) },
    ...verifyParts(language, link, token, codes.LIFETIMES.register),
  ];
}

/** Writes a mail to a customer whose e-mail address is not verified. */
async function verifyOwnAddress(context: MailContext, who: ReturnType<typeof sql>): Promise<MailContent | undefined> {
  const { shop, shop_name, baseUrl } = context;
  const customer = await shop.one<RowOf<'customers', 'id' | 'email' | 'locale'>>(
    sql`select id, email, locale from customers where site_id = ${shop.siteId} and ${who}
      and email_verified_at is null and password_hash is not null for no key update`,
  );
  if (!customer) return undefined;
  const { id, email, locale } = customer;
  const token = await codes.mint(shop, 'verify_email', { customer_id: id, email });
  const language = languageOf(context, locale);
  const { say } = language;
  return {
    to: email,
    language,
    subject: say('notification.verify_subject', { shop: shop_name }),
    parts: [
      { paragraph: say('notification.verify_own', { shop: shop_name }) },
      ...verifyParts(language, verificationLink(baseUrl, shop.siteId, token), token, codes.LIFETIMES.verify_email),
    ],
  };
}

export async function addressChange(
  context: MailContext,
  { customer_id, email }: Mails['address_change'],
): Promise<MailContent | undefined> {
  const { shop, shop_name, baseUrl } = context;
  const customer = await shop.one<RowOf<'customers', 'locale'>>(
    sql`select locale from customers where site_id = ${shop.siteId} and id = ${customer_id} for no key update`,
  );
  if (!customer) return undefined;
  const owner = await shop.one<RowOf<'customers', 'locale'>>(
    sql`select locale from customers where site_id = ${shop.siteId} and email = ${email} and id <> ${customer_id}`,
  );
  if (owner) return addressTaken(context, email, owner.locale);
  const token = await codes.mint(shop, 'verify_email', { customer_id, email });
  const language = languageOf(context, customer.locale);
  const { say } = language;
  return {
    to: email,
    language,
    subject: say('notification.change_subject', { shop: shop_name }),
    parts: [
      { paragraph: say('notification.change', { shop: shop_name }) },
      ...verifyParts(language, verificationLink(baseUrl, shop.siteId, token), token, codes.LIFETIMES.verify_email),
      { paragraph: say('notification.change_not_you') },
    ],
  };
}

/** Warns the owner of an e-mail address that somebody else tried to use it. */
function addressTaken(context: MailContext, to: string, locale: string | null): MailContent {
  const language = languageOf(context, locale);
  const { say } = language;
  const shop = context.shop_name;
  return {
    to,
    language,
    subject: say('notification.taken_subject', { shop }),
    parts: [{ paragraph: say('notification.taken', { shop }) }, { paragraph: say('notification.taken_next') }],
  };
}

export async function addressChanged(
  context: MailContext,
  { former_email, customer_id }: Mails['address_changed'],
): Promise<MailContent> {
  const { shop, shop_name } = context;
  const customer = await shop.one<RowOf<'customers', 'locale'>>(
    sql`select locale from customers where site_id = ${shop.siteId} and id = ${customer_id ?? null}::uuid`,
  );
  const language = languageOf(context, customer?.locale);
  const { say } = language;
  return {
    to: former_email,
    language,
    subject: say('notification.changed_subject', { shop: shop_name }),
    parts: [
      { paragraph: say('notification.changed', { shop: shop_name }) },
      { paragraph: say('notification.changed_not_you') },
    ],
  };
}

export async function passwordReset(
  context: MailContext,
  { email, locale }: Mails['password_reset'],
): Promise<MailContent | undefined> {
  const { shop, shop_name, baseUrl } = context;
  const customer = await shop.one<RowOf<'customers', 'id' | 'locale'>>(
    sql`select id, locale from customers where site_id = ${shop.siteId} and email = ${email} and anonymized_at is null
      for no key update`,
  );
  if (!customer) return undefined;
  const token = await codes.mint(shop, 'reset_password', { customer_id: customer.id, email });
  const language = languageOf(context, customer.locale ?? locale);
  const { say } = language;
  const link = { link: resetLink(baseUrl, shop.siteId, token), label: say('notification.reset_button') };
  return {
    to: email,
    language,
    subject: say('notification.reset_subject', { shop: shop_name }),
    parts: [
      { paragraph: say('notification.reset', { shop: shop_name }) },
      link,
      ...codeParts(language, token, codes.LIFETIMES.reset_password),
      { paragraph: say('notification.reset_not_you') },
    ],
  };
}

export async function passwordChanged(
  context: MailContext,
  { customer_id }: Mails['password_changed'],
): Promise<MailContent | undefined> {
  const { shop, shop_name } = context;
  const customer = await shop.one<RowOf<'customers', 'email' | 'locale'>>(
    sql`select email, locale from customers
      where site_id = ${shop.siteId} and id = ${customer_id} and anonymized_at is null`,
  );
  if (!customer) return undefined;
  const language = languageOf(context, customer.locale);
  const { say } = language;
  return {
    to: customer.email,
    language,
    subject: say('notification.password_subject', { shop: shop_name }),
    parts: [
      { paragraph: say('notification.password', { shop: shop_name }) },
      { paragraph: say('notification.password_not_you') },
    ],
  };
}

function findAccount(shop: Shop, email: string) {
  return shop.one<RowOf<'customers', 'locale'>>(
    sql`select locale from customers where site_id = ${shop.siteId} and email = ${email} and password_hash is not null`,
  );
}

function verifyParts(language: Language, link: string, token: string, life: string): Part[] {
  return [{ link, label: language.say('notification.verify_button') }, ...codeParts(language, token, life)];
}

/** States the lifetime of the link, and shows its code for people who enter it elsewhere. */
function codeParts(language: Language, token: string, life: string): Part[] {
  const { say } = language;
  return [
    { paragraph: say('notification.link_life', { life: language.duration(life) }) },
    { facts: [[say('notification.code'), token]] },
  ];
}
