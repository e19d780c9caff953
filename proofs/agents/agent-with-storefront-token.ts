import { randomUUID } from 'node:crypto';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import {
  agentsOwn,
  callOf,
  isAgentWithStorefront,
  newCustomer,
  openAgent,
  SCOPES,
  withStorefront,
} from '../testing/agents.ts';
import { addressOf } from '../testing/customers.ts';
import { effects, holdingsOf } from '../testing/owner-queries.ts';
import { type Proof, pick } from '../testing/proof.ts';
import { chanceOf } from '../testing/random.ts';
import type { Call, Reply } from '../testing/raw-requests.ts';
import { mutationsIn } from '../testing/request-mutations.ts';
import { slotsOf } from '../testing/request-values.ts';
import { stapleOf } from '../testing/sales.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import {
  type Agent,
  type AgentsByScope,
  agentsByScope,
  type DeadAgent,
  deadAgents,
  narrowStorefront,
  ownAgent,
} from './paired-agents.ts';

const OPERATIONS = operationTable.filter(({ surface }) => surface === 'storefront' || surface === 'agent');

/**
 * Calls every operation of the storefront and of agents with an agent's token together with the storefront's
 * credentials.
 */
export const E11: Proof = {
  id: 'E11',
  promise:
    'With the storefront token an agent does only what both tokens allow, within its budget and categories, and each call is audited.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const chance = chanceOf(trial.seed);
      const dead = await deadAgents(world, tenant);
      const agents = await agentsByScope(world, tenant);
      let tried = 0;
      for (const operation of OPERATIONS.filter(({ security }) => security.length > 0)) {
        tried += await allowed(world, tenant, operation);
        tried += await withoutScope(world, tenant, operation, agents);
        for (const one of chance.some(dead, pick(trial.size, 1, 10))) {
          tried += await ended(world, tenant, operation, one);
        }
        tried += await mistaken(world, tenant, operation, chance, pick(trial.size, 1, 5));
      }
      for (let round = 0; round < pick(trial.size, 1, 20); round += 1) {
        for (const limit of Object.keys(LIMITS) as (keyof typeof LIMITS)[]) {
          tried += await bounded(world, tenant, limit);
        }
        tried += await ownKeys(world, tenant);
        tried += await unknownCustomer(world, tenant);
        tried += await withOtherShop(world, tenant);
      }
      return { tried, unit: 'requests', violations: world.violations.list };
    }),
};

/**
 * Whether the contract allows the operation to agents with a storefront token: all agent operations, and the storefront
 * operations that allow the combination.
 */
function isOpen({ surface, security }: Operation): boolean {
  return surface === 'agent' || security.some(isAgentWithStorefront);
}

/** Sends a call as the agent, and checks that it adds exactly `rows` audit rows. */
async function send(world: World, tenant: Tenant, call: Call, { id, secret }: Agent, rows = 1): Promise<Reply> {
  const request_id = randomUUID();
  const headers = { ...call.headers, ...withStorefront(tenant, secret), 'X-Request-Id': request_id };
  const reply = await world.send({ ...call, headers }, tenant);
  const found = await world.owner.query<{ status: number }>(
    `select status from commerce.audit_events where correlation_id = $1 and actor_type = 'agent' and actor_id = $2`,
    [request_id, id],
  );
  const recorded = found.rows.map(({ status }) => status);
  if (recorded.length !== rows || (rows === 1 && recorded[0] !== reply.status)) {
    world.violations.add(`${call.operation.id}: ${reply.status} left the rows ${JSON.stringify(recorded)}`);
  }
  return reply;
}

type Refusal = readonly [status: number, error?: string];
const NO_SCOPE: Refusal = [403, 'insufficient_scope'];
const NO_HUMAN: Refusal = [403, 'human_confirmation_required'];

/** Expects that a call is refused and has no effect. */
async function expectRefusal(
  world: World,
  { site_id }: Tenant,
  what: string,
  [status, error]: Refusal,
  ask: () => Promise<Reply>,
): Promise<void> {
  const before = await holdingsOf(world.owner, site_id);
  const reply = await ask();
  const changed = effects(before, await holdingsOf(world.owner, site_id));
  if (reply.status !== status || (error && !reply.text.includes(`"error":"${error}"`))) {
    world.violations.add(`${what}: expected ${status} ${error ?? ''}, got ${reply.status} ${reply.text.slice(0, 300)}`);
  }
  if (changed.length > 0) world.violations.add(`${what} was refused, yet ${changed.join(', ')} changed`);
}

