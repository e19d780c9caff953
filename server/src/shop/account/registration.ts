/**
 * Registration and password reset. The request takes the same time for a known and an unknown e-mail address, so that
 * the time does not reveal whether an account exists. The job that writes the mail checks the address
 * (mails/account-templates.ts).
 */

import type { Customer } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import * as approvedConsents from '../agent-limits/approved-consents.ts';
import * as codes from '../customers/codes.ts';
import * as consents from '../customers/consents.ts';
import { PROFILE } from '../customers/rows.ts';
import * as sessions from '../customers/sessions.ts';
import { foldEmail } from '../emails.ts';
import { ShopError } from '../errors.ts';
import { inShop } from '../in-shop.ts';
import * as mail from '../mail.ts';
import { attachGuestOrders } from '../orders/guest-orders.ts';
import { refuseCommonPassword } from '../passwords/common.ts';
import { hashPassword } from '../passwords/passwords.ts';
import type { Actor, Shop, Tenant } from '../shop.ts';

export interface Registration {
  email: string;
  password_hash: string;
  profile: Profile;
}

interface Profile {
  first_name?: string | null;
  last_name?: string | null;
  phone?: string | null;
  /** The language of the request. */
  locale?: string;
  marketing_opt_in?: boolean;
  marketing_wording?: string;
}

/**
 * Stores a registration until its e-mail address is verified. An address may have several pending registrations, each
 * with its own link and password. The account gets the password of the registration whose link is opened first.
 */
export async function register(shop: Shop, { email, password_hash, profile }: Registration): Promise<void> {
  const registration_id = uuidv7();
  await shop.run(
    sql`insert into customer_registrations (site_id, id, email, password_hash, profile)
      values (${shop.siteId}, ${registration_id}, ${foldEmail(email)}, ${password_hash}, ${JSON.stringify(profile)}::jsonb)`,
  );
  await mail.enqueue(shop, 'registration', { email: foldEmail(email), registration_id });
}

/**
 * Mails a new link that verifies this e-mail address. The link is for a pending change to the address, otherwise for
 * its account, otherwise for its newest registrations.
 */
export async function resendVerification(shop: Shop, email: string): Promise<void> {
  await mail.enqueue(shop, 'verification', { email: foldEmail(email) });
}

/**
 * Mails a reset link if a customer has this e-mail address. `locale` is used if the customer has not chosen a language.
 */
export async function requestReset(shop: Shop, email: string, locale: string | null): Promise<void> {
  await mail.enqueue(shop, 'password_reset', { email: foldEmail(email), ...(locale && { locale }) });
}

const VERIFIES: codes.CodePurpose[] = ['register', 'verify_email'];

/**
 * Redeems a verification link: creates an account, or marks the address as verified and makes it the address of an
 * existing account. Assigns guest orders with the address to the account. Throws `verification_token_invalid`.
 */
export async function verifyEmail(shop: Shop, token: string): Promise<Customer> {
  await takeTurns(shop, token);
  const code = await codes.take(shop, VERIFIES, token);
  const { customer_id } = code ?? {};
  const customer = code && (customer_id ? await proveAddress(shop, customer_id, code.email) : await begin(shop, code));
  if (!customer) throw linkIsDead('verification_token_invalid');
  await attachGuestOrders(shop, customer);
  await consents.attachOfGuest(shop, customer.id, customer.email);
  return customer;
}

/**
 * Serializes calls with verification links for the same e-mail address, so that only the first call creates the
 * account. Lock order: customers, registrations, codes.
 */
async function takeTurns(shop: Shop, token: string): Promise<void> {
  const sent = await codes.findSentCode(shop, VERIFIES, token);
  if (!sent) return;
  await shop.run(
    sql`select from customers
      where site_id = ${shop.siteId} and (email = ${sent.email} or id = ${sent.customer_id})
      order by id for no key update`,
  );
  await shop.run(
    sql`select from customer_registrations where site_id = ${shop.siteId} and email = ${sent.email}
      order by id for update`,
  );
}

interface PendingRegistration extends Registration, Record<string, unknown> {
  id: string;
  created_at: string;
}

/**
 * Creates the account for the registration whose link was opened, and deletes all registrations with its e-mail
 * address. A customer without a password may already have this address, for example because staff created the customer.
 * This customer then gets the password of the registration and, for empty fields, its other data.
 */
