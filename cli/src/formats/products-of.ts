import type { CsvRow } from './csv-records.ts';
import { delimiterOf, detectFormat } from './detect.ts';
import { asUtf8, counted } from './encoding.ts';
import { readJsonl } from './jsonl.ts';
import { readMagento } from './magento.ts';
import { readMerchantFeed } from './merchant-feed.ts';
import { tableItemsOf, xmlItemsOf } from './merchant-items.ts';
import { FormatError, type Read, type ReadContext, type ReadOptions } from './reading.ts';
import { readShopify } from './shopify.ts';
import { readWooCommerce } from './woocommerce.ts';

/** A file on disk or in a browser: name, first bytes as text, all bytes, encoding. */
export type ProductFile = { name: string; head: string; bytes: AsyncIterable<Uint8Array>; encoding: string };

type ReadCsv = (bytes: AsyncIterable<Uint8Array>, delimiter: string) => AsyncGenerator<CsvRow>;

/** Number of first bytes that are needed to detect the format. */
export const HEAD_BYTES = 16 * 1024;

/**
 * Reads the products of a file, with a CSV parser for Node or for browsers. Throws a FormatError before the first
 * product if the format is unknown.
 */
export async function* productsOf(
  { name, head, bytes: chunks, encoding }: ProductFile,
  options: ReadOptions,
  readCsv: ReadCsv,
): AsyncGenerator<Read> {
  const format = options.format ?? detectFormat(head, name);
  if (format === undefined) throw new FormatError(unknownFormat(head, name));

  const context: ReadContext = {
    baseImageUrl: options.baseImageUrl,
    weightUnit: options.weightUnit ?? 'lb',
    decimals: options.decimals ?? 2,
    now: options.now ?? new Date(),
    mostHeld: options.mostHeld,
    warn: (line, message) => options.onWarning?.({ line, message }),
  };
  const bytes = asUtf8(counted(chunks, options.onBytes), encoding);
  if (format === 'jsonl') {
    yield* readJsonl(bytes);
    return;
  }
  if (format === 'google' && head.trimStart().startsWith('<')) {
    yield* readMerchantFeed(xmlItemsOf(bytes), context);
    return;
  }
  const rows = readCsv(bytes, delimiterOf(head));
  const header = await rows.next();
  if (header.done) throw new FormatError(`${name} is empty.`);
  if (header.value.problem) throw new FormatError(`The header of ${name} cannot be read: ${header.value.problem}`);
  yield* READERS[format](header.value.cells, rows, context);
}

const READERS = {
  shopify: readShopify,
  magento: readMagento,
  woocommerce: readWooCommerce,
  google: (header: string[], rows: AsyncIterable<CsvRow>, context: ReadContext) =>
    readMerchantFeed(tableItemsOf(header, rows), context),
};

function unknownFormat(head: string, name: string): string {
  if (head.trim() === '') return `${name} is empty.`;
  if (head.trimStart().startsWith('[')) {
    return `${name} is one JSON array. Write one product per line instead, for example with: jq -c '.[]' ${name} > products.jsonl`;
  }
  return (
    `${name} is not recognised as a product file: its first line is neither the header of a product CSV of Shopify, ` +
    'WooCommerce or Magento 2, nor a Google Merchant feed (XML or TSV), nor a JSON object. If it is one of these, name the ' +
    'format with --format shopify, woocommerce, magento, google or jsonl. From another system, such as BigCommerce or ' +
    'PrestaShop, export its Google Merchant feed and import that.'
  );
}
