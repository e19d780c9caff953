import { parse } from 'csv-parse/browser/esm/sync';
import { type CsvRow, csvOptions, type OpenQuote, rowsOf } from './csv-records.ts';

/** Parses the rows of a CSV file in a browser. Browsers have no Node streams, so it reads the whole file first. */
export async function* readCsvText(bytes: AsyncIterable<Uint8Array>, delimiter: string): AsyncGenerator<CsvRow> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of bytes) text += decoder.decode(chunk, { stream: true });
  const open: OpenQuote = {};
  yield* rowsOf(parse(text + decoder.decode(), csvOptions(delimiter, open)), delimiter, open);
}
