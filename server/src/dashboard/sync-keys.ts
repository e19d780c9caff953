import type { SyncKeyScope } from '@commerce-backend/spec';
import type { Caller } from '../http/callers/caller.ts';
import { requireAll } from '../http/callers/scopes.ts';
import type { Handler } from '../http/pipeline/handler.ts';
import * as credentials from '../shop/merchant/credentials.ts';

export const listSyncKeys: Handler<'dashboard.listSyncKeys'> = ({ shop }) => credentials.list(shop, 'sync');

export const createSyncKey: Handler<'dashboard.createSyncKey'> = ({ shop, caller, body }) => {
  requireWrites(body.scopes ?? [], caller);
  return credentials.createSyncKey(shop, body);
};

export const rotateSyncKey: Handler<'dashboard.rotateSyncKey'> = async ({ shop, caller, path, body }) => {
  // The caller gets a secret with all of these scopes, so the caller must have them.
  requireWrites((await credentials.get(shop, 'sync', path.sync_key_id)).scopes, caller);
  return credentials.rotate(shop, 'sync', path.sync_key_id, body?.grace_hours);
};

/** Throws `insufficient_scope` unless the caller has the scopes that the sync key would get. */
function requireWrites(scopes: SyncKeyScope[], caller: Caller): void {
  if (scopes.includes('write')) requireAll(['products:write', 'inventory:write'], caller);
}

export const revokeSyncKey: Handler<'dashboard.revokeSyncKey'> = ({ shop, path }) =>
  credentials.revoke(shop, 'sync', path.sync_key_id);
