import type { ApiKeyScope, EventPattern, EventType, StaffRole } from '@commerce-backend/spec';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };

/** The scopes of the dashboard: those of each role, those that `read` and `write` of a key stand for, and those that events need. */
const { 'x-roles': roles, 'x-key-scopes': words } = contract as unknown as {
  'x-roles': Record<StaffRole, ApiKeyScope[]>;
  'x-key-scopes': Record<string, ApiKeyScope[]>;
};

export const ROLES = roles;
export const KEY_WORDS = words;

const expanded = new Map<string, ApiKeyScope[]>();

/** All scopes of a key, in the order of the contract. Keys share few sets of them, so that each is worked out once. */
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

/** An event shows its resource as the dashboard does, so it needs the scope that reads the resource there. */
const SCOPES_OF_EVENTS = {
  product: 'products:read',
  inventory: 'inventory:read',
  order: 'orders:read',
  customer: 'customers:read',
  agent: 'agents:read',
} as const satisfies Record<string, ApiKeyScope>;

/** Undefined for `*`, which stands for what its subscriber may read, and for the ping, which shows nothing. */
export function scopeOfEvent(event: EventType | EventPattern): ApiKeyScope | undefined {
  const [family = ''] = event.split('.');
  return Object.hasOwn(SCOPES_OF_EVENTS, family)
    ? SCOPES_OF_EVENTS[family as keyof typeof SCOPES_OF_EVENTS]
    : undefined;
}

/** The events that somebody with these scopes may read. */
export function readableEvents(scopes: readonly string[]): EventPattern[] {
  const families = Object.entries(SCOPES_OF_EVENTS).filter(([, scope]) => scopes.includes(scope));
  return [...families.map(([family]) => `${family}.*` as EventPattern), 'webhook.ping'];
}

/** What of these subscriptions somebody with these scopes may not read. */
export function withheldEvents(events: EventPattern[], scopes: readonly string[]): EventPattern[] {
  const families = Object.keys(SCOPES_OF_EVENTS).map((family) => `${family}.*` as EventPattern);
  const asked = events.includes('*') ? families : events;
  return asked.filter((event) => {
    const scope = scopeOfEvent(event);
    return scope !== undefined && !scopes.includes(scope);
  });
}
