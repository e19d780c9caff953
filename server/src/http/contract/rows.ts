import type { RowCheck } from '../../shop/products/import.ts';
import { operationTable } from './contract.ts';
import { detailOf } from './mistakes.ts';
import { valueErrors } from './validator.ts';

/**
 * Number of values from which a row counts as large. It is smaller than for a body, because a hundred rows are
 * validated together.
 */
const LARGE_ROW = 500;

/**
 * Validates a row of an import against ProductImport in the contract, with the formats and messages of a whole body.
 */
export const mistakesInRow = rowCheck('dashboard.importProducts', 'ProductImport');

/** Validates a row of an import against CustomerImport in the contract. */
export const mistakesInCustomer = rowCheck('dashboard.importCustomers', 'CustomerImport');

/** Validates a row of an import against OrderImport in the contract. */
export const mistakesInOrder = rowCheck('dashboard.importOrders', 'OrderImport');

function rowCheck(operation_id: string, schema: string): RowCheck {
  const operation = operationTable.find(({ id }) => id === operation_id);
  return (row, loc) => {
    const errors = valueErrors(schema, row, LARGE_ROW);
    if (errors.length === 0 || !operation) return [];
    const mistakes = detailOf(operation, errors);
    return mistakes.map((mistake) => ({ ...mistake, loc: [...loc, ...mistake.loc.slice(1)] }));
  };
}
