/**
 * The OAuth issuers of a shop: `/sites/{site_id}` of the base URL, and each of the shop's own hosts. A path is the same
 * resource below every issuer, so that tokens stay valid when the shop's hosts change. A token that was issued without
 * a resource is valid for all resources.
 */

import type { LinkDeps } from '../links.ts';

type Deps = Pick<LinkDeps, 'baseUrl' | 'hosts'>;

/** The API (with UCP over REST) and the MCP endpoints. */
export const RESOURCE_PATHS = ['', '/mcp', '/ucp/mcp'] as const;

export type ResourcePath = (typeof RESOURCE_PATHS)[number];

/** The resource and the platform for which a token is valid. */
export interface Audience {
  /** Null: at all resources of the shop. */
  resource: ResourcePath | null;
  /** The host of the only UCP platform that may use the token; null if the token was not granted to a platform. */
  platform_host: string | null;
}

export const ANYWHERE: Audience = { resource: null, platform_host: null };

export function issuerOf(baseUrl: string, site_id: string): string {
  return `${baseUrl}/sites/${site_id}`;
}

/** Returns the resource with this URL (RFC 8707); undefined if the shop has none. */
export function resourceNamed({ baseUrl, hosts }: Deps, site_id: string, text: string): string | undefined {
  const issuers = [issuerOf(baseUrl, site_id), ...hosts.originsOf(site_id)];
  // Clients add a trailing slash to a URL without a path.
  const named = text.replace(/\/$/, '');
  return issuers.some((issuer) => RESOURCE_PATHS.some((path) => issuer + path === named)) ? named : undefined;
}

/** Returns the path of a resource below its issuer. */
export function resourcePathOf(resource: string): ResourcePath {
  return [...RESOURCE_PATHS].reverse().find((path) => resource.endsWith(path)) ?? '';
}
