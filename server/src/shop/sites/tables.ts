import type pg from 'pg';

/**
 * Returns all tables with a column `site_id`, with quoted names. The list is read from the database, so that no table
 * is forgotten.
 */
export async function tablesOfSites(owner: pg.ClientBase): Promise<string[]> {
  const { rows } = await owner.query<{ table: string }>(
    `select format('%I.%I', n.nspname, c.relname) as table from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'commerce' and c.relkind in ('r', 'p') and not c.relispartition and exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'site_id' and not a.attisdropped)
      order by 1`,
  );
  return rows.map(({ table }) => table);
}
