/** The catalogue that shoppers see. */

import type { CollectionListItem, Facets, ProductPage } from '@commerce-backend/spec';
import type { Call, Handler, Handlers } from './call.ts';
import { attributesOf, meetsFilters, nameOf } from './filters.ts';
import { decimal, minorUnits } from './money.ts';
import { imageOf, isAvailable, isInCategories, priceOf, productView, visibleProducts } from './products.ts';
import { notFound } from './refusal.ts';
import { matchOf, wishOf } from './search.ts';
import type { State, StoredCollection, StoredProduct } from './state.ts';

export interface Page {
  total: number;
  page: number;
  limit: number;
  pages: number;
}

export function paged<Item>(
  items: Item[],
  { page = 1, limit = 20 }: { page?: number | undefined; limit?: number | undefined },
): Page & { items: Item[] } {
  const total = items.length;
  const from = (page - 1) * limit;
  return { items: items.slice(from, from + limit), total, page, limit, pages: Math.ceil(total / limit) };
}

/** The mock shop has no legal texts. */
export const NO_POLICIES = { terms_url: null, privacy_url: null, imprint_url: null, withdrawal_url: null };

export type ListQuery = Call<'storefront.listProducts'>['query'];

/** Products that match all filters, in the requested order. */
export function filtered(state: State, query: ListQuery, categories: string[] = []): StoredProduct[] {
  const { q, sort = q ? 'relevance' : 'newest', in_stock, unavailable } = query;
  const hidden = unavailable === 'hide';
  const found = visibleProducts(state)
    .filter((product) => isInCategories(state, product, categories))
    .filter((product) => hasLabels(product, query) && isInCollection(state, product, query.collection))
    .filter((product) => isPriced(state, product, query) && hasOptions(product, query.option))
    .filter((product) => meetsFilters(state, product, query))
    .filter(({ variants }) => (in_stock ?? variants.some(isAvailable)) === variants.some(isAvailable))
    .filter(({ variants }) => !hidden || variants.some(isAvailable));
  const { words } = wishOf(q ?? '', state);
  const matching = found.filter((product) => matchOf(product, words).matched.length === words.length);
  const sorted = [...matching].sort(orders(words)[sort]);
  if (unavailable !== 'last' && !(q && unavailable === undefined)) return sorted;
  return [
    ...sorted.filter((one) => one.variants.some(isAvailable)),
    ...sorted.filter((one) => !one.variants.some(isAvailable)),
  ];
}

type Order = (a: StoredProduct, b: StoredProduct) => number;

function orders(words: string[]): Record<NonNullable<ListQuery['sort']>, Order> {
  const byId: Order = (a, b) => a.id.localeCompare(b.id);
  const newest: Order = (a, b) => (b.published_at ?? '').localeCompare(a.published_at ?? '') || byId(a, b);
  const price: Order = (a, b) => priceOf(a) - priceOf(b) || byId(a, b);
  const name: Order = (a, b) => (a.input.name < b.input.name ? -1 : a.input.name > b.input.name ? 1 : byId(a, b));
  return {
    ...{ newest, price_asc: price, price_desc: (a, b) => priceOf(b) - priceOf(a) || byId(a, b) },
    ...{ name_asc: name, name_desc: (a, b) => -name(a, b), best_selling: byId },
    relevance: (a, b) => matchOf(b, words).score - matchOf(a, words).score || newest(a, b),
  };
}

function hasLabels({ input }: StoredProduct, { vendor, product_type, tag }: ListQuery): boolean {
  const has = (wanted: string[] | undefined, own: (string | null | undefined)[]) =>
    !wanted || wanted.some((one) => own.some((label) => label?.toLowerCase() === one.toLowerCase()));
  return has(vendor, [input.vendor]) && has(product_type, [input.product_type]) && has(tag, input.tags ?? []);
}

