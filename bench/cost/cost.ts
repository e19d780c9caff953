import { report } from '../report.ts';
import { type Bare, bareTarget, closeBare, openBare } from './bare-server.ts';
import { type Cost, interleave, play, playBesideOrders, type Target } from './play.ts';
import { PRODUCTS, type Row, rowsOf } from './rows.ts';
import {
  type Commerce,
  closeCommerce,
  countSent,
  openCommerce,
  type Sent,
  serverOf,
  shopper,
  targetOf,
} from './shop.ts';
import { compareShops, type Shops } from './shops.ts';
import { compareStarts, type Starts } from './starts.ts';
import { pace, tables } from './table.ts';

export interface CostOptions {
  /** The rows to measure, of `NAMES`; all when absent. */
  only?: string[];
  /** The seconds of load for each server in each row, over all rounds. */
  seconds: number;
  /** The number of products in the shop; `PRODUCTS` by default. */
  products?: number;
}

export interface Measured {
  row: Row;
  bare?: Cost;
  now: Cost;
  /** The CPU time, as a multiple of the bare server's CPU time. */
  multiple?: number;
  sent: Sent;
}

export const CLIENTS = 32;
export const ROUNDS = 5;
const NAMES = [...Object.keys(rowsOf(0)), 'shops', 'start'];

/** Returns the names of the requested rows, by default all. Throws for an unknown name. */
export function namesIn(only = NAMES): string[] {
  const wrong = only.find((name) => !NAMES.includes(name));
  if (wrong !== undefined) throw new Error(`There is no row ${wrong}; there are ${NAMES.join(', ')}.`);
  return only;
}

/** Measures the CPU time of each unit of work, for our server and for a minimal ("bare") server on the same stack. */
export async function cost({ only, seconds, products = PRODUCTS }: CostOptions): Promise<void> {
  const chosen = namesIn(only);
  const bare = await openBare(products);
  const commerce = await openCommerce(products);
  try {
    // Starts are measured first, because later a server in the default role would also run the jobs of the orders from
    // the other rows.
    const starts: Starts | undefined = chosen.includes('start') ? await compareStarts(commerce, bare) : undefined;
    const measured: Measured[] = [];
    for (const [name, row] of Object.entries(rowsOf(products))) {
      if (!chosen.includes(name)) continue;
      process.stderr.write(`  ${row.title}\n`);
      measured.push(await measure(row, { bare, commerce }, seconds));
    }
    const load = { seconds, rounds: ROUNDS };
    const shops: Shops | undefined = chosen.includes('shops')
      ? await compareShops(commerce, products, CLIENTS, load)
      : undefined;
    const lines = [pace(CLIENTS, seconds, ROUNDS), '', ...tables(measured, shops, starts)];
    await report('cost', commerce.database.version, lines, {
      part: chosen.length < NAMES.length || products < PRODUCTS,
    });
  } finally {
    await closeCommerce(commerce);
    await closeBare(bare);
  }
}

async function measure(row: Row, { bare, commerce }: Servers, seconds: number): Promise<Measured> {
  const load = { seconds, rounds: ROUNDS, warmUp: row.warmUp };
  const now = await playerOf(row, commerce, await targetOf(commerce, row.cache, CLIENTS));
  const sent = () => countSent(commerce, row.cache, row.ours);
  const { bare: unit } = row;
  if (!unit) return { row, ...(await interleave({ now }, load)).costs, sent: await sent() };
  const target = bareTarget(bare, CLIENTS);
  const { costs, ratio } = await interleave({ bare: (length: number) => play(unit, target, length), now }, load);
  return { row, ...costs, multiple: ratio('now', 'bare', 'cpu'), sent: await sent() };
}

interface Servers {
  bare: Bare;
  commerce: Commerce;
}

/** Fills the caches of a commerce server, and returns a function that plays the row there. */
export async function playerOf(
  row: Row,
  commerce: Commerce,
  target: Target,
): Promise<(seconds: number) => Promise<Cost>> {
  const [first] = target.shoppers;
  for (let turn = 0; first && turn < (row.warm ?? 0); turn += 1) await row.ours(first, turn);
  first?.leave();
  if (!row.selling) return (seconds) => play(row.ours, target, seconds);
  const server = await serverOf(commerce, row.cache);
  return (seconds) => playBesideOrders(row.ours, target, () => shopper(server, commerce.shop), seconds);
}
