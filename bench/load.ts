import autocannon from 'autocannon';

/** The request that is sent repeatedly. */
export interface Target {
  url: string;
  headers?: Record<string, string>;
  /** Paths to request in turn, instead of the path in `url`. */
  paths?: string[];
  /** The body of each request, which is sent by POST. Without a body, requests are GET. */
  body?: string;
}

export interface Load {
  /** Seconds of load in each round. */
  seconds: number;
  rounds: number;
  connections: number;
}

export interface Rate {
  /** The number of responses per second. */
  requests: number;
  /** The response time in milliseconds that half of the requests do not exceed. */
  p50: number;
  p99: number;
}

/**
 * Closes a connection after this many requests. The server would announce the end of the connection after 1,000
 * requests, but autocannon ignores that.
 */
const RECONNECT_AFTER = 900;

/**
 * Plays one round of load. Throws if a request got no response or a status other than 2xx, because such a round cannot
 * be compared.
 */
export async function round(
  { url, headers, paths, body }: Target,
  seconds: number,
  connections: number,
): Promise<Rate> {
  const sent = body === undefined ? {} : { method: 'POST' as const, body };
  const requests = paths?.map((path) => ({ path, ...sent }));
  const result = await autocannon({
    url,
    headers,
    requests,
    duration: seconds,
    connections,
    reconnectRate: RECONNECT_AFTER,
  });
  if (result.errors > 0 || result.non2xx > 0) {
    throw new Error(`${url}: ${result.non2xx} answers beyond 2xx, ${result.errors} errors in ${result.requests.sent}.`);
  }
  return { requests: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

/** Measures the servers in turn under this load. Returns their median rates. */
export async function alternate<Name extends string>(
  targets: Record<Name, Target>,
  load: Load,
): Promise<Record<Name, Rate>> {
  return mediansOf(await roundsOf(turnsOf(targets, load), load));
}

/** A measurement of this many seconds. */
export type Round = (seconds: number) => Promise<Rate>;

export function turnsOf<Name extends string>(
  targets: Record<Name, Target>,
  { connections }: Load,
): Record<Name, Round> {
  const turns = Object.entries<Target>(targets).map(([name, target]) => [
    name,
    (seconds: number) => round(target, seconds, connections),
  ]);
  return Object.fromEntries(turns) as Record<Name, Round>;
}

/**
 * Returns the rates of measurements that are taken in turn (a, b, a, b …), so that other load on the machine affects
 * all of them. The first round of each is a warm-up, and its rate is discarded.
 */
export async function roundsOf<Name extends string>(
  turns: Record<Name, Round>,
  { seconds, rounds }: Load,
): Promise<Record<Name, Rate[]>> {
  const names = Object.keys(turns) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as Rate[]])) as Record<Name, Rate[]>;
  for (let count = 0; count <= rounds; count += 1) {
    for (const name of names) {
      const rate = await turns[name](count === 0 ? Math.max(2, seconds / 2) : seconds);
      if (count > 0) measured[name].push(rate);
    }
  }
  return measured;
}

/**
 * Returns, for each round, the first rate divided by the second. Both were measured one after the other, so other load
 * affects both.
 */
export function ratiosOf(rates: Rate[], to: Rate[]): number[] {
  return rates.map(({ requests }, i) => requests / (to[i]?.requests ?? Number.NaN));
}

function mediansOf<Name extends string>(rounds: Record<Name, Rate[]>): Record<Name, Rate> {
  const entries = Object.entries<Rate[]>(rounds).map(([name, rates]) => [name, medians(rates)]);
  return Object.fromEntries(entries) as Record<Name, Rate>;
}

export function medians(rates: Rate[]): Rate {
  const of = (field: keyof Rate) => median(rates.map((rate) => rate[field]));
  return { requests: of('requests'), p50: of('p50'), p99: of('p99') };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = low] = sorted.length % 2 ? [sorted[middle]] : [sorted[middle - 1], sorted[middle]];
  return (low + high) / 2;
}

/** Formats response times in milliseconds. */
export function percentiles(times: number[]): Record<'p50' | 'p95' | 'p99', string> {
  const at = (share: number) => percentile(times, share).toFixed(1);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** Returns the value that this share of the values do not exceed. */
export function percentile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
}
