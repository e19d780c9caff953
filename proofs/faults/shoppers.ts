import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { brokenInvariants } from '../../server/test/invariants.ts';
import { Gate } from '../testing/gate.ts';
import type { Violations } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { targetOf } from '../testing/raw-requests.ts';
import { type RetriedCall, sendUntilAnswered } from '../testing/retrying-client.ts';
import { openTenant } from '../testing/site.ts';
import { operationOf } from '../testing/tenant.ts';

/** The servers and the database for the purchases. */
export interface Market {
  /** The URL of the database, for a login that bypasses row-level security. */
  readonly databaseUrl: string;
  /** The base URLs of the servers that may be running now. */
  servers(): string[];
  shoppers: number;
  seed: number;
}

/** The latest state of one purchase, according to the responses to its shopper. */
interface Story {
  email: string;
  order_id: string;
  status: string;
  payment_status: string;
  fulfillment_status: string;
}

/** A busy machine may take minutes to start a server and recover a database. */
const ANSWER_WITHIN_MS = 180_000;

/**
 * Shoppers buy in a shop without pause, and its staff process the orders. Each call is retried with the same
 * Idempotency-Key until it has a definite response. The responses are recorded and later compared with the database.
 */
export class Shoppers {
  readonly gate = new Gate();
  answers = 0;
  /** The number of responses that took more than one attempt. */
  repeated = 0;
  readonly #market: Market;
  readonly credentials: Awaited<ReturnType<typeof openTenant>>;
  readonly #stories: Story[] = [];
  readonly #failures: string[] = [];
  readonly #made = { carts: 0, checkouts: 0, fulfillments: 0, refunds: 0, discount_redemptions: 0 };
  #variants: string[] = [];
  #begun = 0;
  #shipping_option_id = '';
  #turns = 0;
  #resting = false;
  #work: Promise<unknown> = Promise.resolve();

  private constructor(market: Market, credentials: Awaited<ReturnType<typeof openTenant>>) {
    this.#market = market;
    this.credentials = credentials;
  }

  /** Opens a new shop and fills it. */
  static async open(market: Market): Promise<Shoppers> {
    const shoppers = new Shoppers(market, await openTenant(market.databaseUrl));
    await shoppers.#call('dashboard.updateSettings', SETTINGS);
    await shoppers.#call('dashboard.createDiscount', { code: CODE, kind: 'percentage', value: '10' });
    const option = await shoppers.#call('dashboard.createShippingOption', { name: 'Parcel', price: '1.00' });
    shoppers.#shipping_option_id = option.id;
    for (const name of ['Mug', 'Bowl', 'Jug']) {
      const goods = { name, price: '14.00', status: 'active', inventory_quantity: STOCK };
      const { variants } = await shoppers.#call<{ variants: { id: string }[] }>('dashboard.createProduct', goods);
      shoppers.#variants.push(variants[0]?.id ?? '');
    }
    return shoppers;
  }

  get orders(): number {
    return this.#stories.length;
  }

  /** The ids of the orders that were acknowledged so far. */
  get orderIds(): string[] {
    return this.#stories.map(({ order_id }) => order_id);
  }

  summary(): string {
    return `${this.orders} orders acknowledged; ${this.answers} answers, ${this.repeated} of them by a retry`;
  }

