import type { ApiKeyScope, StaffRole } from '@commerce-backend/spec';
import { ShopError } from '../../shop/errors.ts';
import { document, type Operation } from '../contract/contract.ts';

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

/** Throws `insufficient_scope` where the operation needs one that the caller does not have. */
export function requireScope({ scope }: Operation, held: string[]): void {
  if (scope === undefined || held.includes(scope)) return;
  throw new ShopError('insufficient_scope', `This credential lacks the scope ${scope}.`, { scope, held });
}
