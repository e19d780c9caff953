import type { LinkDeps } from '../links.ts';
import type { PaymentProvider } from './provider.ts';

/** What a checkout needs besides the shop. */
export interface CheckoutDeps extends LinkDeps {
  /** Who takes cards; none means that none are taken. */
  card: PaymentProvider | undefined;
}
