/**
 * User codes, which customers compare and confirm (RFC 8628 §6.1). A code consists of eight consonants, so that it
 * forms no word, and is shown as XXXX-XXXX. Codes are short, so the number of guesses must be limited.
 */

import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { networkOf } from '../client-network.ts';
import { notFound, ShopError } from '../errors.ts';
import { inShop } from '../in-shop.ts';
import { type Draw, type Drawn, draw, giveBack } from '../rate-counts.ts';
import type { Actor, Shop, Tenant } from '../shop.ts';
import { findSiteLimits, limitFor } from '../site-limits.ts';
import { hashToken } from '../tokens.ts';

const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const HALF = 4;

export function mintUserCode(): string {
  const half = () => Array.from({ length: HALF }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${half()}-${half()}`;
}

/** Converts a typed user code to the displayed form; undefined if it is malformed. */
export function parseUserCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  const isCode = letters.length === 2 * HALF && [...letters].every((letter) => ALPHABET.includes(letter));
  return isCode ? `${letters.slice(0, HALF)}-${letters.slice(HALF)}` : undefined;
}

export function hashUserCode(code: string): Buffer {
  return hashToken(code);
}

const SEAL_LENGTH = 22;

/**
 * A 132-bit signature in the link that contains the user code. Opening a signed link does not count as a guess, so the
 * link works even if the shop's limit of guesses is used up.
 */
export function sealOf(secretKey: string, site_id: string, code: string): string {
  return createHmac('sha256', secretKey)
    .update(`user_code|${site_id}|${code}`)
    .digest('base64url')
    .slice(0, SEAL_LENGTH);
}

export function isSealed(secretKey: string, site_id: string, code: string, seal: string): boolean {
  const own = Buffer.from(sealOf(secretKey, site_id, code));
  const shown = Buffer.from(seal);
  return own.length === shown.length && timingSafeEqual(own, shown);
}

export interface Guesser {
  tenant: Tenant;
  actor: Actor;
  ip: string | null;
}

/**
 * Throws `not_found` for a typed user code unless it belongs to a request that the customer may see, and limits wrong
 * codes. By default, after 5 wrong codes per customer or 10 per IP address within 15 minutes, every attempt throws
 * `rate_limited`. After 50 per shop, only wrong codes throw it, because strangers share that limit. With 1,000 pending
 * requests, a random code (one of 2^34) is right with a probability of 2^-24. Do not hold a database connection during
 * the call.
 */
export async function limitGuesses(db: Pool, { tenant, actor, ip }: Guesser, typed: string): Promise<void> {
  const limits = (await findSiteLimits(db, tenant.site_id)) ?? {};
  const draws: Draw[] = [
    { key: `user_code ${tenant.site_id} ${actor.customer_id}`, ...limitFor('user_code_customer', limits) },
    { key: `user_code ${tenant.site_id} ip ${networkOf(ip ?? undefined)}`, ...limitFor('user_code_address', limits) },
    { key: `user_code ${tenant.site_id}`, ...limitFor('user_code_site', limits) },
  ];
  // Counts before the lookup, so that concurrent guesses cannot exceed the limit.
  const drawn = await draw(db, draws);
  const own = drawn.slice(0, 2).filter(({ remaining }) => remaining < 0);
  if (own.length > 0) {
    await giveBack(db, draws);
    throw tooMany(own);
  }
  if (await inShop(db, tenant, actor, (shop) => exists(shop, typed))) return giveBack(db, draws);
  const ofSite = drawn.slice(2).filter(({ remaining }) => remaining < 0);
  throw ofSite.length > 0 ? tooMany(ofSite) : notFound('consent request');
}

function tooMany(spent: Drawn[]): ShopError {
  const milliseconds = Math.max(...spent.map(({ ms_until_reset }) => ms_until_reset));
  const retry_after_seconds = Math.max(1, Math.ceil(milliseconds / 1000));
  return new ShopError('rate_limited', `Too many unknown codes. Try again in ${retry_after_seconds} s.`, {
    retry_after_seconds,
  });
}

async function exists(shop: Shop, typed: string): Promise<boolean> {
  const code = parseUserCode(typed);
  if (!code) return false;
  const found = await shop.one(
    sql`select from agent_consents where site_id = ${shop.siteId} and user_code_hash = ${hashUserCode(code)}
      and (customer_id = ${shop.customerId} or (customer_id is null and status = 'pending'))`,
  );
  return found !== undefined;
}
