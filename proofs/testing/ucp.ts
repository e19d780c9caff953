import { randomUUID } from 'node:crypto';
import type { FunctionName } from '../../server/src/ucp/functions.ts';
import { payloadOf } from '../../server/src/ucp/mcp.ts';
import { FUNCTION_NAMES, ROUTES } from '../../server/test/ucp.ts';
import { bearer } from './agents.ts';
import { headersOf, message } from './mcp.ts';
import { type Call, exchange, type Reply } from './raw-requests.ts';
import { makeOrder, stapleOf } from './sales.ts';
import type { Tenant, World } from './tenant.ts';

/** A request of the Universal Commerce Protocol, valid or not, before a transport is chosen. */
export interface Asked {
  name: FunctionName;
  id?: string;
  body?: unknown;
  /** The URL of a profile that replaces the speaker's profile. */
  profile?: string;
}

/** An agent that makes requests; without `secret`, a guest. */
export interface Speaker {
  baseUrl: string;
  site_id: string;
  /** The URL of the agent's profile. */
  profile: string;
  secret?: string;
}

export type Ask = (speaker: Speaker, asked: Asked, more?: Call['headers']) => Promise<Reply>;

/** A request as a transport would send it. */
export interface Wire {
  method: string;
  path: string;
  headers: Call['headers'];
  /** Sent as JSON; undefined sends no body. */
  message: unknown;
}

export function overRest(speaker: Speaker, { name, id = '', body, profile = speaker.profile }: Asked): Wire {
  const [method, path] = ROUTES[name]?.(encodeURIComponent(id)) ?? ['POST', '/nowhere'];
  const headers = {
    ...{ 'Content-Type': 'application/json', 'UCP-Agent': `profile="${profile}"` },
    ...(method !== 'GET' && { 'Idempotency-Key': randomUUID() }),
    ...(speaker.secret && bearer(speaker.secret)),
  };
  const message = method === 'GET' ? undefined : (body ?? {});
  return { method, path: `/sites/${speaker.site_id}/ucp/v1${path}`, headers, message };
}

export function overMcp(speaker: Speaker, { name, id, body, profile = speaker.profile }: Asked): Wire {
  const meta = { 'ucp-agent': { profile }, 'idempotency-key': randomUUID() };
  const given = { meta, ...(id !== undefined && { id }), ...(body !== undefined && { [payloadOf(name)]: body }) };
  const sent = message('tools/call', { name, arguments: given });
  const headers = { ...headersOf(sent), ...(speaker.secret && bearer(speaker.secret)) };
  return { method: 'POST', path: `/sites/${speaker.site_id}/ucp/mcp`, headers, message: sent };
}

/** The two transports. */
export const WAYS = { REST: overRest, MCP: overMcp };

function asking(way: typeof overRest): Ask {
  return (speaker, asked, more = {}) => {
    const { method, path, headers, message: sent } = way(speaker, asked);
    const text = sent === undefined ? undefined : JSON.stringify(sent);
    return exchange(speaker.baseUrl, method, path, { ...headers, ...more }, text);
  };
}

export const askOverRest = asking(overRest);
export const askOverMcp = asking(overMcp);

/** Returns the result of a function, over either transport; undefined for a protocol error. */
export function answerIn({ status, text }: Reply): Record<string, unknown> | undefined {
  const content = JSON.parse(text) as Record<string, unknown> & {
    result?: { structuredContent?: Record<string, unknown> };
  };
  if ('jsonrpc' in content) return content.result?.structuredContent;
  return status < 300 ? content : undefined;
}

interface Scene {
  speaker: Speaker;
  /** The customer for whom the speaker acts. */
  customer_id: string;
  /** Whether the speaker's token works. If not, a guest creates the objects. */
  isAlive: boolean;
  /** Called with the id of each request that creates an object for one of the returned requests. */
  note?: (request_id: string) => void;
}

/**
 * Builds a valid request for each UCP function. Each that needs a cart or checkout gets its own, so that the requests
 * do not conflict.
 */
export async function validAsks(
  world: World,
  tenant: Tenant,
  { speaker, customer_id, isAlive, note }: Scene,
): Promise<Asked[]> {
  const line_items = [{ item: { id: await stapleOf(world, tenant) }, quantity: 1 }];
  const { order: [order = ''] = [] } = await makeOrder(world, tenant);
  await world.owner.query('update commerce.orders set customer_id = $3 where site_id = $1 and id = $2', [
    ...[tenant.site_id, order, customer_id],
  ]);
  const maker: Speaker = { ...speaker, ...(isAlive ? {} : { secret: '' }) };
  const made = async (name: FunctionName): Promise<string> => {
    const request_id = randomUUID();
    note?.(request_id);
    const answer = answerIn(await askOverRest(maker, { name, body: { line_items } }, { 'X-Request-Id': request_id }));
    if (typeof answer?.id !== 'string') throw new Error(`${name} of the proof was refused: ${JSON.stringify(answer)}`);
    return answer.id;
  };
  const bodies: Partial<Record<FunctionName, object>> = {
    search_catalog: { query: 'staple', filters: { price: { max: 5_000 } }, pagination: { limit: 3 } },
    lookup_catalog: { ids: [line_items[0]?.item.id] },
    get_product: { id: line_items[0]?.item.id },
    create_cart: { line_items },
    update_cart: { line_items, discounts: { codes: [] } },
    create_checkout: { line_items },
    update_checkout: { line_items, buyer: { email: 'june@example.com' } },
  };
  const asks: Asked[] = [];
  for (const name of FUNCTION_NAMES) {
    const body = bodies[name];
    const takesCart = /^(get|update|cancel)_cart$/.test(name);
    const takesCheckout = /^(get|update|complete|cancel)_checkout$/.test(name);
    const id = takesCart ? await made('create_cart') : takesCheckout ? await made('create_checkout') : undefined;
    asks.push({ name, ...(body && { body }), ...(id && { id }), ...(name === 'get_order' && { id: order }) });
  }
  return asks;
}
