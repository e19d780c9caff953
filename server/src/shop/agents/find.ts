import type { AgentUnderstood, Excluded, Product, Understood, Variant } from '@commerce-backend/spec';
import { understandIn } from '../../search/query/disambiguate.ts';
import { understand } from '../../search/query/parse.ts';
import { type FoundProduct, find as findProducts, type ProductSource } from '../../search/rank/find.ts';
import { reasonsOf } from '../../search/rank/match-reasons.ts';
import { fatesOf } from '../../search/rank/outcomes.ts';
import { variantsMeant } from '../../search/rank/variants.ts';
import { groupsOf } from '../../search/words/term-groups.ts';
import type { CatalogQuery } from '../catalog/catalog.ts';
import { inCategories } from '../mandates/categories.ts';
import { productsByIds, searchFilters } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import type { Proposal } from './products.ts';

/** What an agent's sentence leads to, and whether it is clear what is meant. */
export interface Finding {
  understood: Understood[];
  excluded: Excluded[];
  /** Best first, those beyond the limit left out. */
  proposals: FoundProduct[];
  /** Whether the first one is what is meant, and the others are not. */
  isClear: boolean;
}

/** The best product has to be so much better than the next to be taken for the one that is meant. */
const CLEAR_LEAD = 1.3;

/** The published products of the shop, as the search is given them. */
export function searchableProducts(shop: Shop): ProductSource {
  return { ...searchFilters, inCategories, byIds: (product_ids) => productsByIds(shop, 'public', product_ids) };
}

/** Finds within the categories of the agent that calls. Four statements; more where the shop does not know a word. */
export async function find(shop: Shop, query: string, limit: number): Promise<Finding> {
  const { categories = [] } = shop.agent ?? {};
  const { understood, excluded, candidates } = await findProducts(shop, searchableProducts(shop), {
    query,
    // The next one is wanted for the comparison, even when one is asked for.
    limit: Math.max(limit, 2),
    categories: categories.length > 0 ? categories : null,
  });
  // A word that the best product lacks may be what was meant, so what is understood has to hold in whole.
  const isMet = understood.every(({ fate }) => fate === 'applied');
  return {
    understood,
    excluded,
    proposals: candidates.slice(0, limit),
    isClear: isMet && isAhead(candidates, sortOf(understood)),
  };
}

function isAhead([first, second]: FoundProduct[], sort: string | undefined): boolean {
  if (!first || !second) return true;
  const isByPrice = sort === 'price_asc' || sort === 'price_desc';
  if (isByPrice) return first.variant.price !== second.variant.price;
  return sort !== undefined || second.score * CLEAR_LEAD <= 1;
}

/** What was understood, without what says nothing: the answer is to be small (decisions §5, agent answers). */
export function toldUnderstood(understood: Understood[]): AgentUnderstood[] {
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

/** What concerns the choice of a variant, once the product is named. */
const OF_VARIANTS = new Set<Understood['kind']>(['price', 'without', 'quantity', 'sort']);

/**
 * What a sentence says of a product that is already named, or of one of its variants. A limit that none of them meets is
 * `relaxed`: who names a thing by its id may want it all the same.
 */
export async function inNamed(shop: Shop, product: Product, sentence: string) {
  const { constraints, words } = await understandIn(shop, sentence);
  const read = fatesOf(
    shop,
    constraints.filter(({ kind }) => OF_VARIANTS.has(kind)),
    [],
    { missed: 0, unstated: new Set() },
  );
  const isImpossible = variantsMeant(product, sentence, read).variants.length === 0;
  const understood = read.map((each): Understood => {
    const isLimit = each.kind === 'price' || each.kind === 'without';
    return isImpossible && isLimit && each.fate === 'applied' ? { ...each, fate: 'relaxed' } : each;
  });
  const { variants, values } = variantsMeant(product, sentence, understood);
  const asked = { groups: groupsOf(words), values, understood };
  const meant = variants.map((variant) => ({
    variant,
    match_reasons: ['named by its id', ...reasonsOf(product, variant, asked)],
  }));
  return { understood, meant, isMet: !isImpossible && values.every(({ isMet }) => isMet) };
}

/** A product as it stands in a list: with the variant asked for that can be bought, the cheapest first, and why. */
export function propose(product: Product, query: CatalogQuery): Proposal {
  const { q = '', price_min, price_max } = query;
  const { constraints, words } = understand(q);
  const limits = [
    price_min !== undefined && { min: Number(price_min) },
    price_max !== undefined && { max: Number(price_max) },
  ];
  const filters = limits.flatMap((limit) =>
    limit ? [{ ...limit, kind: 'price' as const, text: '', start: 0, end: 0 }] : [],
  );
  const asked = [...constraints, ...filters].map((constraint) => ({ ...constraint, fate: 'applied' as const }));
  const meant = variantsMeant(product, q, asked);
  const isWithin = meant.variants.length > 0;
  const left = isWithin ? meant.variants : product.variants;
  const ordered = left.toSorted(
    (a, b) =>
      optionReasons(b, query).length - optionReasons(a, query).length ||
      Number(b.available) - Number(a.available) ||
      Number(a.price) - Number(b.price),
  );
  const [variant] = ordered;
  if (!variant) throw new Error(`The product ${product.id} has no variant.`);
  const byWords = { groups: groupsOf(words), values: meant.values, understood: isWithin ? asked : [] };
  const reasons = [
    ...reasonsOf(product, variant, byWords),
    ...filterReasons(product, query),
    ...optionReasons(variant, query),
  ];
  // What is left was found by a word that the shop spells in another way, or asked for without any filter.
  return {
    product,
    variant,
    match_reasons: reasons.length > 0 ? [...new Set(reasons)] : [q ? `like: ${q}` : 'in the list'],
  };
}

/** The filters of a list, each with what the product has of it. */
function filterReasons({ vendor, product_type, tags }: Product, query: CatalogQuery): string[] {
  const wanted = new Set(query.tag?.map((tag) => tag.toLowerCase()));
  return [
    ...(query.vendor ? [`vendor: ${vendor}`] : []),
    ...(query.product_type ? [`type: ${product_type}`] : []),
    ...(query.tag ? [`tags: ${tags.filter((tag) => wanted.has(tag.toLowerCase())).join(', ')}`] : []),
    ...(query.collection ? [`collection: ${query.collection}`] : []),
    ...(query.in_stock ? ['in stock'] : []),
  ];
}

function optionReasons({ option1, option2, option3 }: Variant, { option = [] }: CatalogQuery): string[] {
  const wanted = option.map((filter) => filter.slice(filter.indexOf(':') + 1).toLowerCase());
  return [option1, option2, option3].flatMap((value) =>
    value && wanted.includes(value.toLowerCase()) ? [`option: ${value}`] : [],
  );
}
