import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OrderImport } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { fakeServer, folder, loggedIn, type Seen } from '../testing.ts';

/** Starts a fake shop that already has an order 1001. */
async function shop() {
  const server = await fakeServer({
    'POST /api/dashboard/orders/import': ({ body }: Seen) => {
      const results = (body.orders as OrderImport[]).map(({ order_number, line_items }, index) => {
        const row = { index, order_number, order_id: null };
        const loc = ['body', 'orders', index];
        const sold = { loc: [...loc, 'line_items', line_items.length - 1, 'sku'], msg: 'No such SKU.', type: 'x' };
        if (order_number !== '1001') return { ...row, status: 'created', errors: [], warnings: [sold] };
        const taken = { loc: [...loc, 'order_number'], msg: 'It is taken.', type: 'order_number_taken' };
        return { ...row, status: 'failed', errors: [taken], warnings: [] };
      });
      return { body: { dry_run: body.dry_run, counts: {}, results } };
    },
  });
  return { ...server, ...(await loggedIn(server.url)) };
}

const CSV =
  'Name,Email,Financial Status,Currency,Total,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem sku\n' +
  '#1001,a@example.com,paid,EUR,9.50,2024-05-01 09:58:12 +0200,1,Mug,9.50,MUG\n' +
  '#1002,a@example.com,paid,EUR,9.50,2024-05-01 09:58:12 +0200,1,Mug,4.50,MUG\n#1002,,,,,,1,Bowl,5.00,BOWL\n';

test('imports order numbers without the #, and names line, column and order in errors and warnings', async () => {
  const { commerce, seen } = await shop();
  const file = join(await folder(), 'orders_export.csv');
  await writeFile(file, CSV);
  const { code, out, err } = await commerce(['orders', 'import', file, '--dry-run']);
  expect([code, out]).toEqual([5, 'Dry run, nothing was written: 1 created, 0 updated, 0 unchanged, 1 failed.\n']);
  expect(err).toContain('line 2: Name: It is taken. --number-prefix does that. (#1001)\n');
  expect(err).toContain('line 4: warning: Lineitem sku: No such SKU. (#1002)\n');
  expect(seen.at(-1)?.body).toMatchObject({
    dry_run: true,
    orders: [{ order_number: '1001' }, { order_number: '1002' }],
  });
  const prefixed = await commerce(['orders', 'import', file, '--number-prefix', 'OLD-', '--json']);
  expect(prefixed.code).toBe(0);
  expect(JSON.parse(prefixed.out)).toMatchObject({ dry_run: false, counts: { created: 2, failed: 0 } });
  expect(seen.at(-1)?.body.orders).toMatchObject([{ order_number: 'OLD-1001' }, { order_number: 'OLD-1002' }]);
});

test('writes rejected orders to the --errors file, and all errors and warnings to the --report file', async () => {
  const { commerce } = await shop();
  const dir = await folder();
  const [file, errors, report] = ['orders.csv', 'refused.jsonl', 'report.csv'].map((name) => join(dir, name));
  await writeFile(file ?? '', CSV);

  const { code } = await commerce(['orders', 'import', file ?? '', '--errors', errors ?? '', '--report', report ?? '']);

  expect(code).toBe(5);
  expect(JSON.parse(await readFile(errors ?? '', 'utf8'))).toMatchObject({ line: 2, order_number: '#1001' });
  expect(await readFile(report ?? '', 'utf8')).toBe(
    'line,what,order,column,message\n2,refused,#1001,Name,It is taken. --number-prefix does that.\n4,warning,,,Lineitem sku: No such SKU. (#1002)\n',
  );
});

test('an import of orders rejects a file with a missing column, and sends no request', async () => {
  const { commerce, seen } = await shop();
  const file = join(await folder(), 'orders.csv');
  await writeFile(file, CSV.replace('Created at', 'Made at'));

  const { code, err } = await commerce(['orders', 'import', file]);

  expect(code).toBe(2);
  expect(err).toContain('The file has no column Created at.');
  expect(seen).toEqual([]);
});

test('imports orders from JSON Lines unchanged, and rejects a file in another format', async () => {
  const { commerce, seen } = await shop();
  const dir = await folder();
  const order = {
    order_number: 'A-1',
    currency: 'EUR',
    created_at: '2024-05-01T09:58:12Z',
    line_items: [{}],
    total: '1',
  };
  await writeFile(join(dir, 'orders.jsonl'), `${JSON.stringify(order)}\n\n[]\n`);
  const { code, err } = await commerce(['orders', 'import', join(dir, 'orders.jsonl')]);
  expect(code).toBe(5);
  expect(err).toContain('line 3: json: The line must hold one JSON object, an order.');
  expect(seen.at(-1)?.body.orders).toEqual([order]);
  await writeFile(join(dir, 'other.csv'), 'a,b\n1,2\n');
  const other = await commerce(['orders', 'import', join(dir, 'other.csv')]);
  expect([other.code, other.err.includes('is not recognised as a file of orders')]).toEqual([2, true]);
});
