/**
 * A shop behind several servers, where one agent uses all protocols concurrently while its customer confirms its
 * purchases.
 */

import pg from 'pg';
import { ignoreLostConnections } from '../../server/src/db/connect.ts';
import { freePort } from '../../server/src/db/free-port.ts';
import { brokenInvariants } from '../../server/test/invariants.ts';
import { type AgentTerms, openAgent } from '../testing/agents.ts';
import { openAccount, openCustomerSession } from '../testing/customers.ts';
import { type Figures, type Trial, Violations } from '../testing/proof.ts';
import { sendUntilAnswered } from '../testing/retrying-client.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { type AgentAnswer, AgentWays, keepProfile, type Prepared, WAYS, type Way } from './agent-protocols.ts';

export const PRICE = 1_400;

/** A logged-in customer and the customer's agent. */
export interface Pair {
  customer_id: string;
  customer_token: string;
  token_id: string;
  secret: string;
  agent: AgentWays;
}

export interface Confirmed {
  status: number;
  error: string | undefined;
  order: { id: string; cents: number } | undefined;
  text: string;
}

const ANSWER_WITHIN_MS = 60_000;
/** The number of purchases that are prepared concurrently. */
const AT_ONCE = 8;

export class AgentArena {
  /** Connections without row-level security. */
  readonly owner: pg.Pool;
  readonly site: Awaited<ReturnType<typeof openTenant>>;
  readonly violations: Violations;
  /** The base URLs of the servers. */
  readonly servers: string[];
  #turns = 0;

  private constructor(owner: pg.Pool, site: AgentArena['site'], servers: string[], violations: Violations) {
    this.owner = owner;
    this.site = site;
    this.servers = servers;
    this.violations = violations;
  }

  static async open(databaseUrl: string, servers: string[], violations = new Violations()): Promise<AgentArena> {
    const owner = ignoreLostConnections(new pg.Pool({ connectionString: databaseUrl, max: 4 }));
    const site = await openTenant(databaseUrl);
    const arena = new AgentArena(owner, site, servers, violations);
    await keepProfile(arena, site.site_id);
    const bank_details = { account_holder: 'Alder & Finch', iban: 'DE89370400440532013000' };
    await arena.asStaff('PATCH', '/settings', { bank_details });
    return arena;
  }

  /** Returns the base URL of the next server in turn. */
  at(): string {
    this.#turns += 1;
    return this.servers[this.#turns % this.servers.length] ?? '';
  }

  async newPair(budget_cents: number, terms: AgentTerms = {}): Promise<Pair> {
    const { site_id } = this.site;
    const tenant = { site_id, canary: 'proof' };
    const { id: customer_id } = await openAccount(this, tenant);
    const customer_token = await openCustomerSession(this, tenant, customer_id);
    const { id: token_id, secret } = await openAgent(this, tenant, customer_id, budget_cents, terms);
    return { customer_id, customer_token, token_id, secret, agent: new AgentWays(site_id, secret) };
  }

  /** Creates a product with unlimited stock that needs no shipping. Returns its ids. */
  async sell(product_type: string | null): Promise<{ product_id: string; variant_id: string }> {
    const goods = { name: 'Mug', price: '14.00', status: 'active', requires_shipping: false, track_inventory: false };
    const made = await this.asStaff('POST', '/products', { ...goods, product_type });
    const { id, variants } = made as { id: string; variants: { id: string }[] };
    return { product_id: id, variant_id: variants[0]?.id ?? '' };
  }

  /** Makes a dashboard call that must succeed, and returns the response. */
  async asStaff(method: 'POST' | 'PATCH', path: string, body: object): Promise<unknown> {
    const call = { method, path: `/api/dashboard${path}`, headers: { 'X-API-Key': this.site.api_key }, body };
    const answer = await sendUntilAnswered(() => [this.at()], call, ANSWER_WITHIN_MS);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  }

  /**
   * The agent prepares checkouts over the protocols in turn, up to the point at which the customer can confirm them.
   */
  async prepareMany(pair: Pair, variant_id: string, count: number): Promise<Prepared[]> {
    const ready: Prepared[] = [];
    while (ready.length < count) {
      const begun = ready.length;
      const some = Array.from({ length: Math.min(AT_ONCE, count - begun) }, (_, i) =>
        this.#prepare(pair, wayOf(begun + i), variant_id),
      );
      ready.push(...(await Promise.all(some)));
    }
    return ready;
  }

  async #prepare(pair: Pair, way: Way, variant_id: string): Promise<Prepared> {
    const created = await pair.agent.buy(way, this.at(), variant_id);
    if (created.error || !created.checkout_id)
      throw new Error(`No checkout by ${way}: ${created.status} ${created.text}`);
    const path = `/api/storefront/checkout/${created.checkout_id}`;
    const body = { payment_method: 'bank_transfer', phone: null };
    const { status, text } = await this.asCustomer(pair, 'PATCH', path, body);
    if (status !== 200) throw new Error(`A checkout by ${way} could not be filled in: ${status} ${text}`);
    const { rows } = await this.owner.query<Prepared>(
      `select k.id, k.cart_id, i.id as line_item_id, i.variant_id from commerce.checkouts k
       join commerce.cart_items i on i.site_id = k.site_id and i.cart_id = k.cart_id
       where k.site_id = $1 and k.id = $2 and k.agent_token_id = $3`,
      [this.site.site_id, created.checkout_id, pair.token_id],
    );
    const [prepared] = rows;
    if (!prepared || rows.length > 1) throw new Error(`A checkout by ${way} has ${rows.length} lines of the agent.`);
    return prepared;
  }

