import sql from 'sql-template-tag';
import type { Shop } from '../shop.ts';
import { hashToken, isWellFormed, mintToken } from '../tokens.ts';

/** The secrets in mails: each for one purpose, one address of one shop, once, and only until a newer one is sent. */
export type CodePurpose = 'register' | 'verify_email' | 'reset_password';

export interface Code {
  /** Null for one who registers: there is no customer yet. */
  customer_id: string | null;
  /** The registration that the code belongs to, until it has become an account. */
  registration_id: string | null;
  email: string;
}

const KINDS = { register: 'verification', verify_email: 'verification', reset_password: 'reset' } as const;
/** How long a code works, in words that SQL and people understand. */
export const LIFETIMES = { register: '24 hours', verify_email: '24 hours', reset_password: '30 minutes' };

/** Whom a code is for: a customer, or a registration. `email` must be folded. */
export type CodeOwner = { customer_id: string; email: string } | { registration_id: string; email: string };

/** A new code; the one before it for the same purpose and owner stops working. */
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
 * Uses a code up: of parallel calls, only one gets it. Returns nothing for one that is unknown, used, replaced or too old. Its
 * row stays until it is swept away, so that whoever opens the link again can be told.
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

/** A code that was sent, and whether `take` would give it now. */
export interface SentCode extends Code {
  state: 'alive' | 'used' | 'expired';
}

/** Reads a code without using it. Returns nothing for one that is unknown, replaced, or so old that it was swept away. */
export async function findSentCode(shop: Shop, purposes: CodePurpose[], token: string): Promise<SentCode | undefined> {
  if (!purposes.some((purpose) => isWellFormed(KINDS[purpose], token))) return undefined;
  return shop.one<SentCode>(
    sql`select customer_id, registration_id, email,
        case when used_at is not null then 'used' when expires_at <= now() then 'expired' else 'alive' end as state
      from customer_codes where site_id = ${shop.siteId} and token_hash = ${hashToken(token)}
        and purpose = any(${purposes})`,
  );
}
