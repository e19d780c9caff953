import type { PaymentAccounts } from './accounts/providers.ts';
import type { PaymentProvider } from './provider.ts';
import { PROVIDER_DEADLINES, type ProviderDeadlines } from './provider-deadlines.ts';

/** The configured payment providers. */
export interface PaymentProviders {
  /** The provider from the server's configuration. Without one, only shops with their own account accept cards. */
  card: PaymentProvider | undefined;
  /** The sites' own accounts, which take precedence. */
  accounts?: PaymentAccounts | undefined;
}

export function deadlinesOf({ accounts }: PaymentProviders): ProviderDeadlines {
  return accounts?.deadlines ?? PROVIDER_DEADLINES;
}

/** The payment provider for new payments of a site; undefined if there is none. */
export async function providerOf(
  { card, accounts }: PaymentProviders,
  site_id: string,
): Promise<PaymentProvider | undefined> {
  return (await accounts?.providerOf(site_id)) ?? card;
}

/** The payment provider of a recorded payment; undefined if it is no longer configured. */
export async function providerNamed(
  { card, accounts }: PaymentProviders,
  site_id: string,
  name: string,
): Promise<PaymentProvider | undefined> {
  if (card?.name === name) return card;
  const own = await accounts?.providerOf(site_id);
  return own?.name === name ? own : undefined;
}

/** Like `providerNamed`, for many payments of a site: reads the account and decrypts its keys only once. */
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
