import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
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

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Returns a check for rows of a shop: rows that name the shop, its objects or its staff, or contain its marker, as text
 * or in hexadecimal.
 */
export function rowsOf({ site_id, canary }: { site_id: string; canary: string }, rows: Rows) {
  const known = new Set([site_id]);
  for (const row of [...rows.values()].flatMap((set) => [...set]).filter((one) => one.includes(site_id))) {
    const { id, staff_id, site_id: named } = JSON.parse(row) as Record<string, unknown>;
    if (named !== site_id) continue;
    for (const one of [id, staff_id]) if (typeof one === 'string') known.add(one);
  }
  const forms = [canary, Buffer.from(canary).toString('hex')];
  return (row: string): boolean => {
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

/** Returns the contents of the files in a file store by path, by default those of all shops. */
export function filesIn(directory: string, site_id = ''): Map<string, string> {
  const folder = join(directory, 'files');
  const paths = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const files = paths.filter((path) => path.startsWith(site_id) && statSync(join(folder, path)).isFile());
  return new Map(files.map((path) => [path, readFileSync(join(folder, path), 'base64')]));
}