/** Builds a valid call whose objects belong to the agent. */
async function callBy(world: World, tenant: Tenant, operation: Operation): Promise<Call> {
  const beside = operation.security.findIndex(isAgentWithStorefront);
  return validCall(world, tenant, operation, beside >= 0 ? { alternative: beside } : {});
}

async function allowed(world: World, tenant: Tenant, operation: Operation): Promise<number> {
  const call = await callBy(world, tenant, operation);
  const agent = await ownAgent(world, tenant, call);
  const ask = () => send(world, tenant, call, agent);
  if (!isOpen(operation)) {
    await expectRefusal(world, tenant, operation.id, operation.humanOnly ? NO_HUMAN : NO_SCOPE, ask);
    return 1;
  }
  const { status, text } = await ask();
  if (status !== operation.status)
    world.violations.add(`${operation.id}: expected ${operation.status}, got ${status} ${text.slice(0, 300)}`);
  return 1;
}

/** Expects a refusal if the agent or the storefront token lacks the operation's scope. */
async function withoutScope(
  world: World,
  tenant: Tenant,
  operation: Operation,
  agents: AgentsByScope,
): Promise<number> {
  const { id, scope, surface } = operation;
  if (!isOpen(operation) || !scope || !SCOPES.includes(scope)) return 0;
  const call = await callBy(world, tenant, operation);
  await expectRefusal(world, tenant, `${id} without ${scope}`, NO_SCOPE, () =>
    send(world, tenant, call, agents.without(scope)),
  );
  if (surface === 'agent') return 1;
  const narrow = await narrowStorefront(world, tenant, scope);
  await expectRefusal(world, tenant, `${id} beside a narrow token`, NO_SCOPE, () =>
    send(world, narrow, call, agents.whole),
  );
  return 2;
}

async function ended(world: World, tenant: Tenant, operation: Operation, agent: DeadAgent): Promise<number> {
  const call = await callBy(world, tenant, operation);
  await expectRefusal(world, tenant, `${operation.id} with a token ${agent.why}`, [401, 'invalid_token'], () =>
    send(world, tenant, call, agent, agent.rows),
  );
  return 1;
}

/** Sends invalid calls, which must be audited too. */
async function mistaken(
  world: World,
  tenant: Tenant,
  operation: Operation,
  chance: ReturnType<typeof chanceOf>,
  count: number,
): Promise<number> {
  // Skips the revocation of the token, which would end the round.
  if (!isOpen(operation) || operation.id === 'agent.revokeToken') return 0;
  const call = await callBy(world, tenant, operation);
  const slots = slotsOf(operation, call.body).filter((slot) => slot.in !== 'header');
  const wrong = slots.flatMap((slot) => mutationsIn(call, slot)).map((mutation) => mutation.call);
  const agent = await ownAgent(world, tenant, call);
  const some = chance.some(wrong, count);
  for (const one of some) await send(world, tenant, one, agent);
  return some.length;
}

const LIMITS = {
  budget: {
    end: 'update commerce.agent_tokens set budget_cents = 0 where id = $1',
    refusal: [402, 'budget_exceeded'],
  },
  categories: {
    end: `update commerce.tokens set categories = '{nowhere-at-all}' where id = $1`,
    refusal: [403, 'category_not_allowed'],
  },
} as const;

/**
 * Sets the agent's budget to zero, or its categories to an unknown category, after the agent has filled its cart. Then
 * the agent must not be able to add products, and its customer must not be able to order.
 */
