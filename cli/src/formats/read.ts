import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { readCsv } from './csv-rows.ts';
import { encodingOf, headText } from './encoding.ts';
import { HEAD_BYTES, productsOf } from './products-of.ts';
import type { Read, ReadOptions } from './reading.ts';

/**
 * Streams the products of a file. Rows that wait for other rows of their product stay in memory: at most `MOST_HELD`
 * characters for Shopify, simple products for Magento, the whole file for WooCommerce and Google. Throws a FormatError
 * before the first product if the format is unknown, and the file system's errors.
 */
export async function* readProducts(path: string, options: ReadOptions = {}): AsyncGenerator<Read> {
  const encoding = await encodingOfFile(path, options.encoding);
  const head = await headOf(path, encoding);
  yield* productsOf({ name: path, head, bytes: bytesOf(path), encoding }, options, readCsv);
}

/** The encoding of a file. Throws like `encodingOf`. */
export function encodingOfFile(path: string, named: string | undefined): Promise<string> {
  return encodingOf(path, bytesOf(path), named);
}

/** Streams a file's bytes. The file is opened on the first read, because a caller may reject and delete it before. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** The start of a file, long enough to detect the format. */
export async function headOf(path: string, encoding?: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return headText(buffer.subarray(0, bytesRead), encoding);
  } finally {
    await file.close();
  }
}
