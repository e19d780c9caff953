import { randomUUID } from 'node:crypto';
import { type Operation, operationTable } from '../server/src/http/contract/contract.ts';
import type { Call, Reply } from './client.ts';
import { changes, type Holdings } from './database.ts';
import type { World } from './tenant.ts';

/** Shared by the proofs of idempotency. */

/** All operations that take an Idempotency-Key: all that write. */
export const MUTATIONS: Operation[] = operationTable.filter(({ safe }) => !safe);

/** Their success ends the credential of the call, so the same call cannot get its response a second time. */
export const ENDS_ITS_CREDENTIAL = [
  'dashboard.logout',
  'dashboard.changePassword',
  'storefront.logoutCustomer',
  'storefront.logoutCustomerEverywhere',
  'storefront.deleteCustomer',
  'agent.revokeToken',
];

/** The same call under a key: a new one, or a given one. */
export function underKey(call: Call, key: Call['headers'][string] = randomUUID()): Call {
  return { ...call, headers: { ...call.headers, 'Idempotency-Key': key } };
}

export function isReplay({ headers }: Reply): boolean {
  return headers['idempotency-replayed'] === 'true';
}

/** Whether the two responses are the same, byte for byte. */
export function sameAnswer(one: Reply, other: Reply): boolean {
  return one.status === other.status && one.text === other.text;
}

/** Whether a response reports that the key was used for another request. */
export function isConflict({ status, text }: Reply): boolean {
  return status === 422 && text.includes('"idempotency_conflict"');
}

/** Whether a response names the header as its mistake. */
export function refusesKey({ status, text }: Reply): boolean {
  return status === 422 && text.includes('["header","Idempotency-Key"]');
}

export function unexpected(world: World, call: Call, what: string, { status, headers, text }: Reply): void {
  const cause = world.causes.get(String(headers['x-request-id'])) ?? '';
  world.violations.add(`${call.operation.id}: ${what}: ${status} ${text.slice(0, 300)} ${cause}`);
}

/** The number of new rows per table; the same whenever the same is done to new objects. */
export type Effect = Record<string, number>;

export function effectBetween(before: Holdings, after: Holdings): Effect {
  const isEffect = ([table, rows]: [string, number]) =>
    // Not effects: how many rows a shop's version is spread over, and when a credential was last used, which is written only
    // now and then.
    table !== 'catalog_versions' && !(rows === 0 && ['tokens', 'customer_tokens'].includes(table));
  return Object.fromEntries(Object.entries(changes(before, after)).filter(isEffect));
}
