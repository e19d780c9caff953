import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Pool } from 'pg';
import { overloaded } from '../../shop/errors.ts';
import type { Operation } from '../contract/contract.ts';

/**
 * What is refused when more is asked than the process can do: searches and integrations first, for they can
 * wait; then everything but checkouts. These wait for a connection as long as the pool lets it (see openPool).
 */

/** How far the process is beyond its bounds: 1 is at one of them. */
export type Strain = () => number;

const MAX_DELAY_MS = 250;
const MAX_WAITING_PER_CONNECTION = 5;
/** Long enough for a single pause of the garbage collector to be less than a hundredth of the samples. */
const WINDOW_MS = 5_000;

/**
 * The greater of two: the 99th percentile of the event loop's delay, and how many wait for a connection of the pool. Measured
 * from the first request on, because a start holds the event loop up for longer than any load.
 */
export function measureStrain(db: Pool, window_ms = WINDOW_MS): Strain {
  const histogram = monitorEventLoopDelay();
  let delay = 0;
  setInterval(() => {
    delay = histogram.percentile(99) / 1e6;
    histogram.reset();
  }, window_ms).unref();
  const maxWaiting = MAX_WAITING_PER_CONNECTION * db.options.max;
  return () => {
    histogram.enable();
    return Math.max(delay / MAX_DELAY_MS, db.waitingCount / maxWaiting);
  };
}

const SEVERE = 4;
const LONGEST_RETRY_SECONDS = 3;

/** Throws `unavailable` for what has to give way under the strain. */
export function shed(strain: number, operation: Operation, query: Record<string, unknown>): void {
  if (strain < 1 || isCheckout(operation)) return;
  if (strain < SEVERE && !canWait(operation, query)) return;
  throw overloaded('The server is busy. Try again.', LONGEST_RETRY_SECONDS);
}

function isCheckout({ path, rateLimit }: Operation): boolean {
  return path.startsWith('/api/storefront/checkout') || rateLimit === 'agent_buy';
}

function canWait({ id, surface, rateLimit }: Operation, query: Record<string, unknown>): boolean {
  const searches = rateLimit === 'agent_find' || id === 'agent.searchCatalog' || 'q' in query;
  return surface === 'sync' || searches;
}
