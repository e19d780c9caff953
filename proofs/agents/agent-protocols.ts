/** The protocols over which an agent token can be used: the API, its MCP tools, and UCP over REST and MCP. */

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CAPABILITIES, UCP_VERSION } from '../../server/src/ucp/protocol.ts';
import { bearer, callOf } from '../testing/agents.ts';
import { callTool, headersOf, message } from '../testing/mcp.ts';
import { type Call, exchange, type Reply, targetOf } from '../testing/raw-requests.ts';
import type { World } from '../testing/tenant.ts';

export const WAYS = ['API', 'MCP', 'UCP', 'UCP over MCP'] as const;
export type Way = (typeof WAYS)[number];

/** A response over any protocol. `error` is the reason for a failure. */
export interface AgentAnswer {
  status: number;
  error: string | undefined;
  /** The id of the checkout that was created or changed. */
  checkout_id: string | undefined;
  text: string;
}

/** A purchase that an agent prepared, with ids as in the API. */
export interface Prepared {
  id: string;
  cart_id: string;
  line_item_id: string;
  variant_id: string;
}

const PROFILE = 'https://assistant.example/.well-known/ucp';

/** Inserts the agent's profile into the database, as if the server had fetched it. */
export async function keepProfile({ owner }: Pick<World, 'owner'>, site_id: string): Promise<void> {
  const capabilities = Object.fromEntries(Object.keys(CAPABILITIES).map((name) => [name, [UCP_VERSION]]));
  await owner.query(
    `insert into commerce.agent_profiles (site_id, id, url, host, version, capabilities, keys, expires_at)
     values ($1, $2, $3, 'assistant.example', $4, $5, '[]', now() + interval '1 day')`,
    [site_id, randomUUID(), PROFILE, UCP_VERSION, JSON.stringify(capabilities)],
  );
}

type Action = 'buy' | 'grow' | 'read';
type Wish = { variant_id: string; quantity: number; prepared?: Prepared };

/** Makes calls with an agent's token to a given server. */
export class AgentWays {
  readonly #site_id: string;
  readonly #secret: string;

  constructor(site_id: string, secret: string) {
    this.#site_id = site_id;
    this.#secret = secret;
  }

  /** Creates a checkout for this quantity. */
  buy(way: Way, at: string, variant_id: string, quantity = 1): Promise<AgentAnswer> {
    return this.#act('buy', way, at, { variant_id, quantity });
  }

  /** Changes the quantity in an existing checkout. */
  grow(way: Way, at: string, prepared: Prepared, quantity: number): Promise<AgentAnswer> {
    return this.#act('grow', way, at, { variant_id: prepared.variant_id, quantity, prepared });
  }

  /** Makes a call that changes nothing. */
  read(way: Way, at: string): Promise<AgentAnswer> {
    return this.#act('read', way, at, { variant_id: '', quantity: 0 });
  }

