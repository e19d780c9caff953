import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
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
import type { Figures, Proof } from '../testing/proof.ts';
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
      const agent = await openAgent(world, tenant, id);
      const bare = await openAgent(world, tenant, id);
      await world.owner.query(`update commerce.tokens set scopes = '{}' where id = $1`, [bare.id]);
      let tried = 0;
      for (const operation of operationTable) {
        if (operation.security.length === 0) continue;
        const own = operation.surface === 'agent';
        if (own && OF_ITSELF.includes(operation.name)) continue;
        const call = await validCall(world, tenant, operation, { alternative: 0 });
        const credentialHeaders = ['Authorization', 'X-API-Key', 'X-Sync-Secret', 'X-Service-Token'];
        const otherHeaders = Object.fromEntries(
          Object.entries(call.headers).filter(([name]) => !credentialHeaders.includes(name)),
        );
        const ways = [{ ...otherHeaders, ...bearer(own ? bare.secret : agent.secret) }];
        const before = await holdingsOf(world.owner, tenant.site_id);
        for (const headers of ways) {
          const { status, text } = await world.send({ ...call, headers }, tenant);
          tried += 1;
          if (status !== 401 && status !== 403)
            world.violations.add(
              `${operation.id} with only an agent token: expected 401 or 403, got ${status} ${text.slice(0, 300)}`,
            );
        }
        const changed = effects(before, await holdingsOf(world.owner, tenant.site_id));
        if (changed.length > 0) world.violations.add(`${operation.id} was refused, yet ${changed.join(', ')} changed`);
        trial.progress(`${operation.id}, ${tried} requests`);
      }
      tried += await overMcp(world, tenant, id);
      trial.progress(`MCP, ${tried} requests`);
      tried += await overUcp(world, tenant, id);
      trial.progress(`UCP, ${tried} requests`);
      tried += await completing(world, tenant);
      return { tried, unit: 'requests', violations: world.violations.list } satisfies Figures;
    }),
};

const MISSING = /"(?:error|code)":"insufficient_scope"/;

/**
 * Sends a call and checks its result. With the right scopes it must not be refused; without them it must be refused and
 * have no effect.
 */
async function judge(
  world: World,
  tenant: Tenant,
  what: string,
  isNamed: boolean,
  send: () => Promise<{ status: number; text: string }>,
): Promise<void> {
  const before = await holdingsOf(world.owner, tenant.site_id);
  const { status, text } = await send();
  const received = `${status} ${text.slice(0, 300)}`;
  if (status === 401 || status >= 500) world.violations.add(`${what}: expected neither 401 nor 5xx, got ${received}`);
  if (isNamed === MISSING.test(text))
    world.violations.add(
      `${what} ${isNamed ? 'was rejected, although the scope allows it' : 'was allowed without its scope'}: ${received}`,
    );
  if (isNamed) return;
  const effected = effects(before, await holdingsOf(world.owner, tenant.site_id));
  // Recording the use of an idempotency key is allowed, because that happens before the request is validated.
  const changed = effected.filter((table) => table !== 'ucp_requests');
  if (changed.length > 0) world.violations.add(`${what} was refused, yet ${changed.join(', ')} changed`);
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
  let tried = 0;
  for (const scope of SCOPES) {
    const { secret } = await openAgent(world, tenant, customer_id, undefined, { scopes: [scope] });
    for (const call of calls) {
      const { operation } = call;
      const what = `the tool ${toolName(operation.name)} with ${scope} alone`;
      await judge(world, tenant, what, scopeOpening(operation) === scope, () => callTool(world, tenant, secret, call));
      tried += 1;
    }
  }
  const { secret } = await openAgent(world, tenant, customer_id);
  const isTool = ({ name }: Operation) => tools.has(toolName(name));
  for (const operation of operationTable.filter((one) => !isTool(one))) {
    const sent = { operation, path: {}, query: {}, headers: {}, body: undefined };
    const { result, text } = await callTool(world, tenant, secret, sent);
    if (result !== undefined)
      world.violations.add(
        `${operation.id} can be called over MCP, but is not a tool for agents: ${text.slice(0, 300)}`,
      );
    tried += 1;
  }
  return tried;
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
 * Calls each UCP function over both transports, with exactly the scopes that it needs, and with all scopes but one of those.
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
      for (const asked of await validAsks(world, tenant, { speaker, customer_id, isAlive: true })) {
        const needed = NEEDED[asked.name];
        for (const left of [...needed, undefined]) {
          const scopes = left === undefined ? needed : SCOPES.filter((scope) => scope !== left);
          await limitTo(scopes);
          const what = `${asked.name} of UCP over ${way} with ${scopes.join(' ')}`;
          await judge(world, tenant, what, left === undefined, () => ask(speaker, asked));
          tried += 1;
        }
      }
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
