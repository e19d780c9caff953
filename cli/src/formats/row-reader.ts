import { readingsOf, readMoney } from './amounts.ts';

/** The problem with one field, and its line. */
export type FieldError = { line: number; field: string; message: string };

/** The index of each column of a format in this file, and the file's spelling of its name. */
export type Columns<Name extends string> = Map<Name, { index: number; header: string }>;

/** Finds a format's columns in a header row by any of their names, without regard to case; the first wins. */
export function findColumns<Name extends string>(
  header: string[],
  names: Record<Name, readonly string[]>,
): Columns<Name> {
  const positions = new Map<string, number>();
  header.forEach((cell, index) => {
    const key = cell.trim().toLowerCase();
    if (!positions.has(key)) positions.set(key, index);
  });
  const columns: Columns<Name> = new Map();
  for (const [name, aliases] of Object.entries(names) as [Name, readonly string[]][]) {
    const index = aliases.map((alias) => positions.get(alias.toLowerCase())).find((found) => found !== undefined);
    if (index !== undefined) columns.set(name, { index, header: (header[index] ?? '').trim() });
  }
  return columns;
}

/**
 * One row seen through its format's columns. A cell that cannot be read is recorded in `errors` under the file's own column
 * name.
 */
export class RowReader<Name extends string> {
  readonly line: number;
  readonly errors: FieldError[] = [];
  /** The number of decimals of the row's currency. */
  readonly #decimals: number;
  readonly #columns: Columns<Name>;
  readonly #cells: string[];

  constructor(columns: Columns<Name>, line: number, cells: string[], decimals = 2) {
    this.#columns = columns;
    this.#decimals = decimals;
    this.line = line;
    this.#cells = cells;
  }

  /** Whether the file has the column at all: an import must not change fields without a column. */
  has(column: Name): boolean {
    return this.#columns.has(column);
  }

  /** The trimmed cell; empty when blank, cut off or without a column. */
  text(column: Name): string {
    const found = this.#columns.get(column);
    return found ? (this.#cells[found.index] ?? '').trim() : '';
  }

  /** The trimmed cell of a column by its index. */
  cell(index: number): string {
    return (this.#cells[index] ?? '').trim();
  }

  /** The content of the row as one text, equal for rows with the same cells. */
  wholeText(): string {
    const cells = this.#cells.map((cell) => cell.trim());
    return JSON.stringify(cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1));
  }

  /**
   * The canonical amount; undefined if blank or (with an error) not an amount. `cell` is the text, if it is only a part of the
   * cell.
   */
  money(column: Name, cell = this.text(column)): string | undefined {
    if (cell === '') return undefined;
    const { amount, problem } = readMoney(cell, this.#decimals);
    if (problem) this.refuse(column, problem);
    return amount;
  }

  /** The whole number; undefined if blank or (with an error) not one. `12.0000` is 12. */
  whole(column: Name): number | undefined {
    const cell = this.text(column);
    if (cell === '') return undefined;
    if (/^-?\d{1,10}(?:\.0{1,6})?$/.test(cell)) return Number(cell);
    this.refuse(column, `${quoted(cell)} is not a whole number.`);
    return undefined;
  }

  /**
   * The number; undefined if blank or (with an error) not one. For weights, never for money. `cell` is the text, if it is only
   * a part of the cell.
   */
  decimal(column: Name, cell = this.text(column)): number | undefined {
    if (cell === '') return undefined;
    // Programs write weights with a point and any number of decimals; after a comma, three digits can also mean thousands.
    const { point, comma } = readingsOf(cell);
    if (point !== comma && point !== undefined && comma !== undefined && cell.includes(',')) {
      this.refuse(column, `${quoted(cell)} can be read as ${point} and as ${comma}: write it without a comma.`);
      return undefined;
    }
    const number = point ?? comma;
    if (number !== undefined) return Number(number);
    // Weights that a program converted have an exponent, or no digit before the point.
    if (/^(?:\d{1,15}(?:\.\d{1,20})?|\.\d{1,20})(?:e[+-]?\d{1,2})?$/i.test(cell)) return Number(cell);
    this.refuse(column, `${quoted(cell)} is not a number such as 12.5.`);
    return undefined;
  }

  /** The meaning of the cell by a table of accepted words in lower case; undefined if blank or (with an error) none of them. */
  word<Meaning>(column: Name, meanings: Record<string, Meaning>): Meaning | undefined {
    const cell = this.text(column);
    if (cell === '') return undefined;
    const key = cell.toLowerCase();
    if (Object.hasOwn(meanings, key)) return meanings[key];
    this.refuse(column, `${quoted(cell)} is none of ${Object.keys(meanings).join(', ')}.`);
    return undefined;
  }

  /** Yes or no, in the words of programs and of spreadsheets in other languages; undefined if blank or (with an error) neither. */
  flag(column: Name): boolean | undefined {
    const cell = this.text(column);
    const flag = FLAGS[cell.toLowerCase()];
    if (cell !== '' && flag === undefined) this.refuse(column, `${quoted(cell)} is neither true nor false.`);
    return flag;
  }

  /** Records an error of this row under the column's name in the file. */
  refuse(column: Name, message: string): void {
    this.errors.push({ line: this.line, field: this.header(column), message });
  }

  /** The column's name in the file. */
  header(column: Name): string {
    return this.#columns.get(column)?.header ?? column;
  }
}

/** A spreadsheet writes TRUE and FALSE in the language of its user. */
const FLAGS: Record<string, boolean> = {
  ...{
    true: true,
    yes: true,
    '1': true,
    wahr: true,
    vrai: true,
    verdadero: true,
    verdadeiro: true,
    vero: true,
    waar: true,
  },
  ...{ false: false, no: false, '0': false, falsch: false, faux: false, falso: false, onwaar: false },
};

/** The start of a cell in quotes, for messages. */
export function quoted(cell: string): string {
  return JSON.stringify(cell.length > 60 ? `${cell.slice(0, 60)}…` : cell);
}
