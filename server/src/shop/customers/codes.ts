/**
 * One-time codes in mailed links. Each belongs to one purpose, one e-mail address and one shop, and is valid until it
 * is used, expires or is replaced.
 */

import sql from 'sql-template-tag';
import type { Shop } from '../shop.ts';
import { hashToken, isWellFormed, mintToken } from '../tokens.ts';

export type CodePurpose = 'register' | 'verify_email' | 'reset_password';

export interface Code {
  /** Null for a registration, which has no customer yet. */
  customer_id: string | null;
  /** The pending registration that the code confirms. */
  registration_id: string | null;
  email: string;
}

const KINDS = { register: 'verification', verify_email: 'verification', reset_password: 'reset' } as const;
/** Lifetimes in a format that both PostgreSQL and the mails can read. */
export const LIFETIMES = { register: '24 hours', verify_email: '24 hours', reset_password: '30 minutes' };

/** `email` must be lower case (`foldEmail`). */
export type CodeOwner = { customer_id: string; email: string } | { registration_id: string; email: string };

/** Creates a one-time code, and invalidates the previous one for the same purpose and owner. */
export async function mint(shop: Shop, purpose: CodePurpose, owner: CodeOwner): Promise<string> {
  const token = mintToken(KINDS[purpose]);
  const { customer_id = null, registration_id = null, email }: Partial<Code> = owner;
  const one = registration_id ? sql`(site_id, registration_id)` : sql`(site_id, purpose, customer_id)`;
  await shop.run(
    sql`insert into customer_codes (site_id, token_hash, purpose, customer_id, registration_id, email, expires_at)
      values (${shop.siteId}, ${hashToken(token)}, ${purpose}, ${customer_id}, ${registration_id}, ${email},
        now() + ${LIFETIMES[purpose]}::interval)
      on conflict ${one} do update set token_hash = excluded.token_hash, email = excluded.email,
        expires_at = excluded.expires_at, created_at = now(), used_at = null`,
  );
  return token;
}

/**
 * Redeems a one-time code. Returns undefined if it is unknown, used, replaced or expired, and for all but one of
 * several concurrent calls. The row stays until the cleanup, so that opening the link again can show why it is invalid.
 */
export async function take(shop: Shop, purposes: CodePurpose[], token: string): Promise<Code | undefined> {
  if (!purposes.some((purpose) => isWellFormed(KINDS[purpose], token))) return undefined;
  return shop.one<Code>(
    sql`update customer_codes set used_at = now(), expires_at = now()
      where site_id = ${shop.siteId} and token_hash = ${hashToken(token)} and purpose = any(${purposes})
        and expires_at > now() and used_at is null
      returning customer_id, registration_id, email`,
  );
}

export interface SentCode extends Code {
  state: 'alive' | 'used' | 'expired';
}

/** Reads a one-time code without using it. Returns undefined if it is unknown, replaced or already cleaned up. */
export async function findSentCode(shop: Shop, purposes: CodePurpose[], token: string): Promise<SentCode | undefined> {
  if (!purposes.some((purpose) => isWellFormed(KINDS[purpose], token))) return undefined;
  return shop.one<SentCode>(
    sql`select customer_id, registration_id, email,
        case when used_at is not null then 'used' when expires_at <= now() then 'expired' else 'alive' end as state
      from customer_codes where site_id = ${shop.siteId} and token_hash = ${hashToken(token)}
        and purpose = any(${purposes})`,
  );
}
