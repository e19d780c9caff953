import type { LinkDeps } from '../links.ts';

/**
 * The OAuth issuers of a shop: `/sites/{site_id}` of the configured base URL, and each of its own hosts. Paths below an
 * issuer are resources of the shop; a token is valid for all of them.
 */
type Deps = Pick<LinkDeps, 'baseUrl' | 'hosts'>;

/** The API and the MCP endpoints. */
export const RESOURCE_PATHS = ['', '/mcp', '/ucp/mcp'] as const;

export type ResourcePath = (typeof RESOURCE_PATHS)[number];

export function issuerOf(baseUrl: string, site_id: string): string {
  return `${baseUrl}/sites/${site_id}`;
}

/** A resource of the shop in stored form; undefined for any other text (RFC 8707). */
export function resourceNamed({ baseUrl, hosts }: Deps, site_id: string, text: string): string | undefined {
  const issuers = [issuerOf(baseUrl, site_id), ...hosts.originsOf(site_id)];
  // Clients write a URL without a path with a trailing slash.
  const named = text.replace(/\/$/, '');
  return issuers.some((issuer) => RESOURCE_PATHS.some((path) => issuer + path === named)) ? named : undefined;
}
