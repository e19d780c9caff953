/**
 * The second factor of staff: a code of an authenticator app (TOTP, RFC 6238) or a recovery code. Before the
 * transaction, the attempt is counted and the code is verified; the transaction marks the code as used. Each code works
 * once.
 */

import { hkdfSync } from 'node:crypto';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { type Connection, query } from '../../db/connect.ts';
import type { RowOf } from '../../db/row-of.ts';
import { queryAlone } from '../../db/transaction.ts';
import { notFound, ShopError } from '../errors.ts';
import { randomPassword } from '../passwords/passwords.ts';
import { draw, giveBack } from '../rate-counts.ts';
import { RATE_LIMITS } from '../rate-limits.ts';
import { type Sealing, seal, unseal } from '../sealing.ts';
import type { Shop } from '../shop.ts';
import { hashToken } from '../tokens.ts';

const PERIOD_SECONDS = 30;
const RECOVERY_CODES = 10;

export interface TwoFactor {
  status: 'off' | 'pending' | 'on';
  turned_on_at: string | null;
  recovery_codes_left: number;
}

/** A verified code that is not marked as used yet. */
export type RightCode = { step: number } | { recovery_hash: Buffer };

export async function get(shop: Shop, staff_id: string): Promise<TwoFactor> {
  const found = await shop.one<Omit<TwoFactor, 'status'>>(
    sql`select f.turned_on_at, (select count(*) from staff_recovery_codes c
          where c.staff_id = f.staff_id and c.used_at is null)::int as recovery_codes_left
      from staff_second_factors f where f.staff_id = ${staff_id}`,
  );
  if (!found) return { status: 'off', turned_on_at: null, recovery_codes_left: 0 };
  return { status: found.turned_on_at ? 'on' : 'pending', ...found };
}

export async function isOn(db: Pool, staff_id: string): Promise<boolean> {
  const { rows } = await queryAlone(
    db,
    sql`select from staff_second_factors where staff_id = ${staff_id} and turned_on_at is not null`,
  );
  return rows.length > 0;
}

export interface Setup {
  totp_secret: string;
  otpauth_uri: string;
  qr_svg: string;
}

/**
 * Creates a TOTP secret. It takes effect once a code confirms it. Throws `two_factor_on` if the second factor is on.
 */
export async function setUp(
  shop: Shop,
  { secretKey, baseUrl }: { secretKey: string; baseUrl: string },
  { id, email }: { id: string; email: string },
): Promise<Setup> {
  const [{ generateSecret, generateURI }, { renderSVG }] = await Promise.all([import('otplib'), import('uqr')]);
  const totp_secret = generateSecret();
  const sealed = seal(sealingOf(secretKey, id), totp_secret);
  const made = await shop.run(
    sql`insert into staff_second_factors as f (staff_id, secret) values (${id}, ${sealed})
      on conflict (staff_id) do update set secret = excluded.secret, last_step = 0 where f.turned_on_at is null`,
  );
  if (made === 0)
    throw new ShopError('two_factor_on', 'Two-factor login is already on. Turn it off to use another app.');
  const otpauth_uri = generateURI({ issuer: new URL(baseUrl).hostname, label: email, secret: totp_secret });
  return { totp_secret, otpauth_uri, qr_svg: renderSVG(otpauth_uri) };
}

/**
 * Verifies a TOTP or recovery code; with `pending`, against the unconfirmed secret. Throws `second_factor_invalid`,
 * `not_found` if no secret is pending, and `rate_limited` after five wrong codes. Do not hold a database connection
 * during the call.
 */
export async function judge(
  db: Pool,
  secretKey: string,
  staff_id: string,
  code: string,
  pending = false,
): Promise<RightCode> {
  const { points, seconds } = RATE_LIMITS.second_factor;
  const draws = [{ key: `second_factor ${staff_id}`, points, seconds }];
  const [drawn] = await draw(db, draws);
  if (!drawn || drawn.remaining < 0) {
    // A rejected attempt does not count toward the limit.
    await giveBack(db, draws);
    const retry_after_seconds = Math.max(1, Math.ceil((drawn?.ms_until_reset ?? 0) / 1_000));
    throw new ShopError('rate_limited', 'Too many wrong codes. Retry later.', { retry_after_seconds });
  }
  const right = /^\d{6}$/.test(code)
    ? await judgeTotp(db, secretKey, staff_id, code, pending)
    : await judgeRecovery(db, staff_id, code);
  if (!right) throw invalidCode();
  await giveBack(db, draws);
  return right;
}

async function judgeTotp(db: Pool, secretKey: string, staff_id: string, token: string, pending: boolean) {
  const { rows } = await queryAlone<RowOf<'staff_second_factors', 'secret'>>(
    db,
    sql`select secret from staff_second_factors where staff_id = ${staff_id} and (turned_on_at is null) = ${pending}`,
  );
  if (!rows[0] && pending) throw notFound('two-factor secret to confirm');
  if (!rows[0]) return undefined;
  const { verifySync } = await import('otplib');
  const secret = unseal(sealingOf(secretKey, staff_id), rows[0].secret);
  // Accepts the previous and the next code, because clocks differ.
  const { valid, ...told } = verifySync({ secret, token, epochTolerance: PERIOD_SECONDS });
  return valid && 'timeStep' in told ? { step: told.timeStep } : undefined;
}

