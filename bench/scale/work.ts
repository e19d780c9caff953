import { NOUNS } from '../cost/goods.ts';
import type { Unit } from '../cost/play.ts';
import type { Cache } from '../cost/shop.ts';
import { buy, fillCart } from '../flows.ts';
import { SMALL } from './sizes.ts';
import { productOf } from './template.ts';

/** The API that the work calls. */
export type Surface = 'storefront' | 'dashboard' | 'sync' | 'agent';

export interface Work {
  title: string;
  as: Surface;
  /** Whether the server caches responses about the catalogue. */
  cache: Cache;
  unit: Unit;
  /** The limit for the CPU time at the most products, as a multiple of the CPU time at the fewest products. */
  bound: number;
}

const BOUND = 1.5;
const SEARCH_BOUND = 2.5;
/** Two hundred products, spread over the products of the small shop. */
const SOME = Array.from({ length: 200 }, (_, i) => productOf(1 + ((i * 7) % SMALL)));

export const WORKS: Work[] = [
  reading('list of 20, no cache', 'storefront', ['/api/storefront/products?limit=20'], { cache: 'off' }),
  reading('list of 20, from the cache', 'storefront', ['/api/storefront/products?limit=20']),
  reading(
    'product by slug, no cache',
    'storefront',
    SOME.map(({ slug }) => `/api/storefront/products/${slug}`),
    { cache: 'off' },
  ),
  reading(
    'search, 20 hits, no cache',
    'storefront',
    NOUNS.map((noun) => `/api/storefront/products?limit=20&q=${noun}`),
    { cache: 'off', bound: SEARCH_BOUND },
  ),
  { title: 'cart and a line (2 calls)', as: 'storefront', cache: 'on', unit: fillCart, bound: BOUND },
  { title: 'whole order (5 calls)', as: 'storefront', cache: 'on', unit: buy, bound: BOUND },
  reading('product sync, first page of 100', 'sync', ['/api/sync/products?limit=100']),
  reading('dashboard: products, 20', 'dashboard', ['/api/dashboard/products?limit=20']),
  reading('dashboard: orders, 20', 'dashboard', ['/api/dashboard/orders?limit=20']),
  reading('dashboard: customers, 20', 'dashboard', ['/api/dashboard/customers?limit=20']),
  {
    title: 'agent: find, five candidates, no cache',
    as: 'agent',
    cache: 'off',
    unit: ({ call }, turn) =>
      call('POST', '/api/agent/intent/find', { query: `a ${NOUNS[turn % NOUNS.length]} under 150 euros` }),
    bound: SEARCH_BOUND,
  },
];

function reading(
  title: string,
  as: Surface,
  paths: string[],
  { cache = 'on', bound = BOUND }: { cache?: Cache; bound?: number } = {},
): Work {
  return { title, as, cache, bound, unit: ({ read }, turn) => read(paths[turn % paths.length] ?? '') };
}
