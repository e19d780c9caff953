/**
 * Matches for lists that are not sorted by relevance. All words must be in names or values, because descriptions
 * mention too much.
 */

import sql, { join, type Sql } from 'sql-template-tag';
import { PLACE, VALUE } from '../index/postings.ts';
import { BEYOND } from '../query/completions.ts';
import type { SearchDb } from '../search-db.ts';
import { tokenize } from '../words/tokens.ts';
import { unfinishedWord, weighKeywords } from './weigh-words.ts';

/** A query for `product_id`; undefined if the text has no word. */
export async function productsNamed(db: SearchDb, typed: string): Promise<Sql | undefined> {
  const words = tokenize(typed).filter(({ kind }) => kind === 'word');
  const { groups, weighted, words: meant } = await weighKeywords(db, words, unfinishedWord(typed, words));
  if (groups.length === 0) return undefined;
  const sets = groups.map((_group, grp) => {
    const terms = weighted.terms.filter((one) => one.grp === grp).map(({ term }) => term);
    return withAny(db, terms);
  });
  const whole = VALUE + meant.map(({ term }) => term).join(' ');
  return sql`(${join(sets, ' intersect ')}) union ${withValues(db, sql`${whole}`, sql`${whole + BEYOND}`)}`;
}

/** A query for products that have one of the terms in the name, as a value, or as the first word of a value. */
function withAny(db: SearchDb, terms: string[]): Sql {
  const values = terms.map((term) => VALUE + term);
  const firsts = values.map((value) => `${value} `);
  return sql`(select p.product_id from unnest((select ${terms}::text[])) as t (term)
      join search_postings p on p.site_id = ${db.siteId} and p.term = t.term and p.place & ${PLACE.title} > 0
    union all select p.product_id from unnest((select ${values}::text[])) as v (term)
      join search_postings p on p.site_id = ${db.siteId} and p.term = v.term
    union all select p.product_id from unnest((select ${firsts}::text[]),
        (select ${firsts.map((first) => first + BEYOND)}::text[])) as f (first, beyond)
      cross join lateral (${withValues(db, sql`f.first`, sql`f.beyond`)} offset 0) as p)`;
}

function withValues(db: SearchDb, from: Sql, to: Sql): Sql {
  return sql`select p.product_id from search_postings p where p.site_id = ${db.siteId} and p.term >= ${from} and p.term < ${to}`;
}
