import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { targetOf } from './raw-requests.ts';
import { openTenant } from './site.ts';
import { operationOf } from './tenant.ts';

/** The servers to buy from, and how buyers handle failures. */
export interface Shopping {
  databaseUrl: string;
  servers: string[];
  /**
   * The maximum number of retries with the same key: after no response, after a 5xx, or while the first attempt is
   * still running.
   */
  retries: number;
}

const RETRY_AFTER_MS = [50, 200, 800];
const ATTEMPT_TIMEOUT_MS = 20_000;

/**
 * Buyers browse the catalogue and buy, each time from a random IP address, and staff confirm the payments. Failed
 * purchases are recorded in `failures`.
 */
export class Buyers {
  answers = 0;
  /** The number of responses that needed more than one attempt. */
  repeated = 0;
  orders = 0;
  readonly failures: string[] = [];
  /** The e-mail addresses given at checkout. */
  readonly emails: string[] = [];
  readonly credentials: Awaited<ReturnType<typeof openTenant>>;
  readonly #shopping: Shopping;
  #variant_id = '';
  #resting = false;
  #turns = 0;
  #work: Promise<unknown> = Promise.resolve();

  private constructor(shopping: Shopping, credentials: Awaited<ReturnType<typeof openTenant>>) {
    this.#shopping = shopping;
    this.credentials = credentials;
  }

  /** Opens a new shop with one product. To be called before the first fault. */
  static async open(shopping: Shopping): Promise<Buyers> {
    const buyers = new Buyers(shopping, await openTenant(shopping.databaseUrl));
    await buyers.#call('dashboard.updateSettings', { bank_details: BANK_DETAILS });
    const goods = {
      name: 'Mug',
      price: '14.00',
      status: 'active',
      requires_shipping: false,
      inventory_quantity: STOCK,
    };
    const { variants } = await buyers.#call<{ variants: { id: string }[] }>('dashboard.createProduct', goods);
    buyers.#variant_id = variants[0]?.id ?? '';
    return buyers;
  }

  /** Starts this many buyers, who buy until `rest` is called or 100 purchases have failed. */
  begin(count: number): void {
    this.#work = Promise.all(Array.from({ length: count }, () => this.#buyOn()));
  }

  async rest(): Promise<void> {
    this.#resting = true;
    await this.#work;
  }

  /** Waits for this many more orders, but no longer than `withinMs`. */
  async moreOrders(count: number, withinMs: number): Promise<void> {
    const goal = this.orders + count;
    for (const end = Date.now() + withinMs; this.orders < goal && Date.now() < end; ) await sleep(10);
  }

  async #buyOn(): Promise<void> {
    while (!this.#resting && this.failures.length < FAILURE_LIMIT) {
      await this.#buy().catch((error: Error) => this.failures.push(error.message));
    }
  }

  async #buy(): Promise<void> {
    const from = `198.51.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;
    const ask = <Answer = Answered>(id: string, body?: unknown, path?: Record<string, string>) =>
      this.#call<Answer>(id, body, path, from);
    await ask('storefront.listProducts');
    const { id: cart_id } = await ask('storefront.createCart');
    await ask('storefront.addCartItem', { variant_id: this.#variant_id, quantity: 1 }, { cart_id });
    const { id: checkout_id } = await ask('storefront.createCheckout', { cart_id });
    const email = `${randomUUID()}@example.com`;
    this.emails.push(email);
    const details = { email, payment_method: 'bank_transfer' };
    const { total } = await ask('storefront.updateCheckout', details, { checkout_id });
    const completion = { expected_total: total };
    const { order } = await ask<{ order: Answered }>('storefront.completeCheckout', completion, { checkout_id });
    await ask('dashboard.markOrderPaid', undefined, { order_id: order.id });
    this.orders += 1;
  }

  /** Sends a call, and retries it as often as allowed. Throws unless it succeeds. */
  async #call<Answer = Answered>(
    id: string,
    body?: unknown,
    path: Record<string, string> = {},
    from = '198.51.100.1',
  ): Promise<Answer> {
    const operation = operationOf(id);
    const { api_key, site_id, storefront_token } = this.credentials;
    const headers: Record<string, string> = {
      ...(id.startsWith('dashboard.')
        ? { 'X-API-Key': api_key }
        : { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token }),
      'X-Forwarded-For': from,
      ...(operation.method !== 'get' && { 'Idempotency-Key': randomUUID() }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    const target = targetOf({ operation, path, query: {}, headers });
    const init = { method: operation.method.toUpperCase(), headers, body: JSON.stringify(body) };
    for (let attempt = 0; ; attempt += 1) {
      const { status, text } = await this.#send(target, init);
      // Waits for the Retry-After of the rate limit, and does not count the attempt. Only staff calls reach a rate
      // limit.
      if (status === 429 && id.startsWith('dashboard.')) {
        attempt -= 1;
        await sleep(1_000 * (JSON.parse(text) as { retry_after_seconds: number }).retry_after_seconds);
        continue;
      }
      const again = status === 0 || status >= 500 || (status === 409 && text.includes('idempotency_in_flight'));
      if (again && attempt < this.#shopping.retries) {
        await sleep(RETRY_AFTER_MS[attempt]);
        continue;
      }
      this.answers += 1;
      if (attempt > 0) this.repeated += 1;
      if (status !== operation.status) throw new Error(`${id}: ${status} ${text}`);
      return JSON.parse(text) as Answer;
    }
  }

  async #send(target: string, init: RequestInit): Promise<{ status: number; text: string }> {
    const { servers } = this.#shopping;
    this.#turns += 1;
    try {
      const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
      const answer = await fetch(`${servers[this.#turns % servers.length]}${target}`, { ...init, signal });
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      return { status: 0, text: String((error as Error).cause ?? error) };
    }
  }
}

type Answered = Record<'id' | 'total', string>;

const BANK_DETAILS = { account_holder: 'Alder & Finch', iban: 'DE89370400440532013000' };
const STOCK = 1_000_000;
const FAILURE_LIMIT = 100;