async function begin(shop: Shop, { registration_id, email }: codes.Code): Promise<Customer | undefined> {
  const ended = await shop.rows<PendingRegistration>(
    sql`delete from customer_registrations where site_id = ${shop.siteId} and email = ${email}
      returning id, email, password_hash, profile, created_at`,
  );
  const registration = ended.find(({ id }) => id === registration_id);
  if (!registration) return undefined;
  await shop.run(
    sql`delete from customer_codes
      where site_id = ${shop.siteId} and purpose = 'register' and email = ${email} and used_at is null`,
  );
  const { password_hash, profile, created_at: at } = registration;
  const { marketing_opt_in = false, marketing_wording: wording } = profile;
  const customer = await shop.one<Customer>(
    sql`insert into customers as c (site_id, id, email, password_hash, email_verified_at, first_name, last_name, phone, locale)
      values (${shop.siteId}, ${uuidv7()}, ${email}, ${password_hash}, now(), ${profile.first_name ?? null},
        ${profile.last_name ?? null}, ${profile.phone ?? null}, ${profile.locale ?? null})
      on conflict (site_id, lower(email)) do update set password_hash = excluded.password_hash, email_verified_at = now(),
        first_name = coalesce(c.first_name, excluded.first_name), last_name = coalesce(c.last_name, excluded.last_name),
        phone = coalesce(c.phone, excluded.phone), locale = coalesce(c.locale, excluded.locale),
        updated_at = now()
        where c.password_hash is null
      returning ${PROFILE}`,
  );
  if (!customer || !marketing_opt_in) return customer;
  await consents.decide(shop, customer.id, { granted: true, source: 'registration', wording, at });
  return { ...customer, marketing_opt_in };
}

/** Marks an e-mail address as verified, and makes it the address of the account. */
async function proveAddress(shop: Shop, customer_id: string, email: string): Promise<Customer | undefined> {
  const before = await shop.one<RowOf<'customers', 'email'> & { by_staff: boolean }>(
    sql`select email, coalesce(pending_email = ${email}, false) as by_staff from customers
      where site_id = ${shop.siteId} and id = ${customer_id} for no key update`,
  );
  if (!before) return undefined;
  const customer = await shop.one<Customer>(
    sql`update customers set email = ${email}, email_verified_at = now(), updated_at = now(),
        pending_email = case when email = ${email} then pending_email end
      where site_id = ${shop.siteId} and id = ${customer_id} and not exists (
        select from customers where site_id = ${shop.siteId} and email = lower(${email}) and id <> ${customer_id})
      returning ${PROFILE}`,
  );
  if (!customer || before.email === email) return customer;
  // Links sent to the old e-mail address could be used to take the account back.
  await shop.run(
    sql`delete from customer_codes
      where site_id = ${shop.siteId} and customer_id = ${customer_id} and used_at is null`,
  );
  // Staff entered the new address, so all sessions of the customer end.
  if (before.by_staff) await sessions.endAllSessions(shop, customer_id);
  await mail.enqueue(shop, 'address_changed', { former_email: before.email, customer_id });
  return customer;
}

/**
 * Hashes the new password for a reset link. Throws `reset_token_invalid` before hashing, or a ValidationError. Takes
 * tens of milliseconds, so do not hold a database connection during the call.
 */
export async function prepareReset(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  { token, new_password }: { token: string; new_password: string },
): Promise<string> {
  const code = await inShop(db, tenant, actor, (shop) => codes.findSentCode(shop, ['reset_password'], token));
  if (code?.state !== 'alive') throw linkIsDead('reset_token_invalid');
  await refuseCommonPassword(new_password, 'new_password');
  return hashPassword(new_password);
}

/**
 * Stores the new password, marks the e-mail address as verified, ends every session, and withdraws approvals of agents
 * that have not fetched their token. Throws `reset_token_invalid`. Only one of several concurrent calls succeeds.
 */
export async function reset(shop: Shop, token: string, password_hash: string): Promise<Customer> {
  const code = await codes.take(shop, ['reset_password'], token);
  const customer =
    code &&
    (await shop.one<Customer>(
      sql`update customers set password_hash = ${password_hash}, email_verified_at = coalesce(email_verified_at, now()),
          updated_at = now()
        where site_id = ${shop.siteId} and id = ${code.customer_id} and email = ${code.email}
        returning ${PROFILE}`,
    ));
  if (!customer) throw linkIsDead('reset_token_invalid');
  await sessions.endAllSessions(shop, customer.id);
  await approvedConsents.withdrawAll(shop, customer.id);
  await mail.enqueue(shop, 'password_changed', { customer_id: customer.id });
  return customer;
}

function linkIsDead(code: 'reset_token_invalid' | 'verification_token_invalid'): ShopError {
  return new ShopError(code, 'This link is no longer valid. Request a new one.');
}
