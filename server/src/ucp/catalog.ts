/** The catalogue: search, lookup by ids, and one product with its options. */

import type { Product, ProductPage, Understood } from '@commerce-backend/spec';
import { isUuid } from '../http/callers/claims.ts';
import { pagesOfSite, urlsBy } from '../shop/agents/product-links.ts';
import { cents } from '../shop/agents/ucp-orders.ts';
import { productsOf } from '../shop/agents/ucp-requests.ts';
import { findInstead, priceOfIntent } from '../shop/agents/ucp-search.ts';
import type { FilterQuery } from '../shop/catalog/filters.ts';
import { decimal } from '../shop/money.ts';
import { noResource, Refused, type UcpCall } from './call.ts';
import { type Message, ProtocolError, unrecoverable } from './protocol.ts';
import type { LookupWish, ProductWish, SearchWish } from './requests.ts';
import { productOf, said, selectedOptions, variantOf } from './views.ts';

type Filters = SearchWish['filters'];
type Found = ReturnType<typeof shownOf>;

const MOST_PER_PAGE = 50;
const MOST_IDS = 20;
const MOST_REPORTED = 10;

/**
 * Returns one page of search results. If no product matches all words, returns the products that `intent/find` offers,
 * and a message for each unmet limit or word.
 */
export async function searchCatalog(call: UcpCall, wish: SearchWish) {
  const { pagination = {} } = wish;
  const page = pageOf(pagination.cursor);
  const limit = Math.min(MOST_PER_PAGE, pagination.limit ?? 10);
  const q = (wish.query ?? '').trim().slice(0, 200);
  const asked = filtersOf(call, wish);
  const list = (filters: FilterQuery) => {
    const query = { ...asQuery(filters), ...(q && { q }), page: String(page), limit: String(limit) };
    return call.ask<ProductPage>('storefront.listProducts', { query });
  };
  const intended = { ...priceOfIntent(call.opened.tenant, wish.context?.intent), ...asked };
  let filters = intended;
  let found = await list(intended);
  if (found.total === 0 && Object.keys(intended).length > Object.keys(asked).length) {
    const content = 'No product meets the price of the intent. These products do not.';
    call.messages.push({ type: 'warning', code: 'price_not_met', content, path: '$.context.intent' });
    filters = asked;
    found = await list(asked);
  }
  const { products, pages, total } = found;
  const instead = q ? await call.inShop((shop) => findInstead(shop, q, filters, MOST_PER_PAGE)) : undefined;
  call.messages.push(...(instead?.understood.map(messageOfUnmet) ?? []));
  if (instead && instead.products.length > 0) {
    const shown = instead.products.slice((page - 1) * limit, page * limit);
    return {
      products: shown.map((product) => shownOf(call, product)),
      pagination: paged(instead.products.length, page, limit),
    };
  }
  return {
    products: products.filter(({ variants }) => variants.length > 0).map((product) => shownOf(call, product)),
    pagination: { ...paged(total, page, limit), ...nextOf(page, pages) },
  };
}

/** A product in UCP's format, with the URL of its page. */
function shownOf({ opened: { front, origin, tenant } }: UcpCall, product: Product) {
  const [first] = product.variants;
  const urlOf = urlsBy(front.product_url_template, pagesOfSite(origin, tenant.site_id));
  return { ...productOf(product), ...(first && { url: urlOf(product, first) }) };
}

function paged(total_count: number, page: number, limit: number) {
  return { total_count, ...nextOf(page, Math.ceil(total_count / limit)) };
}

function nextOf(page: number, pages: number) {
  const has_next_page = page < pages;
  return { has_next_page, ...(has_next_page && { cursor: cursorOf(page + 1) }) };
}

/** The message about a word or limit that was not understood or not met. */
function messageOfUnmet({ kind, text, fate }: Understood): Message {
  if (fate === 'not_understood') {
    const content = `"${said(text)}" was not understood and not searched for. Send a filter instead, or ask the buyer.`;
    return { type: 'warning', code: `${kind}_not_understood`, content, path: '$.query' };
  }
  const content =
    fate === 'relaxed'
      ? `No product meets "${said(text)}" together with the rest of the query. These products do not.`
      : `The shop has no data to check "${said(text)}".`;
  return { type: 'warning', code: `${kind}_not_met`, content, path: '$.query' };
}

