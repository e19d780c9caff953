import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { type CsvRow, csvOptions, type OpenQuote, rowsOf } from './csv-records.ts';

/** Streams the rows of a CSV file in Node. */
export async function* readCsv(bytes: AsyncIterable<Uint8Array>, delimiter: string): AsyncGenerator<CsvRow> {
  const open: OpenQuote = {};
  const parser = parse(csvOptions(delimiter, open));
  // Ignores errors here, because the iteration below throws the errors of both streams.
  pipeline(Readable.from(bytes, { objectMode: false }), parser, () => {});
  yield* rowsOf(parser, delimiter, open);
}
