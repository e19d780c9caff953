import type { ProductImport } from '@commerce-backend/spec';
import type { PlaceOf, Read } from '../formats/reading.ts';
import type { FieldError } from '../formats/row-reader.ts';

/** A product to send, and the line of the file where it begins. */
export interface Row {
  line: number;
  product: ProductImport;
  /** The lines and names of its parts, if they differ. */
  placeOf?: PlaceOf;
}

/** A product that will not be imported, with every known reason. */
export interface Refused {
  line: number;
  slug?: string;
  errors: FieldError[];
}

/** The content limit of one call: the contract's 100 rows, and less than the 1 MB that servers accept as a body. */
const MOST_ROWS = 100;
const MOST_BYTES = 900_000;
/** Keeps one call short: most of an import's work is in the variants. */
const MOST_VARIANTS = 1000;

// Buffer is not used here, because the panel sends with the same code, and browsers do not have it.
const ENCODER = new TextEncoder();

/**
 * Yields products in file order, as many together as one call allows. Rejections of the reader, and products too large for a
 * call, go to `refuse`.
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
