import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import type { SiteCredentials } from '../../server/src/shop/merchant/sites.ts';
import type { StripeStandIn } from '../../server/test/stripe/stand-in.ts';
import { type Endpoint, sendEvent } from '../../server/test/stripe/webhooks.ts';
import type { Chance } from '../testing/random.ts';
import { openTenant } from '../testing/site.ts';
import { FailingJobs, FailingServer } from './failing-processes.ts';
import type { JobOrder } from './payment-jobs.ts';
import type { StripeBooks } from './stripe-payments.ts';

/** A shop with its own account at the stand-in for Stripe. */
export interface PaidShop {
  credentials: SiteCredentials;
  endpoint: Endpoint;
  books: StripeBooks;
  variant_id: string;
}

export const RETURN_URL = 'https://shop.example/thanks';
const SECRET_KEY = 'kP4vXq7ZtN2mWs9RbY6cHd1LfJ8gTe3U5oAi0KxE';
/**
 * The time for which a client waits for a response: short if the server may hang on purpose, longer if it is only busy.
 */
const CLIENT_TIMEOUT_MS = { failing: 700, sound: 20_000 };

/**
 * A server and a process for its jobs. Both can fail. One of its two shops captures payments immediately, the other
 * authorizes them first.
 */
export class PayingLane {
  readonly server: FailingServer;
  readonly jobs: FailingJobs;
  readonly owner: pg.Pool;
  #timeout = CLIENT_TIMEOUT_MS.sound;

  private constructor(server: FailingServer, jobs: FailingJobs, owner: pg.Pool) {
    this.server = server;
    this.jobs = jobs;
    this.owner = owner;
  }

  static async open(databaseUrl: string, directory: string, standIn: StripeStandIn): Promise<PayingLane> {
    const env = {
      ...{ DATABASE_URL: databaseUrl, DATA_DIR: directory, SECRET_KEY, STRIPE_API_URL: standIn.url },
      ...{ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal', ROLE: 'api' },
    };
    const [server, jobs] = await Promise.all([FailingServer.start(env), FailingJobs.start(env)]);
    return new PayingLane(server, jobs, ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl, max: 2 })));
  }

  async close(): Promise<void> {
    await Promise.all([this.server.close(), this.jobs.close(), this.owner.end()]);
  }

  async openShop(databaseUrl: string, standIn: StripeStandIn, capture: 'automatic' | 'manual'): Promise<PaidShop> {
    const credentials = await openTenant(databaseUrl);
    const { site_id } = credentials;
    const name = `of${site_id.replaceAll('-', '')}`;
    const secret = `whsec_${name}`;
    const shop: PaidShop = {
      credentials,
      endpoint: { url: `/webhooks/stripe/${site_id}`, secret, account: `acct_${name}` },
      books: { owner: this.owner, standIn, site_id },
      variant_id: '',
    };
    const account = { secret_key: `sk_test_${name}`, webhook_secret: secret, capture };
    await this.must(shop, 'PATCH', '/api/dashboard/payment-account', account);
    const allowed_origins = [new URL(RETURN_URL).origin];
    await this.must(shop, 'PATCH', '/api/dashboard/settings', { allowed_origins });
    const product = await this.must<{ variants: { id: string }[] }>(shop, 'POST', '/api/dashboard/products', {
      ...{ name: 'Mug', price: '10.00', status: 'active', requires_shipping: false, inventory_quantity: 5_000 },
    });
    shop.variant_id = product.variants[0]?.id ?? '';
    return shop;
  }

  /** Shortens the timeout of clients, because faults can happen from now on. */
  startFailing(): void {
    this.#timeout = CLIENT_TIMEOUT_MS.failing;
  }

  /** Creates a checkout of 10.00 with payment by card. */
  async givenCheckout(shop: PaidShop): Promise<{ checkout_id: string; page: string }> {
    const { id: cart_id } = await this.must<{ id: string }>(shop, 'POST', '/api/storefront/cart');
    const line = { variant_id: shop.variant_id, quantity: 1 };
    await this.must(shop, 'POST', `/api/storefront/cart/${cart_id}/items`, line);
    const { id: checkout_id, checkout_url } = await this.must<{ id: string; checkout_url: string }>(
      ...([shop, 'POST', '/api/storefront/checkout', { cart_id }] as const),
    );
    const answers = { email: 'june@example.com', payment_method: 'card' };
    await this.must(shop, 'PATCH', `/api/storefront/checkout/${checkout_id}`, answers);
    return { checkout_id, page: new URL(checkout_url).pathname };
  }

  async must<T>(shop: PaidShop, method: string, path: string, body?: object): Promise<T> {
    const key = randomUUID();
    const ask = () => this.send(shop, { method, path, body, key, within: CLIENT_TIMEOUT_MS.sound });
    for (let again = 0; ; again += 1) {
      const response = await ask().catch((error: Error) => error);
      const failed = response instanceof Error;
      if (!failed && response.status < 300) return response.json() as Promise<T>;
      // Retries, because a busy server responds with 503 or may have closed an idle connection.
      if (again < 30 && (failed || response.status === 503)) await pause(1_000);
      else throw new Error(`${method} ${path} of the proof failed: ${failed ? response : await response.text()}`);
    }
  }

  send({ credentials }: PaidShop, call: ApiCall): Promise<Response> {
    const { method, path, body, key, within = this.#timeout } = call;
    const { site_id, storefront_token, api_key } = credentials;
    const own = path.startsWith('/api/dashboard')
      ? { 'X-API-Key': api_key }
      : { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token };
    const headers = { ...own, 'Idempotency-Key': key, ...(body && { 'Content-Type': 'application/json' }) };
    const sent = body ? { body: JSON.stringify(body) } : {};
    const signal = AbortSignal.timeout(within);
    return fetch(this.server.baseUrl + path, { method, headers, signal, ...sent });
  }

  open(path: string): Promise<Response> {
    return fetch(this.server.baseUrl + path, { redirect: 'manual', signal: AbortSignal.timeout(this.#timeout) });
  }

  /**
   * Sends the events of these payments in any order, some twice. Requests without a timely response continue in the
   * background.
   */
  async sendEvents({ endpoint, books }: PaidShop, payments: string[], chance: Chance): Promise<void> {
    const url = this.server.baseUrl + endpoint.url;
    const events = books.standIn.ledger.events.filter(({ owner, data }) => {
      const { metadata, payment_intent } = data.object as {
        metadata?: Record<string, string>;
        payment_intent?: string;
      };
      // A refund from Stripe's dashboard has no payment_id; it belongs to the payment of its intent.
      const of = metadata?.payment_id ?? books.standIn.ledger.intents.get(payment_intent ?? '')?.metadata.payment_id;
      return owner === endpoint.account && payments.includes(of ?? '');
    });
    const twice = [...events, ...chance.some(events, Math.ceil(events.length / 3))];
    const sent = chance.some(twice, twice.length).map((event) => sendEvent(event, { ...endpoint, url }));
    await within(this.#timeout, Promise.all(sent));
  }

  run(order: JobOrder): Promise<void> {
    return within(this.#timeout, this.jobs.run(order));
  }
}

interface ApiCall {
  method: string;
  path: string;
  body?: object | undefined;
  key: string;
  within?: number;
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((over) => {
    timer = setTimeout(over, ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
