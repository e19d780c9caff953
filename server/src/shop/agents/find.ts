/** Finds products and variants for an agent's sentence and filters, and rates how clear the result is. */

import type { AgentUnderstood, Excluded, Product, Understood, Variant } from '@commerce-backend/spec';
import { parseQuery } from '../../search/query/parse.ts';
import { parseSentence } from '../../search/query/parse-sentence.ts';
import type { FoundProduct, ProductSource } from '../../search/rank/find.ts';
import { withKeptLimits } from '../../search/rank/kept-limits.ts';
import { fieldWords, matchReasons } from '../../search/rank/match-reasons.ts';
import { findNeeds, type Need } from '../../search/rank/needs.ts';
import { constraintOutcomes } from '../../search/rank/outcomes.ts';
import { matchVariants } from '../../search/rank/variants.ts';
import { termGroups } from '../../search/words/term-groups.ts';
import { inCategories } from '../agent-limits/categories.ts';
import type { CatalogQuery, Filters } from '../catalog/filters.ts';
import { withinLimits } from '../catalog/variant-limits.ts';
import { productsByIds, searchFilters } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import type { Proposal } from './products.ts';

export interface Finding {
  understood: Understood[];
  excluded: Excluded[];
  proposals: FoundProduct[];
  /** The products that the sentence asks for, with indexes into `proposals`. */
  needs: FoundNeed[];
  /** Ids of the best matches, at most 200 for each need. */
  matches: string[];
  /** Whether the first proposal of each need is clearly the requested product. */
  isClear: boolean;
}

export interface FoundNeed extends Pick<Need, 'text' | 'quantity' | 'candidates'> {
  understood: Understood[];
}

/** The first match is clear if its score is at least this many times the score of the second. */
const CLEAR_LEAD = 1.3;

/**
 * Returns a source of the shop's published products for the search. If there are filters, the products contain only the
 * matching variants.
 */
export function searchableProducts(shop: Shop, filters?: Filters): ProductSource & { whole: Map<string, Product> } {
  const whole = new Map<string, Product>();
  async function byIds(product_ids: string[]): Promise<Product[]> {
    const products = await productsByIds(shop, 'agent', product_ids);
    if (!filters) return products;
    for (const product of products) whole.set(product.id, product);
    return products.map((product) => withinLimits(product, filters.limits));
  }
  return { ...searchFilters, inCategories, byIds, whole };
}

interface FindOptions {
  /** Default: the categories of the calling agent. */
  categories?: string[];
  filters?: Filters | undefined;
}

/** Finds products within the categories. */
export async function findProposals(
  shop: Shop,
  query: string,
  limit: number,
  { categories = shop.agent?.categories ?? [], filters }: FindOptions = {},
): Promise<Finding> {
  const source = searchableProducts(shop, filters);
  const { understood, excluded, candidates, needs, areAllWanted, matches } = await findNeeds(shop, source, {
    query,
    // At least two, to compare the first with the second.
    limit: Math.max(limit, 2),
    categories: categories.length > 0 ? categories : null,
    filters: filters?.search,
  });
  const proposals = candidates
    .slice(0, Math.max(limit, areAllWanted ? needs.length : 0))
    .map((each) => ({ ...each, product: source.whole.get(each.product.id) ?? each.product }));
  // If a constraint was relaxed or a word is missing, the first product may not be the requested one.
  const isComplete = areAllWanted && understood.every(({ fate }) => fate === 'applied');
  return {
    understood,
    excluded,
    proposals,
    matches,
    needs: needs.map(({ text, quantity, candidates: places, found }) => ({
      text,
      quantity,
      candidates: places.filter((place) => place < proposals.length),
      understood: found.understood,
    })),
    isClear:
      isComplete &&
      needs.every(({ found }) => found.candidates.length > 0 && isAhead(found.candidates, sortOf(found.understood))),
  };
}

export function needsOf({ needs }: Pick<Finding, 'needs'>) {
  return needs.map(({ text, quantity, candidates }) => ({ text, quantity, candidates }));
}

function isAhead([first, second]: FoundProduct[], sort: string | undefined): boolean {
  if (!first || !second) return true;
  const isByPrice = sort === 'price_asc' || sort === 'price_desc';
  if (isByPrice) return first.variant.price !== second.variant.price;
  return sort !== undefined || second.score * CLEAR_LEAD <= 1;
}

/** Removes positions and empty fields, because each token of a response costs the operator of the agent money. */
export function compactUnderstood(understood: Understood[]): AgentUnderstood[] {
  return understood.map(({ kind, text, min, max, currency, value, fate }) => ({
    kind,
    text,
    ...(min !== null && { min }),
    ...(max !== null && { max }),
    ...(currency !== null && { currency }),
    ...(value !== null && { value }),
    fate,
  }));
}

