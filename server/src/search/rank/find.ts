import type { Excluded, Product, Understood, Variant } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import type { ProductFilters, SearchDb } from '../search-db.ts';
import { termsOf } from '../words/normalize.ts';
import type { Candidate } from './candidates.ts';
import type { Condition } from './conditions.ts';
import { type ContentWord, contentWords, isMet, isNamed, metBy } from './coverage.ts';
import { reasonsOf } from './match-reasons.ts';
import { type Found, search } from './search.ts';
import { type VariantsMeant, variantsMeant } from './variants.ts';

export type Availability = 'in_stock' | 'low_stock' | 'backorder' | 'out_of_stock';

/** A product that may be what was asked for. */
export interface FoundProduct {
  product: Product;
  /** The first of the variants meant that can be bought. */
  variant: Variant;
  /** All variants that meet the limits, and of these those that have the values asked for; each with its reasons. */
  meant: { variant: Variant; match_reasons: string[] }[];
  availability: Availability;
  /** Greater is better; 1 for the best of the answer. Only of use within one answer. */
  score: number;
  /** In words, such as `name: desk, lamp` or `price 49.00 within the limit`. */
  match_reasons: string[];
}

export interface FindResult {
  /**
   * Every constraint read from the sentence, in its order, with its span and what became of it; and as `word` each word
   * that the best product lacks.
   */
  understood: Understood[];
  /** How many products that the words match were left out, by the reason; a product may count for several reasons. */
  excluded: Excluded[];
  candidates: FoundProduct[];
  /** How many products meet what `candidates` meet. */
  total: number;
  /** Pieces asked for; 1 where the sentence names no number. */
  quantity: number;
}

export interface FindQuery {
  /** A sentence or some words, at most 1,000 characters are read. */
  query: string;
  /** How many candidates, 5 unless told otherwise. */
  limit?: number;
  /** Product types and handles of published collections, without case: nothing else is found. Absent or null means all. */
  categories?: string[] | null;
  /** Prices beyond this, in the shop's currency, are left out whatever the sentence says; a decimal string. */
  price_max?: string;
}

/** The products that are searched, as the shop reads them. */
export interface ProductSource extends ProductFilters {
  /** A condition on `products p`: it is in one of these categories. */
  inCategories(categories: string[]): Sql;
  /** Whole products, in the order of the ids; unknown ones are left out. */
  byIds(product_ids: string[]): Promise<Product[]>;
}

/**
 * Finds what a sentence asks for and says why: `a blue mug under 20 euros, not plastic`. Reads price, rating and review
 * limits, quantity, values of the shop's own options, vendors, types, tags and metadata, negations, and wishes for the
 * order. What no product meets together is given up, values first and the price last, and marked `relaxed`; negations and
 * `categories` are never given up. Sees published products alone, and writes nothing.
 *
 * Statements: 4, one more for a negation, a quantity and a rating, one where nothing may be offered, and 3 more
 * where the shop does not know a word.
 */
export async function find(
  db: SearchDb,
  source: ProductSource,
  { query, limit = 5, categories, price_max }: FindQuery,
): Promise<FindResult> {
  const conditions: Condition[] = [];
  if (price_max !== undefined)
    conditions.push({ reason: 'price', condition: sql`p.price <= ${price_max}::numeric`, strict: true, byId: false });
  if (categories) {
    const condition = categories.length > 0 ? source.inCategories(categories) : sql`false`;
    conditions.push({ reason: 'category_not_allowed', condition, strict: true, byId: false });
  }
  const found = await search(db, source, query, { conditions, values: true });
  const looked = sorted(found)
    .slice(0, MOST_LOOKED_AT)
    .map((candidate) => ({ ...candidate, met: metBy(candidate) }));
  const words = contentWords(query, found.words, found.groups);
  const named = looked.filter(({ met }) => isNamed(words, met));
  const products = await source.byIds(named.slice(0, limit).map(({ product_id }) => product_id));
  const top = Math.max(...named.map(({ score }) => score));
  const quantity = Number(found.understood.find(({ kind }) => kind === 'quantity')?.value ?? 1);
  const described = products.flatMap((product) => {
    const candidate = named.find(({ product_id }) => product_id === product.id);
    if (!candidate) return [];
    const { score, met } = candidate;
    const meant = variantsMeant(product, query, found.understood);
    // What a synonym or another spelling found stands nowhere in the words of the sentence.
    const like = words.filter(({ groups }) => groups.every((grp) => met.whole.has(grp) || met.guessed.has(grp)));
    const described = describe(product, meant, found, { score: score / top, quantity, like });
    return described ? [{ candidate: described, meant, met }] : [];
  });
  const sort = found.understood.find(({ kind }) => kind === 'sort')?.value;
  // By what the variants cost that are meant: the cheapest of a product may be another.
  if (sort === 'price_asc') described.sort((a, b) => priceOf(a) - priceOf(b));
  if (sort === 'price_desc') described.sort((a, b) => priceOf(b) - priceOf(a));
  const [best] = described;
  const lacked = words.filter(
    (word) =>
      !best ||
      (!isMet(word, best.met) &&
        !isValue(word, best.meant) &&
        !isFieldOfValueBeside(word, words, best.candidate.product, best.meant)),
  );
  const isAnywhere = (word: ContentWord) => looked.some(({ met }) => isMet(word, met));
  const understood = best ? withValues(found.understood, query, best.meant) : found.understood;
  return {
    understood: withWords(understood, lacked, isAnywhere),
    excluded: found.excluded as Excluded[],
    candidates: described.map(({ candidate }) => candidate),
    total: described.length < products.length || named.length < looked.length ? named.length : found.total,
    quantity,
  };
}

