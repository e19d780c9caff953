import { expect, test } from 'vitest';
import { documentsOf, givenInvoice } from '../../test/invoices.ts';
import { openShop } from '../../test/shop.ts';

const LIST = '/api/storefront/customer/me/documents';
const FILE = '/api/storefront/customer/me/documents/{document_id}/files/{format}';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** A customer with an invoiced order. */
async function givenInvoiced(shop: OpenShop) {
  const { client, email } = await shop.givenCustomer();
  const order = await shop.givenOrder({ client, email });
  return { client, order, document_id: await givenInvoice(shop, order.id) };
}

test('a customer lists and downloads only the invoices of their own orders', async () => {
  const shop = await openShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: { tax_rates: [{ country: 'DE', rate: '0.19' }], prices_include_tax: true },
  });
  const one = await givenInvoiced(shop);
  const other = await givenInvoiced(shop);

  const { data } = await one.client.GET(LIST);
  expect(data?.total).toBe(1);
  const [invoice] = await documentsOf(shop, one.order.id);
  expect(data?.documents).toEqual([invoice]);

  const own = await one.client.GET(FILE, { params: { path: { document_id: one.document_id, format: 'pdf' } } });
  expect(own.data).toMatchObject({ filename: `${invoice?.number}.pdf`, content_type: 'application/pdf' });
  expect(
    Buffer.from(own.data?.content ?? '', 'base64')
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-');
  const xml = await one.client.GET(FILE, { params: { path: { document_id: one.document_id, format: 'xml' } } });
  expect(Buffer.from(xml.data?.content ?? '', 'base64').toString()).toContain(invoice?.number);

  const foreign = await one.client.GET(FILE, { params: { path: { document_id: other.document_id, format: 'pdf' } } });
  expect([foreign.response.status, foreign.error]).toMatchObject([404, { error: 'not_found' }]);
  const filtered = await one.client.GET(LIST, { params: { query: { order_id: other.order.id } } });
  expect(filtered.data).toMatchObject({ total: 0, documents: [] });
  const mine = await one.client.GET(LIST, { params: { query: { order_id: one.order.id } } });
  expect(mine.data?.total).toBe(1);
});

test('rejects a request for documents without a login (401) or in an unknown format (422)', async () => {
  const shop = await openShop();
  expect((await shop.storefront.GET(LIST)).response.status).toBe(401);
  const { client } = await shop.givenCustomer();
  const path = { document_id: crypto.randomUUID(), format: 'doc' as 'pdf' };
  expect((await client.GET(FILE, { params: { path } })).response.status).toBe(422);
});
