import sql, { empty, type Sql } from 'sql-template-tag';
import { LONG_TEXT, PLACE, VALUE } from '../index/postings.ts';
import { ON_SALE } from '../query/marks.ts';
import type { Constraint } from '../query/parsed-query.ts';
import type { ProductFilters, SearchDb } from '../search-db.ts';
import { isNumber, normalizeText, termsOf } from '../words/normalize.ts';
import { sizeSpellings } from '../words/sizes.ts';

/** A condition on `products p`, from the sentence or from the caller. */
export interface Condition {
  /** The reason to report for products that fail the condition. */
  reason: Constraint['kind'] | 'category_not_allowed';
  condition: Sql;
  /** The constraint from which the condition was made; absent if the caller added the condition. */
  constraint?: Constraint;
  /** Whether the condition is never relaxed, even if no product meets it. */
  strict: boolean;
  /** Whether the condition only reads `p.id` and `p.site_id`, so that the product's row need not be read. */
  needsOnlyId: boolean;
}

/** The metadata keys under which shops keep ratings. Values are plain numbers. */
export const RATING_KEYS = {
  rating: ['rating', 'average_rating'],
  reviews: ['reviews', 'review_count', 'reviews_count', 'rating_count'],
};

/** Conditions are relaxed in this order; `without` never is. */
const RELAXATION_ORDER: Condition['reason'][] = ['value', 'reviews', 'rating', 'in_stock', 'price', 'word', 'without'];

/** Conditions that look up variants, postings or texts by the product's id, and do not read other columns of `p`. */
const NEED_ONLY_ID = new Set<Condition['reason']>(['value', 'in_stock', 'word', 'without']);

/**
 * The conditions of the constraints, in the order of relaxation. Constraints that exclude nothing, such as the sort
 * order, have none.
 */
export function conditionsOf(
  db: SearchDb,
  { inStock }: Pick<ProductFilters, 'inStock'>,
  constraints: Constraint[],
): Condition[] {
  const conditions = constraints.flatMap((constraint) => {
    const condition = conditionOf(db, inStock, constraint);
    const { kind } = constraint;
    return condition
      ? [
          {
            reason: kind,
            condition,
            constraint,
            strict: kind === 'without' || constraint.isStrict === true,
            needsOnlyId: NEED_ONLY_ID.has(kind),
          },
        ]
      : [];
  });
  return conditions.sort((a, b) => relaxationRank(a.constraint) - relaxationRank(b.constraint));
}

function relaxationRank({ kind, value, headNoun }: Constraint): number {
  if (kind === 'value' && value === ON_SALE) return RELAXATION_ORDER.indexOf('in_stock');
  return RELAXATION_ORDER.indexOf(headNoun === undefined ? kind : 'word');
}

function conditionOf(db: SearchDb, inStock: Sql, constraint: Constraint): Sql | undefined {
  const { kind, value = '', min, max, isSize } = constraint;
  if (constraint.isUnread || constraint.isUnknown) return undefined;
  switch (kind) {
    case 'price':
      if (isForeignCurrency(db, constraint) || (min === undefined && max === undefined)) return undefined;
      return hasPriceWithin(min, max);
    case 'rating':
    case 'reviews':
      return sql`coalesce(${metadataNumber(RATING_KEYS[kind])} between ${min ?? 0}::numeric and ${max ?? Number.MAX_SAFE_INTEGER}::numeric, false)`;
    case 'in_stock':
      return inStock;
    case 'without':
      return sql`not ${isOrHas(db, value)}`;
    case 'value':
      if (value === ON_SALE) return isOnSale(db);
      // Measures are checked on the variants instead.
      if (min !== undefined || max !== undefined) return undefined;
      // A size in letters is an ordinary value; a number may also be within a range of sizes.
      if (isSize && isNumber(value)) return sql`(${hasValueOrName(db, value)} or ${hasSize(value)})`;
      // A category of several words does not name the product itself: not everything in `Candles & Scent` is a candle.
      return constraint.headNoun || value.includes(' ')
        ? hasValueOrName(db, value)
        : sql`(${hasValueOrName(db, value)} or p.id in (${ofTypeBeginningWith(db, value)}))`;
    case 'word':
      return hasValueOrName(db, value);
    default:
      return undefined;
  }
}

/** A condition that the product is or has an excluded thing. The texts are read only if the word occurs somewhere. */
export function isOrHas(db: SearchDb, value: string): Sql {
  return sql`(${hasValueOrName(db, value, ~(PLACE.option | PLACE.metadata))}
    or ${hasAnyWord(db, value)} and (${everyVariantHas(value)} or ${isSaidToHave(db, value)}))`;
}

/** Whether a price is in a currency other than the shop's. Prices are not converted. */
export function isForeignCurrency({ currency: own }: SearchDb, { currency }: Constraint): boolean {
  return currency !== undefined && currency !== own;
}

export function metadataNumber(names: string[]): Sql {
  return sql`(select case when m.value ~ '^[0-9]{1,9}([.][0-9]{1,4})?$' then m.value::numeric end
    from unnest(${names}::text[]) with ordinality as n (name, place), jsonb_each_text(p.metadata) as m
    where lower(m.key) = n.name order by n.place limit 1)`;
}

