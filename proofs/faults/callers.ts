import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { openTenant } from '../testing/site.ts';

export interface CallResult {
  what: string;
  begun: number;
  ended: number;
  /** The status of the response; 0 if there was none. */
  status: number;
  /** The error code of the response, or the reason why there was none. */
  error: string;
}

type Call = { path: string; headers: Record<string, string>; body?: object | (() => object) };

/** The kinds of calls that are made by default. */
const KINDS = ['list', 'cart', 'product', 'orders', 'login', 'search'];
const LARGE = () => ({ name: 'Bowl', price: '1.00', description: randomBytes(6_000).toString('base64') });
const PATIENCE_MS = 30_000;
const PAUSE_MS = 20;

/**
 * Makes reads and writes in a shop without retries, and records every response. Each caller waits 20 ms between its
 * calls.
 */
export class Callers {
  readonly results: CallResult[] = [];
  readonly #baseUrl: string;
  readonly #calls: Record<string, Call>;
  #going = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(baseUrl: string, { site_id, storefront_token, api_key, staff }: Awaited<ReturnType<typeof openTenant>>) {
    const shopper = { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token };
    const clerk = { 'X-API-Key': api_key };
    this.#baseUrl = baseUrl;
    this.#calls = {
      list: { path: '/api/storefront/products', headers: shopper },
      cart: { path: '/api/storefront/cart', headers: shopper, body: {} },
      product: { path: '/api/dashboard/products', headers: clerk, body: { name: 'Mug', price: '1.00' } },
      orders: { path: '/api/dashboard/orders', headers: clerk },
      login: { path: '/api/dashboard/auth/login', headers: {}, body: staff },
      // The description is random data, so that it cannot be compressed and fills the disk.
      large: { path: '/api/dashboard/products', headers: clerk, body: LARGE },
      search: { path: '/api/storefront/products?q=mug', headers: shopper },
    };
  }

  /** Starts this many callers, each of which makes all kinds of calls in turn. */
  begin(count: number, kinds = KINDS): void {
    this.results.length = 0;
    this.#going = true;
    this.#work = Promise.all(Array.from({ length: count }, (_, i) => this.#callOn(kinds, i)));
  }

  async rest(): Promise<void> {
    this.#going = false;
    await this.#work;
  }

  /** Waits until a call was rejected because the disk is full. Returns whether that happened in time. */
  seeFullDisk(): Promise<boolean> {
    return seen(() => this.results.some(({ error }) => error === 'storage_full'));
  }

  /** Waits until a write that began after this time has succeeded. Returns it, or undefined after a minute. */
  async servedAgain(since: number): Promise<CallResult | undefined> {
    const find = () => this.results.findLast(({ status, begun }) => status === 201 && begun > since);
    await seen(() => find() !== undefined);
    return find();
  }

  async #callOn(kinds: string[], turn: number): Promise<void> {
    for (let count = turn; this.#going; count += 1) {
      await this.call(kinds[count % kinds.length] ?? '');
      await sleep(PAUSE_MS);
    }
  }

  async call(what: string): Promise<CallResult> {
    const call = this.#calls[what];
    if (!call) throw new Error(`There is no call ${what}.`);
    const { path, headers, body } = call;
    const init = body
      ? {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() },
          body: JSON.stringify(typeof body === 'function' ? body() : body),
        }
      : { headers };
    const entry = { what, begun: performance.now(), ended: 0, status: 0, error: '' };
    try {
      const answer = await fetch(this.#baseUrl + path, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
      const text = await answer.text();
      Object.assign(entry, { status: answer.status, error: answer.ok ? '' : JSON.parse(text).error });
    } catch (error) {
      entry.error = String(error);
    }
    entry.ended = performance.now();
    this.results.push(entry);
    return entry;
  }
}

const SEEN_WITHIN_MS = 60_000;

async function seen(condition: () => boolean): Promise<boolean> {
  for (const end = Date.now() + SEEN_WITHIN_MS; Date.now() < end && !condition(); ) await sleep(20);
  return condition();
}
