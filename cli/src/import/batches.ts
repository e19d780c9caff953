import type { ProductImport } from '@commerce-backend/spec';
import type { PlaceOf, Read } from '../formats/reading.ts';
import type { FieldError } from '../formats/row-reader.ts';

/** A product to send, and the line in the file at which it starts. */
export interface Row {
  line: number;
  product: ProductImport;
  /** Maps parts of the product to lines and columns of the file. */
  placeOf?: PlaceOf;
}

/** A product that is not imported, with all reasons. */
export interface Refused {
  line: number;
  slug?: string;
  errors: FieldError[];
}

/** The contract's maximum is 100 rows per call. Calls also stay below the 1 MB that servers accept. */
const MOST_ROWS = 100;
const MOST_BYTES = 900_000;
/** Limits the duration of a call, most of which is spent on variants. */
const MOST_VARIANTS = 1000;

// Does not use Buffer, because the panel runs this code in browsers.
const ENCODER = new TextEncoder();

/**
 * Groups products into batches that fit into one call, in file order. Products that the reader rejected, or that are
 * too large for a call, go to `refuse`.
 */
export async function* batchesOf(
  reads: AsyncIterable<Read>,
  refuse: (refused: Refused) => void,
): AsyncGenerator<Row[], void, undefined> {
  let batch: Row[] = [];
  let bytes = 0;
  let variants = 0;
  for await (const read of reads) {
    if ('errors' in read) {
      refuse(read);
      continue;
    }
    const { line, product, placeOf } = read;
    const size = ENCODER.encode(JSON.stringify(product)).length + 1;
    const count = Array.isArray(product.variants) ? product.variants.length : 1;
    if (size > MOST_BYTES) {
      refuse({ line, slug: product.slug, errors: [{ line, field: 'product', message: tooLarge(size) }] });
      continue;
    }
    const full = batch.length >= MOST_ROWS || bytes + size > MOST_BYTES || variants + count > MOST_VARIANTS;
    if (full && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
      variants = 0;
    }
    batch.push({ line, product, ...(placeOf && { placeOf }) });
    bytes += size;
    variants += count;
  }
  if (batch.length > 0) yield batch;
}

function tooLarge(size: number): string {
  return `The product has ${Math.ceil(size / 1000)} kB; the server takes at most ${MOST_BYTES / 1000} kB of one.`;
}
