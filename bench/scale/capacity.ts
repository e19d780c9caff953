import { table, whole } from '../report.ts';
import type { Measured } from './measure.ts';
import { SMALL } from './sizes.ts';

/**
 * The assumed (not measured) number of times that a shop does each kind of work in a day. Half of the lists come from
 * the cache.
 */
const DAY: Record<string, number> = {
  'list of 20, no cache': 200,
  'list of 20, from the cache': 200,
  'product by slug, no cache': 500,
  'search, 20 hits, no cache': 100,
  'cart and a line (2 calls)': 20,
  'whole order (5 calls)': 5,
  'product sync, first page of 100': 24,
  'dashboard: products, 20': 20,
  'dashboard: orders, 20': 20,
  'dashboard: customers, 20': 20,
  'agent: find, five candidates, no cache': 20,
};
const PRODUCTS_PER_SHOP = 500;
/** The load in the busiest hour, as a multiple of the mean load. */
const PEAK = 3;
/** The share of a core that may be used in the busiest hour. */
const USE = 0.6;
const MS_PER_DAY = 86_400_000;
const SHOPS = [2_000, 10_000, 100_000];

/** Calculates the cores and the disk that many shops need, from the measurement with the most products. */
export function capacity(measured: Measured[], bytesPerProduct: number): string[] {
  const most = Math.max(...measured.map(({ products }) => products));
  const last = measured.filter(({ products, shop }) => products === most && shop === SMALL);
  const perDay = (of: 'server' | 'postgres') =>
    last.reduce((sum, { work, cost }) => sum + (DAY[work.title] ?? 0) * cost[of], 0);
  const [server, postgres] = [perDay('server'), perDay('postgres')];
  const units = Object.values(DAY).reduce((sum, times) => sum + times, 0);
  const cores = (ms: number, shops: number) => ((ms * shops * PEAK) / MS_PER_DAY / USE).toFixed(1);
  const rows = SHOPS.map((shops) => [
    ...[whole(shops), ((units * shops * PEAK * 1000) / MS_PER_DAY).toFixed(0)],
    ...[(((DAY['whole order (5 calls)'] ?? 0) * shops * PEAK * 1000) / MS_PER_DAY).toFixed(1)],
    ...[cores(server, shops), cores(postgres, shops)],
    whole((bytesPerProduct * PRODUCTS_PER_SHOP * shops) / 2 ** 30),
  ]);
  return [
    `A shop of ${PRODUCTS_PER_SHOP} products whose day is ${dayInWords()} takes ${whole(server)} ms of the servers' CPU`,
    `and ${whole(postgres)} ms of PostgreSQL's in a day, at the costs with ${whole(most)} products in the database. So many shops, in an`,
    `hour that is ${PEAK} times as busy as the mean, with ${USE * 100} % of each core in use:`,
    '',
    ...table(['Shops', 'units/s', 'orders/s', 'cores for servers', 'cores for PostgreSQL', 'GB on disk'], rows),
  ];
}

function dayInWords(): string {
  return Object.entries(DAY)
    .map(([title, times]) => `${times} × ${title.replace(/ \(.*\)/, '')}`)
    .join('; ');
}
