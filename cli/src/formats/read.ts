import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { readCsv } from './csv-rows.ts';
import { encodingOf, headText } from './encoding.ts';
import { HEAD_BYTES, productsOf } from './products-of.ts';
import type { Read, ReadOptions } from './reading.ts';

/**
 * The products of a file, one after the other. Rows that wait for other rows of their product are held in memory: for Shopify
 * at most `MOST_HELD` characters, for Magento the simple products, for WooCommerce and Google the whole file. Throws a
 * FormatError before the first product if the format is unknown, and the file system's own error if the file cannot be read.
 */
export async function* readProducts(path: string, options: ReadOptions = {}): AsyncGenerator<Read> {
  const encoding = await encodingOfFile(path, options.encoding);
  const head = await headOf(path, encoding);
  yield* productsOf({ name: path, head, bytes: bytesOf(path), encoding }, options, readCsv);
}

/** Throws as `encodingOf` does. */
export function encodingOfFile(path: string, named: string | undefined): Promise<string> {
  return encodingOf(path, bytesOf(path), named);
}

/** A file's bytes. It is opened at the first read, because a file of unknown format may be deleted before an earlier open ends. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}

/** The beginning of a file, as long as the format needs. */
export async function headOf(path: string, encoding?: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return headText(buffer.subarray(0, bytesRead), encoding);
  } finally {
    await file.close();
  }
}
