import { type Client, type ClientOptions, createSurfaceClient } from './client.ts';
import type { SurfacePaths } from './contract.ts';
import { given } from './credentials.ts';

export type SyncPaths = SurfacePaths<'sync'>;

export type SyncClient = Client<SyncPaths>;

export interface SyncOptions extends ClientOptions {
  siteId: string;
  /** The secret of a sync key (`syk_…`), for servers alone. */
  syncSecret: string;
}

/** A client of the sync surface: for integrations that keep a copy of the catalogue, or send orders. */
export function createSyncClient({ siteId, syncSecret, ...rest }: SyncOptions): SyncClient {
  return createSurfaceClient<SyncPaths>(rest, {
    'X-Site-ID': given('siteId', siteId),
    'X-Sync-Secret': given('syncSecret', syncSecret),
  });
}
