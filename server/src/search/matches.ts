import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { Shop } from '../shop/shop.ts';
import { knownSize } from './catalogue-size.ts';
import type { Group } from './groups.ts';
import { CODE, PLACE } from './postings.ts';
import { fold } from './text.ts';

/** Which products match a query, and how well, as parts of a statement. */

/** Rarer words count more, but not as much more as plain BM25 has it. */
const RARITY = 0.456;
/** How much it costs a product to lack some of the words. */
const COVERAGE = 3.7;
/** A product that has less than this share of the query's weight is no match. */
export const LEAST_COVERAGE = 0.35;
/** What a synonym counts beside the word itself. */
const SYNONYM = 0.8;
/** A whole SKU or barcode comes before everything that words could reach. */
const CODE_SCORE = 1_000;

export interface Wanted {
  groups: Group[];
  /** The query as it was typed, for SKUs and barcodes. */
  typed: string;
  /** The least share of the query's weight that a match has. */
  coverage: number;
  /** Nothing matches where a group is unknown: what it may mean is found out first. */
  unlessUnknown?: boolean;
}

/**
 * Common table expressions up to `matches (product_id, score, covered, heads, by_vendor)`, all products that match, visible or
 * not: for each group the strongest of its terms, weighted by how rare the group is in this shop, times the share of the
 * query's weight that is covered. Every posting is looked at, so each group is a column: rows are put together once, and once only.
 */
export function matches(shop: Shop, { groups, typed, coverage, unlessUnknown = false }: Wanted): Sql {
  const code = CODE + fold(typed.trim()).slice(0, 255);
  const impact = (grp: number) => columnOf('impact', grp);
  const rarity = (grp: number) => columnOf('rarity', grp);
  return sql`${wantedTerms(shop, groups)}, unknown as materialized (
      select grp from (select distinct grp from wanted) as g where not exists (
        select from wanted w, lateral (select from search_postings p
          where p.site_id = ${shop.siteId} and p.term = w.term limit 1) as p where w.grp = g.grp)
    ), hits as materialized (
      select p.product_id, ${each(groups, (grp) => sql`max(p.impact * w.weight) filter (where w.grp = ${grp}) as ${impact(grp)}, `)}
        bit_or(case when p.place & ${PLACE.title} > 0 then 1 << w.grp else 0 end) as titles,
        bit_or(case when p.place & ${PLACE.headOfTitle} > 0 then 1 << w.grp else 0 end) as heads,
        bool_or(p.place & ${PLACE.vendor} > 0) as by_vendor
      from wanted w join search_postings p on p.site_id = ${shop.siteId} and p.term = w.term
      where not (${unlessUnknown}::boolean and exists (select from unknown))
      group by p.product_id
    ), stats as materialized (
      select array[${list(groups, (grp) => sql`count(${impact(grp)})`)}]::bigint[] as products,
        array[${list(groups, (grp) => sql`count(*) filter (where titles & ${1 << grp} > 0)`)}]::bigint[] as titles,
        array[${list(groups, (grp) => sql`count(*) filter (where heads & ${1 << grp} > 0)`)}]::bigint[] as heads
      from hits group by ()
    ), rarity as materialized (
      select ${each(groups, (grp) => sql`rarities[${grp + 1}] as ${rarity(grp)}, `)} total from (
        select array_agg(rarity order by place) as rarities, sum(rarity) as total from (
          select place, case when found = 0 then 0
            else power(ln(1 + (greatest(c.products - found, 0) + 0.5) / (found + 0.5)), ${RARITY}::numeric)::float8
          end as rarity
          from stats s, catalogue c, unnest(s.products) with ordinality as g (found, place)) as g) as g
    ), coded as materialized (
      select product_id from search_postings where site_id = ${shop.siteId} and term = ${code}
    ), matches as materialized (
      select product_id, mass * power(covered, ${COVERAGE}::float8) as score, covered, heads, by_vendor from (
        select h.product_id, h.heads, h.by_vendor,
          ${each(groups, (grp) => sql`coalesce(${impact(grp)} * ${rarity(grp)}, 0) + `)} 0 as mass,
          (${each(groups, (grp) => sql`case when ${impact(grp)} is null then 0 else ${rarity(grp)} end + `)} 0) / total as covered
        from hits h, rarity r
        where not exists (select from coded c where c.product_id = h.product_id)) as h
      where covered >= ${coverage}::float8
      union all
      select product_id, ${CODE_SCORE}, 1, 0, false from coded
    )`;
}

/** How many products there are, and what to look for with the synonyms: `catalogue (products)`, `wanted (grp, term, weight)`. */
function wantedTerms(shop: Shop, groups: Group[]): Sql {
  const given = groups.flatMap(({ alternatives }, grp) =>
    alternatives.map(({ term, weight }) => ({ grp, term, weight })),
  );
  const column = <Key extends 'grp' | 'term' | 'weight'>(key: Key) => given.map((one) => one[key]);
  const known = knownSize(shop);
  const size =
    known === undefined
      ? sql`(select count(*) from product_search where site_id = ${shop.siteId})`
      : sql`${known}::bigint`;
  return sql`catalogue as materialized (
      select ${size} as products
    ), given as (
      select * from unnest(${column('grp')}::int[], ${column('term')}::text[], ${column('weight')}::real[])
        as g (grp, term, weight)
    ), wanted as (
      select grp, term, max(weight) as weight from (
        select * from given
        union all
        select g.grp, synonym, g.weight * ${SYNONYM}::real from given g
        join site_settings t on t.site_id = ${shop.siteId},
          jsonb_array_elements_text(t.search_synonym_terms -> g.term) as synonym
      ) as w group by grp, term
    )`;
}

/** A part for each group, one behind the other. */
function each(groups: Group[], part: (grp: number) => Sql, between = ''): Sql {
  return groups.length === 0
    ? empty
    : join(
        groups.map((_group, grp) => part(grp)),
        between,
      );
}

function list(groups: Group[], part: (grp: number) => Sql): Sql {
  return each(groups, part, ', ');
}

/** The name of a group's column: of a word and a number alone. */
function columnOf(name: 'impact' | 'rarity', grp: number): Sql {
  return raw(`${name}_${grp}`);
}
