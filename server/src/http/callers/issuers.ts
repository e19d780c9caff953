import { issuerOf } from '../../shop/agents/issuers.ts';
import type { Received } from '../received.ts';
import type { SiteHosts } from './site-hosts.ts';

/** An OAuth issuer of a shop: its URL is `/sites/{site_id}` at the base URL, or a host of the shop. */
export interface Issuer {
  site_id: string;
  issuer: string;
}

interface Deps {
  baseUrl: string;
  hosts: SiteHosts;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Express paths for `path` below both forms of issuer. */
export function belowIssuer(path: string): string[] {
  return [`/sites/:site_id${path}`, path];
}

/** The issuer in a request's URL; undefined if there is none. Does not check whether the shop exists. */
export function issuerIn({ baseUrl, hosts }: Deps, request: Pick<Received, 'headers' | 'params'>): Issuer | undefined {
  const atHost = hosts.siteAt(request);
  if (request.params.site_id === undefined)
    return atHost === undefined ? undefined : { site_id: atHost, issuer: hosts.originAt(request) };
  const site_id = String(request.params.site_id).toLowerCase();
  if (!UUID.test(site_id) || (atHost ?? site_id) !== site_id) return undefined;
  return { site_id, issuer: issuerOf(baseUrl, site_id) };
}
