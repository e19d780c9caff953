import { randomUUID } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type { Site } from './processes.ts';

/** A shopper who calls the commerce server or the bare server, one call after another. */
export interface Shopper {
  /** Sends a call and returns the body of the response. Throws for any status other than 2xx. */
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Sends a GET and discards the response. Throws for any status other than 2xx. */
  read(path: string): Promise<void>;
  /** Returns the id of a variant for sale, the next one on each call. */
  variant_id(): string;
  shipping_option_id: string;
}

interface Answer {
  id: string;
  total: string;
  [field: string]: unknown;
}

const CART = '/api/storefront/cart';
const CHECKOUT = '/api/storefront/checkout';

/** Creates a cart with two units of a variant, in two calls. */
export async function fillCart({ call, variant_id }: Shopper): Promise<string> {
  const { id } = await call('POST', CART);
  await call('POST', `${CART}/${id}/items`, { variant_id: variant_id(), quantity: 2 });
  return id;
}

/** Buys, from an empty cart to an order by bank transfer, in five calls. */
export async function buy(shopper: Shopper): Promise<unknown> {
  const cart_id = await fillCart(shopper);
  const { id } = await shopper.call('POST', CHECKOUT, { cart_id });
  const { total } = await shopper.call('PATCH', `${CHECKOUT}/${id}`, {
    email: 'june@example.com',
    shipping_address: ADDRESS,
    shipping_option_id: shopper.shipping_option_id,
    payment_method: 'bank_transfer',
  });
  return shopper.call('POST', `${CHECKOUT}/${id}/complete`, { expected_total: total });
}

const ADDRESS = {
  first_name: 'June',
  last_name: 'Okafor',
  address1: 'Lindenallee 7',
  city: 'Berlin',
  postal_code: '10115',
  country: 'DE',
};

export interface Goods {
  variant_ids: string[];
  shipping_option_id: string;
}

/** Creates a shopper that uses one persistent connection. `credentials` can replace those of the site. */
export function shopperAt(
  url: string,
  { site_id, storefront_token }: Site,
  goods: Goods,
  credentials: Record<string, string> = { 'X-Site-ID': site_id, 'X-Service-Token': storefront_token },
): Shopper & { leave(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { hostname, port } = new URL(url);
  let flows = Math.floor(Math.random() * goods.variant_ids.length);
  const next = <T>(list: T[]): T => list[(flows++ + list.length) % list.length] as T;
  const send = <T>(method: string, path: string, body: string, take: (answer: IncomingMessage) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const headers = {
        ...credentials,
        ...(method !== 'GET' && { 'Idempotency-Key': randomUUID() }),
        ...(body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
      };
      const sent = request({ agent, hostname, port, method, path, headers }, (response) => {
        if ((response.statusCode ?? 500) < 300) take(response).then(resolve, reject);
        else refused(`${method} ${path}`, response).catch(reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  return {
    variant_id: () => next(goods.variant_ids),
    shipping_option_id: goods.shipping_option_id,
    leave: () => agent.destroy(),
    call: (method, path, body) =>
      send(method, path, body === undefined ? '' : JSON.stringify(body), (answer) => json(answer) as Promise<Answer>),
    read: (path) => send('GET', path, '', async (answer) => void (await finished(answer.resume()))),
  };
}

/** Thrown for a response with a status other than 2xx. */
export class Refused extends Error {
  readonly status: number;

  constructor(call: string, status: number, body: string) {
    super(`${call}: ${status} ${body}`);
    this.status = status;
  }
}

async function refused(call: string, response: IncomingMessage): Promise<never> {
  throw new Refused(call, response.statusCode ?? 0, await text(response));
}
