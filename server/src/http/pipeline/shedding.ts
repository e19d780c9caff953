/**
 * Load shedding. Searches and integrations are rejected first, because they can wait, then everything except checkouts.
 * Checkouts wait for a connection as long as the pool allows (see openPool).
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Pool } from 'pg';
import { overloaded } from '../../shop/errors.ts';
import type { Operation } from '../contract/contract.ts';

/** The load relative to its limits: at 1, a limit is reached. */
export type Load = () => number;

const MAX_DELAY_MS = 250;
const MAX_WAITING_PER_CONNECTION = 5;
/** Long enough that a single garbage collection pause affects less than 1 % of the samples. */
const WINDOW_MS = 5_000;

/**
 * Measures the load as the higher of two values: the event loop's delay (99th percentile) and the number of requests
 * that wait for a connection. Starts with the first request, because starting the server blocks the event loop longer
 * than any load.
 */
export function measureLoad(db: Pool, window_ms = WINDOW_MS): Load {
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

/** Throws `unavailable` if the operation must be rejected at this load. */
export function shed(load: number, operation: Operation, query: Record<string, unknown>): void {
  if (load < 1 || isCheckout(operation)) return;
  if (load < SEVERE && !canWait(operation, query)) return;
  throw overloaded('The server is busy. Retry later.', LONGEST_RETRY_SECONDS);
}

function isCheckout({ path, rateLimit }: Operation): boolean {
  return path.startsWith('/api/storefront/checkout') || rateLimit === 'agent_buy';
}

function canWait({ id, surface, rateLimit }: Operation, query: Record<string, unknown>): boolean {
  const searches = rateLimit === 'agent_find' || id === 'agent.searchCatalog' || 'q' in query;
  return surface === 'sync' || searches;
}