/** Converts UCP's filters to filters of the API. */
function filtersOf(call: UcpCall, { filters = {}, context = {} }: SearchWish): FilterQuery {
  const { categories = [], price, ...others } = filters;
  const types = categories.filter((one) => one !== '');
  return {
    ...known(call, others),
    ...(types.length > 0 && { product_type: types }),
    ...(price && pricesOf(call, price, context.currency)),
  };
}

/** Accepts prices in the shop's currency only; nothing is converted. */
function pricesOf(call: UcpCall, { min, max }: { min?: number; max?: number }, given?: string): FilterQuery {
  const { currency, currency_digits } = call.opened.tenant;
  if (given !== undefined && given.toUpperCase() !== currency) {
    const content = `The shop's prices are in ${currency}, so the filter was not applied.`;
    call.messages.push({ type: 'warning', code: 'price_filter_not_applied', content, path: '$.filters.price' });
    return {};
  }
  const amount = (minor: number) => decimal(Math.min(minor, 1e14), currency_digits);
  return {
    ...(min !== undefined && { price_min: amount(min) }),
    ...(max !== undefined && { price_max: amount(max) }),
  };
}

const FILTERS: ReadonlySet<string> = new Set<keyof FilterQuery>([
  'vendor',
  'product_type',
  'tag',
  'collection',
  'option',
  'attribute',
  'in_stock',
  'on_sale',
  'cheaper_than',
  'exclude_tag',
  'exclude_type',
  'exclude_attribute',
  'exclude_text',
]);

/** Selects the API's own filters among the fields that UCP does not define. Reports unknown fields. */
function known(call: UcpCall, others: Record<string, unknown>): FilterQuery {
  for (const name of Object.keys(others)
    .filter((one) => !FILTERS.has(one))
    .slice(0, MOST_REPORTED)) {
    const path = /^\w{1,64}$/.test(name) ? `$.filters.${name}` : '$.filters';
    const content = 'The shop has no such filter, so it was not applied.';
    call.messages.push({ type: 'warning', code: 'filter_not_applied', content, path });
  }
  return Object.fromEntries(Object.entries(others).filter(([name]) => FILTERS.has(name)));
}

function asQuery(filters: FilterQuery): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]),
  );
}

function cursorOf(page: number): string {
  return Buffer.from(`page ${page}`).toString('base64url');
}

function pageOf(cursor: string | undefined): number {
  if (cursor === undefined) return 1;
  const page = /^page ([1-9]\d{0,5})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (page === undefined) throw new ProtocolError(400, 'invalid_request', '$.pagination.cursor is none of this shop.');
  return Number(page);
}

/** Returns products by their ids or slugs, or by ids of their variants. Unknown ones are left out, with a message. */
export async function lookupCatalog(call: UcpCall, { ids, filters }: LookupWish) {
  const wanted = [...new Set(ids)];
  if (wanted.length > MOST_IDS)
    throw new ProtocolError(400, 'request_too_large', `Ask for at most ${MOST_IDS} ids at once.`);
  const ofVariants = await call.inShop((shop) => productsOf(shop, wanted.filter(isUuid)));
  const idsByProduct = Map.groupBy(wanted, (id) => ofVariants.get(id.toLowerCase()) ?? id);
  const products: Found[] = [];
  const found = new Set<string>();
  for (const [id, asked] of idsByProduct) {
    const product = await findProduct(call, id);
    if (!product || product.variants.length === 0) continue;
    const whole = shownOf(call, product);
    const named = new Set(asked.map((one) => one.toLowerCase()));
    const byProduct = asked.filter((one) => !ofVariants.has(one.toLowerCase()));
    const variants = whole.variants.flatMap((variant, at) => {
      const inputs = [
        ...(named.has(variant.id) ? [{ id: variant.id, match: 'exact' }] : []),
        ...(at === 0 ? byProduct.map((one) => ({ id: one, match: 'featured' })) : []),
      ];
      return inputs.length > 0 && isWithin(variant.price.amount, filters) ? [{ ...variant, inputs }] : [];
    });
    if (variants.length === 0 || !isIn(product, filters)) continue;
    const before = products.find((one) => one.id === whole.id);
    if (before) mergeInputs(before, variants);
    else products.push({ ...whole, variants });
    for (const one of asked) found.add(one);
  }
  for (const [place, id] of ids.entries()) {
    if (found.has(id)) continue;
    call.messages.push({ type: 'info', code: 'not_found', content: 'There is no such item.', path: `$.ids[${place}]` });
  }
  return { products };
}

