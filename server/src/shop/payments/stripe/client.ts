import type { Stripe } from 'stripe';

/** Where an account's calls go, and by which credentials. */
export interface StripeAccess {
  /** The account's own key, or that of the platform. */
  secretKey: string;
  /** The connected account for which the platform acts. */
  connectedAccount: string | null;
  /** In place of Stripe's own address; only outside production. */
  apiUrl: string | undefined;
}

/** The access of one site. */
export interface StripeAccount extends StripeAccess {
  site_id: string;
  /** Signs the webhooks of this site. While it is null, Stripe is only asked how payments stand. */
  webhookSecret: string | null;
}

/** Within the deadline of a request, with time left to record the outcome. */
const TIMEOUT_MS = 15_000;

const clients = new Map<string, Promise<Stripe>>();

/** The official client. The package is loaded on first use: it takes 38 MB of memory, which shops without it need not pay. */
export function clientOf(access: StripeAccess): Promise<Stripe> {
  const known = JSON.stringify(access);
  const client = clients.get(known) ?? open(access);
  // Moved to the end: the least recently used one is forgotten first.
  clients.delete(known);
  clients.set(known, client);
  if (clients.size > 100) clients.delete(clients.keys().next().value ?? '');
  return client;
}

/**
 * The id of the account that a key belongs to; undefined for a key that Stripe refuses. While Stripe cannot be asked, a key is
 * assumed to be right, and its account is null. A restricted key may lack the right to ask.
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
    // The caller tries again, or a job does; each call has a key of its own that makes it happen once.
    maxNetworkRetries: 0,
    telemetry: false,
  });
}

function addressOf({ protocol, hostname, port }: URL) {
  const scheme = protocol === 'https:' ? 'https' : 'http';
  return { protocol: scheme, host: hostname, port: port || (scheme === 'https' ? '443' : '80') } as const;
}
