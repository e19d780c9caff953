import sql, { type Sql } from 'sql-template-tag';
import { VALUE } from '../index/postings.ts';
import type { SearchDb } from '../search-db.ts';
import { stem } from '../words/normalize.ts';
import { parseQuery } from './parse.ts';
import type { ParsedQuery, Reading } from './parsed-query.ts';

/**
 * Parses a sentence, and looks up words that may also be part of a product's name (`no show socks`). Sends at most one
 * statement.
 */
export async function parseInCatalog(db: SearchDb, sentence: string, reading?: Reading): Promise<ParsedQuery> {
  const parsed = parseQuery(sentence, undefined, reading);
  const { names, values } = parsed.ambiguous;
  if (names.length + values.length === 0) return parsed;
  const words = names.map((name) => name.split(' '));
  const terms = values.map((value) => VALUE + value);
  const rows = await db.rows<{ name: string | null; value: string | null }>(
    sql`select n.name, null as value
      from unnest((select ${names}::text[]), (select ${words.map(([first = '']) => stem(first))}::text[]),
        (select ${words.map((all) => stem(all.at(-1) ?? ''))}::text[])) as n (name, first, last)
      where exists (select from (${inOneName(db.siteId)} offset 0) as m cross join lateral (
        select p.name from products p where p.site_id = ${db.siteId} and p.id = m.product_id offset 0) as p
        where strpos(' ' || regexp_replace(lower(p.name), '[^[:alnum:]]+', ' ', 'g'), ' ' || n.name) > 0)
      union all
      select null, v.value from unnest((select ${values}::text[]), (select ${terms}::text[])) as v (value, term)
      where exists (select from search_postings x where x.site_id = ${db.siteId} and x.term = v.term)`,
  );
  if (rows.length === 0) return parsed;
  return parseQuery(
    sentence,
    {
      names: new Set(rows.flatMap(({ name }) => name ?? [])),
      values: new Set(rows.flatMap(({ value }) => value ?? [])),
    },
    reading,
  );
}

/**
 * A subquery for the products whose name contains `n.first` and `n.last`, the first and last word of a name in the
 * enclosing statement. The caller adds `offset 0`, so that the planner does not read the names of the whole catalogue.
 */
function inOneName(site_id: string): Sql {
  return sql`select f.product_id from search_postings f
    where f.site_id = ${site_id} and f.term = n.first and f.place & 1 > 0 and exists (select from search_postings l
      where l.site_id = ${site_id} and l.term = n.last and l.product_id = f.product_id and l.place & 1 > 0)`;
}
