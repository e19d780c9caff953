import type { CustomerImport, OrderImport, ProductImport } from '@commerce-backend/spec';
import type { Format } from './detect.ts';
import type { FieldError } from './row-reader.ts';

/**
 * One product of the file, or one refused with every reason found. `line` is the 1-based line where it begins, as an
 * editor counts; each error carries the line of the row it is about. `handle` is what the old shop's address ends with.
 */
export type Read =
  | { line: number; product: ProductImport; placeOf?: PlaceOf; handle?: string }
  | { line: number; slug?: string; errors: FieldError[] };

/** A customer or an order of a file, or one refused with every reason found; `line` counts from 1, `name` is what people know it by. */
export type RecordRead<Item> =
  | { line: number; item: Item; name?: string; placeOf?: PlaceOf }
  | { line: number; name?: string; errors: FieldError[] };

export type CustomerRead = RecordRead<CustomerImport>;
export type OrderRead = RecordRead<OrderImport>;

/** The line and the column, as the file calls it, that a part of a product such as `['variants', 2, 'sku']` comes from. */
export type PlaceOf = (loc: readonly (string | number)[]) => { line: number; field: string };

/** Something in a file that was changed or left out on the way, though the product is imported. */
export type Warning = { line: number; message: string };

export type ReadOptions = {
  /** The file's format; detected from its name and first line when absent. */
  format?: Format;
  /**
   * The address that image names of a Magento file are appended to; without it they are left out, with a warning for each
   * product.
   */
  baseImageUrl?: string;
  /** The encoding of the file; recognised when absent. */
  encoding?: string;
  /** The unit of a Magento file's weights, which the file does not say. Default: lb, as Magento's own. */
  weightUnit?: 'kg' | 'lb';
  /** How many decimals amounts in the shop's currency have. Default: 2. */
  decimals?: number;
  /** The time at which sale prices must be in effect. Default: now. */
  now?: Date;
  /** How many characters of a Shopify file are held back to find rows of one product that stand apart. Default: 16 MB. */
  mostHeld?: number;
  /** Called with the size of each piece read; the sum is the file's size at the end. */
  onBytes?: (bytes: number) => void;
  onWarning?: (warning: Warning) => void;
};

/** What the reader of each format is given. */
export type ReadContext = {
  baseImageUrl: string | undefined;
  weightUnit: 'kg' | 'lb';
  decimals: number;
  now: Date;
  /** How many characters of a Shopify file are held back to find rows of one product that stand apart; default: MOST_HELD. */
  mostHeld: number | undefined;
  warn: (line: number, message: string) => void;
};

/** A file that cannot be read as any product file; the message says what to do. */
export class FormatError extends Error {}
