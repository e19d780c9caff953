import type { LinkDeps } from '../links.ts';
import type { PaymentProviders } from './providers.ts';

export interface CheckoutDeps extends LinkDeps, PaymentProviders {}
