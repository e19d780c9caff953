import { createDashboardClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { givenVariant } from '../../test/buying.ts';
import { documentsOf, givenSeller } from '../../test/invoices.ts';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';

const ORDER = '/api/dashboard/orders/{order_id}';
const CUSTOMER = '/api/dashboard/customers/{customer_id}';

/** A shop with a product of 10.00, delivery for 4.90, and a customer with 14 days to pay. */
async function givenWholesaler(credit_limit: string | null = null) {
  const shop = await openShop();
  const { variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 500 });
  const buyer = await shop.givenCustomer();
  const params = { path: { customer_id: buyer.id } };
  await shop.dashboard.PATCH(CUSTOMER, { params, body: { payment_terms_days: 14, credit_limit } });
  return {
    shop,
    variant_id,
    owes: async () => (await shop.dashboard.GET(CUSTOMER, { params })).data?.amount_due,
    /** An order of `quantity` pieces, by invoice unless another method is given. */
    buys: async (quantity: number, payment_method: 'invoice' | 'bank_transfer' = 'invoice') => {
      const content = [{ variant_id, quantity }];
      const order = await shop.givenOrder({ content, client: buyer.client, email: buyer.email, payment_method });
      const at = { params: { path: { order_id: order.id } } };
      const line_item_id = order.line_items[0]?.id ?? '';
      const edit = (pieces: number, more: { dry_run?: boolean; expected_total?: string }) =>
        shop.dashboard.POST(`${ORDER}/edit`, {
          ...at,
          body: { change: [{ line_item_id, quantity: pieces }], ...more },
        });
      return {
        order,
        at,
        preview: (pieces: number) => edit(pieces, { dry_run: true }),
        resize: (pieces: number) => edit(pieces, { expected_total: `${pieces * 10 + 4}.90` }),
        record: (amount: string) => shop.dashboard.POST(`${ORDER}/payments`, { ...at, body: { amount } }),
        details: async () => (await shop.dashboard.GET(ORDER, at)).data,
      };
    },
  };
}

test('an edit of an order by invoice changes the amount due, up to the credit limit', async () => {
  const { buys, owes } = await givenWholesaler('100.00');
  const { resize, preview, details } = await buys(5);

  const { data } = await resize(9);

  expect(data?.order).toMatchObject({ total: '94.90', amount_due: '94.90', payment_status: 'pending', overdue: false });
  expect(data?.order.payment.instructions?.amount).toBe('94.90');
  expect(await owes()).toBe('94.90');
  const amounts = { credit_limit: '100.00', amount_due: '0.00', total: '104.90' };
  for (const refused of [await preview(10), await resize(10)]) {
    expect(refused.error).toMatchObject({ error: 'credit_limit_exceeded', ...amounts });
  }
  expect(await details()).toMatchObject({ total: '94.90', amount_due: '94.90' });
});

test('an edit can use the credit that a recorded payment has freed, minus the amount due of other orders', async () => {
  const { buys, owes } = await givenWholesaler('100.00');
  const { record, resize } = await buys(5);
  await buys(2);
  await record('40.00');

  // 14.90 of the first order and 24.90 of the second order are due.
  const fits = await resize(11);
  const exceeds = await resize(12);

  expect(fits.data?.order).toMatchObject({ total: '114.90', amount_received: '40.00', amount_due: '74.90' });
  expect(exceeds.error).toMatchObject({ error: 'credit_limit_exceeded', amount_due: '24.90', total: '124.90' });
  expect(await owes()).toBe('99.80');
});

test('parallel edits of two orders never exceed the credit limit', async () => {
  const { buys, owes } = await givenWholesaler('100.00');
  const orders = [await buys(4), await buys(4)];

  const answers = await Promise.all(orders.map(({ resize }) => resize(5)));

  expect(answers.map(({ response }) => response.status).sort()).toEqual([200, 409]);
  expect(await owes()).toBe('99.80');
});

test('a partly paid order becomes paid if an edit lowers its total to the received amount or below', async () => {
  const { buys, owes } = await givenWholesaler();
  const { record, resize } = await buys(10);
  await record('60.00');

  const still = await resize(6);
  const covered = await resize(5);

  expect(still.data?.order).toMatchObject({ total: '64.90', payment_status: 'pending', amount_due: '4.90' });
  expect(covered.data?.order).toMatchObject({
    ...{ total: '54.90', payment_status: 'paid', amount_received: '60.00' },
    ...{ amount_due: '0.00', refund_due: '5.10' },
  });
  expect(await owes()).toBe('0.00');
});

test('an edit can add an amount due within the credit limit to a paid order by invoice, and mark-paid records its payment', async () => {
  const { shop, buys } = await givenWholesaler('100.00');
  const { order, record, resize, details } = await buys(5);
  await record('54.90');

  const beyond = await resize(16);
  const { data } = await resize(8);
  const orders = [{ order_number: order.order_number, received: '20.00' }];
  const first = await shop.dashboard.POST('/api/dashboard/orders/mark-paid', { body: { orders } });
  const second = await shop.dashboard.POST('/api/dashboard/orders/mark-paid', { body: { orders } });

  expect(beyond.error).toMatchObject({ error: 'credit_limit_exceeded', total: '164.90' });
  expect(data?.order).toMatchObject({ payment_status: 'paid', amount_due: '30.00' });
  expect(first.data?.results).toMatchObject([{ status: 'recorded' }]);
  expect(second.data?.results).toMatchObject([{ status: 'failed', reason: 'amount_differs' }]);
  expect(await details()).toMatchObject({ amount_received: '74.90', amount_due: '10.00', payment_status: 'paid' });
});