function isInCollection({ collections }: State, product: StoredProduct, handle: string | undefined): boolean {
  return handle === undefined || collections.some((one) => one.handle === handle && one.products.includes(product));
}

function isPriced({ digits }: State, product: StoredProduct, { price_min, price_max }: ListQuery): boolean {
  const price = priceOf(product);
  return (
    (price_min === undefined || price >= minorUnits(price_min, digits)) &&
    (price_max === undefined || price <= minorUnits(price_max, digits))
  );
}

/**
 * Whether the product has, for each option in `wanted`, an available variant with one of the wanted values. `wanted`
 * has pairs like `Colour:Oat`.
 */
function hasOptions({ options, variants }: StoredProduct, wanted: string[] = []): boolean {
  return [...new Set(wanted.map(nameOf))].every((name) => {
    const values = wanted
      .filter((wish) => nameOf(wish) === name)
      .map((wish) => wish.toLowerCase().slice(name.length + 1));
    const option = options.find((one) => one.name.toLowerCase() === name);
    const at = (option?.position ?? 0) - 1;
    return variants.some((one) => values.includes(one.options[at]?.toLowerCase() ?? '') && isAvailable(one));
  });
}

function productPage(state: State, found: StoredProduct[], query: ListQuery): ProductPage {
  const { items, ...page } = paged(found, query);
  return { products: items.map((product) => productView(state, product)), ...page };
}

/** Counts the products for each filter value. A filter does not affect its own counts. */
export function facetsOf(state: State, query: ListQuery): Facets {
  const without = (...names: (keyof ListQuery)[]) =>
    filtered(state, { ...query, ...Object.fromEntries(names.map((name) => [name, undefined])) });
  const priced = without('price_min', 'price_max').map(priceOf);
  const stocked = without('in_stock');
  const sold = stocked.filter(({ variants }) => variants.some(isAvailable)).length;
  return {
    vendors: counted(without('vendor'), ({ input }) => [input.vendor]),
    product_types: counted(without('product_type'), ({ input }) => [input.product_type]),
    tags: counted(without('tag'), ({ input }) => input.tags ?? []),
    options: optionFacets(state, query),
    collections: collectionFacets(state, without('collection')),
    attributes: attributeFacets(state, query),
    price: priced.length
      ? { min: decimal(Math.min(...priced), state.digits), max: decimal(Math.max(...priced), state.digits) }
      : null,
    in_stock: { true: sold, false: stocked.length - sold },
  };
}

function collectionFacets({ collections }: State, found: StoredProduct[]): Facets['collections'] {
  const counts = collections.map(({ handle, title, products }) => {
    return { value: handle, title, count: found.filter((product) => products.includes(product)).length };
  });
  return counts.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
}

function attributeFacets(state: State, query: ListQuery): Facets['attributes'] {
  const names = new Set(state.products.flatMap((product) => attributesOf(product).map(([name]) => name)));
  return [...names].sort().flatMap((name) => {
    const found = filtered(state, { ...query, attribute: query.attribute?.filter((pair) => nameOf(pair) !== name) });
    const values = counted(found, (product) =>
      attributesOf(product).flatMap(([own, all]) => (own === name ? all : [])),
    );
    return values.length > 0 ? [{ name, values }] : [];
  });
}

function optionFacets(state: State, query: ListQuery): Facets['options'] {
  const namesIn = (products: StoredProduct[]) =>
    products.flatMap(({ options }) => options.map(({ name }) => name)).sort();
  const lowered = new Set(namesIn(state.products).map((name) => name.toLowerCase()));
  return [...lowered].flatMap((one) => {
    const found = filtered(state, { ...query, option: query.option?.filter((wish) => nameOf(wish) !== one) });
    const name = namesIn(found).find((own) => own.toLowerCase() === one);
    const values = counted(found, (product) => buyableValues(product, one));
    return name && values.length > 0 ? [{ name, values }] : [];
  });
}

