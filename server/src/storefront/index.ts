import type { Handlers } from '../http/contract.ts';
import * as collections from './collections.ts';
import * as products from './products.ts';
import * as shop from './shop.ts';

export const storefront: Handlers<'storefront'> = { ...collections, ...products, ...shop };