export function sortOf(understood: Understood[]): string | undefined {
  return understood.find(({ kind }) => kind === 'sort')?.value ?? undefined;
}

const VARIANT_KINDS = new Set<Understood['kind']>(['price', 'without', 'in_stock', 'value', 'quantity', 'sort']);

/**
 * Matches a sentence with the variants of a product given by id. If no variant meets all limits, the limits are marked
 * as `relaxed`, because the caller chose the product.
 */
export async function matchNamed(shop: Shop, product: Product, sentence: string) {
  const { constraints, words } = await parseSentence(shop, sentence);
  const applied = constraintOutcomes(
    shop,
    constraints.filter(({ kind }) => VARIANT_KINDS.has(kind)),
    [],
    { failed: 0, unrated: new Set() },
  );
  const isImpossible = matchVariants(product, sentence, applied).variants.length === 0;
  const understood = applied.map((each): Understood => {
    const isLimit = each.kind !== 'quantity' && each.kind !== 'sort';
    return isImpossible && isLimit && each.fate === 'applied' ? { ...each, fate: 'relaxed' } : each;
  });
  const { variants, values } = matchVariants(product, sentence, understood);
  const query = { groups: termGroups(words), values, understood };
  const fields = fieldWords(product);
  const matches = variants.map((variant) => ({
    variant,
    match_reasons: ['named by its id', ...matchReasons(fields, variant, query)],
  }));
  const [first] = variants;
  const kept = first ? withKeptLimits([{ product, variant: first, matches }], understood) : undefined;
  const told = kept?.understood ?? understood;
  const isKept = told.every(({ fate }) => fate !== 'relaxed');
  return {
    understood: told,
    matches: kept?.candidates[0]?.matches ?? matches,
    isComplete: !isImpossible && isKept && values.every(({ isMatched }) => isMatched),
  };
}

/**
 * Proposes a variant of a product in a list, with its match reasons: the variant with the most requested option values;
 * of several, one in stock; of these, the cheapest. `narrowed` contains only the variants that meet the filters.
 * Returns undefined if there are none.
 */
export function propose(product: Product, narrowed: Product, query: CatalogQuery): Proposal | undefined {
  const { q = '', price_min, price_max } = query;
  const { constraints, words } = parseQuery(q);
  const limits = [
    price_min !== undefined && { min: Number(price_min) },
    price_max !== undefined && { max: Number(price_max) },
  ];
  const filters = limits.flatMap((limit) =>
    limit ? [{ ...limit, kind: 'price' as const, text: '', start: 0, end: 0 }] : [],
  );
  const applied = [...constraints, ...filters].map((constraint) => ({ ...constraint, fate: 'applied' as const }));
  const matching = matchVariants(narrowed, q, applied);
  const hasMatch = matching.variants.length > 0;
  const ordered = (hasMatch ? matching.variants : narrowed.variants).toSorted(
    (a, b) =>
      optionReasons(b, query).length - optionReasons(a, query).length ||
      Number(b.available) - Number(a.available) ||
      Number(a.price) - Number(b.price),
  );
  const [variant] = ordered;
  if (!variant) return undefined;
  const context = { groups: termGroups(words), values: matching.values, understood: hasMatch ? applied : [] };
  const reasons = [
    ...matchReasons(fieldWords(product), variant, context),
    ...filterReasons(product, query),
    ...optionReasons(variant, query),
  ];
  // A product found by a corrected word or in an unfiltered list may have no reasons.
  return {
    product,
    variant,
    match_reasons: reasons.length > 0 ? [...new Set(reasons)] : [q ? `like: ${q}` : 'in the list'],
  };
}

/** Returns the match reasons that follow from the filters of a list. */
function filterReasons({ vendor, product_type, tags }: Product, query: CatalogQuery): string[] {
  const wanted = new Set(query.tag?.map((tag) => tag.toLowerCase()));
  return [
    ...(query.vendor ? [`vendor: ${vendor}`] : []),
    ...(query.product_type ? [`type: ${product_type}`] : []),
    ...(query.tag ? [`tags: ${tags.filter((tag) => wanted.has(tag.toLowerCase())).join(', ')}`] : []),
    ...(query.collection ? [`collection: ${query.collection}`] : []),
    ...(query.in_stock ? ['in stock'] : []),
    ...(query.on_sale ? ['on sale'] : []),
    ...(query.attribute ?? []).map((pair) => `attribute: ${pair}`),
  ];
}

function optionReasons({ option1, option2, option3 }: Variant, { option = [] }: CatalogQuery): string[] {
  const wanted = option.map((filter) => filter.slice(filter.indexOf(':') + 1).toLowerCase());
  return [option1, option2, option3].flatMap((value) =>
    value && wanted.includes(value.toLowerCase()) ? [`option: ${value}`] : [],
  );
}
