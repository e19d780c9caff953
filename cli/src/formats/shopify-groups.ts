import type { CsvRow } from './csv-records.ts';
import { type Columns, type FieldError, RowReader } from './row-reader.ts';
import type { ShopifyColumn } from './shopify-columns.ts';
import type { ShopifyRow } from './shopify-row.ts';
import { isVariantRow } from './shopify-variants.ts';

/**
 * How much of a file, in characters of its cells and separators, is held back until its products are known to be whole. Rows of one handle may stand
 * that far apart: Shopify itself takes files of at most 15 MB.
 */
export const MOST_HELD = 16 * 1024 * 1024;

/** Shopify's 2,048 variants and 250 images need no more rows; beyond that the handle column is surely not what it seems. */
const MOST_ROWS = 2500;

/** The rows of one product, wherever they stand in the file. */
export interface Group {
  handle: string;
  rows: ShopifyRow[];
  errors: FieldError[];
  /** How many rows were too many, and how many variants are among them. */
  skipped: { rows: number; variants: number };
  /** Where its rows go on after those of other products. */
  returns: number[];
  characters: number;
}

/** Gathers the rows of a file into products, of which it holds at most `most` characters and the product under way. */
export class Groups {
  readonly #most: number;
  readonly #columns: Columns<ShopifyColumn>;
  readonly #decimals: number;
  readonly #held = new Map<string, Group>();
  #characters = 0;
  #current: Group | undefined;
  #unreadable: CsvRow | undefined;

  constructor(columns: Columns<ShopifyColumn>, decimals: number, most = MOST_HELD) {
    this.#columns = columns;
    this.#decimals = decimals;
    this.#most = most;
  }

  /** A row of which nothing can be read: the product around it is not whole. */
  addUnreadable(row: CsvRow): void {
    this.#unreadable = row;
  }

  add({ line, cells, problem }: CsvRow): ShopifyRow {
    const row = new RowReader(this.#columns, line, cells, this.#decimals);
    const before = this.#current;
    const group = this.#groupOf(row);
    if (group === before && this.#unreadable) {
      const message = `A row of this product could not be read: ${this.#unreadable.problem}`;
      group.errors.push({ line: this.#unreadable.line, field: 'row', message });
    }
    this.#unreadable = undefined;
    this.#current = group;
    if (problem) group.errors.push({ line, field: 'row', message: problem });
    if (group.rows.length < MOST_ROWS) {
      const characters = cells.reduce((sum, cell) => sum + cell.length + 1, 0);
      group.rows.push(row);
      group.characters += characters;
      this.#characters += characters;
    } else {
      group.skipped.rows += 1;
      if (isVariantRow(row)) group.skipped.variants += 1;
    }
    return row;
  }

  /** Takes out the products that begin first, as many as are held too much. */
  *overdue(): Generator<Group> {
    for (const [key, group] of this.#held) {
      if (this.#characters <= this.#most) return;
      if (group === this.#current) continue;
      this.#held.delete(key);
      this.#characters -= group.characters;
      yield group;
    }
  }

  /** All that are left, in the order in which they begin. */
  rest(): Iterable<Group> {
    return this.#held.values();
  }

  /** A row without a handle belongs to the product above it, unless its title says that it is another. */
  #groupOf(row: ShopifyRow): Group {
    const handle = row.text('handle');
    if (this.#current && handle === '' && row.text('title') === '') return this.#current;
    const key = handle === '' ? `line ${row.line}` : `handle ${handle.toLowerCase()}`;
    const known = this.#held.get(key);
    if (known && known !== this.#current) known.returns.push(row.line);
    if (known) return known;
    const group = { handle, rows: [], errors: [], skipped: { rows: 0, variants: 0 }, returns: [], characters: 0 };
    this.#held.set(key, group);
    return group;
  }
}