/** Of so many it is looked which words they have: what has none is no answer. */
const MOST_LOOKED_AT = 50;

/** In the order that the sentence asks for, if it does. */
function sorted({ best, understood }: Found): Candidate[] {
  const wish = understood.find(({ kind }) => kind === 'sort')?.value;
  if (wish === 'price_asc') return best.toSorted((a, b) => Number(a.price) - Number(b.price));
  if (wish === 'price_desc') return best.toSorted((a, b) => Number(b.price) - Number(a.price));
  if (wish === 'best_selling') return best.toSorted((a, b) => b.sales_count - a.sales_count);
  // Ids are in the order of their making.
  if (wish === 'newest') return best.toSorted((a, b) => (a.product_id < b.product_id ? 1 : -1));
  return best;
}

function priceOf({ candidate }: { candidate: FoundProduct }): number {
  return Number(candidate.variant.price);
}

function isValue({ start, end }: ContentWord, { values }: VariantsMeant): boolean {
  return values.some((value) => value.isMet && value.start <= start && end <= value.end);
}

/** Of `colour red`, the first word only says what the second is a value of. */
function isFieldOfValueBeside(
  word: ContentWord,
  words: ContentWord[],
  { metadata }: Product,
  { values }: VariantsMeant,
): boolean {
  const at = words.indexOf(word);
  const field = spelled(word.text);
  return [words[at - 1], words[at + 1]].some((beside) => {
    if (!beside) return false;
    const isOption = values.some(
      ({ option, isMet, start, end }) =>
        isMet && spelled(option) === field && start <= beside.start && beside.end <= end,
    );
    const [term = ''] = termsOf(beside.text);
    return (
      isOption ||
      Object.entries(metadata).some(([key, value]) => spelled(key) === field && termsOf(value).includes(term))
    );
  });
}

function spelled(name: string): string {
  return termsOf(name.replace(/colour/i, 'color')).join(' ');
}

function overlaps(a: { start: number; end: number }, b: { start: number; end: number }): boolean {
  return a.start < b.end && b.start < a.end;
}

/** A value that the variants meant lack is given up, though the product has it; what only the product told is added. */
function withValues(understood: Understood[], query: string, { values }: VariantsMeant): Understood[] {
  const judged = understood.map((each) => {
    const named = values.filter((value) => each.kind === 'value' && overlaps(each, value));
    return named.length > 0 && !named.some(({ isMet }) => isMet) ? { ...each, fate: 'relaxed' as const } : each;
  });
  const added = values.filter(
    (value, i) =>
      !understood.some((each) => each.kind === 'value' && overlaps(each, value)) &&
      values.findIndex((other) => overlaps(other, value)) === i,
  );
  return [
    ...judged,
    ...added.map(({ value, start, end, isMet }) => ({
      ...blank({ start, end, text: query.slice(start, end) }),
      ...{ kind: 'value' as const, value, fate: isMet ? ('applied' as const) : ('relaxed' as const) },
    })),
  ];
}

/** So many are told at most (contract). */
const MOST_TOLD = 50;

/** Words that the best product lacks are not passed over in silence. */
function withWords(
  understood: Understood[],
  lacked: ContentWord[],
  isAnywhere: (word: ContentWord) => boolean,
): Understood[] {
  const added = lacked
    .filter((word) => !understood.some((each) => overlaps(each, word)))
    .map((word) => ({
      ...blank(word),
      ...{ kind: 'word' as const, fate: isAnywhere(word) ? ('relaxed' as const) : ('not_available' as const) },
    }));
  return [...understood, ...added].slice(0, MOST_TOLD).sort((a, b) => a.start - b.start);
}

function blank({ text, start, end }: { text: string; start: number; end: number }) {
  return { text, start, end, min: null, max: null, currency: null, value: null };
}

/** Nothing for a product of which no variant meets the limits. */
function describe(
  product: Product,
  { variants, values }: VariantsMeant,
  { understood, groups }: Found,
  { score, quantity, like }: { score: number; quantity: number; like: ContentWord[] },
): FoundProduct | undefined {
  const sort = understood.find(({ kind }) => kind === 'sort')?.value;
  const ordered = inOrder(variants, sort);
  const variant = ordered.find(({ available }) => available) ?? ordered[0];
  if (!variant) return undefined;
  const meant = ordered.map((each) => {
    const reasons = reasonsOf(product, each, { groups, values, understood });
    const match_reasons = reasons.length > 0 ? reasons : [`like: ${like.map(({ text }) => text).join(', ')}`];
    return { variant: each, match_reasons };
  });
  const match_reasons = meant.find((each) => each.variant === variant)?.match_reasons ?? [];
  return { product, variant, meant, availability: availabilityOf(product, variant, quantity), score, match_reasons };
}

function inOrder(variants: Variant[], sort: string | null | undefined): Variant[] {
  if (sort === 'price_asc') return variants.toSorted((a, b) => Number(a.price) - Number(b.price));
  if (sort === 'price_desc') return variants.toSorted((a, b) => Number(b.price) - Number(a.price));
  return variants;
}

/** Whether this many pieces can be bought; `backorder` where the shop sells what it does not have. */
function availabilityOf({ track_inventory }: Product, variant: Variant, quantity: number): Availability {
  if (!track_inventory) return 'in_stock';
  if (variant.inventory_quantity >= quantity) return variant.is_low_stock ? 'low_stock' : 'in_stock';
  return variant.inventory_policy === 'continue' ? 'backorder' : 'out_of_stock';
}
