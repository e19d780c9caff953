import sql from 'sql-template-tag';
import type { Shop } from './shop.ts';
import { hashToken, isWellFormed, mintToken } from './tokens.ts';

/** The secrets in mails: each for one purpose, one address of one shop, once, and only until a newer one is sent. */
export type CodePurpose = 'register' | 'verify_email' | 'reset_password';

export interface Code {
  /** Null for one who registers: there is no customer yet. */
  customer_id: string | null;
  email: string;
}

const KINDS = { register: 'verification', verify_email: 'verification', reset_password: 'reset' } as const;
const LIVES = { register: '24 hours', verify_email: '24 hours', reset_password: '30 minutes' };

/** A new code; the one before it for the same purpose stops working. `email` must be folded. */
export async function mint(shop: Shop, purpose: CodePurpose, { customer_id, email }: Code): Promise<string> {
  const token = mintToken(KINDS[purpose]);
  await shop.run(
    sql`insert into customer_codes (site_id, token_hash, purpose, customer_id, email, expires_at)
      values (${shop.siteId}, ${hashToken(token)}, ${purpose}, ${customer_id}, ${email}, now() + ${LIVES[purpose]}::interval)
      on conflict (site_id, purpose, coalesce(customer_id::text, email)) do update set token_hash = excluded.token_hash,
        email = excluded.email, expires_at = excluded.expires_at, created_at = now()`,
  );
  return token;
}

/** Uses a code up: of parallel calls one gets it. Nothing for one that is unknown, used, replaced or too old. */
export async function take(shop: Shop, purposes: CodePurpose[], token: string): Promise<Code | undefined> {
  if (!purposes.some((purpose) => isWellFormed(KINDS[purpose], token))) return undefined;
  return shop.one<Code & Record<string, unknown>>(
    sql`delete from customer_codes where site_id = ${shop.siteId} and token_hash = ${hashToken(token)}
      and purpose = any(${purposes}) and expires_at > now() returning customer_id, email`,
  );
}

/** Whether `take` would give a code now; for those who want to know before they begin something costly. */
export async function isAlive(shop: Shop, purpose: CodePurpose, token: string): Promise<boolean> {
  if (!isWellFormed(KINDS[purpose], token)) return false;
  const found = await shop.one(
    sql`select from customer_codes where site_id = ${shop.siteId} and token_hash = ${hashToken(token)}
      and purpose = ${purpose} and expires_at > now()`,
  );
  return found !== undefined;
}