  /** Returns the cents that the token has spent in all, from the API or its MCP tool. */
  async spentInAll(way: 'API' | 'MCP', at: string): Promise<number> {
    const call = this.#call('agent.getToken');
    if (way === 'API') {
      return (JSON.parse((await this.#send(call, at)).text) as { spent_total_cents: number }).spent_total_cents;
    }
    const { result } = await callTool({ baseUrl: at }, { site_id: this.#site_id }, this.#secret, call);
    const { spent_total } = (result?.structuredContent ?? {}) as { spent_total?: string };
    return Math.round(Number(spent_total) * 100);
  }

  async #act(action: Action, way: Way, at: string, wish: Wish): Promise<AgentAnswer> {
    const key = randomUUID();
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#once(action, way, at, wish, key);
      const busy = answer.status === 503 || BUSY.includes(answer.error ?? '');
      if (!busy || attempt === ATTEMPTS) return answer;
      await sleep(Math.min(50 * attempt, 500));
    }
  }

  async #once(action: Action, way: Way, at: string, wish: Wish, key: string): Promise<AgentAnswer> {
    if (way === 'API') return answerOfApi(await this.#send(this.#operationOf(action, wish, key), at));
    if (way === 'UCP') return answerOfUcp(await this.#rest(action, at, wish, key));
    if (way === 'UCP over MCP') return answerOfUcpTool(await this.#ucpTool(action, at, wish, key));
    const call = this.#operationOf(action, wish, key);
    const { result, ...reply } = await callTool({ baseUrl: at }, { site_id: this.#site_id }, this.#secret, call);
    if (!result) return answerOfApi(reply);
    const outcome = result.structuredContent as Outcome;
    return { ...reply, error: result.isError ? outcome.error : undefined, checkout_id: outcome.checkout?.id };
  }

  #operationOf(action: Action, { variant_id, quantity, prepared }: Wish, key: string): Call {
    const own = { 'Idempotency-Key': key };
    if (action === 'read') return this.#call('agent.getToken');
    if (action === 'buy') return this.#call('agent.findAndBuy', { body: { variant_id, quantity } }, own);
    const { cart_id = '', line_item_id = '' } = prepared ?? {};
    return this.#call('agent.updateCartItem', { path: { cart_id, line_item_id }, body: { quantity } }, own);
  }

  #call(id: string, parts: Partial<Call> = {}, more: Call['headers'] = {}): Call {
    return callOf(id, { ...bearer(this.#secret), ...more }, parts);
  }

  #send(call: Call, at: string): Promise<Reply> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const headers = { ...call.headers, ...(body !== undefined && JSON_BODY) };
    return exchange(at, call.operation.method.toUpperCase(), targetOf(call), headers, body);
  }

  #rest(action: Action, at: string, wish: Wish, key: string): Promise<Reply> {
    const headers = {
      ...{ ...bearer(this.#secret), ...JSON_BODY, 'UCP-Agent': `profile="${PROFILE}"` },
      ...(action !== 'read' && { 'Idempotency-Key': key }),
    };
    const [method, path] = {
      buy: ['POST', '/checkout-sessions'],
      grow: ['PUT', `/checkout-sessions/${wish.prepared?.id}`],
      read: ['POST', '/catalog/search'],
    }[action] as [string, string];
    return exchange(
      at,
      method,
      `/sites/${this.#site_id}/ucp/v1${path}`,
      headers,
      JSON.stringify(payloadOf(action, wish)),
    );
  }

  #ucpTool(action: Action, at: string, wish: Wish, key: string): Promise<Reply> {
    const meta = { 'ucp-agent': { profile: PROFILE }, ...(action !== 'read' && { 'idempotency-key': key }) };
    const [name, given] = {
      buy: ['create_checkout', { checkout: payloadOf(action, wish) }],
      grow: ['update_checkout', { id: wish.prepared?.id, checkout: payloadOf(action, wish) }],
      read: ['search_catalog', { catalog: payloadOf(action, wish) }],
    }[action] as [string, object];
    const sent = message('tools/call', { name, arguments: { meta, ...given } });
    const headers = { ...headersOf(sent), ...bearer(this.#secret) };
    return exchange(at, 'POST', `/sites/${this.#site_id}/ucp/mcp`, headers, JSON.stringify(sent));
  }
}

const JSON_BODY = { 'Content-Type': 'application/json' };
/** Errors of a server that is overloaded, or that is still processing the same request. */
const BUSY = ['unavailable', 'timeout', 'idempotency_in_flight'];
const ATTEMPTS = 40;

function payloadOf(action: Action, { variant_id, quantity }: Wish): object {
  return action === 'read' ? { query: 'mug' } : { line_items: [{ item: { id: variant_id }, quantity }] };
}

interface Outcome {
  error?: string;
  checkout?: { id: string };
}

interface UcpOutcome {
  id?: string;
  code?: string;
  ucp?: { status: string };
  messages?: { type: string; code: string }[];
}

function answerOfApi({ status, text }: Reply): AgentAnswer {
  const { error, checkout } = JSON.parse(text) as Outcome;
  return { status, error, checkout_id: checkout?.id, text };
}

function answerOfUcp({ status, text }: Reply): AgentAnswer {
  return { status, text, ...outcomeOf(status, JSON.parse(text) as UcpOutcome) };
}

function answerOfUcpTool({ status, text }: Reply): AgentAnswer {
  const { result, error, ...refused } = JSON.parse(text) as {
    result?: { structuredContent: UcpOutcome };
    error?: { data?: UcpOutcome; message: string };
  };
  if (result) return { status, text, ...outcomeOf(status, result.structuredContent) };
  const code = error?.data?.code ?? error?.message ?? String((refused as UcpOutcome).code);
  return { status, text, error: code, checkout_id: undefined };
}

/** Codes of steps that need a person, which do not count as errors. */
const HANDED_OVER = ['human_confirmation_required'];

function outcomeOf(
  status: number,
  { id, code, ucp, messages = [] }: UcpOutcome,
): Pick<AgentAnswer, 'error' | 'checkout_id'> {
  if (status >= 400) return { error: code ?? String(status), checkout_id: undefined };
  const refused = messages.find((one) => one.type === 'error' && !HANDED_OVER.includes(one.code));
  if (ucp?.status === 'error') return { error: refused?.code ?? 'error', checkout_id: undefined };
  return { error: refused?.code, checkout_id: id };
}
