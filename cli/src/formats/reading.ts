import type { CustomerImport, OrderImport, ProductImport } from '@commerce-backend/spec';
import type { Format } from './detect.ts';
import type { FieldError } from './row-reader.ts';

/**
 * One product of the file, or a rejected one with every reason. `line` is the 1-based line where it begins, as in an editor;
 * each error has the line of its row. `handle` is the last part of the old shop's URL.
 */
export type Read =
  | { line: number; product: ProductImport; placeOf?: PlaceOf; handle?: string }
  | { line: number; slug?: string; errors: FieldError[] };

/** A customer or an order of a file, or a rejected one with every reason; `line` counts from 1, `name` identifies it for people. */
export type RecordRead<Item> =
  | { line: number; item: Item; name?: string; placeOf?: PlaceOf }
  | { line: number; name?: string; errors: FieldError[] };

export type CustomerRead = RecordRead<CustomerImport>;
export type OrderRead = RecordRead<OrderImport>;

/** The line and the column, as named in the file, of a part of a product such as `['variants', 2, 'sku']`. */
export type PlaceOf = (loc: readonly (string | number)[]) => { line: number; field: string };

/** A change or omission in a product that is imported nevertheless. */
export type Warning = { line: number; message: string };

export type ReadOptions = {
  /** The file's format; detected from its name and first line when absent. */
  format?: Format;
  /** The base URL for the image names of a Magento file; without it they are left out, with a warning for each product. */
  baseImageUrl?: string;
  /** The encoding of the file; detected when absent. */
  encoding?: string;
  /** The weight unit of a Magento file, which does not contain it. Default: lb, like Magento's own. */
  weightUnit?: 'kg' | 'lb';
  /** The number of decimals of the shop's currency. Default: 2. */
  decimals?: number;
  /** The time at which sale prices must be in effect. Default: now. */
  now?: Date;
  /** The number of characters of a Shopify file that are held to find separated rows of one product. Default: 16 MB. */
  mostHeld?: number;
  /** Called with the size of each chunk that is read; the sum is the file's size at the end. */
  onBytes?: (bytes: number) => void;
  onWarning?: (warning: Warning) => void;
};

/** The options of each format's reader. */
export type ReadContext = {
  baseImageUrl: string | undefined;
  weightUnit: 'kg' | 'lb';
  decimals: number;
  now: Date;
  /** The number of characters of a Shopify file that are held to find separated rows of one product; default: MOST_HELD. */
  mostHeld: number | undefined;
  warn: (line: number, message: string) => void;
};

/** A file that is not a readable product file; the message has the next step. */
export class FormatError extends Error {}
