/**
 * Exports with the header lines and peculiarities of shops that are several years old; their products are invented.
 * After an import, each cell must be in the shop, or in a warning that names its column.
 */

import { createReadStream } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Product } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { readCsv } from '../../cli/src/formats/csv-rows.ts';
import { textOfHtml } from '../../cli/src/formats/html-text.ts';
import { allOf } from '../../cli/src/formats/testing.ts';
import { folder, loggedIn } from '../../cli/src/testing.ts';
import { openShop } from './shop.ts';

const EXPORTS = new URL('fixtures/exports/', import.meta.url).pathname;
const files = await readdir(EXPORTS);

async function merchant() {
  const shop = await openShop();
  const { commerce } = await loggedIn(shop.baseUrl, shop.credentials.api_key);
  const run = async (file: string, ...more: string[]) => {
    const { out, err } = await commerce(['products', 'import', file, '--json', ...more]);
    const reports = err.split('\n').filter((line) => line.startsWith('{'));
    return { counts: JSON.parse(out).counts as Record<string, number>, reports: reports.toSorted() };
  };
  const exported = async (format: string) => {
    const file = join(await folder(), `products.${format}`);
    await commerce(['products', 'export', '--format', format, '--output', file]);
    return { file, text: await readFile(file, 'utf8') };
  };
  return { run, exported };
}

type Row = Record<string, string>;

async function rowsOf(file: string): Promise<Row[]> {
  const [header, ...rows] = (await allOf(readCsv(createReadStream(file), ','))).map(({ cells }) => cells);
  return rows.map((cells) => Object.fromEntries(cells.map((cell, index) => [header?.[index], cell])));
}

for (const name of files) {
  test(`imports ${name} completely, reports the same as its dry run, and loses values only with a warning`, async () => {
    const { run, exported } = await merchant();
    const file = join(EXPORTS, name);

    const tried = await run(file, '--dry-run');
    const done = await run(file);

    expect(done).toEqual(tried);
    expect(done.counts).toMatchObject({ refused: 0, updated: 0, unchanged: 0 });
    const rows = await rowsOf(file);
    expect(done.counts.created).toBe(new Set(rows.map((row) => row.Handle)).size);
    const products = (await exported('jsonl')).text
      .trim()
      .split('\n')
      .map((line): Product => JSON.parse(line));
    const warnings = done.reports.map((line) => String(JSON.parse(line).warning));
    expect(lostIn(rows, products, warnings)).toEqual([]);
  });

  test(`importing ${name} again, or its export in Shopify's CSV format, changes nothing`, async () => {
    const { run, exported } = await merchant();
    const file = join(EXPORTS, name);
    const { counts } = await run(file);
    const unchanged = { created: 0, updated: 0, unchanged: counts.created, refused: 0 };

    expect((await run(file)).counts).toEqual(unchanged);
    const written = await exported('shopify');
    expect((await run(written.file)).counts).toEqual(unchanged);

    const other = await merchant();
    expect((await other.run(written.file)).counts).toEqual(counts);
    expect((await other.exported('shopify')).text).toBe(written.text);
  });

  test(`imports ${name} with the same result if its line endings and encoding differ`, async () => {
    const text = await readFile(join(EXPORTS, name), 'utf8');
    const dir = await folder();
    const [plain, turned] = await Promise.all([merchant(), merchant()]);
    const file = join(dir, name);
    await writeFile(file, `\ufeff${text.replaceAll('\n', '\r\n')}`, 'utf16le');

    const one = await plain.run(join(EXPORTS, name));
    const other = await turned.run(file);

    expect(other.counts).toEqual(one.counts);
    const withoutLines = ({ text: products }: { text: string }) => products.replaceAll('\\r\\n', '\\n');
    expect(withoutTimes(withoutLines(await turned.exported('jsonl')))).toEqual(
      withoutTimes(withoutLines(await plain.exported('jsonl'))),
    );
  });
}

test('move-in imports a whole Shopify export, reports the same as its dry run, and changes nothing the second time', async () => {
  const shop = await openShop();
  const { commerce } = await loggedIn(shop.baseUrl, shop.credentials.api_key);
  const dir = await folder();
  await cp(new URL('fixtures/shop-export', import.meta.url), dir, { recursive: true });
  for (const name of files) await cp(join(EXPORTS, name), join(dir, name));
  const move = async (...more: string[]) => {
    await commerce(['move-in', 'shopify', dir, ...more]);
    const { counts, refused, warnings } = JSON.parse(await readFile(join(dir, 'move-in-report.json'), 'utf8'));
    return { counts, refused, warnings };
  };

  const checked = await move('--dry-run');
  const moved = await move('--yes');
  const again = await move('--yes');

  expect(moved).toEqual(checked);
  expect(moved.refused).toEqual([]);
  expect(moved.counts).toMatchObject({ products: { created: 12 }, customers: { created: 6 }, orders: { created: 7 } });
  expect(again.counts).toMatchObject({
    products: { unchanged: 12 },
    customers: { unchanged: 6 },
    orders: { unchanged: 7 },
  });
  expect(again.warnings).toEqual(moved.warnings);
  const html = moved.warnings.flatMap(({ file, lines }: { file: string; lines: { message: string }[] }) =>
    lines.flatMap(({ message }) => (message.includes('<iframe>') ? [file] : [])),
  );
  expect(html).toEqual(['2025-linked-options.csv']);
});

