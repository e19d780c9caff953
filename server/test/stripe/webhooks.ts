import Stripe from 'stripe';
import type { StripeEvent } from './objects.ts';

/** A webhook endpoint to which events are sent as Stripe does, signed by its official package. */
export interface Endpoint {
  url: string;
  secret: string;
  /** The account whose events it receives. */
  account: string;
  /** Whether the endpoint belongs to a platform, whose events name the account. */
  connected?: boolean;
}

const stripe = new Stripe('sk_test_only_to_sign');

/** Sends an event. Returns the status of the response; 0 if there was none. */
export async function sendEvent(event: StripeEvent, endpoint: Endpoint, signedAt = Date.now()): Promise<number> {
  const { body, signature } = signed(event, endpoint, signedAt);
  return post(endpoint.url, body, signature);
}

export function signed(event: StripeEvent, { secret, connected }: Endpoint, signedAt = Date.now()) {
  const { owner, ...wire } = event;
  const body = JSON.stringify({ ...wire, api_version: Stripe.API_VERSION, ...(connected && { account: owner }) });
  const timestamp = Math.floor(signedAt / 1_000);
  return { body, signature: stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp }) };
}

export async function post(url: string, body: string | Buffer, signature?: string): Promise<number> {
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    ...(signature && { 'Stripe-Signature': signature }),
  };
  try {
    const answer = await fetch(url, { method: 'POST', body: new Uint8Array(Buffer.from(body)), headers });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}
