/**
 * Scopes of the dashboard: the scopes of each role, the scopes in `read` and `write` of an API key, and the scope that
 * each event needs.
 */

import type { ApiKeyScope, EventPattern, EventType, StaffRole } from '@commerce-backend/spec';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };

const { 'x-roles': roles, 'x-key-scopes': words } = contract as unknown as {
  'x-roles': Record<StaffRole, ApiKeyScope[]>;
  'x-key-scopes': Record<string, ApiKeyScope[]>;
};

export const ROLES = roles;
export const KEY_WORDS = words;

const expanded = new Map<string, ApiKeyScope[]>();

/**
 * Expands `read` and `write` to all scopes, in the order of the contract. Cached, because most keys have one of a few
 * sets of scopes.
 */
export function scopesOfKey(granted: string[]): ApiKeyScope[] {
  const name = granted.join(' ');
  let all = expanded.get(name);
  if (!all) {
    const held = new Set<string>(granted.flatMap((scope) => words[scope] ?? [scope]));
    all = roles.owner.filter((scope) => held.has(scope));
    expanded.set(name, all);
  }
  return all;
}

/**
 * An event contains its resource as the dashboard returns it, so subscribing to the event needs the scope to read that
 * resource.
 */
const SCOPES_OF_EVENTS = {
  product: 'products:read',
  inventory: 'inventory:read',
  order: 'orders:read',
  return: 'orders:read',
  document: 'orders:read',
  customer: 'customers:read',
  agent: 'agents:read',
} as const satisfies Record<string, ApiKeyScope>;

/**
 * The scope that an event needs. Undefined for `*`, which means all events that the subscriber may read, and for the
 * ping, which contains no data.
 */
export function scopeOfEvent(event: EventType | EventPattern): ApiKeyScope | undefined {
  const [family = ''] = event.split('.');
  return Object.hasOwn(SCOPES_OF_EVENTS, family)
    ? SCOPES_OF_EVENTS[family as keyof typeof SCOPES_OF_EVENTS]
    : undefined;
}

/** The events that may be read with these scopes. */
export function readableEvents(scopes: readonly string[]): EventPattern[] {
  const families = Object.entries(SCOPES_OF_EVENTS).filter(([, scope]) => scopes.includes(scope));
  return [...families.map(([family]) => `${family}.*` as EventPattern), 'webhook.ping'];
}

/** Returns the events that may not be read with these scopes. */
export function withheldEvents(events: EventPattern[], scopes: readonly string[]): EventPattern[] {
  const families = Object.keys(SCOPES_OF_EVENTS).map((family) => `${family}.*` as EventPattern);
  const asked = events.includes('*') ? families : events;
  return asked.filter((event) => {
    const scope = scopeOfEvent(event);
    return scope !== undefined && !scopes.includes(scope);
  });
}
