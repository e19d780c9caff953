import sql, { type Sql } from 'sql-template-tag';
import type { SearchDb } from '../search-db.ts';

/** Sorts after every character that a word has. */
export const BEYOND = '\u{10FFFF}';

/** Whether a word begins with `prefix`, as a range of an index. */
export function beginsWith(term: Sql, prefix: string): Sql {
  return sql`${term} >= ${prefix} and ${term} < ${prefix + BEYOND}`;
}

/**
 * The words of product names from `prefix` on as a query of `term`, one row for each product: as many as `limit`, in the order
 * of the words. `place & 1` is that of names, as the index search_postings_in_names has it.
 */
export function namesBeginningWith(db: SearchDb, prefix: string, limit: number): Sql {
  return sql`select term from search_postings
            where site_id = ${db.siteId} and place & 1 > 0 and ${beginsWith(sql`term`, prefix)}
            order by term limit (select ${limit}::int)`;
}

/** The words from `prefix` on as a query of `term`, in their order, as many as `limit`: from one to the next, whatever has them. */
export function termsBeginningWith(db: SearchDb, prefix: string, limit: number): Sql {
  const next = (from: Sql) => sql`(select p.term from search_postings p where p.site_id = ${db.siteId} and ${from}
      and p.term < ${prefix + BEYOND} order by p.term limit 1)`;
  return sql`with recursive begun (term) as (
      select ${next(sql`p.term >= ${prefix}`)}
      union all
      select ${next(sql`p.term > b.term`)} from begun b where b.term is not null
    ) select term from begun where term is not null limit ${limit}::int`;
}
