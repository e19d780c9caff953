import { expect, test } from 'vitest';
import { givenVariant } from '../../test/buying.ts';
import { documentsOf, givenSeller } from '../../test/invoices.ts';
import { openShop } from '../../test/shop.ts';

const ORDER = '/api/dashboard/orders/{order_id}';
const RETURN = '/api/dashboard/returns/{return_id}';

/**
 * Places and pays an order of three mugs at 10.00 with a parcel for 4.90. Then adds a lid at the given price, which
 * becomes due, and ships everything.
 */
async function givenDue(lid: string, { invoices = false } = {}) {
  const shop = await openShop();
  if (invoices) await givenSeller(shop, { small_business_note: 'No VAT is charged (§ 19 UStG).' });
  const { dashboard } = shop;
  const mug = await givenVariant(shop);
  const order = await shop.givenOrder({ content: [{ variant_id: mug.variant_id, quantity: 3 }] });
  const at = { params: { path: { order_id: order.id } } };
  await dashboard.POST(`${ORDER}/mark-paid`, at);
  const { variant_id } = await givenVariant(shop, { name: 'Lid', price: lid });
  const expected_total = (34.9 + Number(lid)).toFixed(2);
  await dashboard.POST(`${ORDER}/edit`, { ...at, body: { add: [{ variant_id, quantity: 1 }], expected_total } });
  await dashboard.POST(`${ORDER}/fulfillments`, { ...at, body: {} });
  const mugs = order.line_items[0]?.id ?? '';

  /** Creates a return of mugs. */
  async function returned(quantity: number, fee = '0.00') {
    const lines = [{ line_item_id: mugs, quantity, reason: 'does_not_fit' as const }];
    const { data, error } = await dashboard.POST('/api/dashboard/returns', {
      body: { order_id: order.id, lines, fee },
    });
    if (!data) throw new Error(`The return was refused: ${JSON.stringify(error)}`);
    const of = { params: { path: { return_id: data.id } } };
    const line = data.lines[0]?.id ?? '';
    return {
      receive: (pieces: number) =>
        dashboard.POST(`${RETURN}/receive`, {
          ...of,
          body: { lines: [{ id: line, quantity: pieces, condition: 'resellable' }] },
        }),
      refund: (body: object = {}) => dashboard.POST(`${RETURN}/refund`, { ...of, body }),
      exchange: (quantity: number) =>
        dashboard.POST(`${RETURN}/exchange`, { ...of, body: { lines: [{ variant_id: mug.variant_id, quantity }] } }),
      close: () => dashboard.POST(`${RETURN}/close`, { ...of, body: { reason: 'Taken off the amount due.' } }),
    };
  }

  async function money() {
    const { data } = await dashboard.GET(ORDER, at);
    const { amount_received, amount_due, refund_due, refunded, refundable } = data ?? {};
    return { amount_received, amount_due, refund_due, refunded, refundable };
  }
  const record = (amount: string) => dashboard.POST(`${ORDER}/payments`, { ...at, body: { amount } });
  return { shop, order_id: order.id, returned, money, record };
}

test('a return worth less than the amount due reduces the amount due, and refunds nothing', async () => {
  const { returned, money, record } = await givenDue('25.00');
  const { receive, refund, close } = await returned(2);

  await receive(1);
  expect(await money()).toMatchObject({ amount_due: '15.00', refunded: '0.00', refund_due: '0.00' });
  await receive(1);
  expect(await money()).toMatchObject({ amount_due: '5.00', refunded: '0.00', refundable: '34.90' });

  const { error } = await refund();
  expect(error).toMatchObject({ error: 'conflict', message: expect.stringContaining('lowered the amount due') });
  expect((await close()).data?.status).toBe('closed');
  await record('5.00');
  expect(await money()).toEqual({
    ...{ amount_received: '39.90', amount_due: '0.00', refund_due: '0.00', refunded: '0.00', refundable: '39.90' },
  });
});

test('a return that is worth more than the amount due refunds the difference', async () => {
  const { returned, money } = await givenDue('4.00');
  const { receive, refund } = await returned(2);

  await receive(2);
  expect(await money()).toMatchObject({ amount_due: '0.00', refund_due: '0.00', refunded: '0.00' });
  const { data } = await refund();

  expect(data?.refund.amount).toBe('16.00');
  expect(data?.return.status).toBe('closed');
  expect(await money()).toEqual({
    ...{ amount_received: '34.90', amount_due: '0.00', refund_due: '0.00', refunded: '16.00', refundable: '18.90' },
  });
});

test('several receipts of a return lower the amount due before the refund, and the return fee is subtracted once', async () => {
  const { returned, money } = await givenDue('12.00');
  const { receive, refund } = await returned(3, '1.50');

  await receive(1);
  expect(await money()).toMatchObject({ amount_due: '3.50' });
  await receive(1);
  expect(await money()).toMatchObject({ amount_due: '0.00' });
  await receive(1);
  const { data } = await refund();

  // Three mugs cost 30.00. The amount due of 12.00 and the fee of 1.50 are deducted.
  expect(data?.refund.amount).toBe('16.50');
  expect(await money()).toMatchObject({ amount_due: '0.00', refund_due: '0.00', refunded: '16.50' });
});

test('once a return has lowered the amount due to 0.00, further received items are refunded in full', async () => {
  const { returned, money } = await givenDue('4.00');
  const { receive, refund } = await returned(2);

  await receive(1);
  expect((await refund({ close: false })).data?.refund.amount).toBe('6.00');
  await receive(1);
  expect((await refund()).data?.refund.amount).toBe('10.00');

  expect(await money()).toMatchObject({ amount_due: '0.00', refund_due: '0.00', refunded: '16.00' });
});

test('an exchange credits only the price of the returned items above the amount due', async () => {
  const { returned, money } = await givenDue('4.00');
  const { receive, exchange } = await returned(2);
  await receive(2);

  const { data } = await exchange(2);

  expect(data?.order).toMatchObject({ total: '20.00', amount_received: '16.00', amount_due: '4.00' });
  expect(await money()).toMatchObject({ amount_received: '18.90', amount_due: '0.00', refund_due: '0.00' });
});

test('parallel receipts of a return lower the amount due once for each item', async () => {
  const { returned, money } = await givenDue('25.00');
  const { receive } = await returned(2);

  const all = await Promise.all([receive(1), receive(1), receive(1)]);

  expect(all.map(({ response }) => response.status).toSorted()).toEqual([200, 200, 422]);
  expect(await money()).toMatchObject({ amount_due: '5.00' });
});

test('credit notes cover the part of the returned items that lowered the amount due, and the refunded part', async () => {
  const { shop, order_id, returned } = await givenDue('4.00', { invoices: true });
  const { receive, refund } = await returned(2);

  // The job issues the invoice of the shipped order.
  await documentsOf(shop, order_id);
  await receive(2);
  const before = await documentsOf(shop, order_id);
  await refund();
  const after = await documentsOf(shop, order_id);

  expect(before.map(({ kind, total }) => [kind, total])).toEqual([
    ['invoice', '38.90'],
    ['credit_note', '4.00'],
  ]);
  expect(after.slice(2).map(({ kind, total }) => [kind, total])).toEqual([['credit_note', '16.00']]);
});
