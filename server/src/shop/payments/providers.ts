import type { PaymentAccounts } from './accounts/providers.ts';
import type { PaymentProvider } from './provider.ts';
import { PROVIDER_DEADLINES, type ProviderDeadlines } from './provider-deadlines.ts';

export interface PaymentProviders {
  /** The provider in the server's configuration. Without it, a shop needs its own account to accept cards. */
  card: PaymentProvider | undefined;
  /** The sites' own accounts. These take precedence. */
  accounts?: PaymentAccounts | undefined;
}

export function deadlinesOf({ accounts }: PaymentProviders): ProviderDeadlines {
  return accounts?.deadlines ?? PROVIDER_DEADLINES;
}

/** Returns the payment provider for new payments of a site. */
export async function providerOf(
  { card, accounts }: PaymentProviders,
  site_id: string,
): Promise<PaymentProvider | undefined> {
  return (await accounts?.providerOf(site_id)) ?? card;
}

/** Returns the provider of a stored payment; undefined if it is no longer configured. */
export async function providerNamed(
  { card, accounts }: PaymentProviders,
  site_id: string,
  name: string,
): Promise<PaymentProvider | undefined> {
  if (card?.name === name) return card;
  const own = await accounts?.providerOf(site_id);
  return own?.name === name ? own : undefined;
}

/** Like `providerNamed` for many payments of a site: looks up each name only once. */
export function providersByName(
  providers: PaymentProviders,
  site_id: string,
): (name: string) => Promise<PaymentProvider | undefined> {
  const found = new Map<string, Promise<PaymentProvider | undefined>>();
  return (name) => {
    const provider = found.get(name) ?? providerNamed(providers, site_id, name);
    found.set(name, provider);
    return provider;
  };
}
