import sql, { type Sql } from 'sql-template-tag';
import type { SearchDb } from '../search-db.ts';

/** A character that sorts after every character of a word. */
export const BEYOND = '\u{10FFFF}';

/** An SQL condition that a term begins with `prefix`, written as a range so that an index can be used. */
export function beginsWith(term: Sql, prefix: string): Sql {
  return sql`${term} >= ${prefix} and ${term} < ${prefix + BEYOND}`;
}

/**
 * A query for the words of product names that begin with `prefix`, in the column `term`: one row for each product that
 * has the word, in alphabetical order. `place & 1` is written as in the partial index search_postings_in_names.
 */
export function namesBeginningWith(db: SearchDb, prefix: string, limit: number): Sql {
  return sql`select term from search_postings
            where site_id = ${db.siteId} and place & 1 > 0 and ${beginsWith(sql`term`, prefix)}
            order by term limit (select ${limit}::int)`;
}

/**
 * A query for the first `limit` distinct words of any text that begin with `prefix`, in the column `term` (a loose
 * index scan).
 */
export function termsBeginningWith(db: SearchDb, prefix: string, limit: number): Sql {
  const next = (from: Sql) => sql`(select p.term from search_postings p where p.site_id = ${db.siteId} and ${from}
      and p.term < ${prefix + BEYOND} order by p.term limit 1)`;
  return sql`with recursive found (term) as (
      select ${next(sql`p.term >= ${prefix}`)}
      union all
      select ${next(sql`p.term > f.term`)} from found f where f.term is not null
    ) select term from found where term is not null limit ${limit}::int`;
}
