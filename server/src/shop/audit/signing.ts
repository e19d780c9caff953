/** Signatures of audit rows and seals, for writing and verifying them. */

import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { AuditKey } from './keys.ts';

/** The signed fields of a row. Fields that can change are excluded, and so is the time, which the seal covers. */
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

/** The fields of a row that its seal covers. */
export interface SealedRow {
  id: string;
  hmac: Buffer;
  /** Microseconds since 1970, the precision of PostgreSQL. */
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

/** The rows must be sorted by id. */
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

/** The state of a chain whose oldest seals were deleted with their rows: the chain continues after the seal `seq`. */
export interface Checkpoint {
  site_id: string;
  seq: number;
  seal_hmac: Buffer;
  /** The time of the newest deleted row, in microseconds since 1970. */
  through: string;
  /** The number of rows deleted so far. */
  deleted: number;
}

export function signCheckpoint(key: AuditKey, { site_id, seq, seal_hmac, through, deleted }: Checkpoint): Buffer {
  return hmac(key, 'checkpoint', [site_id, seq, seal_hmac.toString('hex'), through, deleted]);
}

/** Cached, because signing with a raw key takes several times as long as with a KeyObject. */
const secrets = new WeakMap<Buffer, KeyObject>();

function secretOf(key: Buffer): KeyObject {
  const known = secrets.get(key) ?? createSecretKey(key);
  secrets.set(key, known);
  return known;
}

function hmac({ id, key }: AuditKey, what: 'row' | 'seal' | 'checkpoint', parts: unknown[]): Buffer {
  return createHmac('sha256', secretOf(key))
    .update(JSON.stringify([what, id, ...parts]))
    .digest();
}
