import type { Excluded, Product, Understood, Variant } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { ON_SALE } from '../query/marks.ts';
import type { ParsedQuery } from '../query/parsed-query.ts';
import type { ProductFilters, SearchDb } from '../search-db.ts';
import { normalizeText } from '../words/normalize.ts';
import { GRADED } from '../words/sizes.ts';
import { isAttribute } from '../words/thesaurus.ts';
import type { Candidate } from './candidates.ts';
import type { Condition } from './conditions.ts';
import { type ContentWord, contentWords, type GroupMatches, groupMatches, hasAnyWord, hasWord } from './coverage.ts';
import type { SearchFilters } from './filters.ts';
import { labelledFirst, statedFirst } from './first-results.ts';
import { withKeptLimits } from './kept-limits.ts';
import { fieldWords, matchReasons } from './match-reasons.ts';
import { reportUnderstood } from './report.ts';
import { type SearchResult, search } from './search.ts';
import { bySize, matchVariants, type VariantMatches } from './variants.ts';

export type Availability = 'in_stock' | 'low_stock' | 'backorder' | 'out_of_stock';

export interface FoundProduct {
  product: Product;
  /** The first matching variant that can be bought; if there is none, the first matching variant. */
  variant: Variant;
  /** All matching variants, each with its reasons. */
  matches: { variant: Variant; match_reasons: string[] }[];
  availability: Availability;
  /** From 0 to 1, relative to the best match for the words. Comparable only within one response. */
  score: number;
  /** The reasons for which `variant` matches, such as `name: desk, lamp` or `price 49.00 within the limit`. */
  match_reasons: string[];
}

export interface FindResult {
  /**
   * The constraints of the sentence, each with its position and fate, and the words that the best product lacks, in the
   * order of the sentence.
   */
  understood: Understood[];
  /** For each reason, how many matching products were excluded. A product may count for several reasons. */
  excluded: Excluded[];
  candidates: FoundProduct[];
  /** The number of matching products, of which `candidates` are the best. */
  total: number;
  /** The ids of the best matches, at most RERANKED. */
  matches: string[];
  /** The requested quantity, 1 by default. */
  quantity: number;
}

export interface FindQuery {
  /** A sentence or some words, of which at most 1,000 characters are read. */
  query: string;
  /** The parsed sentence, if the caller has parsed it. */
  parsed?: ParsedQuery | undefined;
  /** The maximum number of candidates, 5 by default. */
  limit?: number;
  /**
   * Product types and handles of published collections, ignoring case. Only products in them are found; absent or null
   * allows all.
   */
  categories?: string[] | null;
  /** The caller's filters. `byIds` returns only variants that meet them. */
  filters?: SearchFilters | undefined;
}

/** The search's access to the shop's products. */
export interface ProductSource extends ProductFilters {
  /** A condition that `products p` is in one of these categories. */
  inCategories(categories: string[]): Sql;
  /** Reads complete products, in the order of the ids; skips unknown ids. */
  byIds(product_ids: string[]): Promise<Product[]>;
}

/** The number of best candidates that are checked for the words of the sentence. */
const MAX_CHECKED = 50;

/**
 * Finds products for a sentence, with reasons: `a blue mug under 20 euros, not plastic`. Understands limits on price,
 * rating and reviews, a quantity, facet values, negations, and the sort order. If no product meets all constraints,
 * some are relaxed, values first and the head noun last, and marked `relaxed`; negations, `categories` and comparisons
 * with the price of another product never are. Finds published products only. Sends the statements of `search`, and
 * then reads the best products in batches.
 */
export async function findProducts(
  db: SearchDb,
  source: ProductSource,
  { query, parsed, limit = 5, categories, filters }: FindQuery,
): Promise<FindResult> {
  const conditions = categories ? [categoryCondition(source, categories)] : [];
  const found = await search(db, source, query, { conditions, facetConditions: true, filters, parsed });
  const words = contentWords(query, found.words, found.groups);
  const checked = sorted(found)
    .slice(0, MAX_CHECKED)
    .map((candidate) => ({ ...candidate, has: groupMatches(candidate) }));
  const matching = checked.filter(({ has }) => hasAnyWord(words, has));
  const context = { query, words, found };
  const read = await readResults(source, matching, context, limit);
  const { isShort } = read;
  const { results, understood } = checkedResults(read, words);
  const isFound = (word: ContentWord) => checked.some(({ has }) => hasWord(word, has));
  return {
    understood: reportUnderstood(understood, { query, words, results, isFound }),
    excluded: found.excluded.map(({ reason, text, count }) => {
      // Constraints on the sort order and the quantity exclude nothing.
      return { reason: reason as Excluded['reason'], text, count };
    }),
    candidates: results.map(({ product }) => product),
    matches: found.best.map(({ product_id }) => product_id),
    total: isShort || matching.length < checked.length ? matching.length : found.total,
    quantity: quantityOf(found.understood),
  };
}

