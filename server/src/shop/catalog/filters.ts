import sql, { type Sql } from 'sql-template-tag';
import { ValidationError } from '../errors.ts';
import { canonicalAmount } from '../money.ts';
import type { PageQuery } from '../page-query.ts';
import { labelFilters, type Unavailable } from '../products/list.ts';
import { available, inStock } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import * as collections from './collections.ts';

/** Filters of the catalogue. */

/** The public catalogue: active, published products, without their cost. */
export interface CatalogQuery extends PageQuery {
  q?: string;
  sort?: 'relevance' | 'newest' | 'price_asc' | 'price_desc' | 'name_asc' | 'name_desc' | 'best_selling';
  vendor?: string[];
  product_type?: string[];
  tag?: string[];
  collection?: string;
  price_min?: string;
  price_max?: string;
  updated_since?: string;
  in_stock?: boolean;
  unavailable?: Unavailable;
  option?: string[];
  facets?: boolean;
}

/** A condition on `products p`, with its kind of facet, if any. */
export interface Filter {
  kind?: 'vendor' | 'product_type' | 'tag' | 'price' | 'in_stock' | 'option';
  /** Name of the option, if the kind is `option`. */
  option?: string;
  condition: Sql;
}

/** Parses the filters of a query: one for each kind and each option, combined with AND. Throws a ValidationError. */
export async function filtersOf(shop: Shop, query: CatalogQuery): Promise<Filter[]> {
  const { collection, in_stock, price_min, price_max } = query;
  const found: Filter[] = labelFilters(query);
  if (query.unavailable === 'hide') found.push({ condition: inStock });
  if (in_stock !== undefined) found.push({ kind: 'in_stock', condition: in_stock ? inStock : sql`not ${inStock}` });
  if (price_min) {
    found.push({ kind: 'price', condition: sql`p.price >= ${amountOf(shop, price_min, 'price_min')}::numeric` });
  }
  if (price_max) {
    found.push({ kind: 'price', condition: sql`p.price <= ${amountOf(shop, price_max, 'price_max')}::numeric` });
  }
  if (query.updated_since) {
    found.push({ condition: sql`greatest(p.updated_at, p.published_at) >= ${query.updated_since}::timestamptz` });
  }
  if (collection) found.push({ condition: await inCollection(shop, collection) });
  return [...found, ...optionFilters(query.option ?? [])];
}

async function inCollection(shop: Shop, handle: string): Promise<Sql> {
  const collection = await collections.findPublished(shop, handle);
  return collection ? collections.membership(collection) : sql`false`;
}

function amountOf(shop: Shop, amount: string, field: string): string {
  return canonicalAmount(amount, shop.currencyDigits, ['query', field]);
}

/** Several values of one option are combined with OR. */
function optionFilters(wishes: string[]): Filter[] {
  const byOption = Map.groupBy(wishes.map(readOption), ({ name }) => name.toLowerCase());
  return [...byOption].map(([option, wanted]) => ({
    kind: 'option',
    option,
    condition: hasOption(
      option,
      wanted.map(({ value }) => value.toLowerCase()),
    ),
  }));
}

/** `Color:Blue` */
function readOption(wish: string): { name: string; value: string } {
  const [name = '', ...rest] = wish.split(':');
  const value = rest.join(':');
  if (!name || !value) {
    const msg = 'Write an option filter as name:value.';
    throw new ValidationError([{ loc: ['query', 'option'], msg, type: 'value_error' }]);
  }
  return { name, value };
}

/** Whether a variant in stock has one of these values of the option; all in lower case. */
function hasOption(name: string, values: string[]): Sql {
  return sql`exists (
    select from product_options o join variants v on v.site_id = o.site_id and v.product_id = o.product_id
    where o.site_id = p.site_id and o.product_id = p.id and lower(o.name) = ${name} and ${available}
      and lower((array[v.option1, v.option2, v.option3])[o.position]) = any(${values}::text[]))`;
}
