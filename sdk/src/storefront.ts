import { type Client, type ClientOptions, createSurfaceClient } from './client.ts';
import type { SurfacePaths } from './contract.ts';
import { given } from './credentials.ts';

export type StorefrontPaths = SurfacePaths<'storefront'>;
export type StorefrontClient = Client<StorefrontPaths>;

export interface StorefrontOptions extends ClientOptions {
  siteId: string;
  /** A storefront token (`stk_…`), which may stand in public pages. */
  storefrontToken: string;
}

/** A client of the storefront surface: the shop as its customers see it. */
export function createStorefrontClient({ siteId, storefrontToken, ...options }: StorefrontOptions): StorefrontClient {
  return createSurfaceClient<StorefrontPaths>(options, {
    'X-Site-ID': given('siteId', siteId),
    'X-Service-Token': given('storefrontToken', storefrontToken),
  });
}
