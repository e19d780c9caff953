import type { RowCheck } from '../../shop/products/import.ts';
import { operationTable } from './contract.ts';
import { detailOf } from './mistakes.ts';
import { valueErrors } from './validator.ts';

/** A hundred rows are validated together, so a row counts as large earlier than a body. */
const LARGE_ROW = 500;

/**
 * Validates one row of an import against ProductImport of the contract, with the formats and messages of a whole body.
 */
export const mistakesInRow = rowCheck('dashboard.importProducts', 'ProductImport');

/** The same against CustomerImport. */
export const mistakesInCustomer = rowCheck('dashboard.importCustomers', 'CustomerImport');

/** The same against OrderImport. */
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
