import type { RowCheck } from '../../shop/products/import.ts';
import { operationTable } from './contract.ts';
import { detailOf } from './mistakes.ts';
import { valueErrors } from './validator.ts';

/**
 * Number of values in a row above which only its first mistake is reported. Lower than for a whole body, because one
 * request may contain up to a hundred rows.
 */
const LARGE_ROW = 500;

/** Validates one row of a product import like a request body. */
export const mistakesInRow = rowCheck('dashboard.importProducts', 'ProductImport');

export const mistakesInCustomer = rowCheck('dashboard.importCustomers', 'CustomerImport');

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
