import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { hashToken, mintToken } from '../../server/src/shop/tokens.ts';
import type { Call } from '../testing/raw-requests.ts';
import { operationOf } from '../testing/tenant.ts';

/** A shop that strangers call. Its accounts are inserted into the database, with one password hash for all. */
export interface AttackedShop {
  baseUrl: string;
  owner: Pool;
  site_id: string;
  storefront_token: string;
  password_hash: string;
}

export const PASSWORD = 'a password of the proofs';
export const WRONG_PASSWORD = 'not the password';

export async function addCustomers(
  { owner, site_id, password_hash }: Pick<AttackedShop, 'owner' | 'site_id' | 'password_hash'>,
  emails: string[],
  { hasPassword = true, isVerified = true } = {},
): Promise<void> {
  await owner.query(
    `insert into commerce.customers (site_id, id, email, password_hash, email_verified_at)
     select $1, gen_random_uuid(), email, $3, $4 from unnest($2::text[]) as email`,
    [site_id, emails, hasPassword ? password_hash : null, isVerified ? new Date() : null],
  );
}

export async function addStaff({ owner, password_hash }: AttackedShop, emails: string[]): Promise<void> {
  await owner.query(
    `insert into commerce.staff (id, email, name, password_hash)
     select gen_random_uuid(), email, 'Staff', $2 from unnest($1::text[]) as email`,
    [emails, password_hash],
  );
}

/** Opens a session for a customer and returns its token. */
export async function openSessionOf({ owner, site_id }: AttackedShop, email: string): Promise<string> {
  const token = mintToken('customer');
  await owner.query(
    `insert into commerce.customer_tokens (site_id, id, session_id, customer_id, token_hash, expires_at, renewable_until)
     select site_id, gen_random_uuid(), gen_random_uuid(), id, $3, now() + interval '29 days', now() + interval '30 days'
     from commerce.customers where site_id = $1 and email = $2`,
    [site_id, email, hashToken(token)],
  );
  return token;
}

let addresses = 0;

/** Builds a call from a new IP address, so that the limit per IP address rejects no call. */
export function callByStranger(
  { site_id, storefront_token }: AttackedShop,
  operation_id: string,
  body: object,
  token?: string,
): Call {
  addresses += 1;
  const headers = {
    ...(operation_id.startsWith('storefront') && { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token }),
    ...(token && { Authorization: `Bearer ${token}` }),
    'X-Forwarded-For': `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`,
    'Idempotency-Key': randomUUID(),
  };
  return { operation: operationOf(operation_id), path: {}, query: {}, headers, body };
}
