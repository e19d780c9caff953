import type { Stripe } from 'stripe';

/** Credentials for calls to a Stripe account, and the URL of the API. */
export interface StripeAccess {
  /** The account's own key, or the platform's. */
  secretKey: string;
  /** The connected account for which the platform acts. */
  connectedAccount: string | null;
  /** Replaces the URL of Stripe's API, except in production. */
  apiUrl: string | undefined;
}

export interface StripeAccount extends StripeAccess {
  site_id: string;
  /** Secret that verifies this site's webhooks. Without it, payments are only polled. */
  webhookSecret: string | null;
}

/** Shorter than the deadline of a request, so that time is left to record the result. */
const TIMEOUT_MS = 15_000;

const clients = new Map<string, Promise<Stripe>>();

/** The official client. It is loaded on first use, because it takes 38 MB of memory. */
export function clientOf(access: StripeAccess): Promise<Stripe> {
  const known = JSON.stringify(access);
  const client = clients.get(known) ?? open(access);
  // Moves the client to the end, so that the least recently used one is evicted first.
  clients.delete(known);
  clients.set(known, client);
  if (clients.size > 100) clients.delete(clients.keys().next().value ?? '');
  return client;
}

/**
 * The id of the account to which a key belongs; undefined if Stripe rejects the key; null if Stripe is unreachable or a
 * restricted key may not read the account. With null, the key is assumed to be valid.
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
    timeout: TIMEOUT_MS,
    // The caller or a job retries; each call has its own idempotency key.
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

function addressOf({ protocol, hostname, port }: URL) {
  const scheme = protocol === 'https:' ? 'https' : 'http';
  return { protocol: scheme, host: hostname, port: port || (scheme === 'https' ? '443' : '80') } as const;
}