  async asCustomer(pair: Pair, method: 'POST' | 'PATCH', path: string, body: object) {
    const { site_id, storefront_token } = this.site;
    const headers = {
      ...{ 'X-Site-ID': site_id, 'X-Service-Token': storefront_token },
      Authorization: `Bearer ${pair.customer_token}`,
    };
    const answer = await sendUntilAnswered(() => [this.at()], { method, path, headers, body }, ANSWER_WITHIN_MS);
    return { status: answer.status, text: answer.body };
  }

  /**
   * The customer confirms the checkout, and confirms the new total each time the shop reports that the price changed,
   * at most five times.
   */
  async confirm(pair: Pair, checkout_id: string): Promise<Confirmed> {
    const path = `/api/storefront/checkout/${checkout_id}/complete`;
    let body = {};
    for (let times = 0; ; times += 1) {
      const { status, text } = await this.asCustomer(pair, 'POST', path, body);
      const { error, total, order } = JSON.parse(text) as Answered;
      const ordered = order && { id: order.id, cents: Math.round(Number(order.total) * 100) };
      if (error !== 'price_changed' || times === 5) return { status, error, order: ordered, text };
      body = { expected_total: total };
    }
  }

  async now(): Promise<string> {
    const { rows } = await this.owner.query<{ now: string }>('select clock_timestamp()::text as now');
    return rows[0]?.now ?? '';
  }

  /** Expects one of these errors over all protocols on all servers. Returns the number of calls. */
  async expectRefused(
    what: string,
    errors: string[],
    ask: (way: Way, at: string) => Promise<AgentAnswer>,
  ): Promise<number> {
    const asked = WAYS.flatMap((way) => this.servers.map((at) => [way, at] as const));
    await Promise.all(
      asked.map(async ([way, at]) => {
        const { status, error, text } = await ask(way, at);
        if (error === undefined || !errors.includes(error)) {
          this.violations.add(
            `${what}, over ${way}: expected ${errors.join(' or ')}, got ${status} ${text.slice(0, 500)}`,
          );
        }
      }),
    );
    return asked.length;
  }
}

/** Runs attacks on a shop behind this many processes, and checks the database's invariants afterwards. */
export function withProcesses(
  { databaseUrl }: Trial,
  count: number,
  attack: (arena: AgentArena) => Promise<Omit<Figures, 'violations'>>,
): Promise<Figures> {
  return withDirectory(async (directory) => {
    const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', ROLE: 'api' };
    const processes: ServerProcess[] = [];
    let arena: AgentArena | undefined;
    try {
      for (let i = 0; i < count; i += 1) processes.push(await new ServerProcess(await freePort(), env).readyAtLast());
      const servers = processes.map(({ baseUrl }) => baseUrl);
      arena = await AgentArena.open(databaseUrl, servers);
      const figures = await attack(arena);
      for (const { rule, rows } of await brokenInvariants(arena.owner)) {
        arena.violations.add(`invariant broken: ${rule} ${JSON.stringify(rows)}`);
      }
      return { ...figures, violations: arena.violations.list };
    } finally {
      await Promise.all(processes.map((server) => server.running && server.end('SIGTERM')));
      await arena?.owner.end();
    }
  });
}

interface Answered {
  error?: string;
  total?: string;
  order?: { id: string; total: string };
}

export function wayOf(place: number): Way {
  return WAYS[place % WAYS.length] as Way;
}
