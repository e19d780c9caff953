import type { RowReader } from './row-reader.ts';
import type { ShopifyColumn } from './shopify-columns.ts';

/** One row of a Shopify file, read by the names of its columns. */
export type ShopifyRow = RowReader<ShopifyColumn>;

/** Reports a change or omission, in this row or in the product as a whole. */
export type Warn = (message: string, row?: ShopifyRow) => void;

/** A cell that a product can do without: if it cannot be read, it is left out with a warning. */
export function orWarn<Value>(row: ShopifyRow, warn: Warn, read: () => Value | undefined): Value | undefined {
  const before = row.errors.length;
  const value = read();
  for (const { field, message } of row.errors.splice(before)) warn(`${field}: ${message} It is left out.`, row);
  return value;
}

/** The row that describes the product: the first with a title. */
export function headOf(rows: ShopifyRow[]): ShopifyRow {
  const [first] = rows as [ShopifyRow];
  return rows.find((row) => row.text('title') !== '') ?? first;
}
