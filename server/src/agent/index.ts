import type { Handlers } from '../http/pipeline/handler.ts';
import * as audit from './audit.ts';
import * as carts from './carts.ts';
import * as catalog from './catalog.ts';
import * as checkouts from './checkouts.ts';
import * as consent from './consent.ts';
import * as customer from './customer.ts';
import * as intent from './intent.ts';
import * as orders from './orders.ts';
import * as returns from './returns.ts';
import * as shop from './shop.ts';
import * as token from './token.ts';

export const agent: Handlers<'agent'> = {
  ...audit,
  ...carts,
  ...catalog,
  ...checkouts,
  ...consent,
  ...customer,
  ...intent,
  ...orders,
  ...returns,
  ...shop,
  ...token,
};
