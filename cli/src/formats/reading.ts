import type { CustomerImport, OrderImport, ProductImport } from '@commerce-backend/spec';
import type { Format } from './detect.ts';
import type { FieldError } from './row-reader.ts';

/**
 * A product of a file, or all reasons for its rejection. `line` is the line number in an editor at which it starts;
 * each error has the line of its own row. `handle` is the last part of the product's URL in the old shop.
 */
export type Read =
  | { line: number; product: ProductImport; placeOf?: PlaceOf; handle?: string }
  | { line: number; slug?: string; errors: FieldError[] };

/**
 * A customer or order of a file, or all reasons for its rejection. `line` starts at 1, and `name` identifies the record
 * in messages.
 */
export type RecordRead<Item> =
  | { line: number; item: Item; name?: string; placeOf?: PlaceOf }
  | { line: number; name?: string; errors: FieldError[] };

export type CustomerRead = RecordRead<CustomerImport>;
export type OrderRead = RecordRead<OrderImport>;

/** Returns the line and column name in the file for a part of a product such as `['variants', 2, 'sku']`. */
export type PlaceOf = (loc: readonly (string | number)[]) => { line: number; field: string };

/** A value that was changed or omitted. The product is imported nevertheless. */
export type Warning = { line: number; message: string };

export type ReadOptions = {
  /** Undefined means that the format is detected. */
  format?: Format;
  /** Base URL for image names in a Magento file. Without it, images are omitted with a warning. */
  baseImageUrl?: string;
  /** Undefined means that the encoding is detected. */
  encoding?: string;
  /** Weight unit of a Magento file, which does not contain it. Default: lb, as in Magento. */
  weightUnit?: 'kg' | 'lb';
  /** Number of decimals of the shop's currency. Default: 2. */
  decimals?: number;
  /** Sale prices that apply at this time are imported. Default: now. */
  now?: Date;
  /**
   * The maximum number of characters of a Shopify file to keep in memory while looking for further rows of a product.
   * Default: about 16 million.
   */
  mostHeld?: number;
  /** Called with the size of each chunk. */
  onBytes?: (bytes: number) => void;
  onWarning?: (warning: Warning) => void;
};

/** Options for the reader of each format. */
export type ReadContext = {
  baseImageUrl: string | undefined;
  weightUnit: 'kg' | 'lb';
  decimals: number;
  now: Date;
  /** See `mostHeld` in ReadOptions. */
  mostHeld: number | undefined;
  warn: (line: number, message: string) => void;
};

/** The file as a whole cannot be read, for example because its format is unknown. The message explains what to do. */
export class FormatError extends Error {}
