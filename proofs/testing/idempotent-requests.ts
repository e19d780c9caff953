import { randomUUID } from 'node:crypto';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { changes, type Holdings } from './owner-queries.ts';
import type { Call, Reply } from './raw-requests.ts';
import type { World } from './tenant.ts';

/** All operations that write, and therefore accept an Idempotency-Key. */
export const MUTATIONS: Operation[] = operationTable.filter(({ safe }) => !safe);

/**
 * Operations that end the caller's credential. A repeated call cannot get the same response, because the credential is
 * rejected.
 */
export const ENDS_ITS_CREDENTIAL = [
  'dashboard.logout',
  'dashboard.changePassword',
  'storefront.logoutCustomer',
  'storefront.logoutCustomerEverywhere',
  'storefront.deleteCustomer',
  'agent.revokeToken',
];

/** Returns the call with this idempotency key, by default a new one. */
export function underKey(call: Call, key: Call['headers'][string] = randomUUID()): Call {
  return { ...call, headers: { ...call.headers, 'Idempotency-Key': key } };
}

/** Returns the call with a new idempotency key if it writes. */
export function withNewKey(call: Call): Call {
  return call.operation.safe ? call : underKey(call);
}

export function isReplay({ headers }: Reply): boolean {
  return headers['idempotency-replayed'] === 'true';
}

/** Whether the two responses have the same status and the same body. */
export function sameAnswer(one: Reply, other: Reply): boolean {
  return one.status === other.status && one.text === other.text;
}

/** Whether a response reports that the key was used for another request. */
export function isConflict({ status, text }: Reply): boolean {
  return status === 422 && text.includes('"idempotency_conflict"');
}

/** Whether a validation error names the Idempotency-Key header. */
export function refusesKey({ status, text }: Reply): boolean {
  return status === 422 && text.includes('["header","Idempotency-Key"]');
}

export function unexpected(world: World, call: Call, what: string, { status, headers, text }: Reply): void {
  const cause = world.causes.get(String(headers['x-request-id'])) ?? '';
  world.violations.add(`${call.operation.id}: ${what}: got ${status} ${text.slice(0, 300)} ${cause}`);
}

/**
 * The number of added rows for each changed table, 0 if rows were only updated. The same action on new objects has the
 * same effect.
 */
export type Effect = Record<string, number>;

export function effectBetween(before: Holdings, after: Holdings): Effect {
  const isEffect = ([table, rows]: [string, number]) =>
    // Excluded from the effects: `catalog_versions`, because a shop's version is spread over several rows, and the last
    // use of a credential, because not every call writes it.
    table !== 'catalog_versions' && !(rows === 0 && ['tokens', 'customer_tokens'].includes(table));
  return Object.fromEntries(Object.entries(changes(before, after)).filter(isEffect));
}
