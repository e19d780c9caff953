import type { Columns, RowReader } from './row-reader.ts';

type Warn = (line: number, message: string) => void;

/** Cells that contain no information. */
const NOTHING = ['', '0', '0.00', 'no', 'false', 'low'];

/**
 * Collects columns that the import does not support. Reports each column once, with the number of rows that have a
 * value in it.
 */
export function otherColumnsOf<Name extends string>(header: string[], columns: Columns<Name>, silent: RegExp[] = []) {
  const used = new Set([...columns.values()].map(({ index }) => index));
  const others = header.flatMap((cell, index) => {
    const title = cell.trim();
    if (used.has(index) || title === '' || silent.some((one) => one.test(title))) return [];
    return [{ index, title, count: 0, first: 0 }];
  });
  return {
    note: (row: RowReader<Name>) => {
      for (const other of others) {
        if (NOTHING.includes(row.cell(other.index).toLowerCase())) continue;
        other.count += 1;
        other.first ||= row.line;
      }
    },
    tell: (warn: Warn) => {
      for (const { title, count, first } of others) {
        if (count === 0) continue;
        const words = `this column has no place here and is left out; ${count} rows have a value in it, this is the first.`;
        warn(first, `${title}: ${words}`);
      }
    },
  };
}
