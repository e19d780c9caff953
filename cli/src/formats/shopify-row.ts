import type { RowReader } from './row-reader.ts';
import type { ShopifyColumn } from './shopify-columns.ts';

/** One row of a Shopify file, read by the names of its columns. */
export type ShopifyRow = RowReader<ShopifyColumn>;
