/** The changes of calls that change many rows, for the audit. Their answers name each changed row. */

import type {
  AdjustmentResult,
  AuditChange,
  InventoryAdjustment,
  ProductBulkChange,
  ProductBulkResult,
  VariantRow,
  VariantRowsResult,
} from '@commerce-backend/spec';

/** By the names of the operations; the parameters are the bodies of the request and of the answer. */
const OF_ROWS: Partial<Record<string, (body: never, told: never) => AuditChange[]>> = {
  adjustInventories: stockChanges,
  bulkUpdateProducts: productChanges,
  updateVariants: variantChanges,
};

const MAX_CHANGES = 40;
const MAX_FIELD = 200;

/** The first changes of a call that changes many rows; undefined for other operations. */
export function changesOfRows(operation: string, body: unknown): ((told: unknown) => AuditChange[]) | undefined {
  const changes = OF_ROWS[operation];
  return changes && ((told) => changes(body as never, told as never).slice(0, MAX_CHANGES));
}

/** The path of a field of a row. */
function pathOf(row: string, field: string): string {
  return `${row.slice(0, MAX_FIELD - field.length - 1).toWellFormed()}.${field}`;
}

interface Adjustments {
  adjustments: InventoryAdjustment[];
}

/** The stock of each adjusted row. An adjustment to a quantity succeeds only if the row had the expected quantity. */
function stockChanges({ adjustments }: Adjustments, { dry_run, results }: AdjustmentResult): AuditChange[] {
  return results.flatMap(({ index, status, sku, variant_id, inventory_quantity }): AuditChange[] => {
    const { delta, expected_quantity } = adjustments[index] ?? {};
    if (dry_run || status !== 'adjusted' || inventory_quantity === null) return [];
    const before = delta === undefined ? expected_quantity : inventory_quantity - delta;
    const field = pathOf(sku || String(variant_id), 'inventory_quantity');
    return [{ field, before: before === undefined ? null : String(before), after: String(inventory_quantity) }];
  });
}

/** The lowest prices of the products, and deletions. For other changes the request says all. */
function productChanges(
  { change }: { change: ProductBulkChange },
  { dry_run, results }: ProductBulkResult,
): AuditChange[] {
  return results.flatMap(({ status, product_id, name, price_before, price_after }): AuditChange[] => {
    if (dry_run || status !== 'changed') return [];
    const row = name ?? product_id;
    if (change.delete) return [{ field: pathOf(row, 'id'), before: product_id, after: null }];
    return price_after === null ? [] : [{ field: pathOf(row, 'price'), before: price_before, after: price_after }];
  });
}

const FIELDS = ['price', 'compare_at_price', 'sku', 'barcode'] as const;
const MAX_VALUE = 120;

/** The changed fields whose old value the caller has named in `expected`. */
function variantChanges({ variants }: { variants: VariantRow[] }, { results }: VariantRowsResult): AuditChange[] {
  const shown = (value: string | null) => value?.slice(0, MAX_VALUE).toWellFormed() ?? null;
  return variants.flatMap((row, i) =>
    FIELDS.flatMap((name): AuditChange[] => {
      const [before, after] = [row.expected?.[name], row[name]];
      if (results[i]?.status !== 'changed' || before === undefined || after === undefined) return [];
      return [{ field: pathOf(row.variant_id, name), before: shown(before), after: shown(after) }];
    }),
  );
}
