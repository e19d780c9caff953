import { readingsOf, readMoney } from './amounts.ts';

/** An error in a field, with its line. */
export type FieldError = { line: number; field: string; message: string };

/** For each column of the format: its index and its name in the file. */
export type Columns<Name extends string> = Map<Name, { index: number; header: string }>;

/**
 * Finds the columns of a format in a header row by any of their names, ignoring case. If several names match, the first
 * name is used.
 */
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

/** Reads the cells of a row by column. Invalid cells are recorded in `errors` with the column's name in the file. */
export class RowReader<Name extends string> {
  readonly line: number;
  readonly errors: FieldError[] = [];
  /** Number of decimals of the row's currency. */
  readonly #decimals: number;
  readonly #columns: Columns<Name>;
  readonly #cells: string[];

  constructor(columns: Columns<Name>, line: number, cells: string[], decimals = 2) {
    this.#columns = columns;
    this.#decimals = decimals;
    this.line = line;
    this.#cells = cells;
  }

  /** Whether the file has the column. An import must not change fields without a column. */
  has(column: Name): boolean {
    return this.#columns.has(column);
  }

  /** The trimmed cell; empty if it is blank or missing. */
  text(column: Name): string {
    const found = this.#columns.get(column);
    return found ? (this.#cells[found.index] ?? '').trim() : '';
  }

  /** The trimmed cell at an index. */
  cell(index: number): string {
    return (this.#cells[index] ?? '').trim();
  }

  /** All cells as one text, to compare rows. */
  wholeText(): string {
    const cells = this.#cells.map((cell) => cell.trim());
    return JSON.stringify(cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1));
  }

  /**
   * Parses an amount. Undefined if the cell is blank or, with an error, invalid. `cell` is the text if it is only a
   * part of the cell.
   */
  money(column: Name, cell = this.text(column)): string | undefined {
    if (cell === '') return undefined;
    const { amount, problem } = readMoney(cell, this.#decimals);
    if (problem) this.refuse(column, problem);
    return amount;
  }

  /** Parses a whole number; `12.0000` is 12. Undefined if the cell is blank or, with an error, invalid. */
  whole(column: Name): number | undefined {
    const cell = this.text(column);
    if (cell === '') return undefined;
    if (/^-?\d{1,10}(?:\.0{1,6})?$/.test(cell)) return Number(cell);
    this.refuse(column, `${quoted(cell)} is not a whole number.`);
    return undefined;
  }

  /**
   * Parses a number such as a weight; use `money` for amounts. Undefined if the cell is blank or, with an error,
   * invalid. `cell` is the text if it is only a part of the cell.
   */
  decimal(column: Name, cell = this.text(column)): number | undefined {
    if (cell === '') return undefined;
    // Programs write weights with a decimal point. Three digits after a comma could also be thousands.
    const { point, comma } = readingsOf(cell);
    if (point !== comma && point !== undefined && comma !== undefined && cell.includes(',')) {
      this.refuse(column, `${quoted(cell)} can be read as ${point} and as ${comma}: write it without a comma.`);
      return undefined;
    }
    const number = point ?? comma;
    if (number !== undefined) return Number(number);
    // Converted weights may have an exponent, or no digit before the decimal point.
    if (/^(?:\d{1,15}(?:\.\d{1,20})?|\.\d{1,20})(?:e[+-]?\d{1,2})?$/i.test(cell)) return Number(cell);
    this.refuse(column, `${quoted(cell)} is not a number such as 12.5.`);
    return undefined;
  }

  /**
   * Looks up the cell in a table of words in lower case. Undefined if the cell is blank or, with an error, not in the
   * table.
   */
  word<Meaning>(column: Name, meanings: Record<string, Meaning>): Meaning | undefined {
    const cell = this.text(column);
    if (cell === '') return undefined;
    const key = cell.toLowerCase();
    if (Object.hasOwn(meanings, key)) return meanings[key];
    this.refuse(column, `${quoted(cell)} is none of ${Object.keys(meanings).join(', ')}.`);
    return undefined;
  }

  /**
   * Parses yes or no, as programs and spreadsheets in several languages write it. Undefined if the cell is blank or,
   * with an error, invalid.
   */
  flag(column: Name): boolean | undefined {
    const cell = this.text(column);
    const flag = FLAGS[cell.toLowerCase()];
    if (cell !== '' && flag === undefined) this.refuse(column, `${quoted(cell)} is neither true nor false.`);
    return flag;
  }

  /** Records an error of this row with the column's name in the file. */
  refuse(column: Name, message: string): void {
    this.errors.push({ line: this.line, field: this.header(column), message });
  }

  /** The name of the column in the file. */
  header(column: Name): string {
    return this.#columns.get(column)?.header ?? column;
  }
}

/** Spreadsheets write TRUE and FALSE in the user's language. */
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
