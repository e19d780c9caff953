/**
 * Finds the changed fields of calls that change many rows, for the audit. The responses of these calls list each
 * changed row.
 */

import type {
  AdjustmentResult,
  AuditChange,
  InventoryAdjustment,
  ProductBulkChange,
  ProductBulkResult,
  VariantRow,
  VariantRowsResult,
} from '@commerce-backend/spec';

/** Keyed by the names of the operations. The parameters are the request body and the response body. */
const OF_ROWS: Partial<Record<string, (body: never, told: never) => AuditChange[]>> = {
  adjustInventories: stockChanges,
  bulkUpdateProducts: productChanges,
  updateVariants: variantChanges,
};

const MAX_CHANGES = 40;
const MAX_FIELD = 200;

/**
 * Returns a function that reads the changes from the response of one of these operations, up to `MAX_CHANGES`;
 * undefined for other operations.
 */
export function changesOfRows(operation: string, body: unknown): ((told: unknown) => AuditChange[]) | undefined {
  const changes = OF_ROWS[operation];
  return changes && ((told) => changes(body as never, told as never).slice(0, MAX_CHANGES));
}

/** The name of a row's field in the audit, such as `SKU-1.price`. Shortens the row's part to fit `MAX_FIELD`. */
function pathOf(row: string, field: string): string {
  return `${row.slice(0, MAX_FIELD - field.length - 1).toWellFormed()}.${field}`;
}

interface Adjustments {
  adjustments: InventoryAdjustment[];
}

/**
 * The stock changes of the adjusted rows. A row that sets a quantity was adjusted only if its stock was
 * `expected_quantity`.
 */
function stockChanges({ adjustments }: Adjustments, { dry_run, results }: AdjustmentResult): AuditChange[] {
  return results.flatMap(({ index, status, sku, variant_id, inventory_quantity }): AuditChange[] => {
    const { delta, expected_quantity } = adjustments[index] ?? {};
    if (dry_run || status !== 'adjusted' || inventory_quantity === null) return [];
    const before = delta === undefined ? expected_quantity : inventory_quantity - delta;
    const field = pathOf(sku || String(variant_id), 'inventory_quantity');
    return [{ field, before: before === undefined ? null : String(before), after: String(inventory_quantity) }];
  });
}

/** The changes of the products' lowest prices, and deletions. The request already shows all other changes. */
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

/** The changed fields whose old value the caller has sent in `expected`. */
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
