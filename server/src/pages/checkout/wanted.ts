import type { Address, Checkout } from '@commerce-backend/spec';
import { needsState } from '../../shop/address-rules.ts';
import type { CheckoutVisit } from './visit.ts';

/** The parts of a checkout that decide whether something is shipped. */
interface Sent extends Pick<Checkout, 'missing' | 'requires_shipping' | 'shipping_option'> {
  shipping_address?: Address | null;
}

/**
 * The fields that the page requires before the order: those missing in the checkout, and the state in countries that have states.
 * The API completes a checkout without the state, as published. Values from an integration are accepted as they are.
 */
export function wantedOf({ checkout: { source } }: CheckoutVisit, sent: Sent): string[] {
  const { missing, requires_shipping, shipping_option, shipping_address: address } = sent;
  const isSent = requires_shipping && shipping_option?.kind !== 'pickup' && source !== 'ai_widget';
  const lacksState = isSent && address?.country && needsState(address.country) && !address.state?.trim();
  return lacksState ? [...missing, 'shipping_address.state'] : missing;
}
