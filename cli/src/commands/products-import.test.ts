import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportResult, ProductImport } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { type Answers, fakeServer, folder, loggedIn, refusal, type Seen } from '../testing.ts';

const IMPORT = 'POST /api/dashboard/products/import';

type Row = ImportResult['results'][number];

/** The responses of a fake shop that stores products by slug, and rejects products of the vendor "refuse me". */
function shop(known = new Set<string>()): Answers {
  return {
    [IMPORT]: ({ body }: Seen) => {
      const results = (body.products as ProductImport[]).map(({ slug, vendor }, index): Row => {
        const row = { index, slug, product_id: null, errors: [] };
        if (vendor === 'refuse me') {
          const errors = [{ loc: ['body', 'products', index, 'vendor'], msg: 'Not this one.', type: 'value_error' }];
          return { ...row, status: 'failed', errors };
        }
        const status = known.has(slug) ? 'unchanged' : 'created';
        if (!body.dry_run) known.add(slug);
        return { ...row, status };
      });
      return { body: { dry_run: body.dry_run ?? false, counts: {}, results } };
    },
  };
}

async function fileOf(lines: unknown[], name = 'products.jsonl'): Promise<string> {
  const path = join(await folder(), name);
  await writeFile(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return path;
}

const mugs = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({ name: `Mug ${index}`, slug: `mug-${index}`, price: '5.00', ...more }));

test('creates the products of a file, and changes nothing when the file is imported again', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const file = await fileOf(mugs(250));
  const first = await commerce(['products', 'import', file]);
  expect(first).toMatchObject({ code: 0, err: '' });
  expect(first.out).toMatch(/^Imported .*products\.jsonl in [\d.]+ s, \d+ products\/s:\n/);
  expect(first.out).toContain('  created    250\n  updated      0\n  unchanged    0\n  refused      0\n');
  const again = await commerce(['products', 'import', file]);
  expect(again.out).toContain('  created      0\n  updated      0\n  unchanged  250\n');
});

test('sends at most 100 products and 900 kB per call, each call with its own Idempotency-Key', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const large = mugs(30, { description: 'x'.repeat(60_000) }).map((mug) => ({ ...mug, slug: `large-${mug.slug}` }));
  const file = await fileOf([...mugs(210), ...large]);
  expect((await commerce(['products', 'import', file])).code).toBe(0);
  const sizes = server.seen.map(({ headers }) => Number(headers['content-length'] ?? 0));
  const rows = server.seen.map(({ body }) => body.products.length);
  expect(Math.max(...rows)).toBe(100);
  expect(Math.max(...sizes)).toBeLessThan(901_000);
  expect(rows.reduce((sum, count) => sum + count)).toBe(240);
  expect(new Set(server.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(server.seen.length);
});

test('reports each product that the parser or the server rejects with its line, and imports the others', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const file = await fileOf([
    { name: 'Mug', slug: 'mug', price: '5.00' },
    '{"name": "Broken"',
    { name: 'Bowl', slug: 'bowl', vendor: 'refuse me' },
    { name: 'Jug', slug: 'Not A Slug' },
    { name: 'Cup', slug: 'cup' },
  ]);
  const { code, out, err } = await commerce(['products', 'import', file]);
  expect(code).toBe(5);
  expect(out).toContain('  created    2\n  updated    0\n  unchanged  0\n  refused    3\n');
  const lines = err.split('\n');
  expect(lines[0]).toMatch(/^line 2: json: The line is not valid JSON: /);
  expect(lines).toContain('line 3: vendor: Not this one. (bowl)');
  expect(lines).toContain('line 4: slug: A slug is lower-case letters a–z, digits and single hyphens. (Not A Slug)');
  expect(lines).toContain('Error: 3 of 5 products were refused.');
});

test('writes rejected products as JSON Lines to the --errors file', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const file = await fileOf(['[]', { name: 'Bowl', slug: 'bowl', vendor: 'refuse me' }]);
  const errors = `${file}.refused`;
  const { code, out, err } = await commerce([
    'products',
    'import',
    file,
    '--format',
    'jsonl',
    '--errors',
    errors,
    '--json',
  ]);
  expect(code).toBe(5);
  expect(JSON.parse(out)).toMatchObject({
    file,
    dry_run: false,
    counts: { created: 0, updated: 0, unchanged: 0, refused: 2 },
  });
  expect(JSON.parse(err)).toMatchObject({ error: 'rows_refused', exit_code: 5 });
  const refused = (await readFile(errors, 'utf8')).trim().split('\n');
  expect(refused.map((line) => JSON.parse(line))).toEqual([
    { line: 1, errors: [{ line: 1, field: 'json', message: 'The line must hold one JSON object, a product.' }] },
    { line: 2, slug: 'bowl', errors: [{ line: 2, field: 'vendor', message: 'Not this one.' }] },
  ]);
});

