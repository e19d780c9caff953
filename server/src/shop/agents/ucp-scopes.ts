/**
 * The scopes of UCP's identity linking. A token with one of them is granted to a UCP platform, and works only with the
 * profile of that platform.
 */

import type { AgentScope } from '@commerce-backend/spec';

export type UcpScope = keyof typeof STANDS_FOR;

/** Every scope includes the public catalogue, so that a linked agent may do at least as much as a guest. */
const STANDS_FOR = {
  'dev.ucp.shopping.order:read': ['catalog:read', 'orders:read'],
  'dev.ucp.shopping.cart:manage': ['catalog:read', 'cart:write'],
  'dev.ucp.shopping.checkout:manage': ['catalog:read', 'cart:write', 'checkout:create'],
} satisfies Record<string, AgentScope[]>;

export const UCP_SCOPES = Object.keys(STANDS_FOR) as UcpScope[];

export function isUcpScope(name: string): name is UcpScope {
  return Object.hasOwn(STANDS_FOR, name);
}

/** Replaces each scope of UCP with the scopes of the API. */
export function withoutUcpScopes(names: string[]): string[] {
  return names.flatMap((name) => (isUcpScope(name) ? STANDS_FOR[name] : name));
}

/**
 * The `scope` value to report to the client. For a UCP platform, it also contains each UCP scope of which the customer
 * granted all parts.
 */
export function scopeShown(scopes: readonly string[], platform_host: string | null): string {
  const covered = UCP_SCOPES.filter((name) => STANDS_FOR[name].every((scope) => scopes.includes(scope)));
  return [...scopes, ...(platform_host === null ? [] : covered)].join(' ');
}

/**
 * The host of a UCP platform: that of its metadata document, or that of the https redirect URI that gets its codes.
 * Undefined for a registered client whose redirect URI is not https.
 */
export function platformHostOf(client_id: string, from_document: boolean, redirect_uri: string): string | undefined {
  const url = from_document ? client_id : redirect_uri;
  return from_document || url.startsWith('https://') ? new URL(url).host : undefined;
}
