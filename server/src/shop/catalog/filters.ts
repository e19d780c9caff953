import sql, { join, type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import {
  idsOnSale,
  isNotBetweenVariants,
  isOnSale,
  isOrHas,
  mayHavePriceWithin,
  variantLacks,
} from '../../search/rank/conditions.ts';
import {
  hasAttribute,
  idsByLabel,
  isAmong,
  type PriceRange,
  type ProductConditions,
  type SearchFilters,
} from '../../search/rank/filters.ts';
import { termsOf } from '../../search/words/normalize.ts';
import { ValidationError } from '../errors.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { PageQuery } from '../page-query.ts';
import { type LabelQuery, labelFilters, type Unavailable } from '../products/list.ts';
import { available, inStock, visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import * as collections from './collections.ts';
import { hasOptionValue, type VariantLimits } from './variant-limits.ts';

/** Filters of a query string or request body, named as in the contract. */
export interface FilterQuery {
  vendor?: string[];
  product_type?: string[];
  tag?: string[];
  collection?: string;
  price_min?: string;
  price_max?: string;
  in_stock?: boolean;
  option?: string[];
  attribute?: string[];
  exclude_tag?: string[];
  exclude_type?: string[];
  exclude_attribute?: string[];
  exclude_text?: string[];
  on_sale?: boolean;
  cheaper_than?: string;
}

/** A query of the public catalogue, which contains active, published products without their cost. */
export interface CatalogQuery extends FilterQuery, PageQuery {
  q?: string;
  sort?: 'relevance' | 'newest' | 'price_asc' | 'price_desc' | 'name_asc' | 'name_desc' | 'best_selling';
  updated_since?: string;
  unavailable?: Unavailable;
  facets?: boolean;
}

/** A filter. All of its conditions must hold. `kind` is the facet to which it belongs, if any. */
export interface Filter {
  kind?: 'vendor' | 'product_type' | 'tag' | 'collection' | 'price' | 'in_stock' | 'option' | 'attribute';
  /** The name of the option or attribute, for the kinds `option` and `attribute`. */
  name?: string;
  /** A cheap condition on `products p`: reads only the product's row, or a set that is read once per statement. */
  where?: Sql;
  /** A condition on `products p` that looks up other rows or reads texts. */
  slow?: Sql;
  /** A condition on `variants v`. One variant must meet the conditions of all filters. */
  variant?: Sql;
  /** A query for product ids that contains all products that meet the other conditions. It reads only an index. */
  among?: Sql | undefined;
  /** A faster condition on `products p` that replaces `variant`, if no other filter has a `variant`. */
  alone?: Sql;
}

export interface Filters {
  list: Filter[];
  limits: VariantLimits;
  search: SearchFilters;
}

export interface Reading {
  /** The part of the request that contained the filters, for the paths of validation errors. */
  place: 'query' | 'body';
  /**
   * Whether price limits apply to each variant. Otherwise they apply to the product's price, which is the price of its
   * cheapest variant.
   */
  ofVariants: boolean;
  /** A further condition on the product in `cheaper_than`, which must be public in any case. */
  within?: Sql;
}

/** All conditions of the filters. Variants are looked up once for all filters on them, and only if necessary. */
export function conditionsOf(filters: Filter[]): ProductConditions {
  const ofVariants = filters.flatMap(({ variant }) => variant ?? []);
  const isOnVariantsOnly = ({ variant, alone, where, slow }: Filter) => variant && !alone && !where && !slow;
  const areLookedUp = ofVariants.length > 1 || filters.some(isOnVariantsOnly);
  return {
    where: filters.flatMap(({ where }) => where ?? []),
    among: filters.flatMap(({ among }) => among ?? []),
    slow: [
      ...filters.flatMap(({ slow }) => slow ?? []),
      ...(areLookedUp ? [hasVariant(ofVariants)] : filters.flatMap(({ alone }) => alone ?? [])),
    ],
  };
}

/**
 * A condition that is true for `products p` if one variant meets all of `conditions`. Looks up the variants of each
 * product.
 */
function hasVariant(conditions: Sql[]): Sql {
  return sql`coalesce((select true from variants v where v.site_id = p.site_id and v.product_id = p.id
    and ${join(conditions, ' and ')} limit 1), false)`;
}

/**
 * Parses the filters of a request, all of which must match. Throws a ValidationError. Runs at most two statements, for
 * `collection` and `cheaper_than`.
 */
export async function readFilters(shop: Shop, sent: FilterQuery, reading: Reading): Promise<Filters> {
  const query = withoutEmptyLists(sent);
  const { in_stock, on_sale } = query;
  const price = await readPrice(shop, query, reading);
  const options = pairsOf(query.option, reading.place, 'option');
  const attributes = pairsOf(query.attribute, reading.place, 'attribute');
  const unwanted = (query.exclude_text ?? []).map((text) => unwantedTerm(text, reading.place));
  const list: Filter[] = [
    ...labelFilters(query).map(({ kind, condition }): Filter => {
      return { kind, among: idsByLabel(shop, kind, query[kind] ?? []), slow: condition };
    }),
    ...(in_stock === undefined ? [] : [stockFilter(in_stock)]),
    ...priceFilters(price, reading.ofVariants),
    ...(query.collection ? [await collectionFilter(shop, query.collection)] : []),
    ...[...options].map(([name, values]) => optionFilter(shop, name, values)),
    ...[...attributes].map(([name, values]): Filter => {
      return { kind: 'attribute', name, where: hasAttribute(shop, name, values) };
    }),
    ...exclusions(shop, query, reading.place),
    ...unwanted.map((value): Filter => {
      return { slow: sql`not ${isOrHas(shop, value)}`, variant: variantLacks(shop, value) };
    }),
    ...(on_sale === undefined ? [] : [saleFilter(shop, on_sale)]),
  ];
  const wanted = [
    ...[...options.values(), ...attributes.values()].flat(),
    ...(query.tag ?? []),
    ...(query.product_type ?? []),
    ...(query.vendor ?? []),
  ];
  return {
    list,
    limits: { price, in_stock: in_stock === true, on_sale: on_sale === true, options, unwanted },
    search: { ...conditionsOf(list), price, wanted },
  };
}

/** Removes empty lists, because language models send `[]` for filters that they do not use. */
export function withoutEmptyLists<T extends FilterQuery>(query: T): T {
  return Object.fromEntries(
    Object.entries(query).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  ) as T;
}

/** Like `readFilters`, with the filters that exist only for lists. */
export async function readListFilters(shop: Shop, query: CatalogQuery, reading: Reading): Promise<Filters> {
  const filters = await readFilters(shop, query, reading);
  const list = [...filters.list];
  if (query.unavailable === 'hide') list.push({ slow: inStock });
  if (query.updated_since) {
    list.push({ where: sql`greatest(p.updated_at, p.published_at) >= ${query.updated_since}::timestamptz` });
  }
  return { ...filters, list, search: { ...filters.search, ...conditionsOf(list) } };
}

function stockFilter(in_stock: boolean): Filter {
  return in_stock
    ? { kind: 'in_stock', variant: available, alone: inStock }
    : { kind: 'in_stock', slow: sql`not ${inStock}` };
}

function saleFilter(shop: Shop, on_sale: boolean): Filter {
  return on_sale
    ? { variant: sql`v.compare_at_price > v.price`, among: idsOnSale(shop) }
    : { where: sql`not ${isOnSale(shop)}` };
}

/** Parses the price limits. `cheaper_than` sets the maximum one minor unit below that product's price. */
async function readPrice(shop: Shop, query: FilterQuery, reading: Reading): Promise<PriceRange> {
  const { place } = reading;
  const amountOf = (field: 'price_min' | 'price_max') => {
    const amount = query[field];
    return amount ? Number(canonicalAmount(amount, shop.currencyDigits, [place, field])) : undefined;
  };
  const min = amountOf('price_min');
  const maxima = [amountOf('price_max'), query.cheaper_than && (await priceBelow(shop, query.cheaper_than, reading))];
  const known = maxima.filter((max) => typeof max === 'number');
  return { ...(min !== undefined && { min }), ...(known.length > 0 && { max: Math.min(...known) }) };
}

async function priceBelow(shop: Shop, product_id: string, { place, within }: Reading): Promise<number> {
  const product = await shop.one<RowOf<'products', 'price'>>(
    sql`select p.price from products p
      where p.site_id = ${shop.siteId} and p.id = ${product_id} and ${visible} and ${within ?? sql`true`}`,
  );
  if (!product) {
    const msg = 'The shop has no product with this id.';
    throw new ValidationError([{ loc: [place, 'cheaper_than'], msg, type: 'value_error' }]);
  }
  return Number(decimal(minorUnits(product.price, shop.currencyDigits) - 1, shop.currencyDigits));
}

function priceFilters({ min, max }: PriceRange, ofVariants: boolean): Filter[] {
  if (min === undefined && max === undefined) return [];
  const variant = sql`v.price between ${min ?? 0}::numeric and ${max ?? Number.MAX_SAFE_INTEGER}::numeric`;
  if (ofVariants) {
    const alone = min !== undefined && max !== undefined ? { alone: isNotBetweenVariants(min, max) } : {};
    return [{ kind: 'price', where: mayHavePriceWithin(min, max), variant, ...alone }];
  }
  const bounds = [
    ...(min === undefined ? [] : [sql`p.price >= ${min}::numeric`]),
    ...(max === undefined ? [] : [sql`p.price <= ${max}::numeric`]),
  ];
  return [{ kind: 'price', where: join(bounds, ' and '), variant }];
}

async function collectionFilter(shop: Shop, handle: string): Promise<Filter> {
  const collection = await collections.findPublished(shop, handle);
  if (!collection) return { kind: 'collection', where: sql`false` };
  return { kind: 'collection', where: collections.membership(collection) };
}

/**
 * Matches products with a variant that can be bought and has one of the option values. Names and values are in lower
 * case.
 */
function optionFilter(shop: Shop, name: string, values: string[]): Filter {
  const among = idsByLabel(shop, 'option', values);
  const variant = sql`${available} and ${hasOptionValue(name, values)}`;
  return { kind: 'option', name, among, variant };
}

function exclusions(shop: Shop, query: FilterQuery, place: Reading['place']): Filter[] {
  const { exclude_tag, exclude_type } = query;
  const labels: LabelQuery = {
    ...(exclude_tag && { tag: exclude_tag }),
    ...(exclude_type && { product_type: exclude_type }),
  };
  const attributes = pairsOf(query.exclude_attribute, place, 'exclude_attribute');
  return [
    ...labelFilters(labels).map(({ kind, condition }) => {
      const among = idsByLabel(shop, kind, labels[kind] ?? []);
      return { slow: sql`(case when ${among ? isAmong(among) : sql`true`} then ${condition} end) is not true` };
    }),
    ...[...attributes].map(([name, values]) => ({ where: sql`not ${hasAttribute(shop, name, values)}` })),
  ];
}

function unwantedTerm(text: string, place: Reading['place']): string {
  const term = termsOf(text).join(' ');
  if (term) return term;
  throw new ValidationError([{ loc: [place, 'exclude_text'], msg: 'Give at least one word.', type: 'value_error' }]);
}

/**
 * Parses pairs such as `Colour:Blue` and groups the lower-case values by name. Several values of one name are
 * alternatives.
 */
function pairsOf(pairs: string[] = [], place: Reading['place'], field: string): Map<string, string[]> {
  const read = pairs.map((pair) => {
    const at = pair.indexOf(':');
    const [name, value] = [
      pair.slice(0, at).trim().toLowerCase(),
      pair
        .slice(at + 1)
        .trim()
        .toLowerCase(),
    ];
    if (at > 0 && name && value) return { name, value };
    throw new ValidationError([{ loc: [place, field], msg: 'Write it as name:value.', type: 'value_error' }]);
  });
  const byName = Map.groupBy(read, ({ name }) => name);
  return new Map([...byName].map(([name, all]) => [name, all.map(({ value }) => value)]));
}
