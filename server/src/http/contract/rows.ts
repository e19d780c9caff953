import type { RowCheck } from '../../shop/products/import.ts';
import { operationTable } from './contract.ts';
import { judge } from './judge.ts';
import { detailOf } from './mistakes.ts';
import { compileSchema } from './schemas.ts';

/** A hundred rows are judged in one go, so a row counts as large sooner than a body. */
const LARGE_ROW = 500;
const mistakesOf = judge((all) => compileSchema('/components/schemas/ProductImport', all), LARGE_ROW);
const operation = operationTable.find(({ id }) => id === 'dashboard.importProducts');

/** Holds one row of an import against ProductImport of the contract, with the same formats and wording as a whole body. */
export const mistakesInRow: RowCheck = (row, loc) => {
  const mistakes = mistakesOf(row);
  return mistakes.length > 0 && operation ? detailOf(operation, mistakes, [], `/${loc.join('/')}`) : [];
};
