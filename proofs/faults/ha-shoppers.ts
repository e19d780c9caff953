import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

interface Shop {
  site_id: string;
  storefront_token: string;
}

/** An order that the shop confirmed. */
export interface Confirmed {
  checkout_id: string;
  order_number: string;
  at: number;
}

const ADDRESS = {
  ...{ first_name: 'June', last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin' },
  ...{ postal_code: '10115', country: 'DE' },
};
/** A shopper gives up on a call after this many milliseconds. */
const PATIENCE_MS = 120_000;

/**
 * Shoppers who order one after another. Each call is retried with the same Idempotency-Key until it has a final
 * response.
 */
export class Shoppers {
  readonly confirmed: Confirmed[] = [];
  /** Responses that no fault explains. */
  readonly unexpected: string[] = [];
  readonly #baseUrl: string;
  readonly #headers: Record<string, string>;
  readonly #mayLose: boolean;
  #running: Promise<void>[] = [];
  #stopped = false;

  /** With `mayLose`, a cart or a checkout may be missing after a failover. */
  constructor(baseUrl: string, { site_id, storefront_token }: Shop, { mayLose = false } = {}) {
    this.#baseUrl = baseUrl;
    this.#mayLose = mayLose;
    this.#headers = { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token, 'Content-Type': 'application/json' };
  }

  start(count: number): void {
    this.#stopped = false;
    this.#running = Array.from({ length: count }, () => this.#shop());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  /** Returns the longest time without a confirmed order from `from` until now, in seconds. */
  pauseSince(from: number): number {
    const orders = this.confirmed.map(({ at }) => at).filter((at) => at >= from);
    const times = [from, ...orders.sort((a, b) => a - b), Date.now()];
    return Math.max(...times.slice(1).map((at, i) => at - (times[i] ?? at)), 0) / 1000;
  }

  /** Makes a call without retries. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#baseUrl}${path}`, { ...init, headers: { ...this.#headers, ...init.headers } });
  }

  async #shop(): Promise<void> {
    const listed = await this.#call('GET', '/api/storefront/products/mug');
    const variant_id = (listed.variants as { id: string }[])[0]?.id;
    while (!this.#stopped) {
      try {
        await this.#order(variant_id ?? '');
      } catch (error) {
        if (!(error instanceof Lost)) this.unexpected.push(String(error));
      }
    }
  }

  async #order(variant_id: string): Promise<void> {
    const cart = await this.#call('POST', '/api/storefront/cart');
    await this.#call('POST', `/api/storefront/cart/${cart.id}/items`, { variant_id, quantity: 1 });
    const options = (await this.#call('GET', `/api/storefront/cart/${cart.id}/shipping-options?country=DE`)) as {
      shipping_options?: { id: string }[];
    };
    const checkout = await this.#call('POST', '/api/storefront/checkout', { cart_id: cart.id });
    const body = {
      email: 'june@example.com',
      shipping_address: ADDRESS,
      payment_method: 'bank_transfer',
      shipping_option_id: options.shipping_options?.[0]?.id,
    };
    await this.#call('PATCH', `/api/storefront/checkout/${checkout.id}`, body);
    const { order } = (await this.#call('POST', `/api/storefront/checkout/${checkout.id}/complete`, {})) as {
      order?: { order_number: string };
    };
    this.confirmed.push({ checkout_id: String(checkout.id), order_number: order?.order_number ?? '', at: Date.now() });
  }

  async #call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const key = randomUUID();
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(200)) {
      const answer = await this.fetch(path, {
        method,
        headers: method === 'GET' ? {} : { 'Idempotency-Key': key },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(15_000),
      }).catch(() => undefined);
      if (answer?.ok) return (await answer.json()) as Record<string, unknown>;
      if (answer?.status === 404 && this.#mayLose) throw new Lost();
      const retried = !answer || answer.status >= 500 || answer.status === 429 || answer.status === 409;
      if (!retried) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      if (Date.now() > until) throw new Error(`${method} ${path}: no final response in ${PATIENCE_MS / 1000} s`);
    }
  }
}

class Lost extends Error {}
