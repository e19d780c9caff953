import { type Client, type ClientOptions, createSurfaceClient } from './client.ts';
import type { SurfacePaths } from './contract.ts';
import { given } from './credentials.ts';

export type DashboardPaths = SurfacePaths<'dashboard'>;
export type DashboardClient = Client<DashboardPaths>;

/** An API key (`key_…`) for programs, or a staff session (`mch_…`) from the login, for people. */
export type DashboardCredentials =
  | { apiKey: string; sessionToken?: undefined }
  | { sessionToken: string; apiKey?: undefined };

export type DashboardOptions = ClientOptions &
  DashboardCredentials & {
    /** Which merchant the calls are for; needed only when the credentials reach several. */
    merchantId?: string;
  };

/** A client of the dashboard surface. Its credentials are secrets: an API key belongs on a server, never in a page. */
export function createDashboardClient(options: DashboardOptions): DashboardClient {
  const { apiKey, sessionToken, merchantId, ...rest } = options;
  return createSurfaceClient<DashboardPaths>(rest, {
    ...(sessionToken === undefined
      ? { 'X-API-Key': given('apiKey or sessionToken', apiKey) }
      : { Authorization: `Bearer ${given('sessionToken', sessionToken)}` }),
    ...(merchantId !== undefined && { 'X-Service-Merchant-Id': merchantId }),
  });
}
