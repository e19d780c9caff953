/**
 * Account changes by customers who are logged in. registration.ts handles mailed links. Hashing is slow, so passwords
 * are verified and hashed before the transaction (`prepare…`). Lock order: customer, registration, code.
 */

import type { Customer } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import * as consents from '../customers/consents.ts';
import { textChanges } from '../customers/customers.ts';
import { PROFILE } from '../customers/rows.ts';
import type { VerifiedLogin } from '../customers/sessions.ts';
import * as sessions from '../customers/sessions.ts';
import { foldEmail } from '../emails.ts';
import { ShopError } from '../errors.ts';
import * as mail from '../mail.ts';
import { refuseCommonPassword } from '../passwords/common.ts';
import { hashPassword } from '../passwords/passwords.ts';
import type { Actor, Shop, Tenant } from '../shop.ts';

export interface ProfilePatch {
  first_name?: string | null;
  last_name?: string | null;
  phone?: string | null;
  marketing_opt_in?: boolean;
  marketing_wording?: string;
  email?: string;
  locale?: string | null;
}

/** Returns the calling customer. Throws `invalid_token` if the account was closed. */
export async function profile(shop: Shop): Promise<Customer> {
  const found = await shop.one<Customer>(
    sql`select ${PROFILE} from customers where site_id = ${shop.siteId} and id = ${shop.customerId}`,
  );
  if (!found) throw accountClosed();
  return found;
}

/**
 * Changes the given fields. A new e-mail address takes effect when the customer opens the link mailed to it. For a new
 * e-mail address, the caller must have verified the password.
 */
export async function update(shop: Shop, { email, ...patch }: ProfilePatch): Promise<Customer> {
  const { marketing_opt_in: granted, marketing_wording: wording } = patch;
  if (granted !== undefined && shop.customerId) {
    await consents.decide(shop, shop.customerId, { granted, source: 'account', wording });
  }
  const customer = await shop.one<Customer>(
    // A new e-mail address from the customer cancels a pending one entered by staff.
    sql`update customers set ${textChanges(patch, ['first_name', 'last_name', 'phone', 'locale'])}
        pending_email = case when ${email === undefined} then pending_email end, updated_at = now()
      where site_id = ${shop.siteId} and id = ${shop.customerId} returning ${PROFILE}`,
  );
  if (!customer) throw accountClosed();
  if (email !== undefined && foldEmail(email) !== customer.email) {
    await mail.enqueue(shop, 'address_change', { customer_id: customer.id, email: foldEmail(email) });
  }
  return customer;
}

/** The hashes of the verified current password and of the new password. */
export interface PasswordChange extends VerifiedLogin {
  new_hash: string;
}

/**
 * Verifies the current password and hashes the new one. Throws a ValidationError and the errors of `verifyAgain`. Takes
 * tens of milliseconds, so do not hold a database connection during the call.
 */
export async function preparePasswordChange(
  db: Pool,
  tenant: Tenant,
  actor: Actor,
  { current_password, new_password }: { current_password: string; new_password: string },
): Promise<PasswordChange> {
  await refuseCommonPassword(new_password, 'new_password');
  const verified = await sessions.verifyAgain(db, tenant, actor, current_password);
  return { ...verified, new_hash: await hashPassword(new_password) };
}

/**
 * Stores the new password, deletes mailed links that reset it, ends every other session, and mails the customer. Throws
 * `invalid_credentials` if the password has changed since `preparePasswordChange`.
 */
export async function changePassword(
  shop: Shop,
  { customer_id, password_hash, new_hash }: PasswordChange,
  session_id: string,
): Promise<Customer> {
  const customer = await shop.one<Customer>(
    sql`update customers set password_hash = ${new_hash}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${customer_id} and password_hash = ${password_hash}
      returning ${PROFILE}`,
  );
  if (!customer) throw new ShopError('invalid_credentials', 'The password was changed by another request.');
  await shop.run(
    sql`delete from customer_codes
      where site_id = ${shop.siteId} and customer_id = ${customer_id} and purpose = 'reset_password'`,
  );
  await sessions.endAllSessions(shop, customer_id, session_id);
  await mail.enqueue(shop, 'password_changed', { customer_id });
  return customer;
}

function accountClosed(): ShopError {
  return new ShopError('invalid_token', 'The account was closed.');
}
