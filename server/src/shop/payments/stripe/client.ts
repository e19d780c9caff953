import type { Stripe } from 'stripe';

/** Address and credentials for calls to an account. */
export interface StripeAccess {
  /** The account's own key, or the platform's. */
  secretKey: string;
  /** The connected account for which the platform acts. */
  connectedAccount: string | null;
  /** Replaces Stripe's address; not in production. */
  apiUrl: string | undefined;
}

export interface StripeAccount extends StripeAccess {
  site_id: string;
  /** Verifies the webhooks of this site. Without it, payments are only polled. */
  webhookSecret: string | null;
}

/** Within the deadline of a request, with time left to record the outcome. */
const TIMEOUT_MS = 15_000;

const clients = new Map<string, Promise<Stripe>>();

/** The official client. Loaded on first use, because it takes 38 MB of memory. */
export function clientOf(access: StripeAccess): Promise<Stripe> {
  const known = JSON.stringify(access);
  const client = clients.get(known) ?? open(access);
  // Moves it to the end, so that the least recently used client is evicted first.
  clients.delete(known);
  clients.set(known, client);
  if (clients.size > 100) clients.delete(clients.keys().next().value ?? '');
  return client;
}

/**
 * The account id of a key; undefined for a key that Stripe rejects; null if Stripe is unreachable, and the key is then
 * assumed to be valid. A restricted key may lack the right to ask.
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
