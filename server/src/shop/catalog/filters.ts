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

/** Filters of the catalogue, for shoppers and agents. */

/** The filters, under the names of the contract, in a query or a body. */
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

/** The catalogue as the public sees it: active, published products, without what they cost the merchant. */
export interface CatalogQuery extends FilterQuery, PageQuery {
  q?: string;
  sort?: 'relevance' | 'newest' | 'price_asc' | 'price_desc' | 'name_asc' | 'name_desc' | 'best_selling';
  updated_since?: string;
  unavailable?: Unavailable;
  facets?: boolean;
}

/** A condition on `products p`, with its kind of facet, if any. */
export interface Filter {
  kind?: 'vendor' | 'product_type' | 'tag' | 'collection' | 'price' | 'in_stock' | 'option' | 'attribute';
  /** The name of the option or attribute, where that is the kind. */
  name?: string;
  condition?: Sql;
  /** A condition that is evaluated only where the others hold: it looks up variants or reads texts. */
  slow?: Sql;
  /** A condition that follows from it and uses the index, for statements that would read all products. */
  among?: Sql | undefined;
  /** The same as `condition`, looked up product by product: faster if few products are left. */
  lookUp?: Sql;
  /** Its condition on a variant, in SQL on `variants v`. */
  variant?: Sql;
  /** Whether only its variants decide if a product meets it. */
  isOfVariants?: true;
  /** It takes long, or few products meet it: a page is quicker found among all that do than in the order of the list. */
  isNarrow?: true;
}

/** The filters of a request, with the data that the search and the choice of a variant need. */
export interface Filters {
  list: Filter[];
  limits: VariantLimits;
  search: SearchFilters;
}

export interface Reading {
  /** Where the filters were sent, for mistakes. */
  place: 'query' | 'body';
  /** Whether a limit on the price is one of variants; else it is one of the product's price, the lowest of its variants. */
  ofVariants: boolean;
  /** The products that the caller may see, as a condition on `products p`; by default all that are visible. */
  within?: Sql;
}

/**
 * All conditions of the filters. Those on variants must hold for the same variant, which then replaces the look-up of stock.
 * `areFew`: the statement reads only some products of the shop, so looking up their variants is faster.
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

/** Whether a page is quicker found among all products that meet the filters than in the order of the list. */
export function areNarrow(filters: Filter[]): boolean {
  return filters.some(({ isNarrow }) => isNarrow);
}

/**
 * The filters of a query: one for each kind and each option, which all must hold. Throws a ValidationError. At most two statements, for a
 * collection and for the product that others must be cheaper than.
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

/** Models send `[]` for filters that they do not use: an empty list filters nothing. */
export function withoutEmptyLists<T extends FilterQuery>(query: T): T {
  return Object.fromEntries(
    Object.entries(query).filter(([, value]) => !Array.isArray(value) || value.length > 0),
  ) as T;
}

/** The filters of a list, with those that only lists have. */
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

/** The limits on the price, in the shop's currency, with the one that another product sets. */
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

/** The highest price below that of a product. */
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

/** A variant with one of these values of the option can be bought; all in lower case. */
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

/** `Colour:Blue`, in lower case. Several values of one name mean any of them. */
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
