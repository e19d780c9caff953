import type { AgentTerms } from '../testing/agents.ts';
import { type Proof, pick } from '../testing/proof.ts';
import { onPremises } from '../testing/test-server.ts';
import { AgentArena, type Confirmed, type Pair, PRICE, wayOf } from './agent-on-all-protocols.ts';
import type { AgentAnswer, Prepared } from './agent-protocols.ts';

/**
 * An agent buys over all protocols concurrently, while its customer confirms all checkouts near the limit of the
 * budget. The recorded spending must equal the orders, and never exceed the budget.
 */
export const E1: Proof = {
  id: 'E1',
  promise:
    'Parallel purchases never exceed the budget of an agent, even while its period changes, and every cent is accounted for.',
  run: (trial) =>
    onPremises(trial, async ({ baseUrl, violations }) => {
      const { size, seed, databaseUrl } = trial;
      const arena = await AgentArena.open(databaseUrl, [baseUrl], violations);
      try {
        const { variant_id } = await arena.sell(null);
        const [rounds, parallel] = pick(size, [3, 8] as const, [200, 64] as const);
        let [tried, confirmed] = [0, 0];
        for (let round = 0; round < rounds; round += 1) {
          const spent = await spendAtOnce(arena, variant_id, parallel, seed + round);
          tried += spent.purchases;
          confirmed += spent.confirmed;
        }
        return { tried, unit: 'purchases at once', note: `${confirmed} confirmed`, violations: violations.list };
      } finally {
        await arena.owner.end();
      }
    }),
};

export interface Spent {
  purchases: number;
  confirmed: number;
  /** The number of cents by which the budget of a period or the limit per order was exceeded. */
  cents_over: number;
}

interface Round {
  terms: AgentTerms;
  budget: number;
  /** The number of orders that fit into the budget of one period. */
  fits: number;
}

/**
 * Buys and confirms concurrently, with a budget that covers a part of the purchases. `number` selects the other limits.
 */
export async function spendAtOnce(
  arena: AgentArena,
  variant_id: string,
  count: number,
  number: number,
): Promise<Spent> {
  const fits = 1 + (number % Math.max(1, Math.floor(count / 2)));
  const terms = TERMS[number % TERMS.length] ?? {};
  const round = { terms, fits, budget: PRICE * fits + (PRICE - 1) };
  const pair = await arena.newPair(round.budget, terms);
  const ready = await arena.prepareMany(pair, variant_id, count);
  const [confirmed, bought, grown] = await race(arena, pair, ready, round);
  for (const { status, error, text } of confirmed) {
    const expected = status === 200 || (status === 402 && error === 'budget_exceeded');
    if (!expected)
      arena.violations.add(`a confirmation during purchases over all protocols: got ${status} ${text.slice(0, 500)}`);
  }
  const exceeded = (reply: AgentAnswer) => reply.error === 'budget_exceeded';
  for (const reply of [...bought, ...grown]) {
    if (reply.error && !exceeded(reply) && !OVER.includes(reply.error)) {
      arena.violations.add(`a purchase in the race got ${reply.status} ${reply.text.slice(0, 500)}`);
    }
  }
  const cents_over = await judge(arena, pair, round, confirmed);
  const more = terms.budget_period ? 0 : await whenSpent(arena, pair, variant_id);
  const orders = confirmed.filter(({ order }) => order).length;
  return { purchases: confirmed.length + bought.length + grown.length + more, confirmed: orders, cents_over };
}

const LIMITED = { max_per_order_cents: 2_000 };
const TERMS: AgentTerms[] = [
  {},
  LIMITED,
  { budget_period: 'week', ...LIMITED },
  { budget_period: 'month', ...LIMITED },
];

/** Errors that are not failures: the agent gets them if the checkout has become an order or has changed. */
const OVER = ['checkout_not_open', 'cart_not_active', 'not_found', 'out_of_stock', 'conflict'];

/**
 * Confirms all checkouts, while the agent doubles their quantities and buys more, and while a budget period may end.
 */
function race(arena: AgentArena, pair: Pair, ready: Prepared[], { terms }: Round) {
  const { agent } = pair;
  const turnAt = Math.floor(ready.length / 2);
  const periods = terms.budget_period !== undefined;
  const turned = periods ? turn(arena, pair) : undefined;
  return Promise.all([
    Promise.all(
      ready.map(async ({ id }, i) => {
        if (i >= turnAt) await turned;
        return arena.confirm(pair, id);
      }),
    ),
    Promise.all(ready.map((one, i) => agent.buy(wayOf(i), arena.at(), one.variant_id))),
    Promise.all(ready.map((one, i) => agent.grow(wayOf(i + 1), arena.at(), one, 2))),
  ]);
}

