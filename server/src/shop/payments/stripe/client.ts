import type { Stripe } from 'stripe';
import { countCalls } from './call-metrics.ts';

export interface StripeAccess {
  /** The account's own key, or the platform's. */
  secretKey: string;
  /** The connected account on whose behalf the platform calls. */
  connectedAccount: string | null;
  /** A different URL for Stripe's API, for tests; ignored in production. */
  apiUrl: string | undefined;
}

export interface StripeAccount extends StripeAccess {
  site_id: string;
  /** Verifies this site's webhooks. Without it, the job polls payments instead. */
  webhookSecret: string | null;
}

/** Shorter than the deadline of a request, to leave time for storing the result. */
const TIMEOUT_MS = 15_000;

const clients = new Map<string, Promise<Stripe>>();

/** Returns a cached client of Stripe's SDK. The SDK takes 38 MB, so it is loaded on first use. */
export function clientOf(access: StripeAccess): Promise<Stripe> {
  const known = JSON.stringify(access);
  const client = clients.get(known) ?? open(access);
  // Moves the client to the end of the map, so that the least recently used one is evicted.
  clients.delete(known);
  clients.set(known, client);
  if (clients.size > 100) clients.delete(clients.keys().next().value ?? '');
  return client;
}

/**
 * Returns the id of the account that owns a key. Returns undefined if Stripe rejects the key. Returns null if Stripe is
 * unreachable or the key may not read the account; the caller then accepts the key.
 */
export async function accountOfKey(access: StripeAccess): Promise<string | null | undefined> {
  const stripe = await open(access);
  try {
    return (await stripe.accounts.retrieveCurrent({}, { timeout: 5_000 })).id;
  } catch (error) {
    return (error as { type?: string }).type === 'StripeAuthenticationError' ? undefined : null;
  }
}

async function open({ secretKey, connectedAccount, apiUrl }: StripeAccess): Promise<Stripe> {
  const { Stripe } = await import('stripe');
  const address = apiUrl === undefined ? {} : addressOf(new URL(apiUrl));
  return new Stripe(secretKey, {
    ...address,
    ...(connectedAccount !== null && { stripeAccount: connectedAccount }),
    httpClient: countCalls(Stripe.createNodeHttpClient()),
    timeout: TIMEOUT_MS,
    // The job retries, with an idempotency key.
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

function addressOf({ protocol, hostname, port }: URL) {
  const scheme = protocol === 'https:' ? 'https' : 'http';
  return { protocol: scheme, host: hostname, port: port || (scheme === 'https' ? '443' : '80') } as const;
}
