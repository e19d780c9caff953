/**
 * Mailed links for people who cannot log in because strangers guess their password. A link works once and gives the
 * browser a pass; login attempts with a pass are counted separately. A program without a browser sends the token of the
 * link with each login until one succeeds. Neither the pass nor the token replaces the password.
 */

import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { RowOf } from '../db/row-of.ts';
import { queryAlone } from '../db/transaction.ts';
import type { Shop } from './shop.ts';
import { hashToken, isWellFormed, mintToken } from './tokens.ts';

export const LINK_LIFE = '15 minutes';
const PASS_LIFE = '24 hours';

/**
 * Creates an unlock link for an account of a site, or of staff if `site_id` is null. Deletes earlier links that were
 * not used.
 */
export async function mintUnlock(shop: Shop, account_key: Buffer, site_id: string | null): Promise<string> {
  const token = mintToken('unlock');
  await shop.run(
    sql`with former as (delete from login_unlocks where key_hash = ${account_key} and used_at is null)
      insert into login_unlocks (token_hash, key_hash, site_id, expires_at)
      values (${hashToken(token)}, ${account_key}, ${site_id}, now() + ${LINK_LIFE}::interval)`,
  );
  return token;
}

/** `passed`: this browser has used the link, and the pass that it received is still valid. */
export type UnlockState = 'alive' | 'passed' | 'used' | 'expired';

export interface FoundUnlock {
  state: UnlockState;
  /** Null for staff. */
  site_id: string | null;
}

/** Finds an unlock link, for a browser with these passes; undefined if the link is unknown or was replaced. */
export async function findUnlock(db: Pool, token: string, passes: string[]): Promise<FoundUnlock | undefined> {
  if (!isWellFormed('unlock', token)) return undefined;
  const { rows } = await queryAlone<FoundUnlock>(
    db,
    sql`select case when pass_hash = any(${passes.map(hashToken)}::bytea[]) and expires_at > now() then 'passed'
        when used_at is not null then 'used' when expires_at <= now() then 'expired' else 'alive' end as state, site_id
      from login_unlocks where token_hash = ${hashToken(token)}`,
  );
  return rows[0];
}

/** Uses a link and returns a pass. Of several concurrent calls, only one gets a pass. */
export async function useUnlock(db: Pool, token: string): Promise<string | undefined> {
  const pass = mintToken('unlock');
  const { rowCount } = await queryAlone(
    db,
    sql`update login_unlocks set used_at = now(), pass_hash = ${hashToken(pass)}, expires_at = now() + ${PASS_LIFE}::interval
      where token_hash = ${hashToken(token)} and used_at is null and expires_at > now()`,
  );
  return rowCount ? pass : undefined;
}

/**
 * Finds a link of the account that is valid and whose token or pass is among `tokens`. Returns the hash of the link's
 * token, or undefined.
 */
export async function findPass(db: Pool, account_key: Buffer, tokens: string[]): Promise<Buffer | undefined> {
  const hashes = tokens.filter((token) => isWellFormed('unlock', token)).map(hashToken);
  if (hashes.length === 0) return undefined;
  const { rows } = await queryAlone<RowOf<'login_unlocks', 'token_hash'>>(
    db,
    sql`select token_hash from login_unlocks where key_hash = ${account_key} and expires_at > now()
        and (pass_hash = any(${hashes}::bytea[]) or token_hash = any(${hashes}::bytea[]) and used_at is null) limit 1`,
  );
  return rows[0]?.token_hash;
}

/** Invalidates the link tokens that a program sent, after its login. */
export async function endUnlocks(db: Pool, tokens: string[]): Promise<void> {
  const hashes = tokens.filter((token) => isWellFormed('unlock', token)).map(hashToken);
  if (hashes.length === 0) return;
  await queryAlone(
    db,
    sql`update login_unlocks set used_at = now() where token_hash = any(${hashes}::bytea[]) and used_at is null`,
  );
}
