import { randomUUID } from 'node:crypto';
import { agentTools } from '../../server/src/mcp/tools.ts';
import { bearer, newCustomer, openAgent } from '../testing/agents.ts';
import {
  callTool,
  endpointOf,
  headersOf,
  type Message,
  message,
  oldMessage,
  partsOf,
  toolCall,
} from '../testing/mcp.ts';
import { pointInside } from '../testing/oauth-endpoints.ts';
import { type Proof, pick } from '../testing/proof.ts';
import { type Chance, chanceOf } from '../testing/random.ts';
import { type Call, exchange, type Reply } from '../testing/raw-requests.ts';
import { callAs, type Tenant, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { validCall } from '../testing/valid-requests.ts';
import { garbled, replaceOne } from './malformed-json.ts';
import { attackUcp, compareUcpIds, profilesInside } from './malformed-ucp.ts';
import { misuseUcp } from './rejected-ucp.ts';

/** Sends malformed messages of the agent protocols, with invalid syntax, versions and contents. */
export const M3: Proof = {
  id: 'M3',
  promise:
    'A malformed message of an agent protocol is rejected in the form of that protocol, breaks nothing, and makes the server fetch no internal URL.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      const chance = chanceOf(trial.seed);
      const messages = pick(trial.size, 150, 24_000);
      const addresses = pick(trial.size, 15, 1_500);
      const tried =
        (await attackMcp(world, chance, messages)) +
        (await attackUcp(world, chance, messages)) +
        (await compareIds(world)) +
        (await compareUcpIds(world)) +
        (await misuseUcp(world)) +
        (await profilesInside(trial, world, addresses)) +
        (await pointInside(trial, world, addresses));
      return { tried, unit: 'messages', violations: world.violations.list };
    }),
};

/**
 * Sends valid messages of both MCP versions with one part replaced, removed or garbled. Returns the number of messages.
 */
async function attackMcp(world: World, chance: Chance, messages: number): Promise<number> {
  const [tenant] = world.tenants;
  const { id } = await newCustomer(world, tenant);
  const agent = await openAgent(world, tenant, id);
  const valid = await validMessages(world, tenant);
  for (let sent = 0; sent < messages; sent += 1) {
    const { text, headers } = spoil(chance, chance.of(valid));
    const method = chance.next() < 0.02 ? chance.of(['GET', 'PUT', 'DELETE', 'PATCH']) : 'POST';
    const all = { ...headers, ...bearer(agent.secret) };
    const reply = await exchange(world.baseUrl, method, endpointOf(tenant), all, text);
    const what = `MCP ${text.slice(0, 300)}`;
    world.look(reply, tenant, what);
    const fault = faultOf(reply);
    if (fault) world.violations.add(`${what}: ${fault}`);
  }
  return messages;
}

async function validMessages(world: World, tenant: Tenant): Promise<Message[]> {
  const calls: Message[] = [];
  for (const { operation } of agentTools().values()) {
    // Skipped, because this operation would revoke the token that the attack uses.
    if (operation.id === 'agent.revokeToken') continue;
    calls.push(toolCall(await validCall(world, tenant, operation)));
  }
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'proof', version: '1' } };
  return [
    ...calls,
    ...calls.map(({ params: { _meta, ...params } = {} }) => oldMessage('tools/call', params)),
    ...['tools/list', 'server/discover', 'subscriptions/listen', 'resources/list'].map((method) => message(method)),
    ...['tools/list', 'ping', 'logging/setLevel', 'notifications/initialized'].map((method) => oldMessage(method)),
    oldMessage('initialize', hello),
  ];
}

/** Damages one part of the request: a value in the message, its text, or a header. */
function spoil(chance: Chance, given: Message): { text: string; headers: Call['headers'] } {
  const headers = { ...headersOf(given) };
  const copy = structuredClone(given) as unknown as Record<string, unknown>;
  const kind = chance.next();
  if (kind < 0.6) replaceOne(chance, copy);
  if (kind > 0.95) headers[chance.of(Object.keys(headers))] = chance.of(['zz', '', '*/*', 'text/plain', '2025-03-26']);
  const text = JSON.stringify(copy);
  if (kind >= 0.6 && kind < 0.75) return { headers, text: garbled(chance, text) };
  if (kind >= 0.75 && kind < 0.85)
    return { headers, text: JSON.stringify(chance.of([[copy], [copy, copy], [], [1], [[copy]]])) };
  return { headers, text };
}

/**
 * Describes what is wrong with a response. Undefined if the response is JSON-RPC, an error in the server's own format,
 * or correctly empty.
 */
function faultOf(reply: Reply): string | undefined {
  const { status, text } = reply;
  if (status >= 500) return `${status} ${text.slice(0, 300)}`;
  if (text === '') return [202, 405].includes(status) ? undefined : `${status} without a body`;
  for (const part of partsOf(reply)) {
    const answers = [JSON.parse(part) as Record<string, unknown>].flat();
    const known = answers.every((one) => one.jsonrpc === '2.0' && ('result' in one || 'error' in one));
    if (!known && typeof answers[0]?.error !== 'string') return `${status} in no known form: ${part.slice(0, 300)}`;
  }
  return undefined;
}

/**
 * Passes ids of another tenant's objects, and ids that never existed, to every tool that takes an id. The responses
 * must be the same (A7).
 */
async function compareIds(world: World): Promise<number> {
  const [tenant, other] = world.tenants;
  const { id: customer_id } = await newCustomer(world, tenant);
  const agent = await openAgent(world, tenant, customer_id);
  const absent = '0192f3a0-4444-7000-8000-00000000dead';
  let tried = 0;
  for (const { operation } of agentTools().values()) {
    if (!operation.path.includes('{')) continue;
    const theirs = await validCall(world, other, operation);
    const answers = [];
    for (const foreign of [true, false]) {
      const path = foreign ? theirs.path : Object.fromEntries(Object.keys(theirs.path).map((name) => [name, absent]));
      const { result } = await callTool(world, tenant, agent.secret, {
        ...theirs,
        path,
        headers: { 'Idempotency-Key': randomUUID() },
      });
      const { request_id: _, ...content } = (result?.structuredContent ?? {}) as Record<string, unknown>;
      answers.push(JSON.stringify([result?.isError, content]));
      tried += 1;
    }
    if (answers[0] !== answers[1])
      world.violations.add(
        `${operation.id} over MCP: an id of another shop got ${answers[0]}, an unknown id ${answers[1]}`,
      );
    if (!answers[0]?.includes('not_found'))
      world.violations.add(
        `${operation.id} over MCP with an id of another shop: expected not_found, got ${answers[0]}`,
      );
  }
  await callAs(world, { ...tenant, secrets: { ...tenant.secrets, AgentToken: agent.secret } }, 'agent.revokeToken');
  return tried;
}
