import type { Handler } from '../http/pipeline/handler.ts';
import * as credentials from '../shop/merchant/credentials.ts';

export const listStorefrontTokens: Handler<'dashboard.listStorefrontTokens'> = ({ shop }) =>
  credentials.list(shop, 'storefront');

export const createStorefrontToken: Handler<'dashboard.createStorefrontToken'> = ({ shop, body }) =>
  credentials.createStorefrontToken(shop, body);

export const rotateStorefrontToken: Handler<'dashboard.rotateStorefrontToken'> = ({ shop, path, body }) =>
  credentials.rotate(shop, 'storefront', path.storefront_token_id, body?.grace_hours);

export const revokeStorefrontToken: Handler<'dashboard.revokeStorefrontToken'> = ({ shop, path }) =>
  credentials.revoke(shop, 'storefront', path.storefront_token_id);