  /** Starts the shoppers, who buy until `rest` is called. */
  begin(): void {
    this.#resting = false;
    const { shoppers, seed } = this.#market;
    const chances = Array.from({ length: shoppers }, (_, i) => chanceOf(seed * 1_000 + this.#begun + i));
    this.#work = Promise.all(chances.map((chance) => this.#buyOn(chance)));
  }

  /** Waits for this many more responses, or for an error. */
  async moreAnswers(count: number): Promise<void> {
    const goal = this.answers + count;
    while (this.answers < goal && this.#failures.length === 0) await sleep(1);
  }

  /** Reads the catalogue once, without a retry. Returns the status; 0 without a response. */
  async look(): Promise<number> {
    const { site_id, storefront_token } = this.credentials;
    const headers = { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token };
    const [server = ''] = this.#inTurn();
    const answer = await fetch(server + operationOf('storefront.listProducts').path, { headers }).catch(() => {});
    await answer?.arrayBuffer().catch(() => {});
    return answer?.status ?? 0;
  }

  /** Lets all shoppers finish their purchase. Nothing changes after that until `begin`. */
  async rest(): Promise<void> {
    this.#resting = true;
    await this.#work;
  }

  /**
   * Expects that everything that was acknowledged is in the database once, and nothing else. To be called when all work
   * has stopped.
   */
  async judge(violations: Violations): Promise<void> {
    for (const failure of this.#failures.splice(0)) violations.add(failure);
    const owner = ignoreLostConnections(new pg.Pool({ connectionString: this.#market.databaseUrl, max: 1 }));
    try {
      await this.#judgeOrders(owner, violations);
      await this.#judgeCounts(owner, violations);
      for (const { rule, rows } of await brokenInvariants(owner)) {
        violations.add(`invariant broken: ${rule} ${JSON.stringify(rows)}`);
      }
    } finally {
      await owner.end();
    }
  }

  async #judgeOrders(owner: pg.Pool, violations: Violations): Promise<void> {
    const { rows } = await owner.query<Story>(
      `select email, id as order_id, status, payment_status, fulfillment_status from commerce.orders where site_id = $1`,
      [this.credentials.site_id],
    );
    const found = new Map(rows.map((row) => [row.order_id, row]));
    const emails = rows.map(({ email }) => email);
    const twice = emails.filter((email, i) => emails.indexOf(email) !== i);
    for (const email of twice) violations.add(`${email} has more than one order of the one purchase`);
    for (const story of this.#stories) {
      const order = found.get(story.order_id);
      if (!order) violations.add(`An acknowledged order is missing: ${JSON.stringify(story)}`);
      else if (JSON.stringify(order) !== JSON.stringify(story))
        violations.add(`The response was ${JSON.stringify(story)}, but the database has ${JSON.stringify(order)}`);
    }
    if (rows.length !== this.#stories.length) {
      violations.add(`${this.#stories.length} orders were acknowledged, but ${rows.length} exist`);
    }
  }

  async #judgeCounts(owner: pg.Pool, violations: Violations): Promise<void> {
    for (const [table, acknowledgedRows] of Object.entries(this.#made)) {
      const { rows } = await owner.query<{ count: string }>(
        `select count(*) from commerce.${table} where site_id = $1`,
        [this.credentials.site_id],
      );
      if (Number(rows[0]?.count) !== acknowledgedRows)
        violations.add(`${acknowledgedRows} ${table} were acknowledged, but ${rows[0]?.count} exist`);
    }
  }

  async #buyOn(chance: Chance): Promise<void> {
    while (!this.#resting && this.#failures.length < FAILURE_LIMIT) {
      this.#begun += 1;
      const email = `shopper-${this.#begun}-${randomUUID().slice(0, 8)}@example.com`;
      await this.#buy(email, chance).catch((error: Error) => this.#failures.push(`${email}: ${error.message}`));
    }
  }

  /** Makes one purchase, and processes it as staff. */
  async #buy(email: string, chance: Chance): Promise<void> {
    const cart = await this.#call('storefront.createCart');
    const cart_id = cart.id;
    this.#made.carts += 1;
    for (const variant_id of chance.some(this.#variants, 2)) {
      await this.#call('storefront.addCartItem', { variant_id, quantity: 2 }, { cart_id });
    }
    const hasDiscount = chance.next() < 0.5;
    if (hasDiscount) {
      await this.#call('storefront.applyDiscount', { code: CODE }, { cart_id });
      this.#made.discount_redemptions += 1;
    }
    const { id: checkout_id } = await this.#call('storefront.createCheckout', { cart_id });
    this.#made.checkouts += 1;
    const delivery = { shipping_address: ADDRESS, shipping_option_id: this.#shipping_option_id };
    const details = { email, payment_method: 'bank_transfer', ...delivery };
    const { total } = await this.#call('storefront.updateCheckout', details, { checkout_id });
    const completion = { expected_total: total };
    const { order } = await this.#call<{ order: Answered }>('storefront.completeCheckout', completion, { checkout_id });
    const expected = hasDiscount ? TOTALS.discounted : TOTALS.full;
    if (order.total !== expected) throw new Error(`the total of the order is ${order.total}, expected ${expected}`);
    const story: Story = { email, ...statesOf(order) };
    this.#stories.push(story);
    await this.#workOn(story, chance);
  }

  async #workOn(story: Story, chance: Chance): Promise<void> {
    const { order_id } = story;
    const move = async (id: string, body?: unknown) => {
      Object.assign(story, statesOf(await this.#call(id, body, { order_id })));
    };
    const fate = chance.next();
    if (fate < 0.2) return;
    if (fate < 0.4) return move('dashboard.cancelOrder', { reason: 'customer' });
    await move('dashboard.markOrderPaid');
    if (fate < 0.7) return;
    await this.#call('dashboard.createFulfillment', { carrier: 'DHL' }, { order_id });
    this.#made.fulfillments += 1;
    Object.assign(story, { status: 'processing', fulfillment_status: 'fulfilled' });
    await move('dashboard.markOrderDelivered');
    if (fate < 0.85) return;
    await this.#call('dashboard.createRefund', { amount: '1.00', reason: 'damaged' }, { order_id });
    this.#made.refunds += 1;
    story.payment_status = 'partially_refunded';
  }

  /** Returns the base URLs of all servers, starting with another server on each call. */
  #inTurn(): string[] {
    const servers = this.#market.servers();
    this.#turns += 1;
    return servers.map((_, i) => servers[(i + this.#turns) % servers.length] as string);
  }

  /** Calls an operation until it has a definite response. Throws unless it succeeds. */
  async #call<Answer = Answered>(id: string, body?: unknown, path: Record<string, string> = {}): Promise<Answer> {
    const operation = operationOf(id);
    const { api_key, site_id, storefront_token } = this.credentials;
    const dashboard = id.startsWith('dashboard.');
    const headers: Record<string, string> = dashboard
      ? { 'X-API-Key': api_key }
      : { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token };
    const method = operation.method.toUpperCase() as RetriedCall['method'];
    const call = { method, path: targetOf({ operation, path, query: {}, headers }), headers, body };
    await this.gate.pass();
    const answer = await sendUntilAnswered(() => this.#inTurn(), call, ANSWER_WITHIN_MS);
    this.answers += 1;
    if (answer.attempts > 1) this.repeated += 1;
    if (answer.status !== operation.status) throw new Error(`${id}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body) as Answer;
  }
}

const SETTINGS = { bank_details: { account_holder: 'Alder & Finch', iban: 'DE89370400440532013000' } };
const CODE = 'TEN';
const ADDRESS = { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' };
const STOCK = 1_000_000;
/** The total of two products, two pieces each, with delivery. A repeated or lost change of the cart changes it. */
const TOTALS = { full: '57.00', discounted: '51.40' };
/** After this many failures the shoppers stop, because the whole shop counts as broken. */
const FAILURE_LIMIT = 50;

interface Answered {
  id: string;
  total: string;
  status: string;
  payment_status: string;
  fulfillment_status: string;
}

function statesOf({ id, status, payment_status, fulfillment_status }: Answered): Omit<Story, 'email'> {
  return { order_id: id, status, payment_status, fulfillment_status };
}