async function judgeRecovery(db: Pool, staff_id: string, code: string) {
  const recovery_hash = hashToken(code.trim().toLowerCase());
  const { rows } = await queryAlone(
    db,
    sql`select from staff_recovery_codes
      where staff_id = ${staff_id} and code_hash = ${recovery_hash} and used_at is null`,
  );
  return rows.length > 0 ? { recovery_hash } : undefined;
}

/** Marks a verified code as used. Throws `second_factor_invalid` if this code or a later one was already used. */
export async function use(shop: Shop, staff_id: string, code: RightCode): Promise<void> {
  const used = await shop.run(
    'step' in code
      ? sql`update staff_second_factors set last_step = ${code.step}
          where staff_id = ${staff_id} and turned_on_at is not null and last_step < ${code.step}`
      : sql`update staff_recovery_codes set used_at = now()
          where staff_id = ${staff_id} and code_hash = ${code.recovery_hash} and used_at is null`,
  );
  if (used === 0) throw invalidCode();
}

/**
 * Turns the second factor on with a verified code of the pending secret. Returns the recovery codes, which no other
 * call returns.
 */
export async function confirm(shop: Shop, staff_id: string, code: RightCode): Promise<string[]> {
  if (!('step' in code)) throw invalidCode();
  const on = await shop.run(
    sql`update staff_second_factors set turned_on_at = now(), last_step = ${code.step}
      where staff_id = ${staff_id} and turned_on_at is null`,
  );
  if (on === 0) throw invalidCode();
  return makeRecoveryCodes(shop, staff_id);
}

/** Replaces and returns the recovery codes. Throws `two_factor_off` if the second factor is off. */
export async function replaceRecoveryCodes(shop: Shop, staff_id: string): Promise<string[]> {
  // The lock serializes concurrent calls, so that only the codes of the last one are valid.
  const on = await shop.one(
    sql`select from staff_second_factors where staff_id = ${staff_id} and turned_on_at is not null for update`,
  );
  if (!on) throw new ShopError('two_factor_off', 'Two-factor login is off, so there are no recovery codes.');
  await shop.run(sql`delete from staff_recovery_codes where staff_id = ${staff_id}`);
  return makeRecoveryCodes(shop, staff_id);
}

async function makeRecoveryCodes(shop: Shop, staff_id: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, randomPassword);
  await shop.run(
    sql`insert into staff_recovery_codes (staff_id, code_hash)
      select ${staff_id}::uuid, code_hash from unnest(${codes.map(hashToken)}::bytea[]) as c (code_hash)`,
  );
  return codes;
}

/** Deletes the TOTP secret and the recovery codes. Returns whether the second factor was on. */
export async function turnOff(shop: Shop, staff_id: string): Promise<boolean> {
  const removed = await shop.one<RowOf<'staff_second_factors', 'turned_on_at'>>(
    sql`delete from staff_second_factors where staff_id = ${staff_id} returning turned_on_at`,
  );
  return Boolean(removed?.turned_on_at);
}

/**
 * Re-encrypts all TOTP secrets. Returns the number of re-encrypted secrets, and the ids of the staff members whose
 * secret neither the old nor the new SECRET_KEY decrypts.
 */
export async function resealSecondFactors(
  connection: Connection,
  { from, to }: { from: string; to: string },
): Promise<{ resealed: number; closed: string[] }> {
  const { rows } = await query<RowOf<'staff_second_factors', 'staff_id' | 'secret'>>(
    connection,
    sql`select staff_id, secret from staff_second_factors order by staff_id for update`,
  );
  const done = { resealed: 0, closed: [] as string[] };
  for (const { staff_id, secret } of rows) {
    if (opened(to, staff_id, secret) !== undefined) continue;
    const text = opened(from, staff_id, secret);
    if (text === undefined) {
      done.closed.push(staff_id);
      continue;
    }
    const sealed = seal(sealingOf(to, staff_id), text);
    await query(connection, sql`update staff_second_factors set secret = ${sealed} where staff_id = ${staff_id}`);
    done.resealed += 1;
  }
  return done;
}

function opened(secretKey: string, staff_id: string, sealed: Buffer): string | undefined {
  try {
    return unseal(sealingOf(secretKey, staff_id), sealed);
  } catch {
    return undefined;
  }
}

/** Encrypts the TOTP secret of a login that moves to this server. */
export function sealFactor(secretKey: string, staff_id: string, totp_secret: string): Buffer {
  return seal(sealingOf(secretKey, staff_id), totp_secret);
}

/** Decrypts a TOTP secret. Throws if it was encrypted with another secret key. */
export function openFactor(secretKey: string, staff_id: string, sealed: Buffer): string {
  return unseal(sealingOf(secretKey, staff_id), sealed);
}

function sealingOf(secretKey: string, staff_id: string): Sealing {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'commerce second factors', 32));
  return { key, tag: 'last', context: staff_id };
}

function invalidCode(): ShopError {
  return new ShopError('second_factor_invalid', 'The code is wrong or was already used.');
}
