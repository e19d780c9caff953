import type { RowReader } from './row-reader.ts';
import type { ShopifyColumn } from './shopify-columns.ts';

/** A row of Shopify's product CSV. */
export type ShopifyRow = RowReader<ShopifyColumn>;

/** Reports a changed or omitted value in a row, or in the whole product. */
export type Warn = (message: string, row?: ShopifyRow) => void;

/** Reads an optional cell. If it is invalid, it is omitted with a warning instead of an error. */
export function orWarn<Value>(row: ShopifyRow, warn: Warn, read: () => Value | undefined): Value | undefined {
  const before = row.errors.length;
  const value = read();
  for (const { field, message } of row.errors.splice(before)) warn(`${field}: ${message} It is left out.`, row);
  return value;
}

/** The row that describes the product: the first one with a title. */
export function headOf(rows: ShopifyRow[]): ShopifyRow {
  const [first] = rows as [ShopifyRow];
  return rows.find((row) => row.text('title') !== '') ?? first;
}
