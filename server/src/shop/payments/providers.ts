import type { PaymentAccounts } from './accounts/providers.ts';
import { PATIENCE, type Patience } from './patience.ts';
import type { PaymentProvider } from './provider.ts';

/** The providers that this server knows. */
export interface PaymentProviders {
  /** The one of the configuration; none means that cards are not accepted. */
  card: PaymentProvider | undefined;
  /** The accounts that sites have of their own, which come first. */
  accounts?: PaymentAccounts | undefined;
}

export function patienceOf({ accounts }: PaymentProviders): Patience {
  return accounts?.patience ?? PATIENCE;
}

/** Who takes new payments for a site; undefined when nobody does. */
export async function providerOf(
  { card, accounts }: PaymentProviders,
  site_id: string,
): Promise<PaymentProvider | undefined> {
  return (await accounts?.providerOf(site_id)) ?? card;
}

/** Who has a payment on record; undefined when the server no longer knows the provider. */
export async function providerNamed(
  { card, accounts }: PaymentProviders,
  site_id: string,
  name: string,
): Promise<PaymentProvider | undefined> {
  if (card?.name === name) return card;
  const own = await accounts?.providerOf(site_id);
  return own?.name === name ? own : undefined;
}

/** `providerNamed` for many payments of a site: an account is read, and its keys are opened, once for all. */
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
