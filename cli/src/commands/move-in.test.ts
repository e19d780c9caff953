import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { redirectsFile } from '../move-in/redirects.ts';
import { type Answers, fakeServer, folder, loggedIn, type Seen, user } from '../testing.ts';

const PRODUCTS =
  'Handle,Title,Body (HTML),Option1 Name,Option1 Value,Variant SKU,Variant Price,Status\n' +
  'Mug_A,Mug,<p>Oat</p>,Title,Default Title,MUG,9.50,active\n' +
  'bowl,Bowl,,Title,Default Title,MUG,12.00,active\n' +
  'plate,Plate,,Title,Default Title,PLATE,cheap,active\n';
const CUSTOMERS = 'First Name,Email,Accepts Email Marketing\nAda,ada@example.com,yes\n';
const ORDERS =
  'Name,Email,Financial Status,Currency,Subtotal,Total,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku\n' +
  '#1001,ada@example.com,paid,EUR,9.50,9.50,2024-05-01 09:58:12 +0200,1,Mug,9.50,MUG\n';

/** The responses of a fake shop that accepts and stores everything. */
function shop(): Answers {
  const known = new Set<string>();
  const take = (rows: Record<string, string>[], key: string, dry: boolean) => {
    const results = rows.map((row, index) => {
      const name = `${key} ${row[key]}`;
      const status = known.has(name) ? 'unchanged' : 'created';
      if (!dry) known.add(name);
      return { index, status, errors: [], warnings: [] };
    });
    return { body: { dry_run: dry, counts: {}, results } };
  };
  return {
    'POST /api/dashboard/products/import': ({ body }: Seen) => take(body.products, 'slug', body.dry_run),
    'POST /api/dashboard/customers/import': ({ body }: Seen) => take(body.customers, 'email', body.dry_run),
    'POST /api/dashboard/orders/import': ({ body }: Seen) => take(body.orders, 'order_number', body.dry_run),
  };
}

async function exportsOf(files: Record<string, string>): Promise<string> {
  const dir = await folder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  return dir;
}

const ALL = { 'products_export_1.csv': PRODUCTS, 'customers_export.csv': CUSTOMERS, 'orders_export_1.csv': ORDERS };

test('move-in imports products, then customers, then orders, and lists the next steps in its report', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const redirects = 'Redirect from,Redirect to\n/old,/products/Mug_A\n';
  const dir = await exportsOf({
    ...ALL,
    'redirects.txt': 'x',
    'redirects_export.csv': redirects,
    'pages.csv': 'a,b\n',
  });
  const { code, out, err } = await commerce(['move-in', 'shopify', dir, '--yes']);
  expect(code, err).toBe(5);
  const paths = server.seen.map(({ path, body }) => `${path.split('/').at(-2)}${body.dry_run ? ' dry' : ''}`);
  expect(paths).toEqual(['products dry', 'customers dry', 'orders dry', 'products', 'customers', 'orders']);
  expect(out).toMatch(/products +2 +0 +0 +1\n +customers +1 +0 +0 +0\n +orders +1 +0 +0 +0\n/);
  const text = await readFile(join(dir, 'move-in-report.txt'), 'utf8');
  expect(text).toContain('products_export_1.csv, line 4 Variant Price (plate): "cheap" is not an amount');
  expect(text).toContain('the product "mug-a" has the SKU "MUG" already, in line 2');
  expect(text).toContain('NOT READ, because they are not a known export: pages.csv');
  const named = [...text.matchAll(/commerce ((?:[a-z-]+ ?)+)/g)].map(([, words = '']) => words.trim().split(' '));
  expect(named).toEqual([['setup'], ['collections', 'create'], ['setup', 'test-order']]);
  for (const words of named)
    expect((await commerce([...words, '--help'])).out).toContain(`Usage: commerce ${words.join(' ')} `);
  expect(JSON.parse(await readFile(join(dir, 'move-in-report.json'), 'utf8'))).toMatchObject({
    dry_run: false,
    counts: { products: { created: 2, refused: 1 }, customers: { created: 1 }, orders: { created: 1 } },
    refused: [{ file: 'products_export_1.csv', line: 4, column: 'Variant Price', name: 'plate' }],
    files_not_read: ['pages.csv'],
    redirects: { count: 2 },
  });
  expect(await readFile(join(dir, 'redirects.csv'), 'utf8')).toBe(
    'from,to\n/products/Mug_A,/products/mug-a\n/old,/products/mug-a\n',
  );
  const again = await commerce(['move-in', 'shopify', dir, '--yes', '--json']);
  expect(JSON.parse(again.out).counts).toMatchObject({
    products: { created: 0, unchanged: 2, refused: 1 },
    orders: { created: 0, unchanged: 1 },
  });
});

