import type pg from 'pg';
import type { RowOf } from '../../db/row-of.ts';
import type { AuditKey } from './keys.ts';
import { digestOf, type Seal, type SealedRow, signSeal } from './signing.ts';

export interface NewSeal extends Omit<Seal, 'digest' | 'previous'> {
  ids: string[];
  /** Hexadecimal, like `previous` and `hmac`. */
  digest: string;
  previous: string | null;
  hmac: string;
  key_id: string;
}

/** Creates the seal of these rows. `previous` is the HMAC of the previous seal. */
export function sealOf(
  key: AuditKey,
  { site_id, seq, previous }: Pick<Seal, 'site_id' | 'seq' | 'previous'>,
  unsealed: SealedRow[],
): NewSeal {
  const rows = unsealed.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const seal = {
    ...{ site_id, seq, previous, first: rows[0]?.id ?? '', last: rows.at(-1)?.id ?? '' },
    count: rows.length,
    digest: digestOf(rows),
  };
  return {
    ...seal,
    ids: rows.map(({ id }) => id),
    digest: seal.digest.toString('hex'),
    previous: previous?.toString('hex') ?? null,
    hmac: signSeal(key, seal).toString('hex'),
    key_id: key.id,
  };
}

/**
 * Stores seals of rows that are not newer than `through` (microseconds since 1970). Returns the row counts of the seals
 * that this call stored; another process may have stored the others.
 */
export async function addSeals(client: pg.ClientBase, seals: NewSeal[], through: string): Promise<number[]> {
  const { rows } = await client.query<RowOf<'audit_seals', 'count'>>(
    `insert into commerce.audit_seals
        (site_id, seq, first, last, count, ids, digest, previous, hmac, key_id, through)
      select s.site_id, s.seq, s.first, s.last, s.count, s.ids, decode(s.digest, 'hex'), decode(s.previous, 'hex'),
        decode(s.hmac, 'hex'), s.key_id, timestamptz 'epoch' + $2::bigint * interval '1 microsecond'
      from jsonb_to_recordset($1) as s (site_id uuid, seq integer, first uuid, last uuid, count integer, ids uuid[],
        digest text, previous text, hmac text, key_id uuid)
      on conflict (site_id, seq) do nothing returning count`,
    [JSON.stringify(seals), through],
  );
  return rows.map(({ count }) => count);
}
