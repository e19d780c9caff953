/** Exports by spreadsheets and other programs: unusual encodings, separators, quotes, numbers, handles and options. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, loggedIn } from '../../cli/src/testing.ts';
import { openShop } from './shop.ts';

const EXPORTS = new URL('fixtures/hard-exports/', import.meta.url).pathname;

/** The lines of each file that the import rejects, because a value in them is invalid or ambiguous. */
const REFUSED: Record<string, number[]> = {
  '01-excel-de.csv': [],
  '02-bom-crlf.csv': [],
  // The quote inside a quoted value is not doubled.
  '03-quotes.csv': [3],
  // Line 134 has two options with the same name. The variant in line 136 has no value for the third option.
  '04-options.csv': [134, 136],
  // The lines with a SKU that is too long, three invalid quantities and three invalid prices. A product without a price
  // is not rejected, but becomes a draft.
  '05-skus.csv': [8, 10, 11, 12, 15, 16, 17],
  // The lines with a character that cannot be stored, and with a product without a name.
  '06-texts.csv': [7, 7, 10],
  // The line of the second of two products whose handles differ only in case.
  '07-handles.csv': [6],
  // The line of an image whose product is not in the file.
  '08-apart.csv': [7],
  '09-facts.csv': [],
  // No row is rejected: two products without a price become drafts.
  '10-template.csv': [],
};

/** Files whose encoding cannot be detected: Windows-1252 with quotation marks and dashes, and UTF-8 with a NUL. */
const ENCODINGS: Record<string, string> = { '01-excel-de.csv': 'windows-1252', '06-texts.csv': 'utf-8' };

async function merchant() {
  const shop = await openShop();
  const { commerce } = await loggedIn(shop.baseUrl, shop.credentials.api_key);
  const run = async (file: string, ...more: string[]) => {
    const { out, err } = await commerce(['products', 'import', file, '--json', ...more]);
    const reports = err.split('\n').filter((line) => line.startsWith('{"line"'));
    return { counts: JSON.parse(out).counts as Record<string, number>, reports: reports.toSorted() };
  };
  const exported = async () => {
    const file = join(await folder(), 'products.csv');
    await commerce(['products', 'export', '--format', 'shopify', '--output', file]);
    return { file, text: await readFile(file, 'utf8') };
  };
  return { run, exported };
}

const linesOf = (reports: string[]): number[] =>
  reports.flatMap((line): number[] => (JSON.parse(line).errors ?? []).map((error: { line: number }) => error.line));

for (const name of await readdir(EXPORTS)) {
  test(`the import of ${name} rejects only invalid or ambiguous rows, like its dry run, and exports the others unchanged`, async () => {
    const [one, other] = await Promise.all([merchant(), merchant()]);
    const file = join(EXPORTS, name);
    const encoding = ENCODINGS[name] ? ['--encoding', ENCODINGS[name]] : [];

    const tried = await one.run(file, '--dry-run', ...encoding);
    const done = await one.run(file, ...encoding);
    const again = await one.run(file, ...encoding);
    const written = await one.exported();
    const back = await one.run(written.file);
    const moved = await other.run(written.file);

    expect(done).toEqual(tried);
    expect(linesOf(done.reports).toSorted((a, b) => a - b)).toEqual(REFUSED[name]);
    const { created, refused } = done.counts;
    expect(again.counts).toEqual({ created: 0, updated: 0, unchanged: created, refused });
    expect(again.reports).toEqual(done.reports);
    expect(back.counts).toEqual({ created: 0, updated: 0, unchanged: created, refused: 0 });
    expect(moved.counts).toEqual({ created, updated: 0, unchanged: 0, refused: 0 });
    expect((await other.exported()).text).toBe(written.text);
  });
}
