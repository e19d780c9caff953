import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { CODE, PLACE } from '../index/postings.ts';
import type { SearchDb } from '../search-db.ts';
import { fold } from '../words/normalize.ts';
import type { Weighed, Weight } from './term-weights.ts';

/** Which products match a query, and how well, as parts of a statement. */

/** How much it costs a product to lack some of the words. */
const COVERAGE = 3.7;
/** A product that has less than this share of the query's weight is no match. */
export const LEAST_COVERAGE = 0.35;
/** A whole SKU or barcode comes before everything that words could reach. */
const CODE_SCORE = 1_000;

/** What is looked for. */
export interface Query {
  weighed: Weighed;
  /** As it was typed, for SKUs and barcodes. */
  typed: string;
}

/** Which of the products are meant. */
export interface Bounds {
  /** The least share of the query's weight, from 0 to 1. */
  least: number;
  /** Groups of which a product must have one: what the thing is called. */
  naming?: number[];
  /** Whether a product matches that has only what accompanies the thing (see `companionOf`). */
  companionAlone?: boolean;
  /** When any are at all, told by what else is in the statement: the postings are not read otherwise. */
  when?: Sql;
}

/** `coded (product_id)`: the products of which the query is a whole SKU or barcode. */
export function coded(db: SearchDb, { typed }: Query): Sql {
  const code = CODE + fold(typed.trim()).slice(0, 255);
  return sql`coded as materialized (
      select product_id from search_postings where site_id = ${db.siteId} and term = ${code}
    )`;
}

/** Those, in the form of `matchesByWords`. */
export const matchesByCode = sql`select product_id, ${CODE_SCORE}::float8 as score, 1::float8 as covered, 0 as heads,
  false as by_vendor, 0 as whole, 0 as guessed, true as is_code from coded`;

/**
 * The products that match by their words, visible or not, as `(product_id, score, covered)` and the fields of a candidate that
 * tell where its words stand: for each group the strongest of its terms, weighted by how rare the group is in this shop, times
 * the share of the query's weight that is covered. Each group is joined to the others: to put all postings together by product
 * takes more than twice as long.
 */
export function matchesByWords(db: SearchDb, { weighed }: Query, bounds: Bounds): Sql {
  const total = weighed.weights.reduce((sum, { rarity }) => sum + rarity, 0);
  const [needed, others] = partsOf(weighed, bounds);
  const [first, ...more] = needed;
  if (!first) return sql`${matchesByCode} where false`;
  const when = bounds.when ?? sql`true`;
  const read = (part: Part) => postings(db, part, weighed, when);
  // Added up in one order whatever is needed, so that the same product has the same share in two parts of a statement.
  const each = (part: (part: Part) => Sql, between: string) => join([...others, ...needed].map(part), between);
  return sql`select product_id, mass * power(covered, ${COVERAGE}::float8) as score, covered, heads, by_vendor, whole, guessed,
      false as is_code
    from (
      select product_id, ${each(({ rarity, at }) => sql`coalesce(${column(at, 'impact')} * ${rarity}::float8, 0)`, ' + ')} as mass,
        (${each(({ rarity, at }) => sql`case when ${column(at, 'impact')} is null then 0 else ${rarity}::float8 end`, ' + ')})
          / ${total}::float8 as covered,
        ${each(({ bit, at }) => sql`case when ${column(at, 'place')} & ${PLACE.headOfTitle} > 0 then ${bit}::int else 0 end`, ' | ')} as heads,
        ${each(({ at }) => sql`coalesce(${column(at, 'place')} & ${PLACE.vendor} > 0, false)`, ' or ')} as by_vendor,
        ${each(({ bit, at }) => sql`case when ${column(at, 'whole')} then ${bit}::int else 0 end`, ' | ')} as whole,
        ${each(({ bit, at }) => sql`case when ${column(at, 'guessed')} then ${bit}::int else 0 end`, ' | ')} as guessed
      from (${read(first)}) as ${alias(first)}
        ${join([empty, ...more.map((part) => sql`full join (${read(part)}) as ${alias(part)} using (product_id)`)], ' ')}
        ${join([empty, ...others.map((part) => sql`left join (${read(part)}) as ${alias(part)} using (product_id)`)], ' ')}
      ) as hits
    where covered >= ${bounds.least}::float8
      and not exists (select from coded c where c.product_id = hits.product_id)`;
}

