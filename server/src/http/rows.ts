import type { RowCheck } from '../shop/product-import.ts';
import { operationTable } from './contract.ts';
import { detailOf } from './mistakes.ts';
import { compileSchema } from './schemas.ts';

/** Holds one row of an import against ProductImport of the contract, with the same formats and wording as a whole body. */
const check = compileSchema('/components/schemas/ProductImport');
const operation = operationTable.find(({ id }) => id === 'dashboard.importProducts');

export const mistakesInRow: RowCheck = (row, loc) => {
  if (check(row) || !operation) return [];
  return detailOf(operation, check.errors ?? [], [], `/${loc.join('/')}`);
};
