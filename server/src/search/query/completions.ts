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

/** The first `limit` distinct words of any text that begin with `prefix`, as a query of `term`: a loose index scan. */
export function termsBeginningWith(db: SearchDb, prefix: string, limit: number): Sql {
  const next = (from: Sql) => sql`(select p.term from search_postings p where p.site_id = ${db.siteId} and ${from}
      and p.term < ${prefix + BEYOND} order by p.term limit 1)`;
  return sql`with recursive found (term) as (
      select ${next(sql`p.term >= ${prefix}`)}
      union all
      select ${next(sql`p.term > f.term`)} from found f where f.term is not null
    ) select term from found where term is not null limit ${limit}::int`;
}
