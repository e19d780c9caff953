/** API keys of operators. Every function runs as the table owner; the role of shop requests has no access. */

import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { type Connection, query } from '../../db/connect.ts';
import { ERA } from '../../db/era.ts';
import type { RowOf } from '../../db/row-of.ts';
import { NotFound } from '../errors.ts';
import { hashToken, isWellFormed, mintToken, visiblePrefix } from '../tokens.ts';

export type OperatorKey = RowOf<
  'operator_keys',
  'id' | 'description' | 'secret_prefix' | 'created_at' | 'expires_at' | 'revoked_at'
>;

const COLUMNS = sql`id, description, secret_prefix, created_at, expires_at, revoked_at`;

/** Creates a key that expires after `days`. Only this function returns the secret. */
export async function createKey(owner: Connection, { description, days }: { description: string; days: number }) {
  const secret = mintToken('operator');
  const { rows } = await query<OperatorKey>(
    owner,
    sql`insert into commerce.operator_keys (id, description, token_hash, secret_prefix, expires_at)
      values (${uuidv7()}, ${description}, ${hashToken(secret)}, ${visiblePrefix(secret)}, now() + ${days} * interval '1 day')
      returning ${COLUMNS}`,
  );
  return { ...(rows[0] as OperatorKey), secret };
}

/** Lists all keys, newest first. */
export async function listKeys(owner: Connection): Promise<OperatorKey[]> {
  const { rows } = await query<OperatorKey>(
    owner,
    sql`select ${COLUMNS} from commerce.operator_keys order by created_at desc, id desc`,
  );
  return rows;
}

/** Revokes a key immediately. Throws NotFound for an unknown id. */
export async function revokeKey(owner: Connection, id: string): Promise<void> {
  const { rowCount } = await query(
    owner,
    sql`update commerce.operator_keys set revoked_at = coalesce(revoked_at, now()) where id = ${id}::uuid`,
  );
  if (rowCount === 0) throw new NotFound('operator key');
}

/** Returns the id of the active key with this secret; undefined if there is none. */
export async function findKey(owner: Connection, secret: string): Promise<string | undefined> {
  if (!isWellFormed('operator', secret)) return undefined;
  const { rows } = await query<RowOf<'operator_keys', 'id'> & { era: number }>(
    owner,
    sql`select id, ${ERA} as era from commerce.operator_keys
      where token_hash = ${hashToken(secret)} and revoked_at is null and expires_at > now()`,
  );
  return rows[0]?.id;
}

/** An audit record of an operator's call. */
export interface OperatorCallRecord {
  key_id: string;
  operation: string;
  about_site: string | null;
  status: number;
  request_id: string;
  ip: string | null;
}

export async function recordCall(owner: Connection, call: OperatorCallRecord): Promise<void> {
  await query(
    owner,
    sql`insert into commerce.operator_audit_events (id, key_id, operation, about_site, status, request_id, ip)
      values (${uuidv7()}, ${call.key_id}, ${call.operation}, ${call.about_site}::uuid, ${call.status},
        ${call.request_id}, ${call.ip})`,
  );
}
