import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { minorUnits } from '../../server/src/shop/money.ts';
import { brokenInvariants } from '../../server/test/invariants.ts';
import { openAgent } from '../testing/agents.ts';
import { openAccount, openCustomerSession } from '../testing/customers.ts';
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
  databaseUrl: string;
  /** The base URLs of the servers that may be running now. */
  servers(): string[];
  shoppers: number;
  seed: number;
}

/** An agent's budget, and the orders in the responses to its customer. */
interface Errand {
  id: string;
  budget: number;
  /** The part of the budget that each order has used, by order id; 0 if the order was cancelled before payment. */
  orders: Map<string, number>;
}

type Answered = Record<'id' | 'cart_id' | 'total' | 'error', string>;

const ANSWER_WITHIN_MS = 60_000;
const PRICE = 1_400;
/** After this many failures the buyers stop, because the whole shop counts as broken. */
const FAILURE_LIMIT = 50;

/**
 * Agents prepare purchases, often more than their budgets cover, and customers confirm all of them concurrently. Each
 * call is retried with the same Idempotency-Key until it has a definite response. The responses are then compared with
 * the database.
 */
export class AgentShoppers {
  readonly gate = new Gate();
  answers = 0;
  /** The number of calls that needed more than one attempt. */
  repeated = 0;
  /** The number of purchases refused because of the budget. */
  refused = 0;
  orders = 0;
  /** The cents by which orders exceeded a budget. */
  over = 0;
  /** The cents of orders that the recorded spending does not contain. */
  lost = 0;
  readonly #market: Market;
  readonly #credentials: Awaited<ReturnType<typeof openTenant>>;
  readonly #owner: pg.Pool;
  readonly #failures: string[] = [];
  #errands: Errand[] = [];
  #variant_id = '';
  #begun = 0;
  #turns = 0;
  #resting = false;
  #work: Promise<unknown> = Promise.resolve();

  private constructor(market: Market, credentials: Awaited<ReturnType<typeof openTenant>>, owner: pg.Pool) {
    this.#market = market;
    this.#credentials = credentials;
    this.#owner = owner;
  }

  /** Opens a new shop and creates a product; `end` closes its connections. */
  static async open(market: Market): Promise<AgentShoppers> {
    const owner = ignoreLostConnections(new pg.Pool({ connectionString: market.databaseUrl, max: 2 }));
    const shoppers = new AgentShoppers(market, await openTenant(market.databaseUrl), owner);
    await shoppers.#must('dashboard.updateSettings', { body: SETTINGS });
    const goods = { name: 'Mug', price: '14.00', status: 'active', requires_shipping: false, track_inventory: false };
    const { variants } = (await shoppers.#must('dashboard.createProduct', { body: goods })) as unknown as {
      variants: { id: string }[];
    };
    shoppers.#variant_id = variants[0]?.id ?? '';
    return shoppers;
  }

  summary(): string {
    const { orders, refused, answers, repeated, over, lost } = this;
    const bought = `${orders} orders acknowledged, ${refused} refused; ${answers} answers, ${repeated} of them by a retry`;
    return `${bought}; cents over a budget: ${over}, spent and not recorded: ${lost}`;
  }