test('products import reports each value beyond the limits of a product by line, column, handle and SKU', async () => {
  const { run, exported } = await merchant();
  const reports = [
    ...(await run(join(EXPORTS, '2026-many-facts.csv'))).reports,
    ...(await run(join(EXPORTS, '2025-linked-options.csv'))).reports,
  ];
  const left = reports
    .map((line) => JSON.parse(line))
    .filter(({ warning }) => /at most (?:50 facts|500 are kept)/.test(warning));
  const many = 'a product has at most 50 facts; this value is left out. (soda-icon, SKU ICON-46943064719617)';
  const long =
    'the value has 5298 characters, at most 500 are kept; this value is left out. (herbarium-shirt, SKU SS-2025-01-01)';
  expect(left).toEqual([
    { line: 2, warning: `SEO Hidden (product.metafields.seo.hidden): ${many}` },
    { line: 2, warning: `Story (product.metafields.custom.story): ${long}` },
  ]);
  const products = (await exported('jsonl')).text
    .trim()
    .split('\n')
    .map((line): Product => JSON.parse(line));
  expect(Math.max(...products.map(({ metadata }) => Object.keys(metadata).length))).toBe(50);
});

const withoutTimes = (text: string) => text.replaceAll(/"published_at":"[^"]+"/g, '"published_at":"…"');

/** The cells that are in no product and in no warning. */
function lostIn(rows: Row[], products: Product[], warnings: string[]): string[] {
  const handles = [...new Set(rows.map((row) => row.Handle))];
  // The export has another order than the file, so products are identified by their titles, which are unique in the
  // fixtures.
  const productOf = new Map(
    handles.map((handle) => {
      const title = rows.find((row) => row.Handle === handle && row.Title)?.Title?.trim();
      return [handle, products.find((product) => product.name === title)];
    }),
  );
  return rows.flatMap((row, index) => {
    const product = productOf.get(row.Handle);
    const said = product ? leavesOf(product) : new Set<string>();
    return Object.entries(row).flatMap(([column, cell]) => {
      if (cell.trim() === '' || isKept(column, cell.trim(), row, said)) return [];
      return warnings.some((warning) => warning.startsWith(WARNED_AS[column] ?? column))
        ? []
        : [`row ${index + 2}, ${column}: ${cell}`];
    });
  });
}

const WARNED_AS: Record<string, string> = { Handle: 'The handle' };
const GRAMS: Record<string, number> = { g: 1, kg: 1000, oz: 28.349523125, lb: 453.59237 };

function isKept(column: string, cell: string, row: Row, said: Set<string>): boolean {
  const has = (value: string) => said.has(value);
  switch (column) {
    case 'Handle':
      return has(cell);
    case 'Option1 Name':
      return has(cell) || row['Option1 Value'] === 'Default Title';
    case 'Option1 Value':
      return has(cell) || cell === 'Default Title';
    case 'Tags':
      return ['"a, b"']
        .reduce((text, tag) => text.replace(tag, ''), cell)
        .split(',')
        .every((tag) => !tag.trim() || has(tag.trim()));
    case 'Body (HTML)':
      return has(cell) || [...said].some((text) => textOfHtml(text) === textOfHtml(cell) && text !== '');
    case 'Variant Grams':
      return has(`weight ${Math.round((Number(cell) / (GRAMS[row['Variant Weight Unit'] ?? 'g'] ?? 1)) * 1e6)}`);
    case 'Variant Price':
    case 'Variant Compare At Price':
    case 'Cost per item':
      return has(Number(cell).toFixed(2));
    case 'Variant Barcode':
      return has(cell.replace(/^'/, ''));
    case 'Image Src':
    case 'Variant Image':
      return has(cell.replaceAll(' ', '%20'));
    case 'Published':
      return cell === 'false' ? has('published_at null') : !has('published_at null') || row.Status !== 'active';
    case 'Variant Inventory Tracker':
      return has('track_inventory true');
    case 'Variant Requires Shipping':
      return has(`requires_shipping ${cell}`);
    case 'Variant Taxable':
      return cell === (has('zero') ? 'false' : 'true');
    case 'Gift Card':
      return cell === 'false' || has('true');
    default:
      return has(cell);
  }
}

/** All values of a product as strings to compare with CSV cells. Each value is also included as `key value`. */
function leavesOf(value: unknown, key = '', leaves = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const one of value) leavesOf(one, key, leaves);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) leavesOf(one, name, leaves);
  } else {
    leaves.add(String(value)).add(`${key} ${String(value)}`);
    if (key === 'weight') leaves.add(`weight ${Math.round(Number(value) * 1e6)}`);
    if (['price', 'compare_at_price', 'cost_per_item'].includes(key)) leaves.add(Number(value).toFixed(2));
  }
  return leaves;
}