test('move-in never overwrites the export files of the old shop', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const redirects = 'Redirect from,Redirect to\n/old,/products/Mug_A\n';
  const dir = await exportsOf({ ...ALL, 'redirects.csv': redirects });
  for (const flags of [['--dry-run'], ['--yes'], ['--yes']]) {
    await commerce(['move-in', 'shopify', dir, ...flags]);
    expect(await readFile(join(dir, 'redirects.csv'), 'utf8')).toBe(redirects);
    expect(await readFile(join(dir, 'new-redirects.csv'), 'utf8')).toContain('\n/old,/products/mug-a\n');
    expect(await readFile(join(dir, 'move-in-report.txt'), 'utf8')).not.toContain('NOT READ');
  }
  const orders = join(dir, 'orders_export_1.csv');
  const over = await commerce(['move-in', 'shopify', dir, '--yes', '--redirects', orders]);
  expect([over.code, over.err.includes('is one of the exports')]).toEqual([2, true]);
  expect(await readFile(orders, 'utf8')).toBe(ORDERS);
  const foreign = await exportsOf({ ...ALL, 'redirects.csv': 'source;target\n/a;/b\n' });
  await commerce(['move-in', 'shopify', foreign, '--dry-run']);
  expect(await readFile(join(foreign, 'redirects.csv'), 'utf8')).toBe('source;target\n/a;/b\n');
});

test('a dry run of move-in imports nothing, and writes the report and the redirects file', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const dir = await exportsOf({ ...ALL, 'products_export_1.csv': PRODUCTS.split('\n').slice(0, 2).join('\n') });
  const [file, report] = [join(dir, '_redirects'), join(dir, 'checked.txt')];
  const flags = ['--dry-run', '--product-path', '/p/{slug}', '--redirects', file, '--report', report];
  const { code } = await commerce(['move-in', 'shopify', dir, ...flags]);
  expect(code).toBe(0);
  expect(server.seen.every(({ body }) => body.dry_run === true)).toBe(true);
  expect(await readFile(file, 'utf8')).toBe('/products/Mug_A /p/mug-a 301\n');
  expect(await readFile(report, 'utf8')).toContain('Nothing was written.');
});

test("reads the stock of several locations from Shopify's inventory export", async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const products =
    'Handle,Title,Option1 Name,Option1 Value,Variant Inventory Tracker,Variant Inventory Policy,Variant Price,Status\n' +
    'tee,Tee,Size,S,shopify,deny,9,active\ntee,,,M,shopify,deny,9,\nmug,Mug,Title,Default Title,shopify,deny,9,active\n';
  const inventory =
    'Handle,Title,Option1 Name,Option1 Value,SKU,Location,Available (not editable),On hand (current)\n' +
    'tee,Tee,Size,S,,Berlin,3,4\ntee,Tee,Size,S,,Lyon,2,2\ntee,Tee,Size,M,,Lyon,not stocked,not stocked\nmug,Mug,Title,Default Title,,Lyon,-2,0\n';
  const dir = await exportsOf({ 'products_export.csv': products, 'inventory_export.csv': inventory });
  const { code, err } = await commerce(['move-in', 'shopify', dir, '--yes']);
  expect(code, err).toBe(0);
  expect(server.seen.at(-1)?.body.products).toMatchObject([
    { slug: 'tee', variants: [{ inventory_quantity: 5 }, { option1: 'M' }] },
    { slug: 'mug', inventory_quantity: 0 },
  ]);
  expect(await readFile(join(dir, 'move-in-report.txt'), 'utf8')).toContain('WARNINGS: none');
  const without = await exportsOf({ 'products_export.csv': products });
  await commerce(['move-in', 'shopify', without, '--dry-run']);
  expect(await readFile(join(without, 'move-in-report.txt'), 'utf8')).toContain(
    'no such column, and 3 variants are counted',
  );
});

test('move-in asks for confirmation before it imports, and rejects a folder without exports', async () => {
  const server = await fakeServer(shop());
  const dir = await exportsOf(ALL);
  const { commerce } = await user({ COMMERCE_URL: server.url, COMMERCE_API_KEY: 'key_test' });
  const unasked = await commerce(['move-in', 'shopify', dir]);
  expect([unasked.code, unasked.err.includes('Add --yes.')]).toEqual([2, true]);
  const refused = await commerce(['move-in', 'shopify', dir], { typed: 'n' });
  expect(refused.code).toBe(2);
  expect(server.seen.every(({ body }) => body.dry_run === true)).toBe(true);
  const empty = await commerce(['move-in', 'shopify', await exportsOf({ 'exports.zip': '' })]);
  expect([empty.code, empty.err.includes('Unpack exports.zip first.')]).toEqual([2, true]);
});

test('a line break in an old URL cannot add another redirect to the redirects file', () => {
  const odd = [{ from: '/a\n/pay https://evil.example 301!', to: '/new page' }];

  expect(redirectsFile(odd, '_redirects')).toBe('/a%0A/pay%20https://evil.example%20301! /new%20page 301\n');
});
