import type { LinkDeps } from '../links.ts';
import type { PaymentProviders } from './providers.ts';

/** What checkouts need in addition to the shop. */
export interface CheckoutDeps extends LinkDeps, PaymentProviders {}
