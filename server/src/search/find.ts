import type { Product, Understood, Variant } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { membership } from '../shop/collections.ts';
import { productsByIds } from '../shop/product-rows.ts';
import type { Shop } from '../shop/shop.ts';
import type { Candidate } from './candidates.ts';
import type { Group } from './groups.ts';
import { type Found, search } from './search.ts';
import { plainText, termsOf } from './text.ts';
import type { Condition } from './wishes.ts';

export type Availability = 'in_stock' | 'low_stock' | 'backorder' | 'out_of_stock';

/** A product that may be what was asked for. */
export interface FoundProduct {
  product: Product;
  /** The variant that fits best: by the values asked for, then the price limits, then whether it can be bought. */
  variant: Variant;
  availability: Availability;
  /** Greater is better; 1 for the best of the answer. Only of use within one answer. */
  score: number;
  /** In words, such as `name: desk, lamp` or `price 49.00 within the limit`. */
  match_reasons: string[];
}

export interface FindResult {
  /** Every constraint read from the sentence, in its order, with its span and what became of it. */
  understood: Understood[];
  /** How many products that the words match were left out, by the reason; a product may count for several reasons. */
  excluded: Found['excluded'];
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
  /** Product types and collection handles, compared without case: nothing else is found. Absent or null means all. */
  categories?: string[] | null;
  /** Prices beyond this, in the shop's currency, are left out whatever the sentence says; a decimal string. */
  price_max?: string;
}

/**
 * Finds what a sentence asks for and says why: `a blue mug under 20 euros, not plastic`. Reads price, rating and review
 * limits, quantity, values of the shop's own options, vendors, types, tags and metadata, negations, and wishes for the
 * order. What no product meets together is given up, values first and the price last, and marked `relaxed`; negations and
 * `categories` are never given up. Sees published products alone, and writes nothing.
 *
 * Statements: 3, with `categories` 4, and 3 more where the shop does not know a word.
 */
export async function find(shop: Shop, { query, limit = 5, categories, price_max }: FindQuery): Promise<FindResult> {
  const conditions: Condition[] = [];
  if (price_max !== undefined)
    conditions.push({ reason: 'price', condition: sql`p.price <= ${price_max}::numeric`, strict: true });
  if (categories) {
    conditions.push({ reason: 'category_not_allowed', condition: await inCategories(shop, categories), strict: true });
  }
  const found = await search(shop, query, { conditions, values: true });
  const best = sorted(found).slice(0, limit);
  const products = await productsByIds(
    shop,
    'public',
    best.map(({ product_id }) => product_id),
  );
  const top = Math.max(...best.map(({ score }) => score));
  const quantity = Number(found.understood.find(({ kind }) => kind === 'quantity')?.value ?? 1);
  return {
    understood: found.understood,
    excluded: found.excluded,
    candidates: products.map((product, i) => describe(product, (best[i]?.score ?? 0) / top, found, quantity)),
    total: found.total,
    quantity,
  };
}

/** Products of these types or in these collections, published or not: what an agent may see is not for the public to know. */
export async function inCategories(shop: Shop, categories: string[]): Promise<Sql> {
  const lowered = categories.map((category) => category.toLowerCase());
  const collections = await shop.rows<Parameters<typeof membership>[0] & Record<string, unknown>>(
    sql`select id, type, rules, rules_match, sort_order from collections
      where site_id = ${shop.siteId} and lower(handle) = any(${lowered}::text[]) order by id`,
  );
  const byType = sql`lower(p.product_type) = any(${lowered}::text[])`;
  return collections.reduce((any, collection) => sql`${any} or ${membership(collection)}`, byType);
}

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

function describe(product: Product, score: number, { understood, groups }: Found, quantity: number): FoundProduct {
  const limits = understood.filter(({ kind, fate }) => kind === 'price' && fate === 'applied');
  const values = understood.filter(({ kind }) => kind === 'value').flatMap(({ value }) => value ?? []);
  const fitsPrice = ({ price }: Variant) =>
    limits.every(({ min, max }) => Number(price) >= (min ?? 0) && Number(price) <= (max ?? Infinity));
  const rank = (variant: Variant) => [
    valuesOf(variant, values).length,
    Number(fitsPrice(variant)),
    Number(variant.available),
  ];
  const [first, ...others] = product.variants;
  if (!first) throw new Error(`The product ${product.id} has no variant.`);
  const variant = others.reduce((best, other) => (isGreater(rank(other), rank(best)) ? other : best), first);
  const reasons = [...wordReasons(product, groups), ...valuesOf(variant, values).map((value) => `option: ${value}`)];
  if (limits.length > 0 && fitsPrice(variant)) reasons.push(`price ${variant.price} within the limit`);
  for (const { kind, text, fate } of understood) {
    if (fate === 'applied' && ['rating', 'reviews', 'without'].includes(kind)) reasons.push(`as asked: ${text}`);
  }
  return { product, variant, availability: availabilityOf(product, variant, quantity), score, match_reasons: reasons };
}

/** The values of a variant's options that are asked for. */
function valuesOf({ option1, option2, option3 }: Variant, wanted: string[]): string[] {
  return [option1, option2, option3].flatMap((value) =>
    value && wanted.includes(termsOf(value).join(' ')) ? [value] : [],
  );
}

function isGreater(a: number[], b: number[]): boolean {
  const difference = a.map((value, i) => value - (b[i] ?? 0)).find((value) => value !== 0) ?? 0;
  return difference > 0;
}

/** Where the words asked for stand. */
function wordReasons(product: Product, groups: Group[]): string[] {
  const places = {
    name: product.name,
    vendor: product.vendor ?? '',
    type: product.product_type ?? '',
    tags: product.tags.join(' '),
  };
  return Object.entries(places).flatMap(([place, text]) => {
    const terms = new Set(termsOf(plainText(text)));
    const found = groups.flatMap(({ alternatives }) => alternatives.find(({ term }) => terms.has(term))?.term ?? []);
    return found.length > 0 ? [`${place}: ${[...new Set(found)].join(', ')}`] : [];
  });
}

/** Whether this many pieces can be bought; `backorder` where the shop sells what it does not have. */
function availabilityOf({ track_inventory }: Product, variant: Variant, quantity: number): Availability {
  if (!track_inventory) return 'in_stock';
  if (variant.inventory_quantity >= quantity) return variant.is_low_stock ? 'low_stock' : 'in_stock';
  return variant.inventory_policy === 'continue' ? 'backorder' : 'out_of_stock';
}