function isPlainAttribute({ text }: ContentWord): boolean {
  const word = normalizeText(text);
  return isAttribute(word) && !GRADED.has(word);
}

/**
 * Keeps results that meet every limit reported as applied, and that have the requested colours and materials of the
 * first result.
 */
function checkedResults(read: { results: Result[]; understood: Understood[] }, words: ContentWord[]) {
  const { candidates, understood } = withKeptLimits(
    read.results.map(({ product }) => product),
    read.understood,
  );
  const kept = new Map(candidates.map((candidate) => [candidate.product.id, candidate]));
  const results = read.results.flatMap((result) => {
    const product = kept.get(result.product.product.id);
    return product ? [{ ...result, product }] : [];
  });
  const [best] = results;
  const attributes = words.filter((word) => best && isPlainAttribute(word) && hasWord(word, best.has));
  const isLike = (result: Result) =>
    result === best || (attributes.every((word) => hasWord(word, result.has)) && hasSameValues(result, best));
  return { results: results.filter(isLike), understood };
}

/** Whether a result has the option values for which the first result was chosen, if it has these options. */
function hasSameValues({ product, variants }: Result, best: Result | undefined): boolean {
  const names = new Set(product.product.options.map(({ name }) => name.toLowerCase()));
  const named = best?.variants.values.filter(({ isMatched, option }) => isMatched && names.has(option.toLowerCase()));
  return (named ?? []).every((value) =>
    variants.values.some((own) => own.isMatched && own.start < value.end && value.start < own.end),
  );
}

/** The number of products to read in one step, to check whether one of their variants meets everything. */
const BATCH = 10;
/**
 * If no variant meets all constraints, constraints of these kinds are relaxed in this order, and reported as relaxed.
 */
const GIVEN_UP: Understood['kind'][] = ['in_stock', 'value', 'price'];

/**
 * Reads the best products with a variant that meets everything; if there are none, those with variants that meet most.
 */
async function readResults(
  source: ProductSource,
  matching: Checked[],
  context: Context,
  limit: number,
): Promise<{ results: Result[]; understood: Understood[]; isShort: boolean }> {
  const sort = sortOf(context.found.understood);
  const products: Product[] = [];
  const whole: Result[] = [];
  for (let from = 0; from < matching.length && whole.length < limit; from += BATCH) {
    const ids = matching
      .slice(from, from + (from === 0 ? Math.max(limit, 5) : BATCH))
      .map(({ product_id }) => product_id);
    const read = await source.byIds(ids);
    products.push(...read);
    if (from === 0) from += Math.max(limit, 5) - BATCH;
    whole.push(...resultsOf(read, matching, context).filter(({ isWhole }) => isWhole));
  }
  const { understood } = context.found;
  if (whole.length > 0) {
    const best = sort ? whole : labelledFirst(statedFirst(whole, understood), context.query, understood);
    return { results: sortedByVariant(best.slice(0, limit), sort), understood, isShort: whole.length < limit };
  }
  let left = understood;
  for (const kind of [undefined, ...GIVEN_UP]) {
    left = left.map((each) =>
      each.kind === kind && each.fate === 'applied' && isLimitOfVariants(each) ? { ...each, fate: 'relaxed' } : each,
    );
    const results = resultsOf(products, matching, { ...context, found: { ...context.found, understood: left } }).slice(
      0,
      limit,
    );
    if (results.length > 0) return { results: sortedByVariant(results, sort), understood: left, isShort: true };
  }
  return { results: [], understood, isShort: true };
}

function isLimitOfVariants({ kind, value }: Understood): boolean {
  return kind !== 'value' || value === ON_SALE;
}

function categoryCondition(source: ProductSource, categories: string[]): Condition {
  const condition = categories.length > 0 ? source.inCategories(categories) : sql`false`;
  return { reason: 'category_not_allowed', condition, strict: true, needsOnlyId: false };
}

function sortOf(understood: Understood[]): string | null | undefined {
  return understood.find(({ kind }) => kind === 'sort')?.value;
}

