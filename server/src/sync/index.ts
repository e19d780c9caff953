import type { Handlers } from '../http/contract.ts';
import * as availability from './availability.ts';
import * as products from './products.ts';

export const sync: Partial<Handlers<'sync'>> = { ...availability, ...products };
