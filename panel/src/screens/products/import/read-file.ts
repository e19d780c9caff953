import type { CsvRow } from '../../../../../cli/src/formats/csv-records.ts';
import { readCsvText } from '../../../../../cli/src/formats/csv-text.ts';
import { encodingOf, headText } from '../../../../../cli/src/formats/encoding.ts';
import { HEAD_BYTES, productsOf } from '../../../../../cli/src/formats/products-of.ts';
import type { Read, ReadOptions } from '../../../../../cli/src/formats/reading.ts';
import { Findings } from './findings.ts';

/** A parsed product file, and the SKU of each line. */
export interface FileContent {
  reads: Read[];
  /** Values that were changed during parsing. */
  warnings: Findings;
  skus: Map<number, string>;
}

/** Maximum file size, because the browser keeps the file in memory. */
export const MOST_BYTES = 200 * 1024 * 1024;

/** Parses a product file. Throws a FormatError, such as UnknownEncoding, if the whole file is unreadable. */
export async function readProductFile(file: File, options: ReadOptions): Promise<FileContent> {
  const content: FileContent = { reads: [], warnings: new Findings(), skus: new Map() };
  const encoding = await encodingOf(file.name, chunksOf(file), options.encoding);
  const head = headText(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()), encoding);
  const reads = productsOf(
    { name: file.name, head, bytes: chunksOf(file), encoding },
    { ...options, onWarning: ({ line, message }) => content.warnings.add({ line, column: '', sku: '', message }) },
    (bytes, delimiter) => notingSkus(readCsvText(bytes, delimiter), content.skus),
  );
  for await (const read of reads) content.reads.push(read);
  return content;
}

/** Reads a file in chunks. Not every browser supports async iteration of byte streams. */
async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

/** Records the SKU of each row, because users search a spreadsheet for a rejected row by its SKU. */
async function* notingSkus(rows: AsyncIterable<CsvRow>, skus: Map<number, string>): AsyncGenerator<CsvRow> {
  let column: number | undefined;
  for await (const row of rows) {
    column ??= row.cells.findIndex((cell) => /^(?:variant )?sku$/i.test(cell.trim()));
    const sku = row.cells[column]?.trim();
    if (sku) skus.set(row.line, sku);
    yield row;
  }
}
