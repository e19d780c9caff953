/** A UCP agent that validates the responses with the published schemas. */

import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { FUNCTIONS, type FunctionName } from '../src/ucp/functions.ts';
import { CAPABILITIES, UCP_VERSION } from '../src/ucp/protocol.ts';
import type { Unsigned } from './ucp-platform.ts';

const SCHEMAS = new URL('ucp-schemas/', import.meta.url);
const OLDER = '2026-04-08';

/** The schemas of a version. Different versions use the same names, so each version has its own instance. */
function schemasIn(folder: URL, isIncluded: (file: string) => boolean): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.json') || !isIncluded(file)) continue;
    ajv.addSchema(JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as object);
  }
  return ajv;
}

const newest = schemasIn(SCHEMAS, (file) => !file.startsWith(OLDER));
const older = schemasIn(new URL(`${OLDER}/`, SCHEMAS), () => true);

const published = 'https://ucp.dev/schemas/';
const errorIn = (version: string) =>
  version === OLDER ? 'shopping/types/error_response.json' : 'common/types/error_response.json';
const CHECKOUT = [
  'checkout.json',
  ...['discount', 'fulfillment', 'buyer_consent'].map((name) => `${name}.json#/$defs/dev.ucp.shopping.checkout`),
];
const CART = ['cart.json', 'discount.json#/$defs/dev.ucp.shopping.cart'];

/** The schemas that the responses of a function must match. */
function schemasOf(name: FunctionName): string[] {
  if (name === 'search_catalog') return ['catalog_search.json#/$defs/search_response'];
  if (name === 'lookup_catalog') return ['catalog_lookup.json#/$defs/lookup_response'];
  if (name === 'get_product') return ['catalog_lookup.json#/$defs/get_product_response'];
  if (name === 'get_order') return ['order.json'];
  return name.endsWith('cart') ? CART : CHECKOUT;
}

/** The validation errors of a document. */
export function faultsIn(schema: string, document: unknown, version = UCP_VERSION): string[] {
  const validate = (version === OLDER ? older : newest).getSchema(`${published}${schema}`);
  if (!validate) throw new Error(`There is no schema ${schema}.`);
  if (validate(document)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${schema} ${instancePath} ${message}`);
}

export function faultsInAnswer(name: FunctionName, body: unknown): string[] {
  const { status, version = UCP_VERSION } = (body as { ucp?: { status?: string; version?: string } }).ucp ?? {};
  const schemas = status === 'error' ? [errorIn(version)] : schemasOf(name).map((one) => `shopping/${one}`);
  return schemas.flatMap((one) => faultsIn(one, body, version));
}

export interface UcpBody {
  ucp: { version: string; status: string; capabilities: Record<string, unknown> };
  id: string;
  status: string;
  line_items: { id: string; item: { id: string; title: string; price: number }; quantity: number }[];
  totals: { type: string; amount: number }[];
  messages?: { type: string; code: string; severity?: string; path?: string; content: string }[];
  continue_url?: string;
  order?: { id: string; permalink_url: string };
  [field: string]: unknown;
}

/** Starts a server that publishes an agent's profile, or the given text in its place. */
export async function publishProfile(change: object | string = {}) {
  const entry = [{ version: UCP_VERSION, spec: 'https://ucp.dev/', schema: 'https://ucp.dev/' }];
  const capabilities = Object.fromEntries(Object.keys(CAPABILITIES).map((name) => [name, entry]));
  const ucp = { version: UCP_VERSION, services: {}, payment_handlers: {}, capabilities };
  const document = typeof change === 'string' ? change : JSON.stringify({ ucp: { ...ucp, ...change } });
  let asked = 0;
  const server = createServer((_req, res) => {
    asked += 1;
    res.setHeader('Cache-Control', 'public, max-age=600').end(document);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/.well-known/ucp`,
    asked: () => asked,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

interface Sent {
  body?: unknown;
  key?: string;
  headers?: Record<string, string>;
}

/** The HTTP method and path of each function. */
export const ROUTES: Record<FunctionName, (id: string) => [string, string]> = {
  search_catalog: () => ['POST', '/catalog/search'],
  lookup_catalog: () => ['POST', '/catalog/lookup'],
  get_product: () => ['POST', '/catalog/product'],
  create_cart: () => ['POST', '/carts'],
  get_cart: (id) => ['GET', `/carts/${id}`],
  update_cart: (id) => ['PUT', `/carts/${id}`],
  cancel_cart: (id) => ['POST', `/carts/${id}/cancel`],
  create_checkout: () => ['POST', '/checkout-sessions'],
  get_checkout: (id) => ['GET', `/checkout-sessions/${id}`],
  update_checkout: (id) => ['PUT', `/checkout-sessions/${id}`],
  complete_checkout: (id) => ['POST', `/checkout-sessions/${id}/complete`],
  cancel_checkout: (id) => ['POST', `/checkout-sessions/${id}/cancel`],
  get_order: (id) => ['GET', `/orders/${id}`],
};

export const FUNCTION_NAMES = Object.keys(FUNCTIONS) as FunctionName[];

interface UcpClientOptions {
  issuer: string;
  profile: string;
  token?: string | undefined;
  /** Returns the headers with a signature. */
  sign?: ((request: Unsigned) => Promise<Record<string, string>>) | undefined;
}

/** A REST client that validates every response with the published schemas. */
export function ucpClient({ issuer, profile, token, sign }: UcpClientOptions) {
  async function send(name: FunctionName, id = '', { body, key = randomUUID(), headers = {} }: Sent = {}) {
    const [method, path] = ROUTES[name](id);
    const all = {
      ...{ 'Content-Type': 'application/json', 'UCP-Agent': `profile="${profile}"`, 'Request-Id': randomUUID() },
      ...(method !== 'GET' && { 'Idempotency-Key': key }),
      ...(token && { Authorization: `Bearer ${token}` }),
      ...headers,
    };
    const request = {
      ...{ method, headers: all },
      ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
    };
    const url = `${issuer}/ucp/v1${path}`;
    return fetch(url, { ...request, ...(sign && { headers: await sign({ ...request, url }) }) });
  }
  return {
    send,
    /**
     * Returns the resource or the messages. Throws for a protocol error, and for a response that does not match the
     * schemas.
     */
    async call(name: FunctionName, id = '', sent: Sent = {}): Promise<UcpBody> {
      const answer = await send(name, id, sent);
      const body = (await answer.json()) as UcpBody;
      if (answer.status >= 300) throw new Error(`${name}: ${answer.status} ${JSON.stringify(body)}`);
      const faults = faultsInAnswer(name, body);
      if (faults.length > 0) throw new Error(`${name}: ${faults.join('\n')}\n${JSON.stringify(body)}`);
      return body;
    },
  };
}
