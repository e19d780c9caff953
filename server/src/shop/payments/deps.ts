import type { LinkDeps } from '../links.ts';
import type { PaymentProviders } from './providers.ts';

/** What a checkout needs besides the shop. */
export interface CheckoutDeps extends LinkDeps, PaymentProviders {}