async function bounded(world: World, tenant: Tenant, limit: keyof typeof LIMITS): Promise<number> {
  const { end, refusal } = LIMITS[limit];
  const customer = await newCustomer(world, tenant);
  const agent = await openAgent(world, tenant, customer.id);
  const { cart, cart_line, checkout } = await agentsOwn(world, tenant, agent.secret);
  const [cart_id = '', line_item_id = '', checkout_id = ''] = [cart[0], cart_line[0], checkout[0]];
  const line = { variant_id: await stapleOf(world, tenant), quantity: 1 };
  const made = await openAgent(world, tenant, customer.id);
  const calls: [string, Call['path'], unknown][] = [
    ['storefront.addCartItem', { cart_id }, line],
    ['storefront.updateCartItem', { cart_id, line_item_id }, { quantity: 3 }],
    ['storefront.createCheckout', {}, { cart_id }],
    ['storefront.updateCheckout', { checkout_id }, { shipping_address: addressOf(tenant) }],
  ];
  await world.owner.query(end, [agent.id]);
  await world.owner.query(end, [made.id]);
  for (const [id, path, body] of calls) {
    await expectRefusal(world, tenant, `${id} beyond the ${limit}`, refusal, () =>
      send(world, tenant, callOf(id, {}, { path, body }), agent),
    );
  }
  const asCustomer = { ...withStorefront(tenant, agent.secret), Authorization: `Bearer ${customer.token}` };
  const { total } = await readyFor(world, tenant, asCustomer, checkout_id);
  const complete = callOf('storefront.completeCheckout', asCustomer, {
    path: { checkout_id },
    body: { expected_total: total },
  });
  await expectRefusal(world, tenant, `the customer's order beyond the ${limit}`, refusal, () =>
    world.send(complete, tenant),
  );
  const { Authorization: _, ...pair } = { ...complete.headers, 'Idempotency-Key': randomUUID() } as Call['headers'];
  await expectRefusal(world, tenant, 'the order of a stranger', NO_HUMAN, () =>
    world.send({ ...complete, headers: pair }, tenant),
  );
  return calls.length + 2;
}

/** The customer enters the missing data of a checkout. */
async function readyFor(world: World, tenant: Tenant, headers: Call['headers'], checkout_id: string) {
  const [shipping_option_id] = tenant.ids.shipping_option;
  const shipping_address = addressOf(tenant);
  const body = { phone: null, shipping_address, shipping_option_id, payment_method: 'bank_transfer' };
  const { text } = await world.send(
    callOf('storefront.updateCheckout', headers, { path: { checkout_id }, body }),
    tenant,
  );
  return JSON.parse(text) as { total: string };
}

/** A guest and two agents use one idempotency key, and must get three different carts. */
async function ownKeys(world: World, tenant: Tenant): Promise<number> {
  const { id } = await newCustomer(world, tenant);
  const [one, two] = [await openAgent(world, tenant, id), await openAgent(world, tenant, id)];
  const key = { 'Idempotency-Key': randomUUID() };
  const { Authorization: _, ...pair } = withStorefront(tenant, one.secret) as Record<string, string>;
  const made: string[] = [];
  for (const headers of [pair, withStorefront(tenant, one.secret), withStorefront(tenant, two.secret)]) {
    const { text } = await world.send(callOf('storefront.createCart', { ...headers, ...key }), tenant);
    made.push((JSON.parse(text) as { id: string }).id);
  }
  if (new Set(made).size !== 3) world.violations.add(`a key was shared: ${made.join(', ')}`);
  return 3;
}

/**
 * An agent's token together with another shop's storefront token must be rejected, whichever of the two shops the call
 * names.
 */
async function withOtherShop(world: World, tenant: Tenant): Promise<number> {
  const [, other] = world.tenants;
  const { id } = await newCustomer(world, tenant);
  const { secret } = await openAgent(world, tenant, id);
  const pair = { ...withStorefront(tenant, secret), 'X-Service-Token': other.secrets.StorefrontToken };
  for (const site_id of [tenant.site_id, other.site_id]) {
    for (const operation of ['storefront.getShop', 'storefront.createCart']) {
      await expectRefusal(world, tenant, `${operation} beside the token of another shop`, [401], () =>
        world.send(callOf(operation, { ...pair, 'X-Site-ID': site_id }), tenant),
      );
    }
  }
  return 4;
}

/** A checkout must not reveal its customer to an agent without the scope customer:self. */
async function unknownCustomer(world: World, tenant: Tenant): Promise<number> {
  const { id } = await newCustomer(world, tenant);
  const scopes = ['catalog:read', 'cart:write', 'checkout:create'];
  const agent = await openAgent(world, tenant, id, 1_000_000, { scopes });
  const [checkout_id = ''] = (await agentsOwn(world, tenant, agent.secret)).checkout;
  const { text } = await send(world, tenant, callOf('storefront.getCheckout', {}, { path: { checkout_id } }), agent);
  const { email } = JSON.parse(text) as { email: string | null };
  if (email !== null) world.violations.add(`a checkout tells ${email} to an agent without customer:self`);
  const { rows } = await world.owner.query<{ source: string; status: string; agent_token_id: string }>(
    'select source, status, agent_token_id from commerce.checkouts where id = $1',
    [checkout_id],
  );
  const [row] = rows;
  if (row?.source !== 'agent' || row.status !== 'requires_escalation' || row.agent_token_id !== agent.id) {
    world.violations.add(`a checkout of an agent is not the agent's: ${JSON.stringify(row)}`);
  }
  return 1;
}
