import { requireAll } from '../http/callers/scopes.ts';
import type { Handler } from '../http/pipeline/handler.ts';
import * as credentials from '../shop/merchant/credentials.ts';

export const listApiKeys: Handler<'dashboard.listApiKeys'> = ({ shop }) => credentials.list(shop, 'api_key');

export const createApiKey: Handler<'dashboard.createApiKey'> = ({ shop, caller, body }) => {
  requireAll(body.scopes, caller);
  return credentials.createApiKey(shop, body);
};

export const rotateApiKey: Handler<'dashboard.rotateApiKey'> = async ({ shop, caller, path, body }) => {
  // The caller gets a secret with all of these scopes, so the caller must have them.
  requireAll((await credentials.get(shop, 'api_key', path.api_key_id)).scopes, caller);
  return credentials.rotate(shop, 'api_key', path.api_key_id, body?.grace_hours);
};

export const revokeApiKey: Handler<'dashboard.revokeApiKey'> = ({ shop, path }) =>
  credentials.revoke(shop, 'api_key', path.api_key_id);
