import { operationTable } from '../../server/src/http/contract/contract.ts';
import { agentTools, toolName } from '../../server/src/mcp/tools.ts';
import type { FunctionName } from '../../server/src/ucp/functions.ts';
import { publishProfile } from '../../server/test/ucp.ts';
import {
  agentCheckout,
  bearer,
  callOf,
  newCustomer,
  OF_ITSELF,
  openAgent,
  SCOPES,
  scopeOpening,
  WITHOUT_SCOPE,
  withStorefront,
} from '../testing/agents.ts';
import { callTool } from '../testing/mcp.ts';
import { effects, holdingsOf } from '../testing/owner-queries.ts';
import type { Proof } from '../testing/proof.ts';
import type { Call } from '../testing/raw-requests.ts';
import { stapleOf } from '../testing/sales.ts';
import type { Tenant, World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { answerIn, askOverMcp, askOverRest, type Speaker, validAsks } from '../testing/ucp.ts';
import { validCall } from '../testing/valid-requests.ts';

/**
 * Sends an active agent token without other credentials to every operation that is not for agents, and a token without
 * scopes to the agent operations. Over MCP and UCP, a token may reach only the operations that its scopes allow.
 */
export const E7: Proof = {
  id: 'E7',
  promise: 'An agent token opens only the agent API, there only what its scopes allow, and cannot place an order.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const [tenant] = world.tenants;
      const { id } = await newCustomer(world, tenant);
      let tried = await overApi(world, tenant, id);
      tried += await overMcp(world, tenant, id);
      tried += await overUcp(world, tenant, id);
      tried += await completing(world, tenant);
      return { tried, unit: 'requests', violations: world.violations.list };
    }),
};

const CREDENTIALS = ['Authorization', 'X-API-Key', 'X-Sync-Secret', 'X-Service-Token'];

/** Operations for agents must reject a token without scopes; all others must reject any token of an agent. */
async function overApi(world: World, tenant: Tenant, customer_id: string): Promise<number> {
  const agent = await openAgent(world, tenant, customer_id);
  const bare = await openAgent(world, tenant, customer_id);
  await world.owner.query(`update commerce.tokens set scopes = '{}' where id = $1`, [bare.id]);
  const calls: Call[] = [];
  for (const operation of operationTable) {
    const own = operation.surface === 'agent';
    if (operation.security.length === 0 || (own && OF_ITSELF.includes(operation.name))) continue;
    const call = await validCall(world, tenant, operation, { alternative: 0 });
    const headers = Object.fromEntries(Object.entries(call.headers).filter(([name]) => !CREDENTIALS.includes(name)));
    calls.push({ ...call, headers: { ...headers, ...bearer(own ? bare.secret : agent.secret) } });
  }
  const before = await holdingsOf(world.owner, tenant.site_id);
  for (const call of calls) {
    const { status, text } = await world.send(call, tenant);
    if (status !== 401 && status !== 403)
      world.violations.add(
        `${call.operation.id} with only an agent token: expected 401 or 403, got ${status} ${text.slice(0, 300)}`,
      );
  }
  const changed = effects(before, await holdingsOf(world.owner, tenant.site_id));
  if (changed.length > 0) world.violations.add(`operations that refused an agent token changed ${changed.join(', ')}`);
  return calls.length;
}

const MISSING = /"(?:error|code)":"insufficient_scope"/;

interface Attempt {
  what: string;
  isAllowed: boolean;
  send: () => Promise<{ status: number; text: string }>;
}

/**
 * Makes calls without the right scopes, which must be refused and have no effect, and then calls with them, which must
 * not be refused. Returns the number of calls.
 */
async function judge({ owner, violations }: World, { site_id }: Tenant, attempts: Attempt[]): Promise<number> {
  const before = await holdingsOf(owner, site_id);
  let after = before;
  for (const allowed of [false, true]) {
    for (const { what, send } of attempts.filter(({ isAllowed }) => isAllowed === allowed)) {
      const { status, text } = await send();
      const received = `${status} ${text.slice(0, 300)}`;
      if (status === 401 || status >= 500) violations.add(`${what}: expected neither 401 nor 5xx, got ${received}`);
      if (allowed === MISSING.test(text))
        violations.add(
          `${what} was ${allowed ? 'rejected, although the scope allows it' : 'allowed without its scope'}: ${received}`,
        );
    }
    if (!allowed) after = await holdingsOf(owner, site_id);
  }
  // The use of an idempotency key is recorded before the request is validated. The proof itself changes the tokens.
  const changed = effects(before, after).filter((table) => !['ucp_requests', 'tokens'].includes(table));
  if (changed.length > 0) violations.add(`calls that were refused for their scope changed ${changed.join(', ')}`);
  return attempts.length;
}

/**
 * Calls each tool that needs a scope with tokens of one scope each, and expects that the other operations of the
 * contract are not tools. Returns the number of calls.
 */
