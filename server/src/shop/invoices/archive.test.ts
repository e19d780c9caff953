import { createDashboardClient } from '@commerce-backend/sdk';
import { unzipSync } from 'fflate';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { documentsOf, givenSeller } from '../../../test/invoices.ts';
import { logIn } from '../../../test/session.ts';
import { openShop } from '../../../test/shop.ts';

const archivePath = '/api/dashboard/documents/export';
const orderPath = '/api/dashboard/orders/{order_id}';

const TODAY = new Date().toISOString().slice(0, 10);
const ALWAYS = { issued_from: '2020-01-01T00:00:00Z', issued_to: '2090-01-01T00:00:00Z' };
const YEAR = new Date().getUTCFullYear();

type Shop = Awaited<ReturnType<typeof openShop>>;

async function givenShop(): Promise<Shop> {
  const shop = await openShop();
  await shop.givenTerms({ tax_rates: [{ country: 'DE', rate: '0.19' }] });
  await givenSeller(shop);
  return shop;
}

/** An order with an invoice and, if an amount is refunded, a credit note. Returns the documents. */
async function givenDocuments(shop: Shop, refunded?: string) {
  const order = await shop.givenOrder();
  const on = { params: { path: { order_id: order.id } } };
  await shop.dashboard.POST(`${orderPath}/mark-paid`, on);
  await shop.dashboard.POST(`${orderPath}/fulfillments`, { ...on, body: {} });
  const documents = await documentsOf(shop, order.id);
  if (!refunded) return documents;
  await shop.dashboard.POST(`${orderPath}/refunds`, {
    ...on,
    body: { amount: refunded, reason: 'price_adjustment' },
  });
  return documentsOf(shop, order.id);
}

async function archiveOf(
  { dashboard }: Shop,
  query: { issued_from: string; issued_to: string; kind?: 'credit_note' } = ALWAYS,
) {
  const { data, error } = await dashboard.GET(archivePath, { params: { query } });
  const files = data ? unzipSync(Buffer.from(data.content, 'base64')) : {};
  return { data, error, files, names: Object.keys(files).toSorted() };
}

test('the ZIP contains the PDF and the XML of each document, with the same bytes as the single files', async () => {
  const shop = await givenShop();
  const documents = await givenDocuments(shop, '1.00');
  await givenDocuments(await givenShop());

  const { data, files, names } = await archiveOf(shop);
  const numbers = documents.map(({ number }) => number);
  expect(numbers[0]).toBe(`INV-${YEAR}-1`);
  expect(numbers).toHaveLength(2);
  expect(data).toMatchObject({
    filename: 'invoices-2020-01-01.zip',
    content_type: 'application/zip',
    documents: 2,
  });
  expect(names).toEqual(numbers.flatMap((number) => [`${number}.pdf`, `${number}.xml`]).toSorted());
  for (const { id, number } of documents) {
    for (const format of ['pdf', 'xml'] as const) {
      const params = { path: { document_id: id, format } };
      const one = await shop.dashboard.GET('/api/dashboard/documents/{document_id}/files/{format}', { params });
      const bytes = Buffer.from(files[`${number}.${format}`] ?? []);
      expect(bytes.toString('base64') === one.data?.content, `${number}.${format}`).toBe(true);
    }
  }
  expect(
    Buffer.from(files[`INV-${YEAR}-1.pdf`] ?? [])
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');
});

test('a document archive includes the start of its period but not the end, and can be limited to one kind of document', async () => {
  const shop = await givenShop();
  const [invoice, note] = await givenDocuments(shop, '1.00');
  const at = '2026-03-01T00:00:00.000Z';
  await shop.owner.query('update commerce.documents set issued_at = $2 where id = $1', [invoice?.id, at]);
  const numbersIn = async (issued_from: string, issued_to: string) =>
    (await archiveOf(shop, { issued_from, issued_to })).names;
  const names = [`${invoice?.number}.pdf`, `${invoice?.number}.xml`];

  expect(await numbersIn(at, '2026-03-02T00:00:00Z')).toEqual(names);
  expect(await numbersIn('2026-02-01T00:00:00Z', at)).toEqual([]);
  expect(await numbersIn('2026-03-01T00:00:00.001Z', '2026-04-01T00:00:00Z')).toEqual([]);
  const notes = await archiveOf(shop, { ...ALWAYS, kind: 'credit_note' });
  expect(notes.names).toEqual([`${note?.number}.pdf`, `${note?.number}.xml`]);
});

test('rejects an archive of a period with no documents or more than 100 (422), and states their number', async () => {
  const shop = await givenShop();
  const [invoice] = await givenDocuments(shop);
  const empty = await archiveOf(shop, { issued_from: '2020-01-01T00:00:00Z', issued_to: '2020-02-01T00:00:00Z' });
  expect(empty.error).toMatchObject({
    error: 'validation_error',
    detail: [{ loc: ['query', 'issued_to'], msg: 'No document was issued in this period.' }],
  });
  await shop.owner.query(
    `insert into commerce.documents (site_id, id, order_id, kind, number, locale, content, sha256)
      select site_id, commerce.uuid_v7(), order_id, kind, 'COPY-' || n, locale, content, sha256
      from commerce.documents, generate_series(1, 100) as n where id = $1`,
    [invoice?.id],
  );
  const { error } = await archiveOf(shop);
  const msg = 'The period has 101 documents, and a ZIP at most 100. Choose a shorter period.';
  expect(error).toMatchObject({ error: 'validation_error', detail: [{ loc: ['query', 'issued_to'], msg }] });
});

test('an archive reads each document in its own query, so that its transaction is never idle for long', async () => {
  const shop = await givenShop();
  const documents = await givenDocuments(shop, '1.00');
  const sending = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => sending.mockRestore());
  expect((await archiveOf(shop)).data).toMatchObject({ documents: 2 });
  const texts = sending.mock.calls.map(([statement]) => (statement as { text?: string }).text);
  const reads = texts.filter((text) => text?.includes('d.content'));
  expect(reads.length).toBeGreaterThanOrEqual(documents.length);
});

