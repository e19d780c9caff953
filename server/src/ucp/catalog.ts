import type { Product, ProductPage } from '@commerce-backend/spec';
import { isUuid } from '../http/callers/claims.ts';
import { productsOf } from '../shop/agents/ucp-requests.ts';
import { decimal } from '../shop/money.ts';
import { noResource, Refused, type UcpCall } from './call.ts';
import { ProtocolError, unrecoverable } from './protocol.ts';
import type { LookupWish, ProductWish, SearchWish } from './requests.ts';
import { cents, productOf, selectedOptions, variantOf } from './views.ts';

/** The catalogue: search, look-up by ids, and one product with its options. */

type Filters = SearchWish['filters'];
type Found = ReturnType<typeof productOf>;

const MOST_PER_PAGE = 50;
const MOST_IDS = 20;

export async function searchCatalog(call: UcpCall, wish: SearchWish) {
  const { query = '', filters, pagination = {} } = wish;
  const page = pageOf(pagination.cursor);
  const words = query.trim().slice(0, 200);
  const { products, pages, total } = await call.ask<ProductPage>('storefront.listProducts', {
    query: {
      ...queryOf(call, filters),
      ...(words && { q: words }),
      ...{ page: String(page), limit: String(Math.min(MOST_PER_PAGE, pagination.limit ?? 10)) },
    },
  });
  const has_next_page = page < pages;
  return {
    products: products.filter(({ variants }) => variants.length > 0).map(productOf),
    pagination: { has_next_page, total_count: total, ...(has_next_page && { cursor: cursorOf(page + 1) }) },
  };
}

function queryOf({ opened: { tenant } }: UcpCall, filters: Filters): Record<string, string | string[]> {
  const { categories = [], price = {} } = filters ?? {};
  const amount = (minor: number) => decimal(Math.min(minor, 1e14), tenant.currency_digits);
  return {
    ...(categories.length > 0 && { product_type: categories.filter((one) => one !== '') }),
    ...(price.min !== undefined && { price_min: amount(price.min) }),
    ...(price.max !== undefined && { price_max: amount(price.max) }),
  };
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

/** Products by their ids, their slugs, and the ids of their variants. What is not found is left out, and said. */
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
    const whole = productOf(product);
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

/** One product may be asked for by its id and by its slug. */
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

/** One product: of its variants the one that is meant comes first, and each value says whether it can be had with the others. */
export async function getProduct(call: UcpCall, { id, selected = [], preferences = [], filters }: ProductWish) {
  const product_id = isUuid(id)
    ? (await call.inShop((shop) => productsOf(shop, [id]))).get(id.toLowerCase())
    : undefined;
  const product = await findProduct(call, product_id ?? id);
  if (!product || product.variants.length === 0) throw unrecoverable('not_found', 'There is no such product.');
  const variants = product.variants.map((variant) => ({ variant, options: selectedOptions(product, variant) }));
  const named = product_id && variants.find(({ variant }) => variant.id === id.toLowerCase());
  const wished = named ? named.options : known(selected, variants);
  const { effective, fitting } = relaxed(wished, preferences, variants);
  const featured = fitting.find(({ variant }) => variant.available) ?? fitting[0] ?? variants[0];
  const rest = fitting.filter(
    (one) => one !== featured && isWithin(cents(one.variant.price, product.currency), filters),
  );
  const whole = productOf(product);
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

/** Of what was selected, what the product has. */
function known(selected: Selection[], variants: Candidate[]): Selection[] {
  return selected
    .filter((one) => variants.some(({ options }) => matches(options, [one])))
    .map(({ name, label }) => ({ name, label }));
}

/** Drops selections until a variant fits: first those that the agent would rather do without. */
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