test('sends dry_run with --dry-run, and update_inventory with --update-inventory', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const file = await fileOf(mugs(1));
  const dry = await commerce(['products', 'import', file, '--dry-run']);
  expect(dry.out).toMatch(/^Dry run: nothing was written\. /);
  await commerce(['products', 'import', file, '--update-inventory']);
  expect(server.seen.map(({ body }) => [body.dry_run, body.update_inventory])).toEqual([
    [true, false],
    [false, true],
  ]);
});

test('finds the product that makes the server reject a whole call, and imports the others', async () => {
  const ours = shop()[IMPORT];
  const server = await fakeServer({
    [IMPORT]: (seen) => {
      const poisoned = (seen.body.products as ProductImport[]).findIndex(({ slug }) => slug === 'mug-13');
      if (poisoned < 0) return typeof ours === 'function' ? ours(seen) : {};
      const detail = [{ loc: ['body', 'products', poisoned, 'metadata'], msg: 'Too deep.', type: 'json_invalid' }];
      return refusal(422, 'validation_error', 'The request does not fit.', { detail });
    },
  });
  const { commerce } = await loggedIn(server.url);
  const { code, out, err } = await commerce(['products', 'import', await fileOf(mugs(40))]);
  expect(code).toBe(5);
  expect(out).toContain('created    39\n');
  expect(err).toContain('line 14: metadata: Too deep. (mug-13)\n');
});

test('ends the import if the server rejects the credential, and shows the progress until then', async () => {
  const ours = shop()[IMPORT];
  let calls = 0;
  const server = await fakeServer({
    [IMPORT]: (seen) => {
      calls += 1;
      if (calls > 2) return refusal(403, 'insufficient_scope', 'The key may not write.', { scope: 'write' });
      return typeof ours === 'function' ? ours(seen) : {};
    },
  });
  const { commerce } = await loggedIn(server.url);
  const { code, out, err } = await commerce(['products', 'import', await fileOf(mugs(1000))]);
  expect(code).toBe(1);
  expect(out).toBe('');
  expect(err).toContain('Stopped: 200 created, 0 updated, 0 unchanged, 0 refused. Run the same command again');
  expect(err).toContain('Use a credential with the scope write.');
  // Two calls had a response and three were running; none of the other five was sent.
  expect(server.seen.length).toBeLessThanOrEqual(5);
});

test('repeats an import call after a temporary error (503), with the same Idempotency-Key', async () => {
  const ours = shop()[IMPORT];
  let calls = 0;
  const server = await fakeServer({
    [IMPORT]: (seen) => {
      calls += 1;
      if (calls === 1)
        return { ...refusal(503, 'unavailable', 'Later.', { retryable: true }), headers: { 'Retry-After': '0' } };
      return typeof ours === 'function' ? ours(seen) : {};
    },
  });
  const { commerce } = await loggedIn(server.url);
  const { code } = await commerce(['products', 'import', await fileOf(mugs(3))]);
  expect(code).toBe(0);
  const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual([keys[0], keys[0]]);
});

test('recognizes a Shopify file by its header', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const file = await fileOf(
    [
      'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price',
      'mug,Mug,Size,S,M-S,5.00',
      'mug,,,L,M-L,6.00',
    ],
    'products.csv',
  );
  expect((await commerce(['products', 'import', file])).code).toBe(0);
  const [product] = server.seen[0]?.body.products ?? [];
  expect(product).toMatchObject({ slug: 'mug', options: [{ name: 'Size', values: ['S', 'L'] }] });
});

test('a product import reports a missing file or an unknown format before it calls the API', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const unknown = await commerce(['products', 'import', await fileOf(['a,b', '1,2'], 'sheet.csv')]);
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('name the format with --format shopify, woocommerce, magento, google or jsonl.');
  expect(unknown.err).toContain('From another system, such as BigCommerce');
  const missing = await commerce(['products', 'import', '/nowhere/products.csv']);
  expect(missing).toMatchObject({ code: 2, out: '' });
  expect(missing.err).toBe('Error: There is no such file or folder: /nowhere/products.csv\n');
  expect(server.seen).toEqual([]);
});

