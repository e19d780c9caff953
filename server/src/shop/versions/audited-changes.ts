/**
 * The values before and after a change, for the audit. A resource is read under its lock before the change, and again
 * afterwards, so every operation on it is covered without its own code.
 */

import type { AuditChange, Discount } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { NotFound } from '../errors.ts';
import * as members from '../merchant/members.ts';
import type { Shop } from '../shop.ts';
import * as inventory from '../stock/inventory.ts';
import { fieldChanges } from './field-changes.ts';
import { VERSIONED, type Versioned } from './versions.ts';

type Audited = Pick<Versioned, 'parameter' | 'schema' | 'lock' | 'read'> & { edited(shown: never): object };

/** Customers, orders, payment accounts and webhooks are missing: they contain personal data or secrets. */
const AUDITED: Partial<Record<string, Audited | undefined>> = {
  products: VERSIONED.products,
  collections: VERSIONED.collections,
  discounts: VERSIONED.discounts && { ...VERSIONED.discounts, edited: withoutNote },
  settings: VERSIONED.settings,
  'shipping-options': VERSIONED['shipping-options'],
  inventory: {
    parameter: 'variant_id',
    schema: 'InventoryItem',
    lock: (shop, id) => shop.run(sql`select from variants where site_id = ${shop.siteId} and id = ${id} for update`),
    read: inventory.get,
    edited: ({ inventory_quantity }: Awaited<ReturnType<typeof inventory.get>>) => ({ inventory_quantity }),
  },
  staff: {
    parameter: 'staff_id',
    schema: 'StaffMember',
    lock: members.takeTurn,
    read: members.get,
    edited: ({ role }: Awaited<ReturnType<typeof members.get>>) => ({ role }),
  },
};

/** The parts of a call that are needed to find its changes. */
interface Call<Result> {
  noun: string;
  /** Name of the response schema. */
  answers: string | undefined;
  params: Record<string, unknown>;
  /** Runs the change. Gets the locked resource if it was read. `told` in the result is the response body. */
  work: (locked?: object) => Promise<Result>;
}

/**
 * Runs a change of a resource. Returns its result and the changed fields: none if the path has no id, or if the
 * resource is not in `AUDITED`. If the response is the resource itself, it is not read again.
 */
export async function withChanges<Result extends { told?: unknown }>(
  shop: Shop,
  { noun, answers, params, work }: Call<Result>,
): Promise<{ result: Result; changes: AuditChange[] }> {
  const audited = AUDITED[noun];
  const id = audited?.parameter === undefined ? shop.siteId : params[audited.parameter];
  if (!audited || typeof id !== 'string') return { result: await work(), changes: [] };
  await audited.lock(shop, id);
  const before = await readIfFound(shop, audited, id);
  const result = await work(before);
  if (!before) return { result, changes: [] };
  const after = answers === audited.schema ? result.told : await readIfFound(shop, audited, id);
  const edited = (shown: unknown) => audited.edited(shown as never);
  return { result, changes: after ? fieldChanges(edited(before), edited(after)) : [] };
}

/** Returns undefined if the resource does not exist, so that the change itself reports it. */
async function readIfFound(shop: Shop, { read }: Audited, id: string): Promise<object | undefined> {
  try {
    return await read(shop, id);
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

/** The description of a discount is a note for staff, which may name customers. */
function withoutNote({ description: _, usage_count: _count, status: _status, updated_at: _at, ...edited }: Discount) {
  return edited;
}
