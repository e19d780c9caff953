/**
 * Suggestions while a shopper types. Most steps read a bounded number of rows, whatever the size of the catalogue: for
 * example the most common words that begin with the last typed word, some products for each word, and the best sellers
 * among these products.
 */

import type { SuggestedCollection, SuggestedProduct, Suggestions } from '@commerce-backend/spec';
import sql, { join, type Sql } from 'sql-template-tag';
import { together } from '../../db/connect.ts';
import { selectList } from '../../db/fields.ts';
import { PLACE, VALUE } from '../../search/index/postings.ts';
import { beginsWith, namesBeginningWith } from '../../search/query/completions.ts';
import { readCodeMatches } from '../../search/rank/codes.ts';
import { meantBy } from '../../search/rank/weigh-words.ts';
import { isStopWord, wordsByTerm } from '../../search/words/normalize.ts';
import { type Token, tokenize } from '../../search/words/tokens.ts';
import { canBeBought, visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';

const LIMITS = { name_words: 5_000, completions: 10, products_each: 30, named: 1_000, begun_each: 15, ranked: 40 };
const MAX_WORDS = 8;

/** Suggests products, collections and words. Input without a word returns no suggestions. */
export async function suggest(shop: Shop, { q, limit = 5 }: { q: string; limit?: number }): Promise<Suggestions> {
  const words = tokenize(q).filter(({ kind }) => kind === 'word');
  const last = words.at(-1);
  if (!last) return { products: [], collections: [], terms: [] };
  const before = words.slice(0, -1).slice(-MAX_WORDS);
  const [found, collections] = await together(
    readProducts(shop, before, last),
    readCollections(shop, [...before, last], limit),
  );
  // The index contains word stems, so a found name may have no word that begins with the typed text.
  const named = found.flatMap((product) => {
    const word = wordIn(product.name, last);
    return word === undefined ? [] : [{ product, word }];
  });
  const unnamed = named.length < limit ? await readUnnamed(shop, { q, before, last, isNamed: named.length > 0 }) : [];
  const all = [...named.map(({ product }) => product), ...unnamed];
  const distinct = [...new Map(all.map((product) => [product.id, product])).values()];
  const products = distinct.slice(0, limit).map((product) => {
    const { id, name, slug, price, compare_at_price, image_url, in_stock } = product;
    return { id, name, slug, price, compare_at_price, currency: shop.currency, image_url, in_stock };
  });
  const terms = termsOf(
    before,
    named.map(({ word }) => word),
  );
  return { products, collections, terms: terms.slice(0, limit) };
}

interface Typed {
  q: string;
  before: Token[];
  last: Token;
  /** Whether a product name contains the words. If so, synonyms are not searched. */
  isNamed: boolean;
}

/**
 * Finds products whose names do not contain the words: by type, tag or vendor, otherwise by synonyms, otherwise by
 * codes such as SKUs.
 */
async function readUnnamed(shop: Shop, { q, before, last, isNamed }: Typed): Promise<Named[]> {
  if (last.text.length < MIN_LETTERS) return [];
  const words = [...before, last];
  const isSingle = before.length === 0;
  const labelled = isSingle || !isNamed ? await readRanked(shop, labelledBy(shop, words)) : [];
  if (isNamed || labelled.length > 0) return labelled;
  const meant = await meantBy(shop, words, last);
  const [end] = meant.words.slice(-1);
  if (end && meant.words !== words) return readProducts(shop, meant.words.slice(0, -1), end);
  const { first, last: others } = await readCodeMatches(shop, {
    typed: q,
    isUnknown: meant.isUnknown,
    isSingle: true,
    always: false,
  });
  const coded = [...first, ...others];
  return coded.length === 0
    ? []
    : readRanked(shop, sql`with hits as materialized (select unnest((select ${coded}::uuid[])) as product_id)`);
}

/** If the last word is shorter, products are found only by their names. */
const MIN_LETTERS = 2;

type Named = Omit<SuggestedProduct, 'currency'>;

const productColumns = selectList<Named>({
  id: sql`p.id`,
  name: sql`p.name`,
  slug: sql`p.slug`,
  price: sql`p.price`,
  compare_at_price: sql`p.compare_at_price`,
  in_stock: canBeBought,
  image_url: sql`(
          select i.url from product_images i where i.site_id = p.site_id and i.product_id = p.id
          order by i.position, i.id limit 1)`,
});

/** Products whose names have all words, the last one as a prefix. Best sellers come first, sold-out products last. */
function readProducts(shop: Shop, before: Token[], last: Token): Promise<Named[]> {
  const terms = before.map(({ term }) => term).filter((term) => !isStopWord(term));
  return readRanked(shop, terms.length > 0 ? namedByAll(shop, terms, last) : namedByLast(shop, last));
}

/** The best sellers among `hits`, sold-out products last. */
function readRanked(shop: Shop, hits: Sql): Promise<Named[]> {
  return shop.rows<Named>(
    sql`${hits}, ranked as materialized (
        select p.site_id, p.id, p.name, p.slug, p.price, p.compare_at_price, p.sales_count
        from hits join products p on p.site_id = ${shop.siteId} and p.id = hits.product_id
        where ${visible} order by p.sales_count desc, p.id desc limit ${LIMITS.ranked}::int
      )
      select ${productColumns}
      from ranked p order by in_stock desc, p.sales_count desc, p.id desc`,
  );
}

function namedByLast(shop: Shop, { term }: Token): Sql {
  return sql`with completions as materialized (
        select term from (${namesBeginningWith(shop, term, LIMITS.name_words)}) as n
        group by term order by count(*) desc, term limit ${LIMITS.completions}::int
      ), hits as materialized (
        select distinct n.product_id from completions c cross join lateral (
          select p.product_id from search_postings p
          where p.site_id = ${shop.siteId} and p.term = c.term and p.place & 1 > 0
          order by p.product_id desc limit ${LIMITS.products_each}::int) as n
      )`;
}

function labelledBy(shop: Shop, words: Token[]): Sql {
  const value = VALUE + words.map(({ term }) => term).join(' ');
  return sql`with hits as materialized (
        select distinct product_id from (
          select product_id, place from search_postings
          where site_id = ${shop.siteId} and ${beginsWith(sql`term`, value)} order by term limit ${LIMITS.named}::int
        ) as v where place & ${PLACE.product_type | PLACE.tag | PLACE.vendor}::int > 0
      )`;
}

/**
 * Finds products whose names contain all terms. Only the newest products with the longest term are examined, because
 * the longest term is probably the rarest.
 */
function namedByAll(shop: Shop, terms: string[], last: Token): Sql {
  const [first = '', ...others] = terms.toSorted((a, b) => b.length - a.length);
  const conditions = others.map((term) => namesHave(shop, sql`o.term = ${term}`));
  return sql`with named as materialized (
        select p.product_id from search_postings p
        where p.site_id = ${shop.siteId} and p.term = ${first} and p.place & 1 > 0
        order by p.product_id desc limit ${LIMITS.named}::int
      ), having_all as materialized (select n.product_id from named n where ${join([sql`true`, ...conditions], ' and ')}
      ), ${hitsAmong(shop, last)}`;
}

function namesHave(shop: Shop, term: Sql): Sql {
  return sql`exists (
    select from search_postings o where o.site_id = ${shop.siteId} and o.product_id = n.product_id and ${term} and o.place & 1 > 0)`;
}

/**
 * Filters for names with a word that begins with the last typed one. Reads all such words in one scan if this costs
 * less than one lookup per name. A lookup costs about as much as reading `begun_each` words. A single letter matches
 * too many words to scan.
 */
function hitsAmong(shop: Shop, { text, term: last }: Token): Sql {
  const begins = namesHave(shop, beginsWith(sql`o.term`, last));
  if (text.length === 1) return sql`hits as materialized (select n.product_id from having_all n where ${begins})`;
  return sql`enough as materialized (select ${LIMITS.begun_each}::int * count(*) as names from having_all
      ), begun as materialized (
        select product_id from search_postings
        where site_id = ${shop.siteId} and place & 1 > 0 and ${beginsWith(sql`term`, last)}
        order by term limit (select names from enough)
      ), hits as materialized (
        select n.product_id from having_all n
        where case when (select count(*) from begun) < (select names from enough)
          then n.product_id in (select product_id from begun) else ${begins} end
      )`;
}

const collectionColumns = selectList<SuggestedCollection>({
  id: sql`c.id`,
  title: sql`c.title`,
  handle: sql`c.handle`,
  image_url: sql`c.image_url`,
});

/**
 * Finds collections whose titles contain the words, the last one as a prefix. A shop has few collections, so no index
 * is needed.
 */
function readCollections(shop: Shop, words: Token[], limit: number): Promise<SuggestedCollection[]> {
  const patterns = words.map(({ text }, i) => `\\m${text}${i < words.length - 1 ? '\\M' : ''}`);
  return shop.rows<SuggestedCollection>(
    sql`select ${collectionColumns} from collections c
      where c.site_id = ${shop.siteId} and c.published and lower(public.unaccent(c.title)) ~ all(${patterns}::text[])
      order by c.title, c.id limit ${limit}::int`,
  );
}

/** Returns the first word of the name that begins with the last typed word or is another form of it. */
function wordIn(name: string, { text, term }: Token): string | undefined {
  const words = [...wordsByTerm(name)];
  return words.find(([stem, word]) => word.startsWith(text) || stem === term)?.[1];
}

function termsOf(before: Token[], completed: string[]): Suggestions['terms'] {
  const counts = new Map<string, number>();
  for (const word of completed) counts.set(word, (counts.get(word) ?? 0) + 1);
  const begun = before.map(({ text }) => `${text} `).join('');
  return Array.from(counts, ([word, found]) => ({ text: `${begun}${word}`.slice(0, 255), products: found })).sort(
    (a, b) => b.products - a.products || (a.text < b.text ? -1 : 1),
  );
}
