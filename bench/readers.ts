import { setTimeout as sleep } from 'node:timers/promises';
import { createDashboardClient, unwrap } from '@commerce-backend/sdk';
import { percentile } from './load.ts';
import type { Running, Site } from './processes.ts';
import { NOUNS, productOf, slugOf } from './products.ts';

/** Reads per second: about a third of what one process can serve. */
const RATE = 50;

export interface Measured {
  seconds: number;
  requests: number;
  /** The number of requests that were rejected because the server was too busy (503). */
  refused: number;
  p50: number;
  p99: number;
}

/**
 * Sends reads until the promise resolves. Starts each request on time, even if earlier ones have no response yet, so
 * that a slow server gets longer response times, not fewer requests.
 */
export async function readWhile(server: Running, site: Site, products: number, done: Promise<void>): Promise<Measured> {
  const headers = { 'X-Site-ID': site.site_id, 'X-Service-Token': site.storefront_token };
  const taken: number[] = [];
  const under: Promise<void>[] = [];
  let refused = 0;
  let failure: unknown;
  let running = true;
  void done.finally(() => {
    running = false;
  });
  const started = performance.now();
  for (let i = 0; running; i += 1) {
    await sleep(Math.max(0, started + (1_000 * i) / RATE - performance.now()));
    const due = started + (1_000 * i) / RATE;
    under.push(
      fetch(server.url + pathOf(i, products), { headers })
        .then(async (answer) => {
          await answer.arrayBuffer();
          if (answer.status === 503) refused += 1;
          else if (!answer.ok) throw new Error(`${answer.status} for ${pathOf(i, products)}`);
          else taken.push(performance.now() - due);
        })
        .catch((error: unknown) => {
          failure ??= error;
        }),
    );
  }
  await Promise.all(under);
  await done;
  if (failure) throw failure;
  const seconds = (performance.now() - started) / 1_000;
  return { seconds, requests: taken.length, refused, p50: percentile(taken, 0.5), p99: percentile(taken, 0.99) };
}

/** Returns the path of the i-th read: a list, a product and a search that are cached, and three that are not. */
function pathOf(i: number, products: number): string {
  const other = (i * 7_919) % products;
  const paths = [
    '/api/storefront/products?limit=20',
    `/api/storefront/products?limit=20&price_min=${other % 190}.${10 + (i % 90)}`,
    `/api/storefront/products/${slugOf(1)}`,
    `/api/storefront/products/${slugOf(other)}`,
    '/api/storefront/products?limit=20&q=lamp',
    `/api/storefront/products?limit=20&q=${NOUNS[i % NOUNS.length]}%20${other}`,
  ];
  return paths[i % paths.length] ?? '';
}

const IMPORTED_AT_ONCE = 100;

export async function importAll({ url }: Running, { api_key }: Site, count: number): Promise<void> {
  const dashboard = createDashboardClient({ baseUrl: url, apiKey: api_key });
  for (let from = 0; from < count; from += IMPORTED_AT_ONCE) {
    const products = Array.from({ length: Math.min(IMPORTED_AT_ONCE, count - from) }, (_, i) => productOf(from + i));
    await unwrap(dashboard.POST('/api/dashboard/products/import', { body: { products } }));
  }
}