test('an import shows a progress bar on a terminal, and removes it at the end', async () => {
  const server = await fakeServer({
    [IMPORT]: (seen) => {
      // Slow enough that the progress bar is drawn.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 120);
      const answer = shop()[IMPORT];
      return typeof answer === 'function' ? answer(seen) : {};
    },
  });
  const { commerce } = await loggedIn(server.url);
  const { err } = await commerce(['products', 'import', await fileOf(mugs(300))], { typed: '' });
  expect(err).toMatch(/█+░* +\d+ % {2}\d+ products, \d+\/s/);
  expect(err.endsWith('\r\x1b[K')).toBe(true);
});

test('a dry run with --duplicate-skus refuse rejects a SKU that an earlier product of the file has', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const variant = (sku: string) => ({ option1: sku, price: '5.00', sku });
  const file = await fileOf([
    { name: 'No', slug: 'no', price: '5.00', sku: 'A', vendor: 'refuse me' },
    { name: 'Mug', slug: 'mug', price: '5.00', sku: 'A' },
    { name: 'Set', slug: 'set', price: '5.00', variants: [variant('B'), variant('a')] },
    { name: 'Bowl', slug: 'bowl', price: '5.00', sku: 'B' },
    ...mugs(2),
  ]);
  const { code, out, err } = await commerce(['products', 'import', file, '--dry-run', '--duplicate-skus', 'refuse']);
  expect(code).toBe(5);
  expect(err).toContain('line 3: variants.1.sku: The product "mug" already has the SKU "a", in line 2. (set)');
  expect(out).toContain('  created    4\n  updated    0\n  unchanged  0\n  refused    2\n');
});

const SHARED = [
  'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price',
  'mug,Mug,Size,S,A,5',
  'mug,,,M,a,5',
  'cup,Cup,Title,Default Title,A,5',
];

test('a duplicate SKU stays with the first variant, and is reported with line, SKU and the other product', async () => {
  for (const [rule, mug, cup] of [
    ['keep-first', null, null],
    ['suffix', 'a-2', 'A-3'],
  ] as const) {
    const server = await fakeServer(shop());
    const { commerce } = await loggedIn(server.url);
    const file = await fileOf(SHARED, 'products.csv');
    const options = rule === 'keep-first' ? [] : ['--duplicate-skus', rule];
    const tried = await commerce(['products', 'import', file, '--dry-run', ...options]);
    const { code, err } = await commerce(['products', 'import', file, ...options]);
    expect([tried.code, code]).toEqual([0, 0]);
    expect(tried.err).toBe(err);
    expect(err).toContain('line 3: warning: Variant SKU: another variant of it has the SKU "a" already, in line 2:');
    expect(err).toContain('line 4: warning: Variant SKU: the product "mug" has the SKU "A" already, in line 2:');
    const [first, second] = (server.seen.at(-1)?.body.products ?? []) as ProductImport[];
    expect(first?.variants?.map(({ sku }) => sku)).toEqual(['A', mug]);
    expect(second?.sku).toBe(cup);
  }
});

test('writes each error and warning to the --report file', async () => {
  const server = await fakeServer(shop());
  const { commerce } = await loggedIn(server.url);
  const report = join(await folder(), 'report.csv');
  const file = await fileOf([...SHARED, 'pot,Pot,Title,Default Title,,"1,000"'], 'products.csv');
  expect((await commerce(['products', 'import', file, '--report', report])).code).toBe(5);
  const lines = (await readFile(report, 'utf8')).trim().split('\n');
  expect(lines[0]).toBe('line,what,product,column,message');
  expect(lines.filter((line) => line.includes(',warning,'))).toHaveLength(2);
  expect(lines.at(-1)).toContain('5,refused,pot,Variant Price,');
});

test('escapes formulas in the --report file', async () => {
  const file = await fileOf([
    { name: 'Mug', slug: '=HYPERLINK("https://evil.example")', price: '5.00', vendor: 'refuse me' },
  ]);
  const report = join(await folder(), 'report.csv');
  const { commerce } = await loggedIn((await fakeServer(shop())).url);

  await commerce(['products', 'import', file, '--report', report]);

  const written = await readFile(report, 'utf8');
  expect(written).toContain('HYPERLINK');
  expect(written).not.toMatch(/(?:^|,)"?[=+@-]/m);
});
