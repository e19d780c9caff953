import { type Client, type ClientOptions, createSurfaceClient } from './client.ts';
import type { SurfacePaths } from './contract.ts';
import { given } from './credentials.ts';
import { followProducts, type ProductChanges, type ProductChangesOptions } from './product-changes.ts';

export type SyncPaths = SurfacePaths<'sync'>;

export interface SyncClient extends Client<SyncPaths> {
  /**
   * Iterates over every product that customers see. With a cursor or `updated_since`, iterates only over the changes
   * since then.
   */
  products(options?: ProductChangesOptions): ProductChanges;
}

export interface SyncOptions extends ClientOptions {
  siteId: string;
  /** The secret of a sync key (`syk_…`), only for servers. */
  syncSecret: string;
}

/**
 * A client for the sync surface: for integrations that keep a copy of the catalogue or create orders. Throws a
 * TypeError without its credentials or with an invalid `baseUrl`.
 *
 *     const sync = createSyncClient({ baseUrl, siteId, syncSecret: process.env.SYNC_SECRET ?? '' });
 *     for await (const { product_id, removed, product } of sync.products({ cursor })) update(product_id, removed ? null : product);
 */
export function createSyncClient({ siteId, syncSecret, ...rest }: SyncOptions): SyncClient {
  const client = createSurfaceClient<SyncPaths>(rest, {
    'X-Site-ID': given('siteId', siteId),
    'X-Sync-Secret': given('syncSecret', syncSecret),
  });
  return { ...client, products: (options) => followProducts(client, options) };
}
