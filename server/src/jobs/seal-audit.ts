/**
 * Seals audit rows that were committed since the last run, so that none can be removed or moved unnoticed. Each site
 * has a chain of seals. Steps, in one transaction for up to `BATCH` rows of all sites, oldest first:
 * 1. read the unsealed rows with the last seal of their site, in one statement and so in one snapshot
 * 2. for each site, add a seal with its rows, their digest and the previous seal.
 * A row that commits late gets into the next seal, although its id is lower. A crash leaves no partial batch. If two
 * processes run concurrently, one adds the seal and the other adds nothing. Sites without new rows are not read.
 */

import type { PoolClient } from 'pg';
import type { AuditKey } from '../shop/audit/keys.ts';
import { addSeals, sealOf } from '../shop/audit/seals.ts';
import type { SealedRow } from '../shop/audit/signing.ts';
import { asSweeper } from './as-sweeper.ts';

const BATCH = 5_000;
/**
 * Unsealed rows may be at most this much older than the newest sealed row, because no transaction of a request takes
 * longer.
 */
const LATE = `interval '15 minutes'`;

export interface Sealed {
  rows: number;
  seals: number;
}

export async function sealAudit(client: PoolClient, key: AuditKey): Promise<Sealed> {
  const sum: Sealed = { rows: 0, seals: 0 };
  for (;;) {
    const { found, seals, rows } = await asSweeper(client, () => sealBatch(client, key));
    sum.rows += rows;
    sum.seals += seals;
    if (found < BATCH || seals === 0) return sum;
  }
}

interface Unsealed extends SealedRow {
  site_id: string;
  seq: number;
  previous: Buffer | null;
}

async function sealBatch(client: PoolClient, key: AuditKey): Promise<Sealed & { found: number }> {
  const { rows: found } = await client.query<Unsealed>(UNSEALED);
  if (found.length === 0) return { found: 0, rows: 0, seals: 0 };
  const through = found.at(-1)?.at ?? '';
  // In the order of site ids, so that two processes do not wait for each other.
  const seals = [...Map.groupBy(found, ({ site_id }) => site_id).values()]
    .map((rows) => {
      const { site_id = '', seq = 0, previous = null } = rows[0] ?? {};
      return sealOf(key, { site_id, seq, previous }, rows);
    })
    .toSorted((a, b) => (a.site_id < b.site_id ? -1 : 1));
  const added = await addSeals(client, seals, through);
  return { found: found.length, rows: added.reduce((sum, count) => sum + count, 0), seals: added.length };
}

/**
 * The unsealed rows since shortly before the newest seal. If there is no seal yet, since the creation of the first key,
 * before which no row was signed.
 */
const UNSEALED = `with horizon as (
    select coalesce(least(max(through), now()), (select min(created_at) from commerce.audit_keys)) - ${LATE} as since
    from commerce.audit_seals
  ), sealed as (
    select s.site_id, i.id from commerce.audit_seals s cross join unnest(s.ids) as i (id)
    where s.through > (select since from horizon)
  )
  select e.site_id, e.id, e.hmac, (extract(epoch from e.created_at) * 1000000)::bigint::text as at,
    coalesce(h.seq, 0) + 1 as seq, h.hmac as previous
  from commerce.audit_events e
  left join sealed s on s.site_id = e.site_id and s.id = e.id
  left join lateral (
    select seq, hmac from commerce.audit_seals a where a.site_id = e.site_id order by seq desc limit 1
  ) h on true
  where e.created_at > (select since from horizon) and e.hmac is not null and s.id is null
  order by e.created_at, e.id limit ${BATCH}`;
