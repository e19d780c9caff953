import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { AuditKey } from './keys.ts';

/** How rows of the audit and their seals are signed; the same when they are written and when they are verified. */

/** A row as it is signed, with all that never changes but its time, which its seal covers. */
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

/** Salted: what was emptied cannot be guessed from it. */
export function hashDetails(salt: Buffer, details: string): Buffer {
  return createHash('sha256').update(salt).update(details).digest();
}

/** A row in its seal. */
export interface SealedRow {
  id: string;
  hmac: Buffer;
  /** When it was made, in microseconds since 1970, as PostgreSQL has it. */
  at: string;
}

export interface Seal {
  site_id: string;
  seq: number;
  first: string;
  last: string;
  count: number;
  digest: Buffer;
  /** The HMAC of the seal before. */
  previous: Buffer | null;
}

/** Of rows in the order of their ids. */
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

/** As Node takes them fastest: given the bytes themselves, it takes several times as long as it does to sign. */
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
