/**
 * The values before and after a change, for the audit. A change of one resource is recorded by reading the resource under
 * its lock before and again afterwards, so every operation on it is covered without code of its own.
 */

import type { AuditChange, Discount } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { NotFound } from '../errors.ts';
import * as members from '../merchant/members.ts';
import type { Shop } from '../shop.ts';
import * as inventory from '../stock/inventory.ts';
import { fieldChanges } from './field-changes.ts';
import { VERSIONED, type Versioned } from './versions.ts';

type Audited = Pick<Versioned, 'parameter' | 'lock' | 'read'> & { edited(shown: never): object };

/** Customers, orders, payment accounts and webhooks are missing: they contain personal data or secrets. */
const AUDITED: Partial<Record<string, Audited | undefined>> = {
  products: VERSIONED.products,
  collections: VERSIONED.collections,
  discounts: VERSIONED.discounts && { ...VERSIONED.discounts, edited: withoutNote },
  settings: VERSIONED.settings,
  'shipping-options': VERSIONED['shipping-options'],
  inventory: {
    parameter: 'variant_id',
    lock: (shop, id) => shop.run(sql`select from variants where site_id = ${shop.siteId} and id = ${id} for update`),
    read: inventory.get,
    edited: ({ inventory_quantity }: Awaited<ReturnType<typeof inventory.get>>) => ({ inventory_quantity }),
  },
  staff: {
    parameter: 'staff_id',
    lock: members.takeTurn,
    read: members.get,
    edited: ({ role }: Awaited<ReturnType<typeof members.get>>) => ({ role }),
  },
};

/**
 * Runs a change of the resource and returns its result with the changed fields. Without an id in the path, and for other
 * resources, there are none.
 */
export async function withChanges<Result>(
  shop: Shop,
  noun: string,
  params: Record<string, unknown>,
  work: () => Promise<Result>,
): Promise<{ result: Result; changes: AuditChange[] }> {
  const audited = AUDITED[noun];
  const id = audited?.parameter === undefined ? shop.siteId : params[audited.parameter];
  if (!audited || typeof id !== 'string') return { result: await work(), changes: [] };
  await audited.lock(shop, id);
  const before = await shownOf(shop, audited, id);
  const result = await work();
  const after = before && (await shownOf(shop, audited, id));
  return { result, changes: before && after ? fieldChanges(before, after) : [] };
}

/** The editable fields; undefined if the resource does not exist, so that the change itself reports it. */
async function shownOf(shop: Shop, { read, edited }: Audited, id: string): Promise<object | undefined> {
  try {
    return edited((await read(shop, id)) as never);
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

/** The description of a discount is a note for staff, which may name customers. */
function withoutNote({ description: _, usage_count: _count, status: _status, updated_at: _at, ...edited }: Discount) {
  return edited;
}
