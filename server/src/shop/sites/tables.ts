import type pg from 'pg';

/**
 * The tables with rows of sites: all in the database that have a column `site_id`, so that none is forgotten. The names
 * are quoted.
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
