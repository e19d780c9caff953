import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, onTestFinished, test } from 'vitest';
import { type Answers, fakeServer, loggedIn, refusal } from '../testing.ts';

// biome-ignore lint/suspicious/noExplicitAny: the contract's own examples.
const examples: any = contract.components.examples;
const ORDER = examples.OrderDetails.value;
const EXPORT = 'GET /api/dashboard/orders/export';

async function merchant(answers: Answers) {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-bulk-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const server = await fakeServer(answers);
  const given = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  return { folder, given, ...server, ...(await loggedIn(server.url)) };
}

test('exports orders page by page, and escapes formulas in the CSV file', async () => {
  const evil = { ...ORDER, email: '=cmd()@example.com', note: '-1+1', staff_note: '\tx', order_number: '1002' };
  let calls = 0;
  const { folder, commerce, seen } = await merchant({
    [EXPORT]: () => {
      calls += 1;
      return { body: calls === 1 ? { orders: [ORDER], next_cursor: ORDER.id } : { orders: [evil], next_cursor: null } };
    },
  });
  const file = join(folder, 'orders.csv');
  const { code, out, err } = await commerce(['orders', 'export', '--output', file, '--from', '2026-01-01']);

  expect({ code, out }).toEqual({ code: 0, out: `Exported 2 orders to ${file}.\n` });
  expect(err).toContain(`1 orders, next --after ${ORDER.id}`);
  expect(seen.map(({ query }) => query.get('cursor'))).toEqual([null, ORDER.id]);
  const [header, first, last, end] = (await readFile(file, 'utf8')).split('\n');
  expect(header).toMatch(/^order_number,created_at,/);
  expect(first).toContain('1001,');
  expect(last).toContain(`,'=cmd()@example.com,`);
  expect(last).toContain(`,'-1+1,'\tx,`);
  expect(end).toBe('');
  expect(await readdir(folder)).toEqual(['orders.csv']);
});

test('an interrupted export continues at its cursor', async () => {
  let broken = true;
  const { folder, commerce } = await merchant({
    [EXPORT]: ({ query }) => {
      if (!query.has('cursor')) return { body: { orders: [ORDER], next_cursor: ORDER.id } };
      if (!broken) return { body: { orders: [{ ...ORDER, order_number: '1002' }], next_cursor: null } };
      broken = false;
      return refusal(403, 'insufficient_scope', 'No.');
    },
  });
  const args = ['orders', 'export', '--format', 'jsonl', '--output', join(folder, 'orders.jsonl')];

  const stopped = await commerce(args);
  expect(stopped.code).not.toBe(0);
  expect(stopped.err).toContain(`--after ${ORDER.id}`);
  expect(await readdir(folder)).toEqual(['orders.jsonl.partial']);
  const done = await commerce([...args, '--after', ORDER.id]);

  expect(done.code).toBe(0);
  const lines = (await readFile(join(folder, 'orders.jsonl'), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { order_number: string }).order_number)).toEqual(['1001', '1002']);
});

test('sends the rows of a bulk file in one call, and reports rejected rows by line', async () => {
  const { given, commerce, seen } = await merchant({
    'POST /api/dashboard/inventory/adjust': { body: examples.AdjustmentResult.value },
    'POST /api/dashboard/orders/fulfill': { body: examples.FulfillResult.value },
  });
  const counted = await given('count.csv', 'SKU;set_to;expected_quantity\nMUG-SLATE;38;40\nMUG-CREAM;12;13\n');
  const stock = await commerce(['inventory', 'adjust-many', counted, '--reason', 'correction']);
  const parcels = await given('parcels.csv', 'order_number,carrier,tracking_number\n1001,DHL,0034\n1004,,\n');
  const shipped = await commerce(['orders', 'ship-many', parcels, '--yes', '--json']);
  const wrong = await commerce(['orders', 'ship-many', counted, '--yes']);

  expect([stock.code, shipped.code, wrong.code]).toEqual([5, 5, 2]);
  expect(stock.out).toContain('The quantity is now 11.');
  expect(stock.out).toContain('1 adjusted, 1 failed');
  expect(JSON.parse(shipped.out)).toMatchObject({
    counts: { fulfilled: 1, failed: 1 },
    results: [{ line: 2 }, { line: 3, name: '1004', status: 'failed' }],
  });
  expect(seen.map(({ body }) => body)).toEqual([
    {
      reason: 'correction',
      adjustments: [
        { sku: 'MUG-SLATE', set_to: 38, expected_quantity: 40 },
        { sku: 'MUG-CREAM', set_to: 12, expected_quantity: 13 },
      ],
    },
    { orders: [{ order_number: '1001', carrier: 'DHL', tracking_number: '0034' }, { order_number: '1004' }] },
  ]);
  expect(wrong.err).toContain('has no column order_number');
});

const PRODUCT = examples.Product.value;
const BULK = 'POST /api/dashboard/products/bulk';

test('changes many products, and asks before a price changes by more than 80 %', async () => {
  const result = { product_id: PRODUCT.id, name: PRODUCT.name, reason: null, message: null, status: 'changed' };
  const counts = { changed: 1, unchanged: 0, failed: 0 };
  const priced = { ...result, price_before: '10.00', price_after: '20.00' };
  const { commerce, seen } = await merchant({
    [BULK]: () => ({ body: { dry_run: false, counts, results: [priced] } }),
  });
  const wanted = ['products', 'update-many', PRODUCT.id];
  const refused = await commerce([...wanted, '--price-percent', '100']);
  expect(refused.code).not.toBe(0);
  expect(seen.map(({ body }) => (body as { dry_run: boolean }).dry_run)).toEqual([true]);

  const { code, out } = await commerce([...wanted, '--price-percent', '100', '--yes']);
  expect({ code, out }).toEqual({ code: 0, out: '1 product: 1 changed.\n' });
  expect(seen.at(-1)?.body).toEqual({ product_ids: [PRODUCT.id], change: { price_percent: '100' }, dry_run: false });
  await commerce([...wanted, '--price-amount', '-2.50', '--dry-run']);
  expect(seen.at(-1)?.body).toMatchObject({ change: { price_amount: '-2.50' }, dry_run: true });
  const before = seen.length;
  expect((await commerce([...wanted, '--status', 'active', '--add-tag', 'new'])).code).not.toBe(0);
  expect(seen).toHaveLength(before);
});

test('changes many variants from a CSV file, and reports each rejected variant with its line', async () => {
  const [first, second] = PRODUCT.variants.map(({ id }: { id: string }) => id);
  const results = [
    { variant_id: first, status: 'changed', field: null, reason: null, message: null },
    { variant_id: second, status: 'failed', field: 'sku', reason: 'sku_taken', message: 'Taken.' },
  ];
  const { given, commerce, seen } = await merchant({
    'POST /api/dashboard/products/variants': () => ({
      body: { counts: { changed: 1, unchanged: 0, failed: 1 }, results },
    }),
  });
  const file = await given(
    'p.csv',
    `variant_id,price,compare_at_price,sku\n${first},"1.500,00",none,\n${second},,,MUG\n`,
  );
  const { code, out } = await commerce(['variants', 'update-many', file]);
  expect(code).not.toBe(0);
  expect(out).toContain('Taken.');
  expect(seen.at(-1)?.body).toEqual({
    variants: [
      { variant_id: first, price: '1500.00', compare_at_price: null },
      { variant_id: second, sku: 'MUG' },
    ],
  });
});
