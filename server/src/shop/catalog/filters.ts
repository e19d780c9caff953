import sql, { join, type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { hasPriceWithin, isOnSale, isOrHas, variantLacks } from '../../search/rank/conditions.ts';
import {
  hasAttribute,
  mayHaveLabel,
  type PriceRange,
  type ProductConditions,
  type SearchFilters,
} from '../../search/rank/filters.ts';
import { termsOf } from '../../search/words/normalize.ts';
import { ValidationError } from '../errors.ts';
import { canonicalAmount, decimal, minorUnits } from '../money.ts';
import type { PageQuery } from '../page-query.ts';
import { type LabelQuery, labelFilters, type Unavailable } from '../products/list.ts';
import { available, canBeBought, inStock, visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import * as collections from './collections.ts';
import { hasOptionValue, type VariantLimits } from './variant-limits.ts';

/** Filters of the catalogue for shoppers and agents. */

/** Filters of a query or body, by their names in the contract. */
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

/** A query of the public catalogue: active, published products without their cost. */
export interface CatalogQuery extends FilterQuery, PageQuery {
  q?: string;
  sort?: 'relevance' | 'newest' | 'price_asc' | 'price_desc' | 'name_asc' | 'name_desc' | 'best_selling';
  updated_since?: string;
  unavailable?: Unavailable;
  facets?: boolean;
}

/** A condition on `products p`, with its kind of facet if it has one. */
export interface Filter {
  kind?: 'vendor' | 'product_type' | 'tag' | 'collection' | 'price' | 'in_stock' | 'option' | 'attribute';
  /** The name, if the kind is an option or attribute. */
  name?: string;
  condition?: Sql;
  /** A condition that is evaluated only if the others hold, because it looks up variants or reads texts. */
  slow?: Sql;
  /** A weaker condition that uses an index, for statements that would otherwise read all products. */
  among?: Sql | undefined;
  /** The same condition as a look-up for each product: faster if few products are left. */
  lookUp?: Sql;
  /** The same condition on `variants v`. */
  variant?: Sql;
  /** Whether only the product's variants decide if it meets the filter. */
  isOfVariants?: true;
  /**
   * Whether it is slow or few products meet it: then a page is found faster by reading all products that meet it than
   * by reading in the order of the list.
   */
  isNarrow?: true;
}

/** The filters of a request, with the data that the search and the choice of variants need. */
export interface Filters {
  list: Filter[];
  limits: VariantLimits;
  search: SearchFilters;
}

export interface Reading {
  /** The part of the request that contains the filters, for reported mistakes. */
  place: 'query' | 'body';
  /**
   * Whether price limits apply to variants. Otherwise they apply to the product's price, which is that of its cheapest
   * variant.
   */
  ofVariants: boolean;
  /** The products that the caller may see, as a condition on `products p`; by default all public ones. */
  within?: Sql;
}

/**
 * All conditions of the filters. The same variant must meet all conditions on variants, which then replaces the look-up
 * of stock. `areFew`: the statement reads only some products of the shop, so looking up their variants is faster.
 */
export function conditionsOf(filters: Filter[], areFew = areNarrow(filters)): ProductConditions {
  const ofVariant = filters.flatMap(({ variant }) => variant ?? []);
  const isLookedUp = ofVariant.length > 1 || filters.some(({ isOfVariants }) => isOfVariants);
  const isReplaced = ({ lookUp }: Filter) => lookUp !== undefined && (areFew || isLookedUp);
  return {
    where: filters.flatMap((filter) => (isReplaced(filter) ? [] : (filter.condition ?? []))),
    slow: [
      ...filters.flatMap((filter) =>
        isReplaced(filter) && !(isLookedUp && filter.variant) ? (filter.lookUp ?? []) : [],
      ),
      ...filters.flatMap(({ slow }) => slow ?? []),
      ...(isLookedUp
        ? [
            sql`coalesce((select true from variants v where v.site_id = p.site_id and v.product_id = p.id
              and ${join(ofVariant, ' and ')} limit 1), false)`,
          ]
        : []),
    ],
    among: filters.flatMap(({ among }) => among ?? []),
  };
}

/**
 * Whether a page is found faster by reading all products that meet the filters than by reading in the order of the
 * list.
 */
export function areNarrow(filters: Filter[]): boolean {
  return filters.some(({ isNarrow }) => isNarrow);
}

/**
 * The filters of a query, all of which must hold: one for each kind and each option. Throws a ValidationError. Uses at
 * most two statements: for a collection, and for the product that the results must be cheaper than.
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
      return { kind, among: mayHaveLabel(shop, kind, query[kind] ?? []), slow: condition };
    }),
    ...(in_stock === undefined ? [] : [stockFilter(in_stock)]),
    ...priceFilters(price, reading.ofVariants),
    ...(query.collection ? [await collectionFilter(shop, query.collection)] : []),
    ...[...options].map(([name, values]) => optionFilter(shop, name, values)),
    ...[...attributes].map(([name, values]): Filter => {
      return { kind: 'attribute', name, condition: hasAttribute(shop, name, values), isNarrow: true };
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
    search: { ...conditionsOf(list, true), price, wanted },
  };
}

/** The query without empty lists: models send `[]` for filters that they do not use. */
export function withoutEmptyLists<T extends FilterQuery>(query: T): T {
  return Object.fromEntries(
    Object.entries(query).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  ) as T;
}

/** The filters of a list, including those that only lists have. */
export async function readListFilters(shop: Shop, query: CatalogQuery, reading: Reading): Promise<Filters> {
  const filters = await readFilters(shop, query, reading);
  const list = [...filters.list];
  if (query.unavailable === 'hide') list.push({ condition: inStock });
  if (query.updated_since) {
    list.push({ condition: sql`greatest(p.updated_at, p.published_at) >= ${query.updated_since}::timestamptz` });
  }
  return { ...filters, list, search: { ...filters.search, ...conditionsOf(list, true) } };
}

function stockFilter(in_stock: boolean): Filter {
  return in_stock
    ? { kind: 'in_stock', condition: inStock, lookUp: canBeBought, variant: available }
    : { kind: 'in_stock', condition: sql`not ${inStock}`, lookUp: sql`not ${canBeBought}` };
}

function saleFilter(shop: Shop, on_sale: boolean): Filter {
  const condition = isOnSale(shop);
  return on_sale
    ? { condition, variant: sql`v.compare_at_price > v.price`, isNarrow: true }
    : { condition: sql`not ${condition}` };
}

/** The price limits in the shop's currency, including the limit set by another product. */
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

/** The highest price below the price of a product. */
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
  if (ofVariants) return [{ kind: 'price', condition: hasPriceWithin(min, max), variant }];
  const bounds = [
    ...(min === undefined ? [] : [sql`p.price >= ${min}::numeric`]),
    ...(max === undefined ? [] : [sql`p.price <= ${max}::numeric`]),
  ];
  return [{ kind: 'price', condition: join(bounds, ' and '), variant }];
}

async function collectionFilter(shop: Shop, handle: string): Promise<Filter> {
  const collection = await collections.findPublished(shop, handle);
  if (!collection) return { kind: 'collection', condition: sql`false` };
  return { kind: 'collection', condition: collections.membership(collection) };
}

/**
 * Filters for products with a variant that can be bought and has one of these values of the option. The texts are in
 * lower case.
 */
function optionFilter(shop: Shop, name: string, values: string[]): Filter {
  const among = mayHaveLabel(shop, 'option', values);
  const variant = sql`${available} and ${hasOptionValue(name, values)}`;
  return { kind: 'option', name, among, variant, isOfVariants: true, isNarrow: true };
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
      const among = mayHaveLabel(shop, kind, labels[kind] ?? []) ?? sql`true`;
      return { slow: sql`(case when ${among} then ${condition} end) is not true` };
    }),
    ...[...attributes].map(([name, values]) => ({ condition: sql`not ${hasAttribute(shop, name, values)}` })),
  ];
}

function unwantedTerm(text: string, place: Reading['place']): string {
  const term = termsOf(text).join(' ');
  if (term) return term;
  throw new ValidationError([{ loc: [place, 'exclude_text'], msg: 'Give at least one word.', type: 'value_error' }]);
}

/** Parses pairs such as `Colour:Blue` into lower-case names and values. Several values of one name are alternatives. */
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