test('recording a payment of the amount due after an edit needs the scope orders:payments (403)', async () => {
  const { shop, buys } = await givenWholesaler();
  const { at, resize } = await buys(3, 'bank_transfer');
  await shop.dashboard.POST(`${ORDER}/mark-paid`, at);
  const { data } = await (await logIn(shop)).staff.POST('/api/dashboard/api-keys', {
    body: { description: 'Plain', scopes: ['write'] },
  });
  const plain = createDashboardClient({ baseUrl: shop.baseUrl, apiKey: data?.secret ?? '', maxAttempts: 1 });
  const pay = (client: typeof plain) => client.POST(`${ORDER}/payments`, { ...at, body: { amount: '10.00' } });

  const settled = await pay(plain);
  await resize(4);
  const denied = await pay(plain);
  const recorded = await pay(shop.dashboard);

  expect(settled.error).toMatchObject({ error: 'order_not_expired', payment_status: 'paid' });
  expect(denied.error).toMatchObject({ error: 'insufficient_scope', scope: 'orders:payments' });
  expect(recorded.data?.order).toMatchObject({ amount_received: '44.90', amount_due: '0.00' });
});

test('an edit changes the amount due of a partly paid bank transfer, and a bank statement pays the new amount', async () => {
  const { shop, buys } = await givenWholesaler();
  const { order, record, resize, details } = await buys(3, 'bank_transfer');
  await record('20.00');

  const { data } = await resize(4);
  const statement = `Buchungstag;Verwendungszweck;Betrag;Waehrung\n02.03.2026;${order.order_number};24,90;EUR\n`;
  const matched = await shop.dashboard.POST('/api/dashboard/orders/match-transfers', { body: { statement } });
  const orders = [{ order_number: order.order_number, amount: '24.90' }];
  const marked = await shop.dashboard.POST('/api/dashboard/orders/mark-paid', { body: { orders } });

  expect(data?.order).toMatchObject({ payment_status: 'awaiting_payment', amount_due: '24.90' });
  expect(data?.order.payment.instructions?.amount).toBe('24.90');
  expect(matched.data?.transfers).toMatchObject([{ outcome: 'matched', orders: [{ id: order.id }] }]);
  expect(marked.data?.results).toMatchObject([{ status: 'paid' }]);
  expect(await details()).toMatchObject({ payment_status: 'paid', amount_received: '44.90', amount_due: '0.00' });
});

test('the invoice of an order on payment terms is issued when the order ships, with the deadline and the amount due', async () => {
  const { shop, buys } = await givenWholesaler();
  await shop.givenTerms({ tax_rates: [{ country: 'DE', rate: '0.19' }] });
  await givenSeller(shop);
  const { at, order, record, details } = await buys(5);
  await record('20.00');

  await shop.dashboard.POST(`${ORDER}/fulfillments`, { ...at, body: {} });
  const [invoice] = await documentsOf(shop, order.id);
  await record('34.90');
  const after = await documentsOf(shop, order.id);

  expect(invoice).toMatchObject({ kind: 'invoice', total: '54.90' });
  expect(after).toEqual([invoice]);
  const params = { path: { document_id: invoice?.id ?? '', format: 'xml' as const } };
  const { data } = await shop.dashboard.GET('/api/dashboard/documents/{document_id}/files/{format}', { params });
  const xml = Buffer.from(data?.content ?? '', 'base64').toString();
  const time_zone = (await shop.dashboard.GET('/api/dashboard/settings')).data?.time_zone;
  const deadline = new Date((await details())?.payment_due_at ?? '');
  const day = deadline.toLocaleDateString('sv-SE', { timeZone: time_zone ?? 'UTC' }).replaceAll('-', '');
  expect(xml).toMatch(new RegExp(`<ram:DueDateDateTime>\\s*<udt:DateTimeString format="102">${day}<`));
  expect(xml).toContain('<ram:TotalPrepaidAmount>20.00</ram:TotalPrepaidAmount>');
  expect(xml).toContain('<ram:DuePayableAmount>34.90</ram:DuePayableAmount>');
});

test('the invoice of an order that was edited after it was paid charges the edited total', async () => {
  const { shop, buys } = await givenWholesaler();
  await shop.givenTerms({ tax_rates: [{ country: 'DE', rate: '0.19' }] });
  await givenSeller(shop);
  const { at, order, resize } = await buys(3, 'bank_transfer');
  await shop.dashboard.POST(`${ORDER}/mark-paid`, at);
  await resize(4);

  await shop.dashboard.POST(`${ORDER}/fulfillments`, { ...at, body: {} });

  expect(await documentsOf(shop, order.id)).toMatchObject([{ kind: 'invoice', total: '44.90' }]);
});
