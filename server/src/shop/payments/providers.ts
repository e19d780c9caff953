import type { PaymentProvider } from './provider.ts';

/** The providers that this server knows. */
export interface PaymentProviders {
  /** The one of the configuration; none means that no cards are taken. */
  card: PaymentProvider | undefined;
}

/** Who takes new payments for a site; undefined when nobody does. */
export async function providerOf({ card }: PaymentProviders, _site_id: string): Promise<PaymentProvider | undefined> {
  return card;
}

/** Who has a payment on record; undefined when the server no longer knows the provider. */
export async function providerNamed(
  { card }: PaymentProviders,
  _site_id: string,
  name: string,
): Promise<PaymentProvider | undefined> {
  return card?.name === name ? card : undefined;
}
