import { open } from 'node:fs/promises';
import type { ProductImport } from '@commerce-backend/spec';
import type { Encoding } from './bytes.ts';
import { readBytes } from './bytes.ts';
import { readCsv } from './csv-rows.ts';
import { delimiterOf, detectFormat, type Format } from './detect.ts';
import { readJsonl } from './jsonl.ts';
import { readMagento } from './magento.ts';
import type { FieldError } from './row-reader.ts';
import { readShopify } from './shopify.ts';

/**
 * One product of the file, or one refused with every reason found. `line` is the 1-based line where it begins, as an
 * editor counts; each error carries the line of the row it is about.
 */
export type Read = { line: number; product: ProductImport } | { line: number; slug?: string; errors: FieldError[] };

/** Something a file says that was changed or left out on the way, though the product goes on. */
export type Warning = { line: number; message: string };

export type ReadOptions = {
  /** The file's format; found out from its name and first line when absent. */
  format?: Format;
  /** What image names of a Magento file are put behind; without it they are left out, with a warning each product. */
  baseImageUrl?: string;
  /** The unit of a Magento file's weights, which the file does not say. Default: lb, as Magento's own. */
  weightUnit?: 'kg' | 'lb';
  /** The moment at which sale prices must be running. Default: now. */
  now?: Date;
  /** Called with the size of each piece read; the sum is the file's size at the end. */
  onBytes?: (bytes: number) => void;
  onWarning?: (warning: Warning) => void;
};

/** What the readers of the single formats are given. */
export type ReadContext = {
  encoding: Encoding;
  baseImageUrl: string | undefined;
  weightUnit: 'kg' | 'lb';
  now: Date;
  warn: (line: number, message: string) => void;
};

/** A file that cannot be read as any product file; the message says what to do. */
export class FormatError extends Error {}

/**
 * The products of a file, one after the other and never all at once (a Magento file's simple products excepted: they
 * wait for the product they belong to). Throws a FormatError before the first product when the format is unknown, and
 * the file system's own error when the file cannot be read.
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
