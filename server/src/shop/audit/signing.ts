import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { AuditKey } from './keys.ts';

/** Signatures of audit rows and seals, used for both writing and verifying. */

/** The signed fields of a row: everything immutable except its time, which the seal covers. */
export interface SignedRow {
  site_id: string;
  id: string;
  actor_type: string;
  actor_id: string;
  action: string;
  status: number;
  payload_hash: Buffer;
  ip: string | null;
  buyer_ip: string | null;
  user_agent: string | null;
  correlation_id: string;
  targets: string[];
  fields: string[];
  customer_id: string | null;
  details_hash: Buffer | null;
}

export function signRow(key: AuditKey, row: SignedRow): Buffer {
  const parts = [
    ...[row.site_id, row.id, row.actor_type, row.actor_id, row.action, row.status, row.payload_hash.toString('hex')],
    ...[row.ip, row.buyer_ip, row.user_agent, row.correlation_id, row.targets, row.fields],
    ...[row.customer_id, row.details_hash?.toString('hex') ?? null],
  ];
  return hmac(key, 'row', parts);
}

/** Salted, so that erased details cannot be guessed from the hash. */
export function hashDetails(salt: Buffer, details: string): Buffer {
  return createHash('sha256').update(salt).update(details).digest();
}

/** The parts of a row that its seal covers. */
export interface SealedRow {
  id: string;
  hmac: Buffer;
  /** Creation time in microseconds since 1970, the precision of PostgreSQL. */
  at: string;
}

export interface Seal {
  site_id: string;
  seq: number;
  first: string;
  last: string;
  count: number;
  digest: Buffer;
  /** The HMAC of the previous seal. */
  previous: Buffer | null;
}

/** Digest of rows ordered by id. */
export function digestOf(rows: SealedRow[]): Buffer {
  const digest = createHash('sha256');
  for (const { id, hmac, at } of rows) digest.update(`${id} ${hmac.toString('hex')} ${at}\n`);
  return digest.digest();
}

export function signSeal(key: AuditKey, { site_id, seq, first, last, count, digest, previous }: Seal): Buffer {
  return hmac(key, 'seal', [
    site_id,
    seq,
    first,
    last,
    count,
    digest.toString('hex'),
    previous?.toString('hex') ?? null,
  ]);
}

/** KeyObjects are cached: passing raw bytes takes several times as long as the signature itself. */
const secrets = new WeakMap<Buffer, KeyObject>();

function secretOf(key: Buffer): KeyObject {
  const known = secrets.get(key) ?? createSecretKey(key);
  secrets.set(key, known);
  return known;
}

function hmac({ id, key }: AuditKey, what: 'row' | 'seal', parts: unknown[]): Buffer {
  return createHmac('sha256', secretOf(key))
    .update(JSON.stringify([what, id, ...parts]))
    .digest();
}
