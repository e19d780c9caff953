import type { PoolClient } from 'pg';
import sql from 'sql-template-tag';
import { Connection, query } from '../../db/connect.ts';
import { type AuditKey, readAuditKeys } from './keys.ts';
import { signCheckpoint } from './signing.ts';
import { type StoredCheckpoint, verifyOldest } from './verify.ts';

interface DeletionDeps {
  secretKey: string;
  auditKey: AuditKey;
  auditDays: number;
}

/**
 * Deletes the oldest seals of a site, at most five per call, with their rows, and signs a checkpoint from which
 * `audit verify` continues. Keeps the last seal, to which the next one refers. Deletes nothing if there are findings.
 * The age of a seal is the age of its rows, because the seal signs their times. Needs a transaction of the tables'
 * owner with the site as tenant. Returns the number of deleted rows, and the findings.
 */
export async function deleteOldSeals(
  client: PoolClient,
  site_id: string,
  { secretKey, auditKey, auditDays }: DeletionDeps,
): Promise<{ rows: number; findings: string[] }> {
  await client.query('set local search_path = commerce, public');
  const connection = new Connection(client);
  const before = (Date.now() - auditDays * 86_400_000) * 1_000;
  if (!(await hasOldSeals(connection, site_id, before))) return { rows: 0, findings: [] };
  const keys = await readAuditKeys(connection, secretKey);
  const { checkpoint, seals, findings } = await verifyOldest(connection, site_id, keys);
  if (findings.length > 0) return { rows: 0, findings };
  const last = await lastSeal(connection, site_id);
  const young = seals.findIndex(({ seq, through }) => seq === last || Number(through) > before);
  const old = young < 0 ? seals : seals.slice(0, young);
  const newest = old.at(-1);
  if (!newest) return { rows: 0, findings };
  const ids = old.flatMap((seal) => seal.ids);
  const rows = await query(
    connection,
    sql`delete from audit_events where site_id = ${site_id} and id = any(${ids}::uuid[])`,
  );
  const removed = await query(
    connection,
    sql`delete from audit_seals where site_id = ${site_id} and seq = any(${old.map(({ seq }) => seq)}::int[])`,
  );
  // If fewer rows were deleted, another process was deleting the same rows.
  if (rows.rowCount !== ids.length || removed.rowCount !== old.length) throw new Error('Some old audit rows are gone.');
  const next = {
    ...{ site_id, seq: newest.seq, seal_hmac: newest.hmac },
    through: String(Math.max(Number(checkpoint?.through ?? 0), ...old.map(({ through }) => Number(through)))),
    deleted: (checkpoint?.deleted ?? 0) + ids.length,
  };
  await store(connection, { ...next, key_id: auditKey.id, hmac: signCheckpoint(auditKey, next) });
  return { rows: ids.length, findings };
}

/**
 * Whether the oldest seal may be old enough to delete. If not, no seal needs to be verified. `through` is not signed,
 * so nothing else depends on it.
 */
async function hasOldSeals(connection: Connection, site_id: string, before: number): Promise<boolean> {
  const { rows } = await query<{ old: boolean }>(
    connection,
    sql`select through <= timestamptz 'epoch' + ${before}::bigint * interval '1 microsecond' as old
      from audit_seals where site_id = ${site_id} order by seq limit 1`,
  );
  return rows[0]?.old ?? false;
}

async function lastSeal(connection: Connection, site_id: string): Promise<number | undefined> {
  const { rows } = await query<{ seq: number }>(
    connection,
    sql`select seq from audit_seals where site_id = ${site_id} order by seq desc limit 1`,
  );
  return rows[0]?.seq;
}

async function store(connection: Connection, checkpoint: StoredCheckpoint): Promise<void> {
  const { site_id, seq, seal_hmac, through, deleted, key_id, hmac } = checkpoint;
  await query(
    connection,
    sql`insert into audit_checkpoints as c (site_id, seq, seal_hmac, through, deleted, key_id, hmac)
      values (${site_id}, ${seq}, ${seal_hmac}, timestamptz 'epoch' + ${through}::bigint * interval '1 microsecond', ${deleted},
        ${key_id}, ${hmac})
      on conflict (site_id) do update set seq = excluded.seq, seal_hmac = excluded.seal_hmac, through = excluded.through,
        deleted = excluded.deleted, key_id = excluded.key_id, hmac = excluded.hmac`,
  );
}
