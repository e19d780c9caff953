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

/** The same with the words for which all scopes are there, as GET /api/dashboard/me tells them. */
export function withWords(scopes: ApiKeyScope[]): ApiKeyScope[] {
  const whole = Object.keys(words).filter((word) => words[word]?.every((scope) => scopes.includes(scope)));
  return [...(whole as ApiKeyScope[]), ...scopes];
}

/** Throws `insufficient_scope` for the first of the scopes, with the words of keys among them, that the caller lacks. */
export function requireAll(granted: string[], { scopes: held }: Caller): void {
  const scope = scopesOfKey(granted).find((one) => !held.includes(one));
  if (scope === undefined) return;
  throw new ShopError('insufficient_scope', `You lack the scope ${scope} yourself, so you cannot give it.`, {
    scope,
    held,
  });
}

/** Throws `insufficient_scope` where what was asked for in the body needs a scope besides the operation's, and the caller lacks it. */
export function requireAlso(scope: ApiKeyScope, { scopes: held }: Caller): void {
  if (held.includes(scope)) return;
  throw new ShopError('insufficient_scope', `This credential lacks the scope ${scope}.`, { scope, held });
}

/** Throws `insufficient_scope` for the first of the events whose resource the caller may not read. */
export function requireEvents(events: EventPattern[], caller: Caller): void {
  for (const event of events) {
    const scope = scopeOfEvent(event);
    if (scope !== undefined) requireAlso(scope, caller);
  }
}

/** What the caller may do with the roles of others. */
export function granterOf({ scopes: held }: Caller): Granter {
  const beyond = Object.entries(roles).flatMap(([role, scopes]) => {
    const lacked = scopes.find((scope) => !held.includes(scope));
    return lacked ? [[role, lacked]] : [];
  });
  return { held, lacks: Object.fromEntries(beyond) as Granter['lacks'] };
}

/** Throws `insufficient_scope` where the operation needs one that the caller does not have. */
export function requireScope({ scope, surface }: Operation, held: string[]): void {
  if (scope === undefined || held.includes(scope)) return;
  if (surface === 'sync') {
    // In the words in which sync keys are made: each may read, and one that lacks a scope may not write.
    const message = 'This sync key may only read. Make one with the scope write.';
    throw new ShopError('insufficient_scope', message, { scope: 'write', held: ['read'] });
  }
  throw new ShopError('insufficient_scope', `This credential lacks the scope ${scope}.`, { scope, held });
}
