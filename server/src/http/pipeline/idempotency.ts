/**
 * Runs an operation once per Idempotency-Key of its caller. Steps in the request's transaction:
 * 1. claim: try to lock the key by an advisory lock and look for its response; for a token, in its look-up statement.
 *    If another request holds the lock, this one waits until that request ends, at most for lock_timeout (2 s).
 * 2. replay a stored response to the same request, and reject another request with the same key (422).
 * 3. after the work, store key, response and audit row in one statement. The primary key allows one response per key:
 *    if another request has committed a response between the look-up and the lock, this request is rolled back, runs
 *    again and finds that response. A final error is stored by a second transaction, which claims the key again.
 */

import { createHmac, hash, hkdfSync } from 'node:crypto';
import sql, { type Sql } from 'sql-template-tag';
import { type Connection, query, together } from '../../db/connect.ts';
import type { RowOf } from '../../db/row-of.ts';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import { type Sealing, seal, unseal } from '../../shop/sealing.ts';
import type { Shop } from '../../shop/shop.ts';
import { type Answer, answerTo, isRetryable, mayTurnOut } from './errors.ts';

export interface Key {
  /** The header as sent. Keys that differ only in upper and lower case are the same key. */
  key: string;
  operation_id: string;
  /** Method, path, query and body in canonical form. */
  request: string;
  /**
   * Whether the success response contains a secret. If so, the stored response is encrypted with a key that is not in
   * the database.
   */
  secret: boolean;
  /** Whether error responses may contain a secret, too. */
  secretRefusal: boolean;
  /** The server's secret and the caller's credential, from which the encryption key is derived. */
  pepper: string;
  request_id: string;
}

const REPLAY_WINDOW = '24 hours';

/**
 * Result of a claim: no response is stored, another request holds the lock, a response is stored, or it has expired.
 */
export type KeyState = 'free' | 'held' | 'answered' | 'expired';
export type Claimed = Promise<KeyState>;

/** Claims the Idempotency-Key for the shop's actor. */
export async function claim({ siteId, actorId }: Shop, connection: Connection, key: Key): Claimed {
  const { rows } = await query<{ key_state: KeyState }>(
    connection,
    sql`select ${claimOf(key)(siteId, actorId)} as key_state`,
  );
  return rows[0]?.key_state ?? 'free';
}

/**
 * An SQL expression that claims the key without waiting, for a site and a principal, which may be expressions
 * themselves.
 */
export function claimOf(key: Key): (site: Sql | string, principal: Sql | string) => Sql {
  return (site, principal) => sql`case when not pg_try_advisory_xact_lock(${lockOf(key, site, principal)}) then 'held'
      else coalesce((
        select case when completed_at > now() - ${REPLAY_WINDOW}::interval then 'answered' else 'expired' end
        from idempotency_keys where site_id = ${site} and principal_id = ${principal}
          and operation_id = ${key.operation_id} and key_hash = ${hashOf(key)}), 'free') end`;
}

/** Number of the key's advisory lock. Two keys with the same number only wait for each other. */
function lockOf(key: Key, site: Sql | string, principal: Sql | string): Sql {
  const name = `${key.operation_id} ${key.key.toLowerCase()}`;
  if (typeof site === 'string' && typeof principal === 'string') {
    return sql`hashtextextended(${site.toLowerCase() + principal.toLowerCase() + name}, 0)`;
  }
  return sql`hashtextextended(${site}::text || ${principal}::text || ${name}, 0)`;
}

/** Waits for the request that holds the key, then claims it. Throws `idempotency_in_flight` if that takes too long. */
export async function claimAfterOther(shop: Shop, connection: Connection, key: Key): Claimed {
  const lock = lockOf(key, shop.siteId, shop.actorId);
  // A second statement, because only it sees commits made while the first one waited for the lock.
  const [, state] = await together(
    query(connection, sql`select pg_advisory_xact_lock(${lock})`),
    claim(shop, connection, key),
  ).catch((error: { code?: string }) => {
    if (error.code !== '55P03') throw error;
    throw inFlight();
  });
  return state;
}

function inFlight(): ShopError {
  return new ShopError('idempotency_in_flight', 'The first request with this Idempotency-Key is still running.');
}

/** Whether the request was rolled back because another request had stored a response under the key. */
export function wasStoredByOther(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === '23505' && constraint === 'idempotency_keys_pkey';
}

/**
 * The stored response to the same request; undefined if there is none. `claimed` is the result of the claim in the
 * token look-up; without it the key is claimed now. Throws `idempotency_in_flight`, or a ValidationError if the key was
 * used for another request.
 */
export async function claimAndFindResponse(
  shop: Shop,
  connection: Connection,
  key: Key,
  claimed: KeyState | undefined,
): Promise<Answer | undefined> {
  const found = claimed ?? (await claim(shop, connection, key));
  const state = found === 'held' ? await claimAfterOther(shop, connection, key) : found;
  if (state === 'expired') await forget(shop, key);
  if (state !== 'answered') return undefined;
  const stored = await findStored(shop, key);
  return stored && replay(shop, key, stored);
}

export async function isAnswered(shop: Shop, key: Key): Promise<boolean> {
  const found = await shop.one(
    sql`select from idempotency_keys where site_id = ${shop.siteId} and principal_id = ${shop.actorId}
      and operation_id = ${key.operation_id} and key_hash = ${hashOf(key)} and status is not null
      and completed_at > now() - ${REPLAY_WINDOW}::interval`,
  );
  return found !== undefined;
}

