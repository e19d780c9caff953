import { type Client, type ClientOptions, createSurfaceClient } from './client.ts';
import type { SurfacePaths } from './contract.ts';
import { given } from './credentials.ts';

export type DashboardPaths = SurfacePaths<'dashboard'>;
export type DashboardClient = Client<DashboardPaths>;

/**
 * An API key (`key_…`) for programs, or a staff session (`mch_…`) from the login, for people. `panel: true` is for the
 * server's own panel, whose session is a cookie that its scripts cannot read; the server rejects it from other pages.
 */
export type DashboardCredentials =
  | { apiKey: string; sessionToken?: undefined; panel?: undefined }
  | { sessionToken: string; apiKey?: undefined; panel?: undefined }
  | { panel: true; apiKey?: undefined; sessionToken?: undefined };

export type DashboardOptions = ClientOptions &
  DashboardCredentials & {
    /** The merchant of the calls; needed only if the credentials belong to several. */
    merchantId?: string;
  };

/**
 * A client for the dashboard surface. Its credentials are secrets: an API key belongs on a server, never in a page.
 * Throws a TypeError without credentials or with an invalid `baseUrl`. Amounts are decimal strings in the shop's
 * currency.
 *
 *     const dashboard = createDashboardClient({ baseUrl: 'https://shop.example', apiKey: process.env.COMMERCE_API_KEY ?? '' });
 *     await unwrap(dashboard.POST('/api/dashboard/products', { body: { name: 'Mug', price: '14.00', status: 'active' } }));
 */
export function createDashboardClient(options: DashboardOptions): DashboardClient {
  const { merchantId, ...rest } = options;
  return createSurfaceClient<DashboardPaths>(rest, {
    ...credentialHeaders(rest),
    ...(merchantId !== undefined && { 'X-Service-Merchant-Id': merchantId }),
  });
}

function credentialHeaders({ apiKey, sessionToken, panel }: DashboardCredentials): Record<string, string> {
  if (panel) return { 'X-Panel': '1' };
  if (sessionToken !== undefined) return { Authorization: `Bearer ${given('sessionToken', sessionToken)}` };
  return { 'X-API-Key': given('apiKey or sessionToken', apiKey) };
}
