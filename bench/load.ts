import autocannon from 'autocannon';

/** What a server is asked for, again and again. */
export interface Target {
  url: string;
  headers?: Record<string, string>;
  /** Asked for in turn, in place of the URL's own path. */
  paths?: string[];
  /** Sent by POST with each request; without one they are GET. */
  body?: string;
}

export interface Load {
  /** Seconds of load in each round. */
  seconds: number;
  rounds: number;
  connections: number;
}

export interface Rate {
  /** Answers per second. */
  requests: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/** The server closes a connection after 1,000 requests, and says so; autocannon does not listen, so it is told. */
const RECONNECT_AFTER = 900;

/** One round of load. Throws when an answer was not of 2xx, or none came: such a round measures something else. */
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

/** The median rates of servers under this load. */
export function alternate<Name extends string>(targets: Record<Name, Target>, load: Load): Promise<Record<Name, Rate>> {
  const entries = Object.entries<Target>(targets) as [Name, Target][];
  const rounds = entries.map(([name, target]) => [name, (seconds: number) => round(target, seconds, load.connections)]);
  return takeTurns(Object.fromEntries(rounds) as Record<Name, Round>, load);
}

/** Measures for so many seconds. */
export type Round = (seconds: number) => Promise<Rate>;

/**
 * The median rates of what is measured in turn (a, b, a, b …), so that whatever else the machine does falls on all of them.
 * The first round of each is a warm-up and does not count.
 */
export async function takeTurns<Name extends string>(
  turns: Record<Name, Round>,
  { seconds, rounds }: Load,
): Promise<Record<Name, Rate>> {
  const names = Object.keys(turns) as Name[];
  const measured = new Map<Name, Rate[]>(names.map((name) => [name, []]));
  for (let count = 0; count <= rounds; count += 1) {
    for (const name of names) {
      const rate = await turns[name](count === 0 ? Math.max(2, seconds / 2) : seconds);
      if (count > 0) measured.get(name)?.push(rate);
    }
  }
  return Object.fromEntries(names.map((name) => [name, medians(measured.get(name) ?? [])])) as Record<Name, Rate>;
}

function medians(rates: Rate[]): Rate {
  const of = (field: keyof Rate) => median(rates.map((rate) => rate[field]));
  return { requests: of('requests'), p50: of('p50'), p99: of('p99') };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = low] = sorted.length % 2 ? [sorted[middle]] : [sorted[middle - 1], sorted[middle]];
  return (low + high) / 2;
}