/**
 * Adds variants to a product that was already found, because the same product may be requested by both its id and its
 * slug.
 */
function mergeInputs(product: Found, variants: (Found['variants'][number] & { inputs: { id: string }[] })[]): void {
  for (const variant of variants) {
    const same = product.variants.find(({ id }) => id === variant.id) as typeof variant | undefined;
    if (same) same.inputs.push(...variant.inputs);
    else product.variants.push(variant);
  }
}

function isWithin(amount: number, filters: Filters): boolean {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = filters?.price ?? {};
  return amount >= min && amount <= max;
}

function isIn({ product_type }: Product, filters: Filters): boolean {
  const { categories = [] } = filters ?? {};
  return categories.length === 0 || categories.some((one) => one.toLowerCase() === product_type?.toLowerCase());
}

async function findProduct(call: UcpCall, id: string): Promise<Product | undefined> {
  if (!/^[\w.-]{1,255}$/.test(id)) return undefined;
  try {
    return await call.ask<Product>('storefront.getProduct', { path: { id_or_slug: id } });
  } catch (error) {
    if (error instanceof Refused && (error.status === 404 || error.status === 422)) return undefined;
    return noResource(error);
  }
}

/**
 * Returns one product, with the best matching variant first. Each option value shows whether it can be combined with
 * the selected ones.
 */
export async function getProduct(call: UcpCall, { id, selected = [], preferences = [], filters }: ProductWish) {
  const product_id = isUuid(id)
    ? (await call.inShop((shop) => productsOf(shop, [id]))).get(id.toLowerCase())
    : undefined;
  const product = await findProduct(call, product_id ?? id);
  if (!product || product.variants.length === 0) throw unrecoverable('not_found', 'There is no such product.');
  const variants = product.variants.map((variant) => ({ variant, options: selectedOptions(product, variant) }));
  const named = product_id && variants.find(({ variant }) => variant.id === id.toLowerCase());
  const wished = named ? named.options : ofProduct(selected, variants);
  const { effective, fitting } = relaxed(wished, preferences, variants);
  const featured = fitting.find(({ variant }) => variant.available) ?? fitting[0] ?? variants[0];
  const rest = fitting.filter(
    (one) => one !== featured && isWithin(cents(one.variant.price, product.currency), filters),
  );
  const whole = shownOf(call, product);
  const options = whole.options.map(({ name, values }) => ({
    name,
    values: values.map(({ label }) => {
      const others = effective.filter((one) => one.name !== name);
      const with_it = variants.filter((one) => matches(one.options, [...others, { name, label }]));
      return { label, exists: with_it.length > 0, available: with_it.some(({ variant }) => variant.available) };
    }),
  }));
  const shown = [...(featured ? [featured] : []), ...rest].map(({ variant }) => variantOf(product, variant));
  return { product: { ...whole, options, selected: effective, variants: shown } };
}

type Selection = { name: string; label: string };
type Candidate = { variant: Product['variants'][number]; options: Selection[] };

/** The selected values that the product has. */
function ofProduct(selected: Selection[], variants: Candidate[]): Selection[] {
  return selected
    .filter((one) => variants.some(({ options }) => matches(options, [one])))
    .map(({ name, label }) => ({ name, label }));
}

/** Removes selections until a variant matches, the least preferred first. */
function relaxed(selected: Selection[], preferences: string[], variants: Candidate[]) {
  const rank = ({ name }: Selection) => (preferences.includes(name) ? preferences.indexOf(name) : preferences.length);
  let effective = selected.toSorted((one, other) => rank(one) - rank(other));
  let fitting = variants.filter(({ options }) => matches(options, effective));
  while (fitting.length === 0 && effective.length > 0) {
    effective = effective.slice(0, -1);
    fitting = variants.filter(({ options }) => matches(options, effective));
  }
  return { effective, fitting };
}

function matches(options: Selection[], selected: Selection[]): boolean {
  return selected.every(({ name, label }) => options.some((one) => one.name === name && one.label === label));
}