function quantityOf(understood: Understood[]): number {
  return Number(understood.find(({ kind }) => kind === 'quantity')?.value ?? 1);
}

/** Sorts candidates in the order that the sentence requests, if it requests one. */
function sorted({ best, understood }: SearchResult): Candidate[] {
  const sort = sortOf(understood);
  if (sort === 'price_asc') return best.toSorted((a, b) => Number(a.price) - Number(b.price));
  if (sort === 'price_desc') return best.toSorted((a, b) => Number(b.price) - Number(a.price));
  if (sort === 'best_selling') return best.toSorted((a, b) => b.sales_count - a.sales_count);
  // Ids are UUIDs of version 7, so the newest product has the highest id.
  if (sort === 'newest') return best.toSorted((a, b) => (a.product_id < b.product_id ? 1 : -1));
  return best;
}

type Checked = Candidate & { has: GroupMatches };

interface Result {
  product: FoundProduct;
  /** Whether one variant has all named option values. */
  isWhole: boolean;
  variants: VariantMatches;
  has: GroupMatches;
}

interface Context {
  query: string;
  words: ContentWord[];
  found: SearchResult;
}

/** The results for products. Products without a variant that meets the limits are left out. */
function resultsOf(products: Product[], candidates: Checked[], context: Context): Result[] {
  const best = Math.max(...candidates.map(({ score }) => score));
  return products.flatMap((product) => {
    const candidate = candidates.find(({ product_id }) => product_id === product.id);
    if (!candidate) return [];
    const { score, has } = candidate;
    const variants = matchVariants(product, context.query, context.found.understood, context.found.rewritten);
    // If a synonym or correction matched, the product may have none of the sentence's words; these are the words that
    // it matched.
    const similar = context.words.filter(({ groups }) =>
      groups.every((grp) => has.exact.has(grp) || has.guessed.has(grp)),
    );
    const result = describe(product, variants, context.found, { score: score / best, similar });
    const isWhole = variants.values.every(({ isMatched }) => isMatched);
    return result ? [{ product: result, isWhole, variants, has }] : [];
  });
}

/** Sorts by the price of the matching variant, which need not be the product's lowest price. */
function sortedByVariant(results: Result[], sort: string | null | undefined): Result[] {
  const price = ({ product }: Result) => Number(product.variant.price);
  if (sort === 'price_asc') return results.toSorted((a, b) => price(a) - price(b));
  if (sort === 'price_desc') return results.toSorted((a, b) => price(b) - price(a));
  return results;
}

/** The result for a product; undefined if no variant meets the limits. */
function describe(
  product: Product,
  { variants, values }: VariantMatches,
  { understood, groups }: SearchResult,
  { score, similar }: { score: number; similar: ContentWord[] },
): FoundProduct | undefined {
  const ordered = inOrder(variants, understood);
  const variant = ordered.find(({ available }) => available) ?? ordered[0];
  if (!variant) return undefined;
  const fields = fieldWords(product);
  const matches = ordered.map((each) => {
    const reasons = matchReasons(fields, each, { groups, values, understood });
    const like = similar.length > 0 ? `like: ${similar.map(({ text }) => text).join(', ')}` : 'in the shop';
    const match_reasons = reasons.length > 0 ? reasons : [like];
    return { variant: each, match_reasons };
  });
  const match_reasons = matches.find((each) => each.variant === variant)?.match_reasons ?? [];
  const availability = availabilityOf(product, variant, quantityOf(understood));
  return { product, variant, matches, availability, score, match_reasons };
}

function inOrder(variants: Variant[], understood: Understood[]): Variant[] {
  const sort = sortOf(understood);
  const size = understood.find(({ kind, value }) => kind === 'wish' && (value === 'largest' || value === 'smallest'));
  if (size) return bySize(variants, size.value === 'largest');
  if (sort === 'price_asc') return variants.toSorted((a, b) => Number(a.price) - Number(b.price));
  if (sort === 'price_desc') return variants.toSorted((a, b) => Number(b.price) - Number(a.price));
  return variants;
}

/** The availability of this quantity; `backorder` if the variant may be sold beyond its stock. */
function availabilityOf({ track_inventory }: Product, variant: Variant, quantity: number): Availability {
  if (!track_inventory) return 'in_stock';
  if (variant.inventory_quantity >= quantity) return variant.is_low_stock ? 'low_stock' : 'in_stock';
  return variant.inventory_policy === 'continue' ? 'backorder' : 'out_of_stock';
}