/** A group that some products have. */
interface Part {
  terms: Weighed['terms'];
  rarity: number;
  /** What stands for it in a number. */
  bit: number;
  /** Its place in the statement. */
  at: number;
}

/**
 * Of the groups those of which a match must have one, and the others, each with the commonest first: what the thing is called,
 * else the words without which too much is lacking. What most products have is the first that can be done without (MaxScore;
 * Turtle and Flood, 1995).
 */
function partsOf(weighed: Weighed, { least, naming = [], companionAlone = false }: Bounds): [Part[], Part[]] {
  const { terms, weights } = weighed;
  const needed = new Set(naming.length > 0 ? naming : neededOf(weights, least));
  const companion = companionOf(weighed);
  if (companion !== undefined && !companionAlone && needed.size > 1) needed.delete(companion);
  const all = weights
    .map(({ rarity }, grp) => ({ grp, rarity, bit: 1 << grp, terms: terms.filter((term) => term.grp === grp) }))
    .filter((part) => part.terms.length > 0)
    .sort((a, b) => a.rarity - b.rarity);
  const parts = (isNeeded: boolean, from: number) =>
    all.filter(({ grp }) => needed.has(grp) === isNeeded).map((part, i) => ({ ...part, at: from + i }));
  const others = parts(false, 0);
  return [parts(true, others.length), others];
}

/** All but the commonest groups that, taken together, are less than this share of the query's weight. */
export function neededOf(weights: Pick<Weight, 'rarity'>[], least: number): number[] {
  const total = weights.reduce((sum, { rarity }) => sum + rarity, 0);
  let without = 0;
  return weights
    .map(({ rarity }, grp) => ({ rarity, grp }))
    .sort((a, b) => a.rarity - b.rarity)
    .flatMap(({ rarity, grp }) => {
      without += rarity;
      // A hair less, for what is added up in another order.
      return without >= least * total - 1e-9 ? [grp] : [];
    });
}

/** What so many products have, and such a share of all, but so few of them in their names. */
const COMPANION = { products: 1_000, share: 0.1, titles: 0.1 };

/** Of several words the commonest, where it only accompanies what is asked for: of `boots in size M` the M. */
export function companionOf({ weights, size }: Pick<Weighed, 'weights' | 'size'>): number | undefined {
  const known = weights.map((weight, grp) => ({ ...weight, grp })).filter(({ products }) => products > 0);
  const [commonest, ...others] = known.sort((a, b) => a.rarity - b.rarity);
  if (!commonest || others.length === 0) return undefined;
  const { products, titles, grp } = commonest;
  const accompanies = products >= COMPANION.products && products > COMPANION.share * size;
  return accompanies && titles < COMPANION.titles * products ? grp : undefined;
}

/** The postings of a group by product, as `(product_id, impact, place, whole, guessed)`: read as a whole, and not one by one. */
function postings(db: SearchDb, { terms: [term, ...others] }: Part, { terms }: Weighed, when: Sql): Sql {
  // All in one form or all in the other: so there are fewer statements to prepare.
  const isSimple = new Set(terms.map(({ grp }) => grp)).size === terms.length;
  if (isSimple && term) {
    const isGuess = sql`p.place & ${PLACE.title} > 0 and not ${term.whole}::boolean`;
    return sql`select p.product_id, p.impact * ${term.weight}::real as impact, p.place, ${term.whole}::boolean as whole, ${isGuess} as guessed
      from search_postings p where p.site_id = ${db.siteId} and p.term = ${term.term} and ${when} offset 0`;
  }
  const own = term ? [term, ...others] : [];
  return sql`select p.product_id, max(p.impact * w.weight) as impact, bit_or(p.place) as place, bool_or(w.whole) as whole,
      bool_or(p.place & ${PLACE.title} > 0 and not w.whole) as guessed
    from unnest((select ${own.map((one) => one.term)}::text[]), (select ${own.map(({ weight }) => weight)}::real[]),
      (select ${own.map(({ whole }) => whole)}::boolean[])) as w (term, weight, whole)
    join search_postings p on p.site_id = ${db.siteId} and p.term = w.term where ${when} group by p.product_id`;
}

function alias({ at }: Part): Sql {
  return raw(`g${at}`);
}

/** A column of a group: of words and a number alone. */
function column(at: number, name: 'impact' | 'place' | 'whole' | 'guessed'): Sql {
  return raw(`g${at}.${name}`);
}
