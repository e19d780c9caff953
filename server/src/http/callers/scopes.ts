import type { ApiKeyScope, EventPattern, StaffRole } from '@commerce-backend/spec';
import { ShopError } from '../../shop/errors.ts';
import type { Granter } from '../../shop/merchant/members.ts';
import { ROLES as roles, scopeOfEvent, scopesOfKey, KEY_WORDS as words } from '../../shop/scopes.ts';
import type { Operation } from '../contract/contract.ts';
import type { Caller } from './caller.ts';

export { scopesOfKey };

export function scopesOfRole(role: StaffRole): ApiKeyScope[] {
  return roles[role];
}

/** Adds `read` and `write` if all scopes that they stand for are present. */
export function withWords(scopes: ApiKeyScope[]): ApiKeyScope[] {
  const whole = Object.keys(words).filter((word) => words[word]?.every((scope) => scopes.includes(scope)));
  return [...(whole as ApiKeyScope[]), ...scopes];
}

/** Throws `insufficient_scope` unless the caller has all scopes that it grants to another credential. */
export function requireAll(granted: string[], { scopes: held }: Caller): void {
  const scope = scopesOfKey(granted).find((one) => !held.includes(one));
  if (scope === undefined) return;
  throw new ShopError('insufficient_scope', `You cannot grant the scope ${scope}, because you do not have it.`, {
    scope,
    held,
  });
}

/** Throws `insufficient_scope` if the caller lacks a scope that this request body requires. */
export function requireAlso(scope: ApiKeyScope, { scopes: held }: Caller): void {
  if (held.includes(scope)) return;
  throw new ShopError('insufficient_scope', `This credential lacks the scope ${scope}.`, { scope, held });
}

/** Throws `insufficient_scope` for the first event type whose resource the caller may not read. */
export function requireEvents(events: EventPattern[], caller: Caller): void {
  for (const event of events) {
    const scope = scopeOfEvent(event);
    if (scope !== undefined) requireAlso(scope, caller);
  }
}

/** Returns the caller's scopes and, for each staff role that the caller may not assign, a missing scope. */
export function granterOf({ scopes: held }: Caller): Granter {
  const beyond = Object.entries(roles).flatMap(([role, scopes]) => {
    const lacked = scopes.find((scope) => !held.includes(scope));
    return lacked ? [[role, lacked]] : [];
  });
  return { held, lacks: Object.fromEntries(beyond) as Granter['lacks'] };
}

/** Throws `insufficient_scope` if the caller lacks the operation's scope. */
export function requireScope(operation: Operation, held: string[]): void {
  const refusal = scopeRefusal(operation, held);
  if (refusal) throw refusal;
}

/** The error if the caller lacks the operation's scope; otherwise undefined. */
export function scopeRefusal({ scope, surface }: Operation, held: string[]): ShopError | undefined {
  if (scope === undefined || held.includes(scope)) return undefined;
  if (surface === 'sync') {
    // Every sync key can read, so the only scope that can be missing is `write`.
    const message = 'This sync key may only read. Create one with the scope write.';
    return new ShopError('insufficient_scope', message, { scope: 'write', held: ['read'] });
  }
  return new ShopError('insufficient_scope', `This credential lacks the scope ${scope}.`, { scope, held });
}