/** Moves the start of the budget period back, so that the period has ended. A second call has no effect. */
async function turn({ owner, site }: AgentArena, { token_id }: Pair): Promise<void> {
  await owner.query(
    `update commerce.agent_tokens set budget_since = budget_since - interval '1 month 1 day'
     where site_id = $1 and id = $2 and budget_since > now() - interval '1 day'`,
    [site.site_id, token_id],
  );
}

interface Period {
  cents: number;
  dearest: number;
  spent: number;
  used: number | null;
  ids: string[];
}

/** Compares the orders in the database with the responses and the limits. Returns the cents over the limits. */
async function judge(arena: AgentArena, pair: Pair, { budget, fits, terms }: Round, confirmed: Confirmed[]) {
  const { owner, site, violations } = arena;
  const { rows } = await owner.query<Period>(
    `select sum(o.total * 100)::int as cents, max(o.total * 100)::int as dearest, sum(o.agent_spent_cents)::int as spent,
       min(case when a.period_number = o.agent_period_number then a.budget_used_cents end)::int as used,
       array_agg(o.id::text) as ids
     from commerce.orders o join commerce.agent_tokens a on a.site_id = o.site_id and a.id = o.agent_token_id
     where o.site_id = $1 and a.id = $2 group by o.agent_period_number`,
    [site.site_id, pair.token_id],
  );
  const most = terms.max_per_order_cents ?? budget;
  let over = 0;
  for (const { cents, dearest, spent, used } of rows) {
    over += Math.max(0, cents - budget) + Math.max(0, dearest - most);
    if (spent !== cents || (used !== null && used !== cents)) {
      violations.add(`ordered ${cents} by all ways, taken from the budget ${spent}, recorded ${used}`);
    }
  }
  const orders = confirmed.flatMap(({ order }) => order ?? []);
  const acknowledged = orders.reduce((sum, { cents }) => sum + cents, 0);
  const ordered = rows.reduce((sum, { cents }) => sum + cents, 0);
  if (acknowledged !== ordered)
    violations.add(`responses confirmed orders of ${acknowledged} cents, but the database has ${ordered}`);
  const unknown = orders.filter(({ id }) => !rows.some(({ ids }) => ids.includes(id)));
  if (unknown.length > 0) violations.add(`responses confirmed ${unknown.length} orders that are not the agent's`);
  // With a limit per order, all orders have the same size, so the number of orders that the budget covers is known.
  const bounds = terms.budget_period ? [fits, 2 * fits] : terms.max_per_order_cents ? [fits, fits] : [0, fits];
  const [least = 0, greatest = 0] = bounds;
  if (orders.length < Math.min(least, confirmed.length) || orders.length > greatest) {
    violations.add(`${orders.length} orders were confirmed where ${bounds.join(' to ')} fit into ${budget}`);
  }
  if (over > 0) violations.add(`${over} cents over a budget of ${budget}, or over ${most} for one order`);
  for (const way of ['API', 'MCP'] as const) {
    const spent_total_cents = await pair.agent.spentInAll(way, arena.at());
    if (spent_total_cents !== ordered)
      violations.add(`${way} reports ${spent_total_cents} cents spent, but ${ordered} were ordered`);
  }
  return over;
}

/** Leaves too little of the budget for any product. Every protocol on every server must then refuse a purchase. */
async function whenSpent(arena: AgentArena, pair: Pair, variant_id: string): Promise<number> {
  const { owner, site } = arena;
  await owner.query(
    `update commerce.agent_tokens set budget_cents = budget_used_cents + $3 where site_id = $1 and id = $2`,
    [site.site_id, pair.token_id, PRICE - 1],
  );
  return arena.expectRefused('a purchase beyond the budget', ['budget_exceeded'], (way, at) =>
    pair.agent.buy(way, at, variant_id),
  );
}

/**
 * Expects every protocol to refuse purchases with a budget of zero, above the limit per order, and without the scope.
 * Returns the number of calls.
 */
export async function withoutMeans(arena: AgentArena, variant_id: string): Promise<number> {
  const cases: [string, string[], Pair][] = [
    ['a purchase without a budget', ['budget_exceeded'], await arena.newPair(0)],
    [
      'an order beyond the limit for one',
      ['budget_exceeded'],
      await arena.newPair(100_000, { max_per_order_cents: 1_399 }),
    ],
    [
      'a purchase without the scope',
      ['insufficient_scope'],
      await arena.newPair(100_000, { scopes: ['catalog:read'] }),
    ],
  ];
  let asked = 0;
  for (const [what, errors, { agent }] of cases) {
    asked += await arena.expectRefused(what, errors, (way, at) => agent.buy(way, at, variant_id));
  }
  const made = await arena.owner.query(
    `select from commerce.checkouts where site_id = $1 and agent_token_id = any($2)`,
    [arena.site.site_id, cases.map(([, , { token_id }]) => token_id)],
  );
  if (made.rows.length > 0) arena.violations.add(`${made.rows.length} checkouts were made without means`);
  return asked;
}