/**
 * A condition that a variant's price is reduced. Few variants are, and they have their own index (`variants_reduced`).
 */
export function isOnSale(db: SearchDb): Sql {
  return sql`p.id in (${idsOnSale(db)})`;
}

export function idsOnSale(db: SearchDb): Sql {
  return sql`select v.product_id from variants v where v.site_id = ${db.siteId} and v.compare_at_price > v.price`;
}

/** A condition that a variant has a price within these limits. */
export function hasPriceWithin(min?: number, max?: number): Sql {
  const between = mayHavePriceWithin(min, max);
  return min === undefined || max === undefined ? between : sql`(${between} and ${isNotBetweenVariants(min, max)})`;
}

/**
 * A condition that the range of the product's prices overlaps with these limits. If there is only one limit, this means
 * that a variant is within it.
 */
export function mayHavePriceWithin(min = 0, max = Number.MAX_SAFE_INTEGER): Sql {
  return sql`p.price_max >= ${min}::numeric and p.price <= ${max}::numeric`;
}

/**
 * For a product whose price range overlaps with these limits: a condition that one of its variants is within them. The
 * range may span both limits although no variant is between them. The condition is checked product by product, because
 * for `exists` the planner may read all variants first.
 */
export function isNotBetweenVariants(min: number, max: number): Sql {
  return sql`(p.price >= ${min}::numeric or p.price_max <= ${max}::numeric or coalesce((
    select true from variants v where v.site_id = p.site_id and v.product_id = p.id
      and v.price between ${min}::numeric and ${max}::numeric limit 1), false))`;
}

/**
 * A condition that the product has the value as a facet value in one of these fields (bits of PLACE), or in its name.
 * Descriptions do not count.
 */
function hasValueOrName(db: SearchDb, value: string, place = ~0): Sql {
  const words = value.split(' ');
  const values = sizeSpellings(value).map((form) => VALUE + form);
  // Uncorrelated subqueries run once instead of once per match.
  // `place & 1` is written as in the partial index search_postings_in_names: common words are in few names.
  const named =
    words.length === 1
      ? sql`select x.product_id from search_postings x
          where x.site_id = ${db.siteId} and x.term = ${value} and x.place & 1 > 0`
      : haveAllWords(db, words, sql`and x.place & ${PLACE.title} > 0`);
  return sql`(p.id in (select x.product_id from search_postings x where x.site_id = ${db.siteId}
      and x.term = any((select ${values}::text[])::text[]) and x.place & ${place}::int <> 0)
    or p.id in (${named}))`;
}

/** A query for products whose type begins with the word: `Garden Tools` are for the garden. */
function ofTypeBeginningWith(db: SearchDb, value: string): Sql {
  return sql`select t.product_id from search_postings t where t.site_id = ${db.siteId}
    and t.term > ${`${VALUE}${value} `} and t.term < ${`${VALUE}${value}!`} and t.place & ${PLACE.product_type}::int <> 0`;
}

/** A query for the products that have all of these words. */
function haveAllWords(db: SearchDb, words: string[], condition: Sql): Sql {
  // A product has one posting per word. Without grouping for a single word, the query is faster.
  const all = words.length > 1 ? sql`group by x.product_id having count(*) = ${words.length}` : empty;
  return sql`select x.product_id from search_postings x where x.site_id = ${db.siteId}
    and x.term = any((select ${words}::text[])::text[]) ${condition} ${all}`;
}

/** A condition that any text of the product has one of the words, or is only partly indexed. */
function hasAnyWord(db: SearchDb, value: string): Sql {
  const words = [...new Set([...value.split(' '), ...termsOf(value), LONG_TEXT])];
  return sql`p.id in (select x.product_id from search_postings x
    where x.site_id = ${db.siteId} and x.term = any((select ${words}::text[])::text[]))`;
}

/** Words that negate the next word. */
const NEGATED_BEFORE =
  '(no|not|non|without|never|zero|free of|free from|instead of|rather than|ohne|keine?|frei von|statt|anstatt|sans|pas de|au lieu de)';

/**
 * A condition that the product's attributes state the value (`Organic Cotton, Spandex` states cotton), or that its
 * description does. The description counts only if the value is not an option in this shop and the text does not state
 * the opposite: `free of BPA`. Only evaluated for products that have one of the words.
 */
