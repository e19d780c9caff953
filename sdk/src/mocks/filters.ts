/** Filters for lists and intents. catalog.ts has those for labels, collections, prices, stock and options. */

import type { Call } from './call.ts';
import { minorUnits } from './money.ts';
import { priceOf } from './products.ts';
import { Invalid } from './refusal.ts';
import type { State, StoredProduct, StoredVariant } from './state.ts';

const NAMES = [
  'vendor',
  'product_type',
  'tag',
  'collection',
  'price_min',
  'price_max',
  'in_stock',
  'option',
  'attribute',
  'exclude_tag',
  'exclude_type',
  'exclude_attribute',
  'exclude_text',
  'on_sale',
  'cheaper_than',
] as const;

export type FilterQuery = Pick<Call<'storefront.listProducts'>['query'], (typeof NAMES)[number]>;

/** The filters in a request body. Empty lists are ignored. */
export function filtersIn(body: FilterQuery): FilterQuery {
  const isSent = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(NAMES.flatMap((name) => (isSent(body[name]) ? [[name, body[name]]] : [])));
}

export function meetsFilters(state: State, product: StoredProduct, query: FilterQuery): boolean {
  const { on_sale, cheaper_than, attribute = [], exclude_text = [] } = query;
  const limit = cheaper_than === undefined ? Infinity : priceOfProduct(state, cheaper_than);
  return (
    namesOf(attribute).every((name) =>
      attribute.some((pair) => nameOf(pair) === name && hasAttribute(product, pair)),
    ) &&
    !hasUnwanted(product, query) &&
    !exclude_text.some((text) => textOf(product).includes(text.toLowerCase())) &&
    (on_sale === undefined || product.variants.some((one) => isReduced(state, one)) === on_sale) &&
    priceOf(product) < limit
  );
}

function hasUnwanted(product: StoredProduct, { exclude_tag, exclude_type, exclude_attribute }: FilterQuery): boolean {
  const { tags = [], product_type } = product.input;
  const isOne = (list: string[] = [], label: string) => list.some((one) => one.toLowerCase() === label.toLowerCase());
  return (
    tags.some((tag) => isOne(exclude_tag, tag)) ||
    isOne(exclude_type, product_type ?? '') ||
    (exclude_attribute ?? []).some((pair) => hasAttribute(product, pair))
  );
}

function hasAttribute({ input }: StoredProduct, pair: string): boolean {
  const value = pair.slice(pair.indexOf(':') + 1).toLowerCase();
  return Object.entries(input.metadata ?? {}).some(([key, own]) => {
    const lowered = own.toLowerCase();
    return key.toLowerCase() === nameOf(pair) && [lowered, ...lowered.split(', ')].includes(value);
  });
}

/** A product's attributes, each with its list of values. */
export function attributesOf({ input }: StoredProduct): [string, string[]][] {
  return Object.entries(input.metadata ?? {}).map(([key, value]) => [key.toLowerCase(), value.split(', ')]);
}

function isReduced({ digits }: State, { compare_at_price, price }: StoredVariant): boolean {
  return compare_at_price !== null && minorUnits(compare_at_price, digits) > price;
}

function textOf({ input, options }: StoredProduct): string {
  const { name, description = '', vendor = '', product_type = '', tags = [], metadata = {} } = input;
  const values = options.flatMap((option) => option.values);
  return [name, description, vendor, product_type, ...tags, ...values, ...Object.values(metadata)]
    .join(' ')
    .toLowerCase();
}

function priceOfProduct({ products }: State, id: string): number {
  const product = products.find((one) => one.id === id);
  if (product) return priceOf(product);
  const msg = 'The shop has no product with this id.';
  throw new Invalid([{ loc: ['query', 'cheaper_than'], msg, type: 'value_error' }]);
}

function namesOf(pairs: string[]): string[] {
  return [...new Set(pairs.map(nameOf))];
}

/** The name of the option in a pair such as `Colour:Oat`, in lower case. */
export function nameOf(pair: string): string {
  return (pair.split(':')[0] ?? '').toLowerCase();
}
