import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, onTestFinished, test } from 'vitest';
import { fakeServer, loggedIn } from '../testing.ts';

const INVOICE = contract.components.examples.Document.value;
const CREDIT = {
  ...INVOICE,
  id: '0192f3a0-4444-7000-8000-000000000002',
  kind: 'credit_note',
  number: 'CN-2026-1',
  buyer_name: '-1+1',
  taxes: [{ rate: '0.19', net: '8.40', tax: '1.60' }],
};

test('exports each document once, and the amounts of credit notes as negative numbers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-invoices-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // An invoice that is issued during the export moves the credit note to the second page, so it is returned twice.
  const of = (documents: object[], page: number) => ({ documents, total: 3, page, limit: 100, pages: 2 });
  const server = await fakeServer({
    'GET /api/dashboard/documents': ({ query }) => ({
      body: query.get('page') === '1' ? of([CREDIT], 1) : of([CREDIT, INVOICE], 2),
    }),
  });
  const { commerce } = await loggedIn(server.url);
  const file = join(folder, 'tax.csv');

  const { code } = await commerce(['invoices', 'export', '--output', file]);

  expect(code).toBe(0);
  const [header = '', ...rows] = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const at = (name: string) => header.split(',').indexOf(name);
  const cells = rows.map((row) => ['number', 'buyer_name', 'net', 'tax'].map((name) => row.split(',')[at(name)]));
  expect(cells.slice(0, 1)).toEqual([['CN-2026-1', "'-1+1", '-8.40', '-1.60']]);
  expect(cells.slice(1).map(([number]) => number)).toEqual(INVOICE.taxes.map(() => INVOICE.number));
});

test('saves the ZIP of a period in the file of --output', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'commerce-invoices-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const content = Buffer.from('PK of a ZIP').toString('base64');
  const found = { filename: 'invoices-2026-03-01.zip', content_type: 'application/zip', documents: 2, content };
  const server = await fakeServer({ 'GET /api/dashboard/documents/export': () => ({ body: found }) });
  const { commerce } = await loggedIn(server.url);
  const file = join(folder, 'march.zip');
  const period = ['--issued-from', '2026-03-01T00:00:00.000Z', '--issued-to', '2026-04-01T00:00:00.000Z'];

  const { code, out } = await commerce(['invoices', 'archive', ...period, '--output', file]);

  expect(code).toBe(0);
  expect(out).toContain(`Wrote 2 documents to ${file}.`);
  expect(await readFile(file, 'utf8')).toBe('PK of a ZIP');
  const query = server.seen.at(-1)?.query;
  expect([query?.get('issued_from'), query?.get('issued_to')]).toEqual(
    period.filter((word) => word.startsWith('2026')),
  );
});

test('requires a first and a last day for a ZIP, and names both options', async () => {
  const server = await fakeServer({});
  const { commerce } = await loggedIn(server.url);
  const { code, err } = await commerce(['invoices', 'archive']);
  expect(code).toBe(2);
  expect(err).toContain('--issued-from');
  expect(err).toContain('--issued-to');
  expect(server.seen).toEqual([]);
});
