import type { ApiKeyScope, AssistantScope } from '@commerce-backend/spec';

/** For each scope of assistants, the scope that a member's role needs to grant it. */
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

/** The scopes of a client that requests none: only those for reading. */
export const READING = ASSISTANT_SCOPES.filter((scope) => scope.endsWith(':read'));

/** The scopes that a member with these scopes may grant. */
export function grantable(held: readonly string[]): AssistantScope[] {
  return ASSISTANT_SCOPES.filter((scope) => held.includes(NEEDED[scope]));
}
