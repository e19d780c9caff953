import type { ApiKeyScope, AssistantScope } from '@commerce-backend/spec';

/** The scope of a role that a member needs to grant a scope to an assistant. */
const NEEDED: Record<AssistantScope, ApiKeyScope> = {
  'orders:read': 'orders:read',
  'products:read': 'products:read',
  'inventory:read': 'inventory:read',
  'customers:read': 'customers:read',
  'discounts:read': 'discounts:read',
  'settings:read': 'settings:read',
  'audit:read': 'audit:read',
  'products:texts': 'products:write',
  'orders:notes': 'orders:write',
  'orders:ship': 'orders:write',
};

export const ASSISTANT_SCOPES = Object.keys(NEEDED) as AssistantScope[];

/** What a client gets that names no scope: it may read. */
export const READING = ASSISTANT_SCOPES.filter((scope) => scope.endsWith(':read'));

/** The scopes that a member with these scopes may grant. */
export function grantable(held: readonly string[]): AssistantScope[] {
  return ASSISTANT_SCOPES.filter((scope) => held.includes(NEEDED[scope]));
}
