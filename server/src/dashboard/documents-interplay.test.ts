import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { documentsOf, givenSeller, issueAll } from '../../test/invoices.ts';
import { workOverdue } from '../../test/jobs.ts';
import { openShop } from '../../test/shop.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function openTaxedShop(settings: Parameters<typeof givenSeller>[1] = {}): Promise<Shop> {
  const shop = await openShop();
  await shop.givenTerms({
    tax_rates: [
      { country: 'DE', rate: '0.19' },
      { country: 'DE', class: 'reduced', rate: '0.07' },
    ],
  });
  await givenSeller(shop, settings);
  return shop;
}

const kindsOf = (documents: { kind: string; total: string }[]) => documents.map(({ kind, total }) => [kind, total]);

test('issues the invoice of an order that is paid by card when the order is placed', async () => {
  const shop = await openTaxedShop({ issue: 'on_payment' });

  const order = await shop.givenOrder({ payment_method: 'card', card_token: 'tok_success' });

  expect(kindsOf(await documentsOf(shop, order.id))).toEqual([['invoice', order.total]]);
});

test('a credit note keeps the buyer and country of its invoice after the address changes or the customer is erased', async () => {
  const shop = await openTaxedShop({ issue: 'on_payment' });
  const customer = await shop.givenCustomer();
  const order = await shop.givenOrder({ email: customer.email, client: customer.client });
  const params = { path: { order_id: order.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  const [invoice] = await documentsOf(shop, order.id);
  const shipping_address = { ...order.shipping_address, first_name: 'Jo', country: 'FR' };
  await shop.dashboard.PATCH('/api/dashboard/orders/{order_id}', { params, body: { shipping_address } });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', { params });
  await givenSeller(shop, { issue: 'on_payment', small_business_note: '§ 19 UStG' });
  const refund = { amount: '1.00', reason: 'other' as const };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body: refund });
  await issueAll(shop);
  const { error } = await shop.dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', {
    params: { path: { customer_id: customer.id } },
  });
  expect(error).toBeUndefined();
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body: refund });

  const credits = (await documentsOf(shop, order.id)).slice(1);

  expect(credits).toHaveLength(2);
  for (const { buyer_name, country } of credits) {
    expect({ buyer_name, country }).toEqual({ buyer_name: invoice?.buyer_name, country: invoice?.country });
  }
});

test('rejects undoing a bank statement run whose orders are invoiced (409 statement_run_not_undoable)', async () => {
  const shop = await openTaxedShop({ issue: 'on_payment' });
  const { id, order_number } = await shop.givenOrder();
  const statement_run_id = randomUUID();
  await shop.dashboard.POST('/api/dashboard/orders/mark-paid', {
    body: { orders: [{ order_number }], statement_run_id },
  });
  expect(await documentsOf(shop, id)).toHaveLength(1);

  const { error } = await shop.dashboard.POST('/api/dashboard/statement-runs/{statement_run_id}/undo', {
    params: { path: { statement_run_id } },
  });

  expect(error).toMatchObject({ error: 'statement_run_not_undoable', orders: [{ id }] });
  const { data } = await shop.dashboard.GET('/api/dashboard/statement-runs');
  expect(data?.[0]).toMatchObject({ undoable: false });
});

test.each(['by_hand', 'on_payment'] as const)(
  'issues a new invoice for an order that expired after its first invoice and was reinstated (issue: %s)',
  async (issue) => {
    const shop = await openTaxedShop({ issue });
    const { variants } = await shop.givenProduct({ inventory_quantity: 10 });
    const order = await shop.givenOrder({ content: [{ variant_id: variants[0]?.id ?? '', quantity: 2 }] });
    const params = { path: { order_id: order.id } };
    const byHand = async () => {
      const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/documents', { params });
      expect(error).toBeUndefined();
    };
    await byHand();
    await issueAll(shop);
    await shop.owner.query('update commerce.orders set payment_due_at = now() where id = $1', [order.id]);
    await workOverdue(shop);
    expect(kindsOf(await documentsOf(shop, order.id))).toEqual([
      ['invoice', order.total],
      ['credit_note', order.total],
    ]);
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/payments', { params, body: { amount: order.total } });
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/reinstate', { params, body: {} });

    if (issue === 'by_hand') await byHand();

    expect(kindsOf(await documentsOf(shop, order.id)).slice(2)).toEqual([['invoice', order.total]]);
    const body = { amount: '1.00', reason: 'other' as const };
    await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body });
    const all = await documentsOf(shop, order.id);
    expect(kindsOf(all).slice(3)).toEqual([['credit_note', '1.00']]);
    expect(all[3]?.invoice_number).toBe(all[2]?.number);
  },
);

test('invoices the total of a reinstated order whose excess payment was refunded before', async () => {
  const shop = await openTaxedShop({ issue: 'on_payment' });
  const { variants } = await shop.givenProduct({ inventory_quantity: 10 });
  const order = await shop.givenOrder({ content: [{ variant_id: variants[0]?.id ?? '', quantity: 2 }] });
  const params = { path: { order_id: order.id } };
  await shop.owner.query('update commerce.orders set payment_due_at = now() where id = $1', [order.id]);
  await workOverdue(shop);
  const amount = (Number(order.total) + 1).toFixed(2);
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/payments', { params, body: { amount } });
  const excess = { amount: '1.00', reason: 'other' as const };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', { params, body: excess });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/reinstate', { params, body: {} });

  expect(kindsOf(await documentsOf(shop, order.id))).toEqual([['invoice', order.total]]);
});
