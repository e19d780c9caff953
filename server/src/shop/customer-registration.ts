import type { Customer } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import * as codes from './customer-codes.ts';
import { PROFILE } from './customer-rows.ts';
import * as sessions from './customer-sessions.ts';
import { fold } from './emails.ts';
import { ShopError } from './errors.ts';
import { inShop } from './in-shop.ts';
import * as mail from './mail.ts';
import { hashPassword } from './passwords.ts';
import type { Actor, Shop, Tenant } from './shop.ts';

/**
 * How strangers become customers, and how customers come back without their password. The requests do the same work whether
 * or not the address is known: what depends on it happens when the mail is written (see mail-letters.ts).
 */
export interface Registration {
  email: string;
  password_hash: string;
  profile: Profile;
}

interface Profile {
  first_name?: string | null;
  last_name?: string | null;
  phone?: string | null;
  marketing_opt_in?: boolean;
}

/** Keeps a request for an account until its address is proven; the newest one of an address counts. */
export async function register(shop: Shop, { email, password_hash, profile }: Registration): Promise<void> {
  await shop.run(
    sql`insert into customer_registrations (site_id, email, password_hash, profile)
      values (${shop.siteId}, ${fold(email)}, ${password_hash}, ${JSON.stringify(profile)}::jsonb)
      on conflict (site_id, email) do update set password_hash = excluded.password_hash, profile = excluded.profile,
        created_at = now()`,
  );
  // A link that was sent before belongs to the request before, whose password is gone.
  await shop.run(
    sql`delete from customer_codes where site_id = ${shop.siteId} and purpose = 'register' and email = ${fold(email)}`,
  );
  await mail.enqueue(shop, 'registration', { email: fold(email) });
}

/** Sends the link again to whoever waits for one at this address. */
export async function resendVerification(shop: Shop, email: string): Promise<void> {
  await mail.enqueue(shop, 'verification', { email: fold(email) });
}

/** Sends a link for a new password to whoever has this address. */
export async function requestReset(shop: Shop, email: string): Promise<void> {
  await mail.enqueue(shop, 'password_reset', { email: fold(email) });
}

/**
 * Uses a verification link: an account begins, or gets the address that it was sent to. Guest orders of the address now
 * belong to it. Throws `verification_token_invalid`.
 */
export async function verifyEmail(shop: Shop, token: string): Promise<Customer> {
  const code = await codes.take(shop, ['register', 'verify_email'], token);
  const { customer_id } = code ?? {};
  const customer =
    code && (customer_id ? await proveAddress(shop, customer_id, code.email) : await begin(shop, code.email));
  if (!customer) throw linkIsDead('verification_token_invalid');
  await shop.run(
    sql`with own as (
        select id from orders where site_id = ${shop.siteId} and customer_id is null and lower(email) = lower(${customer.email})
        order by id for update
      )
      update orders o set customer_id = ${customer.id} from own where o.site_id = ${shop.siteId} and o.id = own.id`,
  );
  return customer;
}

/** The account of a registration. A customer whom staff had entered gets the password, and keeps what staff knew. */
async function begin(shop: Shop, email: string): Promise<Customer | undefined> {
  const registration = await shop.one<Registration & Record<string, unknown>>(
    sql`delete from customer_registrations where site_id = ${shop.siteId} and email = ${email}
      returning email, password_hash, profile`,
  );
  if (!registration) return undefined;
  const { password_hash, profile } = registration;
  return shop.one<Customer & Record<string, unknown>>(
    sql`insert into customers as c (site_id, id, email, password_hash, email_verified_at, first_name, last_name, phone,
        marketing_opt_in)
      values (${shop.siteId}, ${uuidv7()}, ${email}, ${password_hash}, now(), ${profile.first_name ?? null},
        ${profile.last_name ?? null}, ${profile.phone ?? null}, ${profile.marketing_opt_in ?? false})
      on conflict (site_id, lower(email)) do update set password_hash = excluded.password_hash, email_verified_at = now(),
        first_name = coalesce(c.first_name, excluded.first_name), last_name = coalesce(c.last_name, excluded.last_name),
        phone = coalesce(c.phone, excluded.phone), marketing_opt_in = c.marketing_opt_in or excluded.marketing_opt_in,
        updated_at = now()
        where c.password_hash is null
      returning ${PROFILE}`,
  );
}

/** An address that an account has or wants is proven to be read by its owner. */
async function proveAddress(shop: Shop, customer_id: string, email: string): Promise<Customer | undefined> {
  const before = await shop.one<{ email: string }>(
    sql`select email from customers where site_id = ${shop.siteId} and id = ${customer_id} for no key update`,
  );
  if (!before) return undefined;
  const customer = await shop.one<Customer & Record<string, unknown>>(
    sql`update customers set email = ${email}, email_verified_at = now(), updated_at = now()
      where site_id = ${shop.siteId} and id = ${customer_id} and not exists (
        select from customers where site_id = ${shop.siteId} and lower(email) = lower(${email}) and id <> ${customer_id})
      returning ${PROFILE}`,
  );
  if (!customer || before.email === email) return customer;
  // Links that went to the old address could take the account back.
  await shop.run(
    sql`delete from customer_codes
      where site_id = ${shop.siteId} and customer_id = ${customer_id} and used_at is null`,
  );
  await mail.enqueue(shop, 'address_changed', { former_email: before.email });
  return customer;
}

/**
 * The hash of a password to be set with a reset link; throws `reset_token_invalid` before it costs anything. Costs tens of
 * milliseconds: hold no connection meanwhile.
 */
export async function prepareReset(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  { token, new_password }: { token: string; new_password: string },
): Promise<string> {
  const code = await inShop(db, tenant, actor, (shop) => codes.find(shop, ['reset_password'], token));
  if (code?.state !== 'alive') throw linkIsDead('reset_token_invalid');
  return hashPassword(new_password);
}

/**
 * Sets the new password, with which the address is proven, too. Every session ends. Throws `reset_token_invalid`, also to
 * all but one of parallel calls.
 */
export async function reset(shop: Shop, token: string, password_hash: string): Promise<Customer> {
  const code = await codes.take(shop, ['reset_password'], token);
  const customer =
    code &&
    (await shop.one<Customer & Record<string, unknown>>(
      sql`update customers set password_hash = ${password_hash}, email_verified_at = coalesce(email_verified_at, now()),
          updated_at = now()
        where site_id = ${shop.siteId} and id = ${code.customer_id} and email = ${code.email}
        returning ${PROFILE}`,
    ));
  if (!customer) throw linkIsDead('reset_token_invalid');
  await sessions.closeAll(shop, customer.id);
  await mail.enqueue(shop, 'password_changed', { customer_id: customer.id });
  return customer;
}

function linkIsDead(code: 'reset_token_invalid' | 'verification_token_invalid'): ShopError {
  return new ShopError(code, 'This link does not work any more. Ask for another.');
}
