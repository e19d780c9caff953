import type { Handlers } from '../http/contract.ts';
import * as apiKeys from './api-keys.ts';
import * as auth from './auth.ts';
import * as collections from './collections.ts';
import * as inventory from './inventory.ts';
import * as me from './me.ts';
import * as products from './products.ts';
import * as settings from './settings.ts';
import * as storefrontTokens from './storefront-tokens.ts';
import * as syncKeys from './sync-keys.ts';

export const dashboard: Handlers<'dashboard'> = {
  ...apiKeys,
  ...auth,
  ...collections,
  ...inventory,
  ...me,
  ...products,
  ...settings,
  ...storefrontTokens,
  ...syncKeys,
};