async function overMcp(world: World, tenant: Tenant, customer_id: string): Promise<number> {
  const tools = agentTools();
  // Only the token with the right scope uses the objects of a call, so all tokens can send the same call.
  const calls: Call[] = [];
  for (const { operation } of tools.values()) {
    if (!WITHOUT_SCOPE.includes(operation.name)) calls.push(await validCall(world, tenant, operation));
  }
  const attempts: Attempt[] = [];
  for (const scope of SCOPES) {
    const { secret } = await openAgent(world, tenant, customer_id, undefined, { scopes: [scope] });
    for (const call of calls) {
      attempts.push({
        what: `the tool ${toolName(call.operation.name)} with only ${scope}`,
        isAllowed: scopeOpening(call.operation) === scope,
        send: () => callTool(world, tenant, secret, call),
      });
    }
  }
  const { secret } = await openAgent(world, tenant, customer_id);
  const others = operationTable.filter(({ name }) => !tools.has(toolName(name)));
  for (const operation of others) {
    const sent = { operation, path: {}, query: {}, headers: {}, body: undefined };
    const { result, text } = await callTool(world, tenant, secret, sent);
    if (result !== undefined)
      world.violations.add(
        `${operation.id} can be called over MCP, but is not a tool for agents: ${text.slice(0, 300)}`,
      );
  }
  return others.length + (await judge(world, tenant, attempts));
}

/** All scopes that each UCP function needs. */
const NEEDED: Record<FunctionName, string[]> = {
  search_catalog: ['catalog:read'],
  lookup_catalog: ['catalog:read'],
  get_product: ['catalog:read'],
  create_cart: ['cart:write'],
  get_cart: ['cart:write'],
  update_cart: ['cart:write'],
  cancel_cart: ['cart:write'],
  create_checkout: ['cart:write', 'checkout:create'],
  get_checkout: ['checkout:create'],
  update_checkout: ['cart:write', 'checkout:create'],
  complete_checkout: ['checkout:create'],
  cancel_checkout: ['checkout:create'],
  get_order: ['orders:read'],
};

/**
 * Calls each UCP function over both transports, with exactly the scopes that it needs, and with all scopes but one of
 * those.
 */
async function overUcp(world: World, tenant: Tenant, customer_id: string): Promise<number> {
  const profile = await publishProfile();
  let tried = 0;
  try {
    const { id, secret } = await openAgent(world, tenant, customer_id);
    const speaker: Speaker = { baseUrl: world.baseUrl, site_id: tenant.site_id, profile: profile.url, secret };
    const limitTo = (scopes: string[]) =>
      world.owner.query('update commerce.tokens set scopes = $2 where id = $1', [id, scopes]);
    for (const [way, ask] of Object.entries({ REST: askOverRest, MCP: askOverMcp })) {
      await limitTo(SCOPES);
      // One token makes all calls, because the objects in the calls belong to it.
      const asks = await validAsks(world, tenant, { speaker, customer_id, isAlive: true });
      const attempts = asks.flatMap((asked): Attempt[] => {
        const needed = NEEDED[asked.name];
        return [...needed, undefined].map((left) => {
          const scopes = left === undefined ? needed : SCOPES.filter((scope) => scope !== left);
          return {
            what: `${asked.name} of UCP over ${way} with ${scopes.join(' ')}`,
            isAllowed: left === undefined,
            send: () => limitTo(scopes).then(() => ask(speaker, asked)),
          };
        });
      });
      tried += await judge(world, tenant, attempts);
    }
  } finally {
    await profile.close();
  }
  return tried;
}

/** Tries several ways in which an agent, with a token or as a guest, might complete the checkout that it prepared. */
async function completing(world: World, tenant: Tenant): Promise<number> {
  const customer = await newCustomer(world, tenant);
  const { secret } = await openAgent(world, tenant, customer.id);
  const { id: own } = await agentCheckout(world, tenant, secret, customer.token);
  const profile = await publishProfile();
  try {
    const guest: Speaker = { baseUrl: world.baseUrl, site_id: tenant.site_id, profile: profile.url };
    const line_items = [{ item: { id: await stapleOf(world, tenant) }, quantity: 1 }];
    const made = answerIn(await askOverRest(guest, { name: 'create_checkout', body: { line_items } }));
    const ofGuest = String(made?.id);
    const pair = { 'X-Site-ID': tenant.site_id, 'X-Service-Token': tenant.secrets.StorefrontToken };
    const complete = (checkout_id: string, headers: Call['headers']) =>
      world.send(callOf('storefront.completeCheckout', headers, { path: { checkout_id }, body: {} }), tenant);
    const byApi = {
      'with its token beside that of the storefront': await complete(own, withStorefront(tenant, secret)),
      'with the token of the storefront': await complete(own, pair),
      'as a guest with the token of the storefront': await complete(ofGuest, pair),
    };
    for (const [how, { status, text }] of Object.entries(byApi)) {
      if (![401, 403, 404].includes(status))
        world.violations.add(`an agent completed ${how}: expected 401, 403 or 404, got ${status} ${text}`);
    }
    for (const ask of [askOverRest, askOverMcp]) {
      await ask({ ...guest, secret }, { name: 'complete_checkout', id: own });
      await ask(guest, { name: 'complete_checkout', id: ofGuest });
    }
    const { rows } = await world.owner.query('select from commerce.orders where checkout_id = any($1)', [
      [own, ofGuest],
    ]);
    if (rows.length > 0) world.violations.add(`${rows.length} checkouts of agents were completed without a person`);
    return 7;
  } finally {
    await profile.close();
  }
}
