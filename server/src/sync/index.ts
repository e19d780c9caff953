import type { Handlers } from '../http/contract.ts';
import * as products from './products.ts';

export const sync: Partial<Handlers<'sync'>> = { ...products };