function isSaidToHave(db: SearchDb, value: string): Sql {
  const words = value.split(' ');
  const word = anyForm(value).replaceAll(' ', '[^[:alnum:]]+');
  const negated = `\\m${NEGATED_BEFORE}[^[:alnum:]]+([[:alnum:]]+[^[:alnum:]]+)?${word}\\M|\\m${word}[^[:alnum:]]*(free|frei)`;
  const hasOthers =
    words.length > 1
      ? sql`(p.id in (${haveAllWords(db, words, empty)}) or p.id in (${haveAllWords(db, [LONG_TEXT], empty)})) and`
      : empty;
  const isNoOption = sql`(select not exists (select from search_postings o where o.site_id = ${db.siteId}
    and o.term = ${VALUE + value} and o.place & ${PLACE.option}::int <> 0))`;
  // Checks with `strpos` first, because most texts lack the word and regular expressions are slow. The expression for a
  // negated word comes last, because it is the slowest. Removing negated words from a text adds no words.
  const mentions = (text: Sql) => sql`strpos(${text}, ${folded(beginningOf(value))}) > 0`;
  const states = (said: Sql) => sql`case when ${mentions(said)}
    and ${said} ~ ${folded(`\\m${word}\\M`)} then case when ${said} ~ ${`\\m${NEGATED_BEFORE}[^[:alnum:]]|free|frei`}
      then regexp_replace(${said}, ${folded(negated)}, ' ', 'g') ~ ${folded(`\\m${word}\\M`)} else true end else false end`;
  // With `exists`, the planner may read the texts of all products first.
  return sql`(${hasOthers} coalesce((
    select case when ${mentions(sql`unaccent(lower(q.metadata::text))`)} then coalesce((
          select bool_or(${states(sql`t.said`)} and t.key !~* 'free|frei|sans')
          from (select m.key, unaccent(lower(m.value)) as said from jsonb_each_text(q.metadata) as m offset 0) as t), false)
        else false end
      or case when ${isNoOption} then (select ${states(sql`t.said`)}
        from (select unaccent(lower(q.description)) as said offset 0) as t) else false end
    from products q where q.site_id = p.site_id and q.id = p.id), false))`;
}

/** A regular expression for the singular and plural. */
function anyForm(value: string): string {
  const singular = value.endsWith('y') ? `${value.slice(0, -1)}(y|ie)` : `${value}e?`;
  return `${singular}s?`;
}

/** Whether a text states that something is absent: `without a flame`, `BPA free`. */
export function statesAbsence(text: string, value: string): boolean {
  const word = anyForm(value).replaceAll(' ', '[^a-z0-9]+');
  const before = `\\b${NEGATED_BEFORE}[^a-z0-9]+(?:[a-z0-9]+[^a-z0-9]+)?${word}\\b`;
  return new RegExp(`${before}|\\b${word}[^a-z0-9]*(?:free|frei)`).test(normalizeText(text));
}

/**
 * A condition that every variant has the value in an option. Only evaluated for products that have one of the words.
 */
function everyVariantHas(value: string): Sql {
  return sql`not exists (select from (
      select ${optionText} as text from variants v where v.site_id = p.site_id and v.product_id = p.id offset 0) as o
    where not ${hasForm(sql`o.text`, value)})`;
}

/**
 * A condition that no option of `variants v` of `products p` has these words. Options are only read for products that
 * have one of the words.
 */
export function variantLacks(db: SearchDb, value: string): Sql {
  return sql`case when ${hasAnyWord(db, value)} then not (
    select ${hasForm(sql`o.text`, value)} from (select ${optionText} as text offset 0) as o) else true end`;
}

const optionText = sql`unaccent(lower(concat_ws(' | ', v.option1, v.option2, v.option3)))`;

/** Applies `unaccent` as for the stored texts. It replaces letters that `normalizeText` keeps, such as ß and œ. */
function folded(text: string): Sql {
  return sql`(select unaccent(${text}::text))`;
}

/**
 * A condition that a folded text has the words. Most texts lack them, which `strpos` finds in a fraction of the time.
 */
function hasForm(text: Sql, value: string): Sql {
  const endings = value.endsWith('y') ? [value, `${value.slice(0, -1)}ie`] : [value, `${value}e`];
  const forms = endings.flatMap((form) => [`% ${form} %`, `% ${form}s %`]);
  return sql`case when strpos(${text}, ${folded(beginningOf(value))}) > 0
    then (' ' || regexp_replace(${text}, '[^[:alnum:]|]+', ' ', 'g') || ' ')
      like any ((select array_agg(unaccent(form)) from unnest(${forms}::text[]) as f (form))::text[])
    else false end`;
}

/** The letters with which all forms of the value begin. */
function beginningOf(value: string): string {
  return value.replace(/y$/, '').split(' ')[0] ?? '';
}

/** A condition that a variant has this size, or a range of sizes that contains it. */
function hasSize(value: string): Sql {
  const size = /^\d{1,3}$/.test(value) ? Number(value) : null;
  // The fast comparisons come first, because they decide for most variants.
  return sql`exists (select from variants v where v.site_id = p.site_id and v.product_id = p.id
    and (${value} in (v.option1, v.option2, v.option3)
      or concat_ws('|', v.option1, v.option2, v.option3) like any ('{%-%,%–%,%—%,%/%}') and exists (
        select from unnest(array[v.option1, v.option2, v.option3]) as o (value),
          regexp_match(o.value, '^ *([0-9]{1,3}) *[-–—/] *([0-9]{1,3}) *$') as r (bounds)
        where ${size}::int between r.bounds[1]::int and r.bounds[2]::int)))`;
}
