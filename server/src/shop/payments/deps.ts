import type { LinkDeps } from '../links.ts';
import type { PaymentProviders } from './providers.ts';

/** The dependencies of a checkout besides the shop. */
export interface CheckoutDeps extends LinkDeps, PaymentProviders {}
