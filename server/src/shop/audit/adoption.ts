import type pg from 'pg';
import type { AuditKey } from './keys.ts';
import { addSeals, type NewSeal, sealOf } from './seals.ts';
import { type SealedRow, type SignedRow, signRow } from './signing.ts';

const ROWS_AT_A_TIME = 5_000;

/** Seals of the imported audit rows, each with the time of its newest row. */
export type NewChain = { seal: NewSeal; through: string }[];

/**
 * Signs and seals all rows in a temporary copy of audit_events with this server's key. Does not detect changes made on
 * the source server, unlike `audit verify` on that server.
 */
export async function signAgain(
  client: pg.ClientBase,
  key: AuditKey,
  site_id: string,
  table: string,
): Promise<NewChain> {
  await client.query('create temporary table arriving_signatures (id uuid not null, hmac bytea not null)');
  await client.query('begin');
  await client.query(
    `declare arriving no scroll cursor for
      select id, actor_type, actor_id, action, status, payload_hash, ip, buyer_ip, user_agent, correlation_id, targets, fields,
        customer_id, details_hash, (extract(epoch from created_at) * 1000000)::bigint::text as at
      from ${table} order by created_at, id`,
  );
  const chain: NewChain = [];
  for (;;) {
    const { rows } = await client.query<Omit<SignedRow, 'site_id'> & { at: string }>(
      `fetch ${ROWS_AT_A_TIME} from arriving`,
    );
    if (rows.length === 0) break;
    const signed = rows.map((row) => ({ id: row.id, at: row.at, hmac: signRow(key, { ...row, site_id }) }));
    await keepSignatures(client, signed);
    const last = chain.at(-1)?.seal.hmac;
    const place = { site_id, seq: chain.length + 1, previous: last ? Buffer.from(last, 'hex') : null };
    chain.push({ seal: sealOf(key, place, signed), through: signed.at(-1)?.at ?? '' });
  }
  await client.query('commit');
  await client.query(
    `update ${table} e set hmac = s.hmac, key_id = $1 from pg_temp.arriving_signatures s where s.id = e.id`,
    [key.id],
  );
  return chain;
}

async function keepSignatures(client: pg.ClientBase, signed: SealedRow[]): Promise<void> {
  await client.query(
    'insert into pg_temp.arriving_signatures (id, hmac) select * from unnest($1::uuid[], $2::bytea[])',
    [signed.map(({ id }) => id), signed.map(({ hmac }) => hmac)],
  );
}

/** Stores the seals. The site and its audit rows must exist. */
export async function addChain(client: pg.ClientBase, chain: NewChain): Promise<void> {
  for (const { seal, through } of chain) await addSeals(client, [seal], through);
}
