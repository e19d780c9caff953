import { type Cost, play } from '../cost/play.ts';
import type { Cache } from '../cost/shop.ts';
import type { Running } from '../processes.ts';
import { clientOf, type MeasuredShop } from './shops.ts';
import { WORKS, type Work } from './work.ts';

export interface Servers {
  postmaster: number;
  /** The servers with and without the catalogue cache. */
  of: Record<Cache, Running>;
}

export interface Measured {
  work: Work;
  shop: number;
  /** The number of products in the whole database. */
  products: number;
  cost: Cost;
}

const CLIENTS = 4;
const WARM_UP_SECONDS = 1;

/** Measures the cost of all work in a shop, one kind after the other. */
export async function measure(
  servers: Servers,
  shop: MeasuredShop,
  products: number,
  seconds: number,
): Promise<Measured[]> {
  const playing = (work: Work, length: number) => {
    const server = servers.of[work.cache];
    const shoppers = Array.from({ length: CLIENTS }, () => clientOf(server, shop, work.as));
    return play(work.unit, { shoppers, server: server.process.pid ?? 0, postmaster: servers.postmaster }, length);
  };
  // The warm-up lets Node compile hot code before the first measurement.
  for (const work of WORKS) await playing(work, WARM_UP_SECONDS);
  const measured: Measured[] = [];
  for (const work of WORKS) {
    await playing(work, WARM_UP_SECONDS);
    measured.push({ work, shop: shop.products, products, cost: await playing(work, seconds) });
  }
  return measured;
}
