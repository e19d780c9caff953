import type { Handler } from '../http/pipeline/handler.ts';
import * as credentials from '../shop/merchant/credentials.ts';

export const listApiKeys: Handler<'dashboard.listApiKeys'> = ({ shop }) => credentials.list(shop, 'api_key');

export const createApiKey: Handler<'dashboard.createApiKey'> = ({ shop, body }) => credentials.createApiKey(shop, body);

export const rotateApiKey: Handler<'dashboard.rotateApiKey'> = ({ shop, path }) =>
  credentials.rotate(shop, 'api_key', path.api_key_id);

export const revokeApiKey: Handler<'dashboard.revokeApiKey'> = ({ shop, path }) =>
  credentials.revoke(shop, 'api_key', path.api_key_id);
