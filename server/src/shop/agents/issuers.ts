import type { LinkDeps } from '../links.ts';

/**
 * Under which addresses a shop is known to OAuth: `/sites/{site_id}` of the configured address, and each host of its own. What
 * is below an issuer is a resource of the shop; a token is good for all of them.
 */
type Deps = Pick<LinkDeps, 'baseUrl' | 'hosts'>;

/** The API itself, and the endpoints that speak MCP. */
export const RESOURCE_PATHS = ['', '/mcp', '/ucp/mcp'] as const;

export type ResourcePath = (typeof RESOURCE_PATHS)[number];

export function issuerOf(baseUrl: string, site_id: string): string {
  return `${baseUrl}/sites/${site_id}`;
}

/** A resource of the shop in the form in which it is kept; undefined when it is none (RFC 8707). */
export function resourceNamed({ baseUrl, hosts }: Deps, site_id: string, text: string): string | undefined {
  const issuers = [issuerOf(baseUrl, site_id), ...hosts.originsOf(site_id)];
  // Clients write an address without a path with a slash.
  const named = text.replace(/\/$/, '');
  return issuers.some((issuer) => RESOURCE_PATHS.some((path) => issuer + path === named)) ? named : undefined;
}
