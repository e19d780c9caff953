import sql, { empty, join, type Sql } from 'sql-template-tag';
import { visible } from '../shop/product-rows.ts';
import type { Shop } from '../shop/shop.ts';
import { knownSize, learnSize } from './catalogue-size.ts';
import type { Group } from './groups.ts';
import { meaningsOf, vectorOf } from './latent-index.ts';
import { CODE, PLACE } from './postings.ts';
import { fold } from './text.ts';
import type { Condition } from './wishes.ts';

/** So many of the best are ranked anew by their titles; behind them the order is that of the index. */
export const RERANKED = 200;

/** Rarer words count more, but not as much more as plain BM25 has it. */
const RARITY = 0.456;
/** How much it costs a product to lack some of the words. */
const COVERAGE = 3.7;
/** A product that has less than this share of the query's weight is no match, unless told otherwise. */
const LEAST_COVERAGE = 0.35;
/** A whole SKU or barcode comes before everything that words could reach. */
const CODE_SCORE = 1_000;

/** A product that a query found. */
export interface Candidate extends Record<string, unknown> {
  product_id: string;
  name: string;
  price: string;
  sales_count: number;
  score: number;
  /** One bit for each group that is what the name says the thing is. */
  heads: number;
  /** Whether one of the words names its vendor. */
  by_vendor: boolean;
  /** Its place among the meanings that the shop's texts have, if it has been given one (see latent.ts). */
  vector: string | null;
  /** One bit for each condition that it fails, in the order they were given; 0 meets all. */
  misses: number;
}

export interface Candidates {
  /** The best, those first that miss least; at most RERANKED. */
  rows: Candidate[];
  /** How many products miss what, by the bits of `misses`. */
  counts: Map<number, number>;
  /** For each group how many products have it, in the name, and as what the name says the thing is. */
  stats: { products: number; titles: number; heads: number }[];
  /** What the words mean in this shop, by word, as far as it is known. */
  meanings: Map<string, string>;
}

/** What is looked for among the products that `where` admits. */
export interface Search {
  groups: Group[];
  /** The query as it was typed, for SKUs and barcodes. */
  typed: string;
  /** The least share of the query's weight that a match has. */
  coverage?: number;
  /** Conditions on `products p` that every product must meet. */
  where: Sql[];
  /** Conditions that are counted: what a product fails is told by the bits of `misses`. */
  conditions: Condition[];
}

/** The best matches with their counts, in one statement. */
export async function readCandidates(shop: Shop, search: Search): Promise<Candidates> {
  const { groups, where, conditions } = search;
  const bits = conditions.map(({ condition }, i) => sql`case when ${condition} then 0 else ${1 << i} end`);
  // A word alone is found best by itself; what words mean tells which of several the others belong to.
  const isPlain = groups.length < 2;
  const misses = bits.length > 0 ? join(bits, ' + ') : sql`0`;
  const row = await shop.one<{
    rows: Candidate[] | null;
    counts: Record<string, number> | null;
    stats: Stat[] | null;
    size: number;
    meanings: Record<string, string> | null;
  }>(
    sql`with ${matches(shop, search)}, judged as materialized (
        select m.product_id, m.score, m.heads, m.by_vendor, ${misses} as misses
        from matches m join products p on p.site_id = ${shop.siteId} and p.id = m.product_id
        where ${visible} ${where.length > 0 ? sql`and ${join(where, ' and ')}` : empty}
      )
      select (select json_agg(best) from (
          select b.*, p.name, p.price::text, p.sales_count, ${isPlain ? sql`null` : vectorOf(shop)} as vector from (
            select * from judged order by misses, score desc, product_id limit ${RERANKED}) as b
          join products p on p.site_id = ${shop.siteId} and p.id = b.product_id) as best) as rows,
        ${isPlain ? sql`null` : meaningsOf(shop, groups)} as meanings,
        (select json_object_agg(misses, products) from (
          select misses, count(*) as products from judged group by misses) as c) as counts,
        (select json_agg(s) from stats s) as stats, (select products from catalogue) as size`,
  );
  learnSize(shop, row?.size ?? 0);
  const stats = groups.map(
    (_group, i) => row?.stats?.find(({ grp }) => grp === i) ?? { products: 0, titles: 0, heads: 0 },
  );
  const counts = new Map(Object.entries(row?.counts ?? {}).map(([bits, count]) => [Number(bits), count]));
  return { rows: row?.rows ?? [], counts, stats, meanings: new Map(Object.entries(row?.meanings ?? {})) };
}

interface Stat {
  grp: number;
  products: number;
  titles: number;
  heads: number;
}

/**
 * Common table expressions up to `matches (product_id, score, heads, by_vendor)`, all products that match, visible or not:
 * for each group the strongest of its terms, weighted by how rare the group is in this shop, times the share of the query
 * that is covered.
 */
export function matches(
  shop: Shop,
  { groups, typed, coverage = LEAST_COVERAGE }: Pick<Search, 'groups' | 'typed' | 'coverage'>,
): Sql {
  const given = groups.flatMap(({ alternatives }, grp) =>
    alternatives.map(({ term, weight }) => ({ grp, term, weight })),
  );
  const column = <Key extends 'grp' | 'term' | 'weight'>(key: Key) => given.map((each) => each[key]);
  const known = knownSize(shop);
  const size =
    known === undefined
      ? sql`(select count(*) from product_search where site_id = ${shop.siteId})`
      : sql`${known}::bigint`;
  const code = CODE + fold(typed.trim()).slice(0, 255);
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
    ), hits as materialized (
      select w.grp, p.product_id, max(p.impact * w.weight) as impact, bit_or(p.place) as place
      from wanted w join search_postings p on p.site_id = ${shop.siteId} and p.term = w.term
      group by w.grp, p.product_id
    ), stats as materialized (
      select grp, count(*) as products, count(*) filter (where place & ${PLACE.title} > 0) as titles,
        count(*) filter (where place & ${PLACE.headOfTitle} > 0) as heads
      from hits group by grp
    ), rarity as materialized (
      select grp, power(ln(1 + (greatest(c.products - s.products, 0) + 0.5) / (s.products + 0.5)),
        ${RARITY}::numeric)::float8 as weight
      from stats s, catalogue c
    ), coded as materialized (
      select product_id from search_postings where site_id = ${shop.siteId} and term = ${code}
    ), matches as materialized (
      select h.product_id, sum(r.weight * h.impact) * power(sum(r.weight) / total.weight, ${COVERAGE}::float8) as score,
        bit_or(case when h.place & ${PLACE.headOfTitle} > 0 then 1 << h.grp else 0 end) as heads,
        bool_or(h.place & ${PLACE.vendor} > 0) as by_vendor
      from hits h join rarity r using (grp), (select sum(weight) as weight from rarity) as total
      where not exists (select from coded c where c.product_id = h.product_id)
      group by h.product_id, total.weight having sum(r.weight) >= ${coverage}::float8 * total.weight
      union all
      select product_id, ${CODE_SCORE}, 0, false from coded
    )`;
}

/** What a synonym counts beside the word itself. */
const SYNONYM = 0.8;
