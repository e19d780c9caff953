import type { Address, Checkout } from '@commerce-backend/spec';
import { needsState } from '../../shop/address-rules.ts';
import type { CheckoutVisit } from './visit.ts';

/** The parts of a checkout that determine whether it is shipped. */
interface Sent extends Pick<Checkout, 'missing' | 'requires_shipping' | 'shipping_option'> {
  shipping_address?: Address | null;
}

/**
 * Fields that the page requires before an order: those that the checkout lacks, and the state in countries that have
 * states. The API does not require the state, for compatibility. Checkouts from integrations are accepted without it.
 */
export function wantedOf({ checkout: { source } }: CheckoutVisit, sent: Sent): string[] {
  const { missing, requires_shipping, shipping_option, shipping_address: address } = sent;
  const isSent = requires_shipping && shipping_option?.kind !== 'pickup' && source !== 'ai_widget';
  const lacksState = isSent && address?.country && needsState(address.country) && !address.state?.trim();
  return lacksState ? [...missing, 'shipping_address.state'] : missing;
}
