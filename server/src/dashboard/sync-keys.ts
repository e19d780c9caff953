import type { Handler } from '../http/pipeline/handler.ts';
import * as credentials from '../shop/merchant/credentials.ts';

export const listSyncKeys: Handler<'dashboard.listSyncKeys'> = ({ shop }) => credentials.list(shop, 'sync');

export const createSyncKey: Handler<'dashboard.createSyncKey'> = ({ shop, body }) =>
  credentials.createSyncKey(shop, body);

export const rotateSyncKey: Handler<'dashboard.rotateSyncKey'> = ({ shop, path }) =>
  credentials.rotate(shop, 'sync', path.sync_key_id);

export const revokeSyncKey: Handler<'dashboard.revokeSyncKey'> = ({ shop, path }) =>
  credentials.revoke(shop, 'sync', path.sync_key_id);
