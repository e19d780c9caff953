import { open } from 'node:fs/promises';
import type { Encoding } from './bytes.ts';
import { readBytes } from './bytes.ts';
import { readCsv } from './csv-rows.ts';
import { delimiterOf, detectFormat } from './detect.ts';
import { readJsonl } from './jsonl.ts';
import { readMagento } from './magento.ts';
import { FormatError, type Read, type ReadContext, type ReadOptions } from './reading.ts';
import { readShopify } from './shopify.ts';

/**
 * The products of a file, one after the other and never all at once (except a Magento file's simple products, which wait for
 * the product they belong to). Throws a FormatError before the first product when the format is unknown, and the file system's
 * own error when the file cannot be read.
 */
export async function* readProducts(path: string, options: ReadOptions = {}): AsyncGenerator<Read> {
  const head = await headOf(path);
  const format = options.format ?? detectFormat(head, path);
  if (format === undefined) throw new FormatError(unknownFormat(head, path));

  const encoding: Encoding = { damaged: false };
  const bytes = readBytes(path, encoding, options.onBytes);
  const context: ReadContext = {
    encoding,
    baseImageUrl: options.baseImageUrl,
    weightUnit: options.weightUnit ?? 'lb',
    now: options.now ?? new Date(),
    warn: (line, message) => options.onWarning?.({ line, message }),
  };
  if (format === 'jsonl') {
    yield* readJsonl(bytes);
    return;
  }
  const rows = readCsv(bytes, delimiterOf(head));
  const header = await rows.next();
  if (header.done) throw new FormatError(`${path} is empty.`);
  if (header.value.problem) throw new FormatError(`The header of ${path} cannot be read: ${header.value.problem}`);
  yield* (format === 'shopify' ? readShopify : readMagento)(header.value.cells, rows, context);
}

const HEAD_BYTES = 16 * 1024;

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '');
  } finally {
    await file.close();
  }
}

function unknownFormat(head: string, path: string): string {
  if (head.trim() === '') return `${path} is empty.`;
  if (head.trimStart().startsWith('[')) {
    return `${path} is one JSON array. Write one product per line instead, for example with: jq -c '.[]' ${path} > products.jsonl`;
  }
  return (
    `${path} is not recognised as a product file: its first line is neither the header of a Shopify or Magento 2 ` +
    'product CSV nor a JSON object. Name the format with --format shopify, magento or jsonl.'
  );
}