type StoredRow = RowOf<'idempotency_keys', 'request_hash' | 'status' | 'body' | 'encrypted'> & { written_at: string };

/**
 * Reads a stored response. The message in the WAL makes COMMIT wait for a synchronous standby. Otherwise the response
 * could come from a transaction whose own wait was interrupted, and which no standby has yet.
 */
function findStored(shop: Shop, key: Key): Promise<StoredRow | undefined> {
  return shop.one<StoredRow>(
    sql`select request_hash, status, body, encrypted, pg_logical_emit_message(true, 'commerce', '') as written_at from idempotency_keys
      where site_id = ${shop.siteId} and principal_id = ${shop.actorId}
        and operation_id = ${key.operation_id} and key_hash = ${hashOf(key)}`,
  );
}

/** Deletes the expired response. */
async function forget(shop: Shop, key: Key): Promise<void> {
  await shop.run(
    sql`delete from idempotency_keys where site_id = ${shop.siteId} and principal_id = ${shop.actorId}
      and operation_id = ${key.operation_id} and key_hash = ${hashOf(key)}
      and completed_at <= now() - ${REPLAY_WINDOW}::interval`,
  );
}

async function replay(shop: Shop, key: Key, stored: StoredRow): Promise<Answer> {
  if (!stored.request_hash.equals(fingerprint(key))) throw usedForAnother();
  const body = stored.body && (stored.encrypted ? opened(key, stored.body) : stored.body.toString());
  if (body && stored.encrypted) await refuseRevoked(shop, body);
  return { status: stored.status ?? 500, body: body ?? undefined, headers: { 'Idempotency-Replayed': 'true' } };
}

function usedForAnother(): ValidationError {
  const msg = 'This Idempotency-Key was used for another request. Use a new key for each request.';
  return new ValidationError([{ loc: ['header', 'Idempotency-Key'], msg, type: 'idempotency_conflict' }]);
}

/** Throws if the secret in the stored response is no longer active, because a replay must not return it. */
async function refuseRevoked(shop: Shop, body: string): Promise<void> {
  const { secret, access_token } = JSON.parse(body) as { secret?: string; access_token?: string };
  const token = secret ?? access_token;
  if (!token) return;
  const token_hash = hash('sha256', token, 'buffer');
  const alive = await shop.one(
    sql`select from tokens where site_id = ${shop.siteId} and token_hash = ${token_hash} and revoked_at is null
      union all select from webhooks where site_id = ${shop.siteId} and secret_hash = ${token_hash}
      union all select from event_listeners where site_id = ${shop.siteId} and secret_hash = ${token_hash} and expires_at > now()
      union all select from staff_sessions where token_hash = ${token_hash} and revoked_at is null and expires_at > now()
      union all select from customer_tokens where site_id = ${shop.siteId} and token_hash = ${token_hash} and revoked_at is null and expires_at > now()`,
  );
  if (!alive) throw new ShopError('key_not_active', 'The secret returned under this key has been revoked since.');
}

/** The response to a final error. Rethrows other errors, because a retry may succeed. */
export function finalRefusalOrThrow(error: unknown, key: Key, forAgent: boolean): Answer {
  const answer = answerTo(error, key.request_id, forAgent);
  if (isRetryable(error) || !isFinal(error) || !STORED_REFUSALS.includes(answer.status)) throw error;
  return answer;
}

/**
 * Whether the response to a final error is stored. A missing permission is not, so that the call can be repeated once
 * it is granted.
 */
export function isStored(refusal: unknown): boolean {
  return !(refusal instanceof ShopError && refusal.code === 'insufficient_scope');
}

const STORED_REFUSALS = [400, 402, 403, 404, 409];

/**
 * Whether an error is final. It is not if the same request may succeed later, such as a poll before the customer's
 * decision.
 */
function isFinal(error: unknown): boolean {
  if (error instanceof ValidationError) return false;
  return !(error instanceof ShopError) || !mayTurnOut(error.code);
}

/** The statement that stores a response and the audit row together. */
export function storing(shop: Shop, key: Key, { status, body }: Answer, auditRow: Sql | undefined): Sql {
  const encrypted = status < 300 ? key.secret : key.secretRefusal;
  const bytes = body === undefined ? null : encrypted ? seal(sealingOf(key), body.toString()) : Buffer.from(body);
  const kept = sql`insert into idempotency_keys
        (site_id, principal_id, operation_id, key_hash, request_hash, status, body, encrypted)
      values (${shop.siteId}, ${shop.actorId}, ${key.operation_id}, ${hashOf(key)}, ${fingerprint(key)}, ${status}, ${bytes},
        ${encrypted})`;
  return auditRow ? sql`with kept as (${kept}) ${auditRow}` : kept;
}

function hashOf({ key }: Key): Buffer {
  return hash('sha256', key.toLowerCase(), 'buffer');
}

/**
 * Fingerprint of a request. It is an HMAC keyed with the raw Idempotency-Key, which is not stored, so that a password
 * in the request cannot be guessed from it.
 */
function fingerprint({ key, request }: Key): Buffer {
  return createHmac('sha256', key.toLowerCase()).update(request).digest();
}

function sealingOf({ key, pepper }: Key): Sealing {
  const bytes = Buffer.from(hkdfSync('sha256', key.toLowerCase(), pepper, 'commerce idempotency answer', 32));
  return { key: bytes, tag: 'first' };
}

function opened(key: Key, bytes: Buffer): string {
  try {
    return unseal(sealingOf(key), bytes);
  } catch {
    // Another session of the same person must not get the secret.
    throw usedForAnother();
  }
}
