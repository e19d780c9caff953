import type { Address, Checkout } from '@commerce-backend/spec';
import { needsState } from '../../shop/address-rules.ts';
import type { CheckoutVisit } from './visit.ts';

/** The parts of a checkout that say whether anything is sent anywhere. */
interface Sent extends Pick<Checkout, 'missing' | 'requires_shipping' | 'shipping_option'> {
  shipping_address?: Address | null;
}

/**
 * What the page asks for before the order: what the checkout lacks, and the state where addresses of the country have one. The API
 * completes without it, as published. What an integration sent is taken as it is.
 */
export function wantedOf({ checkout: { source } }: CheckoutVisit, sent: Sent): string[] {
  const { missing, requires_shipping, shipping_option, shipping_address: address } = sent;
  const isSent = requires_shipping && shipping_option?.kind !== 'pickup' && source !== 'ai_widget';
  const lacksState = isSent && address?.country && needsState(address.country) && !address.state?.trim();
  return lacksState ? [...missing, 'shipping_address.state'] : missing;
}