  begin(): void {
    this.#resting = false;
    const { shoppers, seed } = this.#market;
    const chances = Array.from({ length: shoppers }, (_, i) => chanceOf(seed * 1_000 + this.#begun + i));
    this.#work = Promise.all(chances.map((chance) => this.#shopOn(chance)));
  }

  async moreAnswers(count: number): Promise<void> {
    const goal = this.answers + count;
    while (this.answers < goal && this.#failures.length === 0) await sleep(1);
  }

  async rest(): Promise<void> {
    this.#resting = true;
    await this.#work;
  }

  async end(): Promise<void> {
    await this.#owner.end();
  }

  /** Expects that each budget is reduced by exactly the acknowledged orders, and is not exceeded. */
  async judge(violations: Violations): Promise<void> {
    for (const failure of this.#failures.splice(0)) violations.add(failure);
    for (const errand of this.#errands.splice(0)) await this.#judgeErrand(errand, violations);
    for (const { rule, rows } of await brokenInvariants(this.#owner)) {
      violations.add(`invariant broken: ${rule} ${JSON.stringify(rows)}`);
    }
  }

  async #judgeErrand({ id, budget, orders }: Errand, violations: Violations): Promise<void> {
    const site_id = this.#credentials.site_id;
    const { rows } = await this.#owner.query<{ id: string; cents: number; used: number }>(
      `select o.id, case when o.status = 'cancelled' then 0 else (o.total * 100)::int end as cents,
         a.budget_used_cents::int as used
       from commerce.agent_tokens a left join commerce.orders o on o.site_id = a.site_id and o.agent_token_id = a.id
       where a.site_id = $1 and a.id = $2`,
      [site_id, id],
    );
    const used = rows[0]?.used ?? 0;
    const made = new Map(rows.flatMap((row) => (row.id ? [[row.id, row.cents] as const] : [])));
    const [answered, ordered] = [sumOf(orders), sumOf(made)];
    this.over += Math.max(0, ordered - budget);
    this.lost += Math.max(0, ordered - used, answered - ordered);
    for (const [order, cents] of orders) {
      if (made.get(order) !== cents) violations.add(`Told ${cents} for order ${order}, which is ${made.get(order)}`);
    }
    if (made.size !== orders.size)
      violations.add(`${orders.size} orders were acknowledged, and ${made.size} are there`);
    if (used !== ordered || used > budget) violations.add(`ordered ${ordered}, recorded ${used}, allowed ${budget}`);
  }

  async #shopOn(chance: Chance): Promise<void> {
    while (!this.#resting && this.#failures.length < FAILURE_LIMIT) {
      this.#begun += 1;
      await this.#shop(chance).catch((error: Error) => this.#failures.push(error.message));
    }
  }

  /**
   * Creates a customer and an agent that prepares two to five purchases, with a budget for one to three. The customer
   * tries to confirm all. In half of the cases, one order is then cancelled, and another purchase must fit the budget.
   */
  async #shop(chance: Chance): Promise<void> {
    const { site_id } = this.#credentials;
    const world = { owner: this.#owner };
    const [wanted, fits] = [2 + Math.floor(chance.next() * 4), 1 + Math.floor(chance.next() * 3)];
    const budget = PRICE * fits + Math.floor(chance.next() * PRICE);
    const tenant = { site_id, canary: 'proof' };
    const { id: customer } = await openAccount(world, tenant);
    const agent = await openAgent(world, tenant, customer, budget);
    const as: As = { customer: await openCustomerSession(world, tenant, customer), agent: agent.secret };
    const errand: Errand = { id: agent.id, budget, orders: new Map() };
    this.#errands.push(errand);

    const ready = await Promise.all(Array.from({ length: wanted }, () => this.#prepare(as)));
    const confirmed = await Promise.all(ready.map((checkout) => this.#confirm(as, errand, checkout)));
    const orders = confirmed.flatMap((order) => order ?? []);
    if (orders.length !== Math.min(wanted, fits)) {
      throw new Error(`Of ${wanted} purchases at once ${orders.length} were made, where ${fits} fit`);
    }
    const [first = ''] = orders;
    if (chance.next() < 0.5) return;
    const left = ready.filter((_, i) => !confirmed[i]);
    await this.#must('dashboard.cancelOrder', { path: { order_id: first }, body: { reason: 'customer' } });
    errand.orders.set(first, 0);
    const again = await Promise.all(left.map((checkout) => this.#confirm(as, errand, checkout)));
    const made = again.filter((order) => order).length;
    if (made !== Math.min(1, left.length))
      throw new Error(`${made} purchases took the place of one that was cancelled`);
  }

  async #prepare(as: As): Promise<Answered> {
    const body = { variant_id: this.#variant_id, quantity: 1 };
    const { checkout } = (await this.#must('agent.findAndBuy', { as, body })) as unknown as { checkout: Answered };
    const path = { checkout_id: checkout.id };
    return this.#must('storefront.updateCheckout', {
      as,
      path,
      body: { payment_method: 'bank_transfer', phone: null },
    });
  }

  /** Confirms a checkout. Returns the order's id; undefined if the budget does not cover it. */
  async #confirm(as: As, errand: Errand, { id, total }: Answered): Promise<string | undefined> {
    const request = { as, path: { checkout_id: id }, body: { expected_total: total } };
    const { status, body } = await this.#call('storefront.completeCheckout', request);
    if (status === 402) {
      this.refused += 1;
      return undefined;
    }
    if (status !== 200) throw new Error(`storefront.completeCheckout: ${status} ${body}`);
    const { order } = JSON.parse(body) as { order: Answered };
    errand.orders.set(order.id, minorUnits(order.total, 2));
    this.orders += 1;
    return order.id;
  }

  async #must(id: string, request: Asked): Promise<Answered> {
    const { status, body } = await this.#call(id, request);
    if (status !== operationOf(id).status) throw new Error(`${id}: ${status} ${body}`);
    return JSON.parse(body) as Answered;
  }

  async #call(id: string, { as, path = {}, body }: Asked) {
    const operation = operationOf(id);
    const headers = this.#headersOf(operation.surface, as);
    const method = operation.method.toUpperCase() as RetriedCall['method'];
    const call = { method, path: targetOf({ operation, path, query: {}, headers }), headers, body };
    await this.gate.pass();
    const answer = await sendUntilAnswered(() => this.#inTurn(), call, ANSWER_WITHIN_MS);
    this.answers += 1;
    if (answer.attempts > 1) this.repeated += 1;
    return answer;
  }

  #headersOf(surface: string, as: As | undefined): Record<string, string> {
    const { api_key, site_id, storefront_token } = this.#credentials;
    if (surface === 'dashboard') return { 'X-API-Key': api_key };
    if (surface === 'agent') return { Authorization: `Bearer ${as?.agent}` };
    return { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token, Authorization: `Bearer ${as?.customer}` };
  }

  /** Returns the base URLs of all servers, starting with another server on each call. */
  #inTurn(): string[] {
    const servers = this.#market.servers();
    this.#turns += 1;
    return servers.map((_, i) => servers[(i + this.#turns) % servers.length] as string);
  }
}

/** The tokens of a customer and of the customer's agent. */
interface As {
  customer: string;
  agent: string;
}

interface Asked {
  as?: As;
  path?: Record<string, string>;
  body?: unknown;
}

const SETTINGS = { bank_details: { account_holder: 'Alder & Finch', iban: 'DE89370400440532013000' } };

function sumOf(orders: Map<string, number>): number {
  return [...orders.values()].reduce((sum, cents) => sum + cents, 0);
}