test('documents whose numbers differ only in a slash have separate files in the ZIP', async () => {
  const shop = await givenShop();
  await givenSeller(shop, { prefix: 'A/' });
  await givenDocuments(shop);
  await givenSeller(shop, { prefix: 'A-' });
  const [second] = await givenDocuments(shop);
  const { data, names } = await archiveOf(shop);
  expect(data).toMatchObject({ documents: 2 });
  const name = `A-${YEAR}-1`;
  const own = [`${name}.pdf`, `${name}.xml`, `${second?.id} ${name}.pdf`, `${second?.id} ${name}.xml`];
  expect(names).toEqual(own.toSorted());
});

test('documents whose numbers differ only in case have separate files in the ZIP, because some file systems ignore case', async () => {
  const shop = await givenShop();
  await givenSeller(shop, { prefix: 'Re-' });
  const [first] = await givenDocuments(shop);
  await givenSeller(shop, { prefix: 'rE-' });
  const [second] = await givenDocuments(shop);
  const { names } = await archiveOf(shop);
  const own = ['pdf', 'xml'].flatMap((format) => [
    `${first?.number}.${format}`,
    `${second?.id} ${second?.number}.${format}`,
  ]);
  expect(names).toEqual(own.toSorted());
});

test("the ZIP is named after the first day of the period in the shop's time zone", async () => {
  const shop = await givenShop();
  await givenDocuments(shop);
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { time_zone: 'Europe/Berlin' } });
  const { data } = await archiveOf(shop, { issued_from: '2026-02-28T23:00:00Z', issued_to: '2090-01-01T00:00:00Z' });
  expect(data).toMatchObject({ filename: 'invoices-2026-03-01.zip', documents: 1 });
});

test('rejects a third concurrent archive (503), and accepts later ones', async () => {
  const shop = await givenShop();
  await givenDocuments(shop);
  // Two exports wait for the lock until the third is refused.
  const lock = await shop.owner.connect();
  onTestFinished(() => lock.release());
  await lock.query('begin; lock table commerce.documents in access exclusive mode');
  const exports = [1, 2, 3].map(() => archiveOf(shop));
  expect((await Promise.race(exports)).error).toMatchObject({ error: 'unavailable' });
  await lock.query('rollback');
  const answers = await Promise.all(exports);
  expect(answers.map(({ error }) => error?.error).toSorted()).toEqual(['unavailable', undefined, undefined]);
  expect((await archiveOf(shop)).data).toMatchObject({ documents: 1 });
});

test('downloading the ZIP requires the scope orders:export', async () => {
  const shop = await givenShop();
  await givenDocuments(shop);
  const { data } = await (await logIn(shop)).staff.POST('/api/dashboard/api-keys', {
    body: { description: 'Reader', scopes: ['read'] },
  });
  const reader = createDashboardClient({ baseUrl: shop.baseUrl, apiKey: data?.secret ?? '', maxAttempts: 1 });
  const query = { issued_from: `${TODAY}T00:00:00Z`, issued_to: '2090-01-01T00:00:00Z' };
  const { error } = await reader.GET(archivePath, { params: { query } });
  expect(error).toMatchObject({ error: 'insufficient_scope', scope: 'orders:export' });
});
