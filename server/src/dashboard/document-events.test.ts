import { expect, onTestFinished, test } from 'vitest';
import { documentsOf, givenSeller } from '../../test/invoices.ts';
import { workJobs } from '../../test/jobs.ts';
import { openReceiver, waitFor } from '../../test/receiver.ts';
import { openShop } from '../../test/shop.ts';

const orderPath = '/api/dashboard/orders/{order_id}';

test('each invoice and credit note sends document.issued once, and anonymising the customer deletes the stored payloads', async () => {
  const jobs = await workJobs();
  onTestFinished(() => jobs.stop());
  const receiver = await openReceiver();
  onTestFinished(() => receiver.close());
  const shop = await openShop();
  await shop.givenTerms({ tax_rates: [{ country: 'DE', rate: '0.19' }] });
  await givenSeller(shop);
  const body = { url: receiver.url, events: ['document.issued' as const] };
  const made = await shop.dashboard.POST('/api/dashboard/webhooks', { body });
  expect(made.error).toBeUndefined();

  const buyer = await shop.givenCustomer();
  const order = await shop.givenOrder({ client: buyer.client });
  const on = { params: { path: { order_id: order.id } } };
  await shop.dashboard.POST(`${orderPath}/mark-paid`, on);
  await shop.dashboard.POST(`${orderPath}/fulfillments`, { ...on, body: {} });
  const [invoice] = (await receiver.until(1)).map(({ event }) => event);
  const year = new Date().getUTCFullYear();
  expect(invoice).toMatchObject({
    type: 'document.issued',
    data: {
      ...{ kind: 'invoice', number: `INV-${year}-1`, order_id: order.id, order_number: order.order_number },
      ...{ total: order.total, currency: 'EUR', buyer_name: expect.any(String), invoice_number: null },
    },
  });

  await shop.dashboard.POST(`${orderPath}/refunds`, { ...on, body: { amount: '1.00', reason: 'price_adjustment' } });
  const [, credited] = (await receiver.until(2)).map(({ event }) => event);
  expect(credited?.data).toMatchObject({ kind: 'credit_note', total: '1.00', invoice_number: `INV-${year}-1` });
  const documents = await documentsOf(shop, order.id);
  expect(receiver.received.map(({ event }) => event.data.id)).toEqual(documents.map(({ id }) => id));
  expect(documents[0]).toMatchObject({ ...invoice?.data });

  await shop.dashboard.POST(`${orderPath}/mark-delivered`, on);
  const stored = async () => {
    const { rows } = await shop.owner.query(
      `select from commerce.webhook_deliveries where site_id = $1 and payload like '%buyer_name%'`,
      [shop.site_id],
    );
    return rows.length;
  };
  await waitFor(async () => (await stored()) === 2);
  const params = { path: { customer_id: buyer.id } };
  const erased = await shop.dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', { params });
  expect(erased.error).toBeUndefined();
  expect(await stored()).toBe(0);

  // The document keeps the buyer's name by law, but payloads of later events, which are stored too, must not contain
  // it.
  await shop.dashboard.POST(`${orderPath}/refunds`, { ...on, body: { amount: '2.00', reason: 'price_adjustment' } });
  const [, , later] = (await receiver.until(3)).map(({ event }) => event);
  expect(later?.data).toMatchObject({ kind: 'credit_note', total: '2.00', buyer_name: null });
  expect((await documentsOf(shop, order.id)).at(-1)?.buyer_name).toEqual(documents[0]?.buyer_name);
});

test('sends document.issued only if a webhook subscribes to it', async () => {
  const shop = await openShop();
  await shop.givenTerms({ tax_rates: [{ country: 'DE', rate: '0.19' }] });
  await givenSeller(shop);
  const types = async () => {
    const { rows } = await shop.owner.query<{ type: string }>('select type from commerce.events where site_id = $1', [
      shop.site_id,
    ]);
    return rows.map(({ type }) => type);
  };
  const issueOne = async () => {
    const order = await shop.givenOrder();
    await shop.dashboard.POST(`${orderPath}/documents`, { params: { path: { order_id: order.id } } });
    expect(await documentsOf(shop, order.id)).toHaveLength(1);
  };
  const listenTo = (...events: ('product.*' | 'document.*')[]) =>
    shop.dashboard.POST('/api/dashboard/webhooks', { body: { url: 'https://hooks.example.net/shop', events } });
  await listenTo('product.*');
  await issueOne();
  expect((await types()).filter((type) => type.startsWith('document.'))).toEqual([]);
  await listenTo('document.*');
  await issueOne();
  expect((await types()).filter((type) => type.startsWith('document.'))).toEqual(['document.issued']);
});
