import { buy, fillCart, type Shopper } from '../flows.ts';
import { goodsOf, NOUNS } from './goods.ts';
import type { Unit } from './play.ts';
import type { Cache } from './shop.ts';

/** A kind of work to measure, with its limit (`must`). */
export interface Row {
  title: string;
  /** Whether the commerce server caches responses about the catalogue. */
  cache: Cache;
  /** The work of the bare server; absent if it is not measured. */
  bare?: Unit;
  ours: Unit;
  /** Seconds of warm-up, if the default is too short. */
  warmUp?: number;
  /** Whether twenty orders a second are placed in the shop during the measurement. */
  selling?: true;
  /** The number of turns before the measurement, which fill the cache. */
  warm?: number;
  /**
   * The bare server's CPU milliseconds on the machine for which the limits were set. On other machines, the limits
   * apply as multiples of this figure.
   */
  bareThen?: number;
  must: { cpu: number; round_trips?: number };
}

export const PRODUCTS = 2_000;
const STOREFRONT = '/api/storefront';

/** The measured rows by name, for a shop with `products` products. */
export function rowsOf(products: number): Record<string, Row> {
  return { ...readsOf(products), ...PURCHASES };
}

function readsOf(products: number): Record<string, Row> {
  const list = reading([`${STOREFRONT}/products?limit=20`]);
  const slugs = Array.from({ length: products }, (_, i) => goodsOf(i).slug);
  const slug = reading(slugs.map((one) => `${STOREFRONT}/products/${one}`));
  const bareSlug = reading(slugs.map((one) => `/products/${one}`));
  return {
    list: {
      title: 'list of 20 with variants, no cache',
      cache: 'off',
      bare: reading(['/products?limit=20']),
      ours: list,
      bareThen: 0.9,
      must: { cpu: 2.0 },
    },
    'list-selling': {
      title: 'the same from the cache, while the shop takes 20 orders/s',
      cache: 'on',
      ours: list,
      selling: true,
      must: { cpu: 0.7 },
    },
    'slug-cached': {
      title: 'product by slug, from the cache',
      cache: 'on',
      bare: bareSlug,
      ours: slug,
      warm: products,
      bareThen: 0.25,
      must: { cpu: 0.35 },
    },
    slug: {
      title: 'product by slug, no cache',
      cache: 'off',
      bare: bareSlug,
      ours: slug,
      bareThen: 0.25,
      must: { cpu: 0.6 },
    },
    search: {
      title: 'search, 20 hits, 40 words, no cache',
      cache: 'off',
      bare: reading(NOUNS.map((noun) => `/search?q=${noun}`)),
      ours: reading(NOUNS.map((noun) => `${STOREFRONT}/products?limit=20&q=${noun}`)),
      bareThen: 0.8,
      must: { cpu: 2.5 },
    },
  };
}

const PURCHASES: Record<string, Row> = {
  cart: {
    title: 'cart and a line (2 calls)',
    cache: 'on',
    bare: fillBareCart,
    ours: fillCart,
    warmUp: 30,
    bareThen: 0.8,
    must: { cpu: 2.0, round_trips: 8 },
  },
  order: {
    title: 'whole order (5 calls)',
    cache: 'on',
    bare: buyBare,
    ours: buy,
    warmUp: 45,
    bareThen: 2.4,
    must: { cpu: 11, round_trips: 25 },
  },
};

/** Returns a unit of work that reads these paths in turn. */
function reading(paths: string[]): Unit {
  return ({ read }, turn) => read(paths[turn % paths.length] ?? '');
}

async function fillBareCart({ call, variant_id }: Shopper): Promise<string> {
  const { id } = await call('POST', '/carts');
  await call('POST', `/carts/${id}/items`, { variant_id: variant_id(), quantity: 2 });
  return id;
}

async function buyBare(shopper: Shopper): Promise<unknown> {
  const id = await fillBareCart(shopper);
  await shopper.call('POST', `/carts/${id}`, {
    email: 'june@example.com',
    address: {
      first_name: 'June',
      last_name: 'Okafor',
      address1: 'Lindenallee 7',
      city: 'Berlin',
      postal_code: '10115',
      country: 'DE',
    },
  });
  return shopper.call('POST', `/carts/${id}/complete`);
}
