import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, loggedIn } from '../../cli/src/testing.ts';
import { openShop } from './shop.ts';

/** Exports by spreadsheets and other programs: other encodings and separators, broken quotes, unusual numbers, handles and options. */

const EXPORTS = new URL('fixtures/hard-exports/', import.meta.url).pathname;

/** The lines that each file's import rejects. Each contains a value that must not be guessed. */
const REFUSED: Record<string, number[]> = {
  '01-excel-de.csv': [],
  '02-bom-crlf.csv': [],
  // The line has a quote that is not doubled.
  '03-quotes.csv': [3],
  // A variant lacks the value of a third option; two options have one name.
  '04-options.csv': [134, 136],
  // A SKU is too long, and three stocks and three prices are not numbers. A product without a price becomes a draft.
  '05-skus.csv': [8, 10, 11, 12, 15, 16, 17],
  // A character cannot be stored, and a product has no name.
  '06-texts.csv': [7, 7, 10],
  // Two products have the same handle.
  '07-handles.csv': [6],
  // A picture belongs to a product that is not in the file.
  '08-apart.csv': [7],
  '09-facts.csv': [],
  // Two products have no price, and become drafts.
  '10-template.csv': [],
};

/** Files whose encoding is not detected: Windows-1252 with quotation marks and dashes, and UTF-8 with a NUL. */
const ENCODINGS: Record<string, string> = { '01-excel-de.csv': 'windows-1252', '06-texts.csv': 'utf-8' };

async function merchant() {
  const shop = await openShop();
  const { commerce } = await loggedIn(shop.baseUrl, shop.credentials.api_key);
  const run = async (file: string, ...more: string[]) => {
    const { out, err } = await commerce(['products', 'import', file, '--json', ...more]);
    const told = err.split('\n').filter((line) => line.startsWith('{"line"'));
    return { counts: JSON.parse(out).counts as Record<string, number>, told: told.toSorted() };
  };
  const exported = async () => {
    const file = join(await folder(), 'products.csv');
    await commerce(['products', 'export', '--format', 'shopify', '--output', file]);
    return { file, text: await readFile(file, 'utf8') };
  };
  return { run, exported };
}

const linesOf = (told: string[]): number[] =>
  told.flatMap((line): number[] => (JSON.parse(line).errors ?? []).map((error: { line: number }) => error.line));

for (const name of await readdir(EXPORTS)) {
  test(`${name} rejects only ambiguous rows, as in its dry run, and exports them unchanged`, async () => {
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
    expect(linesOf(done.told).toSorted((a, b) => a - b)).toEqual(REFUSED[name]);
    const { created, refused } = done.counts;
    expect(again.counts).toEqual({ created: 0, updated: 0, unchanged: created, refused });
    expect(again.told).toEqual(done.told);
    expect(back.counts).toEqual({ created: 0, updated: 0, unchanged: created, refused: 0 });
    expect(moved.counts).toEqual({ created, updated: 0, unchanged: 0, refused: 0 });
    expect((await other.exported()).text).toBe(written.text);
  });
}
