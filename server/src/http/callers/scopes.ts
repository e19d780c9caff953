import type { ApiKeyScope, StaffRole } from '@commerce-backend/spec';
import { ShopError } from '../../shop/errors.ts';
import type { Granter } from '../../shop/merchant/members.ts';
import { document, type Operation } from '../contract/contract.ts';
import type { Caller } from './caller.ts';

/** What the contract says of the dashboard's scopes: those of each role, and those that `read` and `write` of a key stand for. */
const { 'x-roles': roles, 'x-key-scopes': words } = document as unknown as {
  'x-roles': Record<StaffRole, ApiKeyScope[]>;
  'x-key-scopes': Record<string, ApiKeyScope[]>;
};

export function scopesOfRole(role: StaffRole): ApiKeyScope[] {
  return roles[role];
}

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
  const message =
    surface === 'sync'
      ? 'This sync key may only read. Make one that may write, too.'
      : `This credential lacks the scope ${scope}.`;
  throw new ShopError('insufficient_scope', message, { scope, held });
}
