import { setTimeout as sleep } from 'node:timers/promises';
import { buy, Refused, type Shopper } from '../flows.ts';
import { median, percentile } from '../load.ts';
import { cpuOf } from './cpu.ts';

/** A unit of work to measure, done by one shopper. `turn` is a different number each time. */
export type Unit = (shopper: Shopper, turn: number) => Promise<unknown>;

type Leaving = Shopper & { leave(): void };

/** The shoppers, and the processes whose CPU time is counted. */
export interface Target {
  shoppers: Leaving[];
  server: number;
  postmaster: number;
}

/** The cost of a unit. CPU time and durations are in milliseconds. */
export interface Cost {
  server: number;
  postgres: number;
  cpu: number;
  perSecond: number;
  p50: number;
  p99: number;
  /** Orders per second that other shoppers placed during the measurement. */
  orders: number;
  /** Orders that the server rejected because it was too busy. */
  refused: number;
}

let turns = 0;

/**
 * Plays units for this many seconds. All shoppers work without pause, each on one unit at a time; units in progress are
 * finished and counted.
 */
export async function play(unit: Unit, { shoppers, server, postmaster }: Target, seconds: number): Promise<Cost> {
  const durations: number[] = [];
  const before = { server: cpuOf(server), postgres: cpuOf(postmaster) };
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(
    shoppers.map(async (shopper) => {
      while (performance.now() < until) {
        const started = performance.now();
        turns += 1;
        await unit(shopper, turns);
        durations.push(performance.now() - started);
      }
    }),
  );
  const elapsed = performance.now() - began;
  // Closes the connections, because the server could otherwise close an idle one at the start of the next turn.
  for (const shopper of shoppers) shopper.leave();
  const each = {
    server: (cpuOf(server) - before.server) / durations.length,
    postgres: (cpuOf(postmaster) - before.postgres) / durations.length,
  };
  return {
    ...each,
    cpu: each.server + each.postgres,
    perSecond: durations.length / (elapsed / 1000),
    p50: percentile(durations, 0.5),
    p99: percentile(durations, 0.99),
    orders: 0,
    refused: 0,
  };
}

export interface Rounds<Name extends string> {
  costs: Record<Name, Cost>;
  /**
   * Returns the median, over the rounds, of the cost of `of` divided by the cost of `to` in the same round. Other load
   * on the machine affects both costs of a round.
   */
  ratio(of: Name, to: Name, field: keyof Cost): number;
  /** Returns the quotients of all rounds in ascending order. */
  ratios(of: Name, to: Name, field: keyof Cost): number[];
}

export interface Load {
  /** The seconds for which each target plays, in all rounds together. */
  seconds: number;
  rounds: number;
  /** Seconds of warm-up; by default WARM_UP_SECONDS. */
  warmUp?: number | undefined;
}

/**
 * Runs the players in turn (a, b, a, b …), so that other load on the machine affects all of them. The first turn of
 * each is a warm-up.
 */
export async function interleave<Name extends string>(
  players: Record<Name, (seconds: number) => Promise<Cost>>,
  { seconds, rounds, warmUp = WARM_UP_SECONDS }: Load,
): Promise<Rounds<Name>> {
  const names = Object.keys(players) as Name[];
  const played = Object.fromEntries(names.map((name) => [name, [] as Cost[]])) as Record<Name, Cost[]>;
  for (let count = 0; count <= rounds; count += 1) {
    for (const name of names) {
      const cost = await players[name](count === 0 ? warmUp : seconds / rounds);
      if (count > 0) played[name].push(cost);
    }
  }
  const ratios = (of: Name, to: Name, field: keyof Cost) =>
    played[of].map((cost, round) => cost[field] / (played[to][round]?.[field] ?? Number.NaN)).toSorted((a, b) => a - b);
  return {
    costs: Object.fromEntries(names.map((name) => [name, medianOf(played[name])])) as Record<Name, Cost>,
    ratio: (of, to, field) => median(ratios(of, to, field)),
    ratios,
  };
}

/**
 * The warm-up in seconds. During the warm-up, a request costs up to twice as much: Node compiles code after some
 * thousand calls, and PostgreSQL plans a statement again the first five times on each connection.
 */
const WARM_UP_SECONDS = 15;

function medianOf(costs: Cost[]): Cost {
  const of = (field: keyof Cost) => median(costs.map((cost) => cost[field]));
  return {
    server: of('server'),
    postgres: of('postgres'),
    cpu: of('cpu'),
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    orders: of('orders'),
    refused: costs.reduce((sum, { refused }) => sum + refused, 0),
  };
}

const ORDERS_PER_SECOND = 20;

/**
 * Measures a unit while other shoppers buy in the same shop at a fixed rate. These purchases are first measured without
 * the unit, and their cost is then subtracted.
 */
export async function playBesideOrders(
  unit: Unit,
  target: Target,
  openShopper: () => Leaving,
  seconds: number,
): Promise<Cost> {
  const spent = () => ({ server: cpuOf(target.server), postgres: cpuOf(target.postmaster) });
  const alone = spent();
  const { placed } = await sell(openShopper, sleep(seconds * 1000));
  const before = spent();
  let units = 0;
  const counted: Unit = async (shopper, turn) => {
    await unit(shopper, turn);
    units += 1;
  };
  const playing = play(counted, target, seconds);
  const sold = await sell(openShopper, playing);
  const after = spent();
  const cost = (of: 'server' | 'postgres') =>
    (after[of] - before[of] - (sold.placed * (before[of] - alone[of])) / placed) / units;
  const [server, postgres] = [cost('server'), cost('postgres')];
  return {
    ...(await playing),
    server,
    postgres,
    cpu: server + postgres,
    orders: sold.placed / sold.seconds,
    refused: sold.refused,
  };
}

/** Buys at a fixed rate until `over` resolves, and waits until all purchases are complete. */
async function sell(openShopper: () => Leaving, over: Promise<unknown>) {
  const began = performance.now();
  const shoppers = new Set<Leaving>();
  const idle: Leaving[] = [];
  const bought: Promise<boolean>[] = [];
  const purchase = async () => {
    const shopper = idle.pop() ?? openShopper();
    shoppers.add(shopper);
    try {
      await buy(shopper);
      return true;
    } catch (error) {
      if (error instanceof Refused && error.status === 503) return false;
      throw error;
    } finally {
      idle.push(shopper);
    }
  };
  const timer = setInterval(() => bought.push(purchase()), 1000 / ORDERS_PER_SECOND);
  await over.finally(() => clearInterval(timer));
  const seconds = (performance.now() - began) / 1000;
  const placed = (await Promise.all(bought)).filter(Boolean).length;
  for (const shopper of shoppers) shopper.leave();
  return { seconds, placed, refused: bought.length - placed };
}
