import type { PaymentProvider } from './provider.ts';

/** The providers that this server knows. */
export interface PaymentProviders {
  /** The one of the configuration; none means that no cards are taken. */
  card: PaymentProvider | undefined;
}

/** Who takes payments for a site; undefined when nobody does. */
export async function providerOf({ card }: PaymentProviders, _site_id: string): Promise<PaymentProvider | undefined> {
  return card;
}
