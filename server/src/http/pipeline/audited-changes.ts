import type { AdjustmentResult, AuditChange, InventoryAdjustment } from '@commerce-backend/spec';
import type { Shop } from '../../shop/shop.ts';
import type { Caller } from '../callers/caller.ts';
import type { Operation } from '../contract/contract.ts';
import type { Received } from '../received.ts';
import type { Answer } from './errors.ts';

/** Whether the audit records the values before and after the call: for changes in the dashboard. */
export function hasAuditedChanges({ surface, safe }: Operation, { kind }: Caller): boolean {
  return surface === 'dashboard' && !safe && (kind === 'staff' || kind === 'api_key');
}

/** Runs the call and adds the changed fields to its answer. `run` gets the locked resource if it was read. */
export async function withAuditedChanges(
  operation: Operation,
  { params, body }: Pick<Received, 'params' | 'body'>,
  shop: Shop,
  run: (locked?: object) => Promise<Answer>,
): Promise<Answer> {
  if (operation.name === 'adjustInventories') {
    const answer = await run();
    return { ...answer, changes: stockChanges(body as Adjustments, answer.told as AdjustmentResult) };
  }
  // Imported here, because the folders of shop/ are loaded with the handlers and not with the pipeline.
  const { withChanges } = await import('../../shop/versions/audited-changes.ts');
  const { noun, answers } = operation;
  const { result, changes } = await withChanges(shop, { noun, answers, params, work: run });
  return { ...result, changes };
}

interface Adjustments {
  adjustments: InventoryAdjustment[];
}

/** The stock of each adjusted row. An adjustment to a quantity succeeds only if the row had the expected quantity. */
function stockChanges({ adjustments }: Adjustments, { dry_run, results }: AdjustmentResult): AuditChange[] {
  const changes = results.map(({ index, status, sku, variant_id, inventory_quantity }): AuditChange[] => {
    const { delta, expected_quantity } = adjustments[index] ?? {};
    if (dry_run || status !== 'adjusted' || inventory_quantity === null) return [];
    const before = delta === undefined ? expected_quantity : inventory_quantity - delta;
    const field = `${sku || variant_id}.inventory_quantity`;
    return [{ field, before: before === undefined ? null : String(before), after: String(inventory_quantity) }];
  });
  return changes.flat().slice(0, MAX_CHANGES);
}

const MAX_CHANGES = 40;
