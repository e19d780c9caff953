import sql from 'sql-template-tag';
import { PLACE, VALUE } from '../index/postings.ts';
import type { SearchDb } from '../search-db.ts';
import { stem } from '../words/normalize.ts';
import { type ParsedQuery, parseQuery, type Reading } from './parse.ts';

/** Parses a sentence, and looks up the words that could also be a product's name (`no show socks`). At most one statement. */
export async function parseInCatalog(db: SearchDb, sentence: string, reading?: Reading): Promise<ParsedQuery> {
  const parsed = parseQuery(sentence, undefined, reading);
  const { names, values } = parsed.ambiguous;
  if (names.length + values.length === 0) return parsed;
  const words = names.map((name) => name.split(' '));
  const rows = await db.rows<{ name: string | null; value: string | null }>(
    sql`select n.name, null as value
      from unnest((select ${names}::text[]), (select ${words.map(([first = '']) => stem(first))}::text[]),
        (select ${words.map((all) => stem(all.at(-1) ?? ''))}::text[])) as n (name, first, last)
      where exists (select from search_postings f
        join search_postings l on l.site_id = f.site_id and l.term = n.last and l.product_id = f.product_id
        join products p on p.site_id = f.site_id and p.id = f.product_id
        where f.site_id = ${db.siteId} and f.term = n.first and f.place & l.place & ${PLACE.title} > 0
          and strpos(' ' || regexp_replace(lower(p.name), '[^[:alnum:]]+', ' ', 'g'), ' ' || n.name) > 0)
      union all
      select null, v.value from unnest((select ${values}::text[])) as v (value)
      where exists (select from search_postings x where x.site_id = ${db.siteId} and x.term = ${VALUE} || v.value)`,
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
