import type { Pool } from 'pg';

/** All rows of the database as text, by table, including those of the job queue. */
export type Rows = Map<string, Set<string>>;

/** Columns that any call may update. */
const IN_PASSING = ['last_used_at', 'last_seen_at'];

export async function allRows(owner: Pool): Promise<Rows> {
  const { rows: tables } = await owner.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname in ('commerce', 'graphile_worker')`,
  );
  const found: Rows = new Map();
  for (const { name } of tables) {
    const { rows } = await owner.query<{ row: string }>(
      `select (to_jsonb(t) - $1::text[])::text as row from ${name} t`,
      [IN_PASSING],
    );
    found.set(name, new Set(rows.map(({ row }) => row)));
  }
  return found;
}

/**
 * Whether a row belongs to a shop: it refers to the shop or to one of the shop's objects, or contains the shop's marker, as text
 * or in hexadecimal.
 */
export type Owns = (row: string) => boolean;

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Returns a check for rows of a shop: rows that name the shop, its objects or its staff. */
export function rowsOf({ site_id, canary }: { site_id: string; canary: string }, rows: Rows): Owns {
  const known = new Set([site_id]);
  for (const row of [...rows.values()].flatMap((set) => [...set]).filter((one) => one.includes(site_id))) {
    const { id, staff_id, site_id: named } = JSON.parse(row) as Record<string, unknown>;
    if (named !== site_id) continue;
    for (const one of [id, staff_id]) if (typeof one === 'string') known.add(one);
  }
  const forms = [canary, Buffer.from(canary).toString('hex')];
  return (row) => {
    const text = row.toLowerCase();
    return forms.some((form) => text.includes(form)) || (text.match(UUID) ?? []).some((id) => known.has(id));
  };
}

/** Returns the rows that are in only one of two states of the database, with a sign and the table. */
export function differences(before: Rows, after: Rows): string[] {
  const missing = (from: Rows, of: Rows, sign: string) =>
    [...from].flatMap(([table, rows]) =>
      [...rows].filter((row) => !of.get(table)?.has(row)).map((row) => `${sign} ${table} ${row}`),
    );
  return [...missing(before, after, 'gone'), ...missing(after, before, 'new')];
}