/** The values that the available variants have for an option. `lowered` is the option's name in lower case. */
function buyableValues({ options, variants }: StoredProduct, lowered: string): (string | null)[] {
  const at = options.findIndex(({ name }) => name.toLowerCase() === lowered);
  return [...new Set(variants.filter(isAvailable).map((one) => one.options[at] ?? null))];
}

function counted(found: StoredProduct[], labelsOf: (product: StoredProduct) => (string | null | undefined)[]) {
  const counts = new Map<string, number>();
  for (const label of found.flatMap(labelsOf)) if (label) counts.set(label, (counts.get(label) ?? 0) + 1);
  const values = [...counts].map(([value, count]) => ({ value, count }));
  return values.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

function collectionView({ id, title, description, handle, image_url, products }: StoredCollection): CollectionListItem {
  return { id, title, description, handle, image_url, products_count: products.length };
}

function findCollection({ collections }: State, idOrHandle: string): StoredCollection {
  const found = collections.find(({ id, handle }) => id === idOrHandle || handle === idOrHandle);
  if (!found) throw notFound('collection');
  return found;
}

const suggest: Handler<'storefront.suggest'> = ({ state, query: { q, limit = 5 } }) => {
  const { words } = wishOf(q, state);
  if (words.length === 0) return { products: [], collections: [], terms: [] };
  const named = visibleProducts(state).filter(({ input }) => namesAll(input.name, words));
  const last = words.at(-1) ?? '';
  const texts = named
    .flatMap(({ input }) => input.name.toLowerCase().split(/\s+/))
    .filter((one) => one.startsWith(last));
  return {
    products: named.slice(0, limit).map((product) => {
      const { id, name, slug, price, compare_at_price, currency, in_stock } = productView(state, product);
      const [first] = product.variants;
      return { id, name, slug, price, compare_at_price, currency, image_url: first ? imageOf(first) : null, in_stock };
    }),
    collections: state.collections
      .filter(({ title }) => namesAll(title, words))
      .slice(0, limit)
      .map(({ id, title, handle, image_url }) => ({ id, title, handle, image_url })),
    terms: [...new Set(texts)]
      .map((text) => ({ text, products: texts.filter((one) => one === text).length }))
      .slice(0, limit),
  };
};

function namesAll(name: string, words: string[]): boolean {
  const own = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return words.every((word) => own.some((one) => one.startsWith(word)));
}

export const catalogHandlers: Handlers = {
  'storefront.getShop': ({ state }) => ({
    ...{ site_id: state.site_id, merchant_id: state.merchant_id, name: state.data.name, currency: state.data.currency },
    ...{ currency_digits: state.digits, prices_include_tax: state.data.prices_include_tax },
    ...{ support_email: null, support_phone: null, policies: NO_POLICIES, withdrawal_form_path: null },
  }),
  'storefront.listProducts': ({ state, query }) => {
    const found = filtered(state, query);
    return {
      ...productPage(state, found, query),
      ...(query.facets && { facets: facetsOf(state, query) }),
      ...(query.q !== undefined && { understood: [] }),
    };
  },
  'storefront.getProduct': ({ state, path: { id_or_slug } }) => {
    const found = visibleProducts(state).find(({ id, input }) => id === id_or_slug || input.slug === id_or_slug);
    if (!found) throw notFound('product');
    return productView(state, found, true);
  },
  'storefront.suggest': suggest,
  'storefront.listCollections': ({ state, query }) => {
    const { items, ...page } = paged(state.collections, query);
    return { collections: items.map(collectionView), ...page };
  },
  'storefront.getCollection': ({ state, path }) => collectionView(findCollection(state, path.id_or_handle)),
  'storefront.listCollectionProducts': ({ state, path, query }) => {
    const { handle, products } = findCollection(state, path.id_or_handle);
    const found = filtered(state, { ...query, collection: handle });
    const inOrder = query.sort ? found : products.filter((product) => found.includes(product));
    return productPage(state, inOrder, query);
  },
};
