import type { Handlers } from '../http/pipeline/handler.ts';
import * as agents from './agents.ts';
import * as cart from './cart.ts';
import * as checkout from './checkout.ts';
import * as collections from './collections.ts';
import * as customer from './customer.ts';
import * as products from './products.ts';
import * as shop from './shop.ts';
import * as suggest from './suggest.ts';

export const storefront: Handlers<'storefront'> = {
  ...agents,
  ...cart,
  ...checkout,
  ...collections,
  ...customer,
  ...products,
  ...shop,
  ...suggest,
};
