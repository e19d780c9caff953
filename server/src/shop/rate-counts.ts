import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { queryAlone } from '../db/transaction.ts';

/** A request counted against a limit of `points` per key in a number of seconds. */
export interface Draw {
  key: string;
  points: number;
  seconds: number;
}

export interface Drawn {
  /** Below zero if the limit is exceeded. */
  remaining: number;
  ms_until_reset: number;
}

/**
 * Counts a request against each limit, and returns the results in order. Counts in PostgreSQL, so that the limits hold
 * across processes. Do not hold a database connection during the call.
 */
export async function draw(db: Pool, draws: Draw[]): Promise<Drawn[]> {
  const keyed = draws.map(({ key, points, seconds }) => ({ hash: hashOf(key), points, seconds }));
  const { rows } = await queryAlone<{ key_hash: string; points: number; ms: number }>(
    db,
    sql`insert into rate_counts as r (key_hash, points, expires_at)
      select decode(d.hash, 'hex'), 1, now() + d.seconds * interval '1 second'
      from jsonb_to_recordset(${JSON.stringify(keyed)}::jsonb) as d(hash text, seconds integer) order by d.hash
      on conflict (key_hash) do update set
        points = case when r.expires_at <= now() then 1 else r.points + 1 end,
        expires_at = case when r.expires_at <= now() then excluded.expires_at else r.expires_at end
      returning encode(key_hash, 'hex') as key_hash, points, (extract(epoch from expires_at - now()) * 1000)::float8 as ms`,
  );
  return keyed.map(({ hash, points }) => {
    const row = rows.find(({ key_hash }) => key_hash === hash);
    return { remaining: points - (row?.points ?? Number.POSITIVE_INFINITY), ms_until_reset: row?.ms ?? 0 };
  });
}

/** Subtracts the requests that `draw` counted. */
export async function giveBack(db: Pool, draws: Draw[]): Promise<void> {
  await queryAlone(
    db,
    sql`update rate_counts r set points = greatest(0, r.points - 1)
      from (select key_hash from rate_counts where key_hash = any(
        array(select decode(hash, 'hex') from unnest(${draws.map(({ key }) => hashOf(key))}::text[]) as d (hash)))
        order by encode(key_hash, 'hex') for update) taken
      where r.key_hash = taken.key_hash`,
  );
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
