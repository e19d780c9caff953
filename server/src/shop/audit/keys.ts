/**
 * Keys that sign audit rows and seals. They are stored encrypted with SECRET_KEY, so that access to the database is not
 * enough to forge a signature. All processes and sites use the newest key that SECRET_KEY decrypts. There are several
 * if SECRET_KEY was replaced without `rotate-secret-key`, which re-encrypts the keys.
 */

import { hkdfSync, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { type Connection, query } from '../../db/connect.ts';
import type { RowOf } from '../../db/row-of.ts';
import { queryAlone } from '../../db/transaction.ts';
import { type Sealing, seal, unseal } from '../sealing.ts';

export interface AuditKey {
  id: string;
  key: Buffer;
  /** The creation time, encrypted together with the key. */
  made_at: string;
}

type Sealed = RowOf<'audit_keys', 'id' | 'sealed'>;

/** Returns the newest key that SECRET_KEY decrypts, or creates one. */
export async function openAuditKey(db: Pool, secretKey: string): Promise<AuditKey> {
  const { rows } = await queryAlone<Sealed>(db, sql`select id, sealed from audit_keys order by created_at desc, id`);
  const known = rows.map((row) => opened(secretKey, row)).find((key) => key !== undefined);
  if (known) return known;
  const made = { id: uuidv7(), key: randomBytes(32), made_at: new Date().toISOString() };
  await queryAlone(db, sql`insert into audit_keys (id, sealed) values (${made.id}, ${sealedBy(secretKey, made)})`);
  return made;
}

/** Returns all keys by id; null for a key that SECRET_KEY does not decrypt. */
export async function readAuditKeys(connection: Connection, secretKey: string): Promise<Map<string, AuditKey | null>> {
  const { rows } = await query<Sealed>(connection, sql`select id, sealed from audit_keys order by id`);
  return new Map(rows.map((row) => [row.id, opened(secretKey, row) ?? null]));
}

/**
 * Re-encrypts all keys. Returns the number of re-encrypted keys, and the ids of the keys that neither the old nor the
 * new SECRET_KEY decrypts.
 */
export async function resealAuditKeys(
  connection: Connection,
  { from, to }: { from: string; to: string },
): Promise<{ resealed: number; closed: string[] }> {
  const { rows } = await query<Sealed>(connection, sql`select id, sealed from audit_keys order by id for update`);
  const done = { resealed: 0, closed: [] as string[] };
  for (const row of rows) {
    if (opened(to, row)) continue;
    const key = opened(from, row);
    if (!key) {
      done.closed.push(row.id);
      continue;
    }
    await query(connection, sql`update audit_keys set sealed = ${sealedBy(to, key)} where id = ${row.id}`);
    done.resealed += 1;
  }
  return done;
}

function sealedBy(secretKey: string, { id, key, made_at }: AuditKey): Buffer {
  return seal(sealingOf(secretKey, id), JSON.stringify({ key: key.toString('base64'), made_at }));
}

function opened(secretKey: string, { id, sealed }: Sealed): AuditKey | undefined {
  try {
    const { key, made_at } = JSON.parse(unseal(sealingOf(secretKey, id), sealed)) as { key: string; made_at: string };
    return { id, key: Buffer.from(key, 'base64'), made_at };
  } catch {
    return undefined;
  }
}

function sealingOf(secretKey: string, id: string): Sealing {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'commerce audit keys', 32));
  return { key, tag: 'last', context: id };
}
