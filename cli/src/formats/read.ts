import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { readCsv } from './csv-rows.ts';
import { headText } from './encoding.ts';
import { HEAD_BYTES, productsOf } from './products-of.ts';
import type { Read, ReadOptions } from './reading.ts';

/**
 * The products of a file, one after the other. What must wait for other rows of its product is held back: of a Shopify file at most
 * `MOST_HELD`, of one of Magento the simple products, of WooCommerce's and Google's the whole file. Throws a FormatError before the
 * first product when the format is unknown, and the file system's own error when the file cannot be read.
 */
export async function* readProducts(path: string, options: ReadOptions = {}): AsyncGenerator<Read> {
  const head = await headOf(path);
  yield* productsOf({ name: path, head, bytes: createReadStream(path) }, options, readCsv);
}

/** How a file begins, as much as tells its format. */
export async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return headText(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
