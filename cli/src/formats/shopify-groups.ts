import type { CsvRow } from './csv-records.ts';
import { type Columns, type FieldError, RowReader } from './row-reader.ts';
import { type ShopifyColumn, textOfCell } from './shopify-columns.ts';
import type { ShopifyRow } from './shopify-row.ts';
import { isVariantRow } from './shopify-variants.ts';

/**
 * Maximum number of characters kept in memory until products are known to be complete. Rows of one handle may be that
 * far apart. Shopify accepts files of at most 15 MB.
 */
export const MOST_HELD = 16 * 1024 * 1024;

/**
 * Shopify's maximum of 2,048 variants and 250 images needs fewer rows. With more, the handle column does not contain
 * handles.
 */
const MOST_ROWS = 2500;

/** The rows of one product. */
export interface Group {
  handle: string;
  rows: ShopifyRow[];
  errors: FieldError[];
  /** Number of rows above the maximum, and of variants among them. */
  skipped: { rows: number; variants: number };
  /** Lines at which the product continues after rows of other products. */
  returns: number[];
  characters: number;
}

/** Groups the rows of a file by product. Keeps at most `most` characters in addition to the current product. */
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

  /** Marks the product around an unreadable row as incomplete. */
  addUnreadable(row: CsvRow): void {
    this.#unreadable = row;
  }

  add({ line, cells, problem }: CsvRow): ShopifyRow {
    const row = new RowReader(this.#columns, line, cells.map(textOfCell), this.#decimals);
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

  /** Returns the earliest products until at most `most` characters are kept. */
  *overdue(): Generator<Group> {
    for (const [key, group] of this.#held) {
      if (this.#characters <= this.#most) return;
      if (group === this.#current) continue;
      this.#held.delete(key);
      this.#characters -= group.characters;
      yield group;
    }
  }

  /** The remaining products in the order of their first row. */
  rest(): Iterable<Group> {
    return this.#held.values();
  }

  /** A row without a handle belongs to the previous product, unless it has a title. */
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
