import { expect, test } from 'vitest';
import { givenVariant } from '../../test/buying.ts';
import { documentsOf, givenSeller } from '../../test/invoices.ts';
import { openShop } from '../../test/shop.ts';

/** A shop with a customer who has 14 days to pay. A piece costs 10.00, and a delivery 4.90. */
async function givenInvoiced(prefix: string) {
  const shop = await openShop();
  const { dashboard } = shop;
  await shop.givenTerms({ tax_rates: [{ country: 'DE', rate: '0.19' }] });
  await givenSeller(shop, { prefix });
  const { variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 500 });
  const { id, email, client } = await shop.givenCustomer();
  await dashboard.PATCH('/api/dashboard/customers/{customer_id}', {
    params: { path: { customer_id: id } },
    body: { payment_terms_days: 14 },
  });
  /** An order on payment terms that has shipped, with its invoice. */
  const buy = async (quantity: number) => {
    const order = await shop.givenOrder({
      ...{ content: [{ variant_id, quantity }], client, email },
      payment_method: 'invoice',
    });
    const params = { path: { order_id: order.id } };
    await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body: {} });
    const [invoice] = await documentsOf(shop, order.id);
    return { ...order, invoice: invoice?.number ?? '' };
  };
  /** The result for one transfer with this text. */
  const match = async (text: string, amount: string) => {
    const statement = `Buchungstag;Verwendungszweck;Betrag;Waehrung\n02.03.2026;"${text}";${amount};EUR\n`;
    const { data } = await dashboard.POST('/api/dashboard/orders/match-transfers', { body: { statement } });
    const [row] = data?.transfers ?? [];
    return { outcome: row?.outcome, orders: row?.orders.map(({ id }) => id) };
  };
  return { shop, buy, match };
}

test.each(['INV-', 'RE/DE.', ''])(
  'matches a transfer that names an invoice with the prefix "%s", even if it pays only a part',
  async (prefix) => {
    const { buy, match } = await givenInvoiced(prefix);
    const [first, second] = [await buy(2), await buy(3)];

    expect(await match(`Rechnung ${second.invoice}, danke`, '20,00')).toEqual({
      ...{ outcome: 'matched', orders: [second.id] },
    });
    expect(await match(`${first.order_number} ${first.invoice}.`, '24,90')).toEqual({
      ...{ outcome: 'matched', orders: [first.id] },
    });
    expect(await match(`${first.invoice} ${second.invoice}`, '10,00')).toEqual({
      ...{ outcome: 'several_orders', orders: [first.id, second.id] },
    });
    expect(await match(`Rechnung ${second.invoice}9`, '20,00')).toEqual({ outcome: 'no_order', orders: [] });
  },
);

test('does not match a transfer that names an invoice of another shop', async () => {
  const { buy } = await givenInvoiced('OTHER-');
  const { invoice } = await buy(2);
  const { match } = await givenInvoiced('OTHER-');

  expect(await match(`Rechnung ${invoice}`, '24,90')).toEqual({ outcome: 'no_order', orders: [] });
});

test.each(['Rechnung 2025-1001', 'RE-2025-1001', 'vom 10.1001', 'Konto 12/1001/8'])(
  'matches an order number inside another number only if the amount equals the amount due: "%s"',
  async (text) => {
    const { buy, match } = await givenInvoiced('INV-');
    const { id } = await buy(2);

    expect(await match(text, '20,00')).toEqual({ outcome: 'amount_differs', orders: [id] });
    expect(await match(text, '24,90')).toEqual({ outcome: 'matched', orders: [id] });
    expect(await match(`${text}, Bestellung 1001`, '20,00')).toEqual({ outcome: 'matched', orders: [id] });
  },
);

test('does not match a transfer that equals a payment recorded by hand, but matches other amounts', async () => {
  const { shop, buy, match } = await givenInvoiced('INV-');
  const { id, order_number } = await buy(5);
  const { error } = await shop.dashboard.POST('/api/dashboard/orders/{order_id}/payments', {
    params: { path: { order_id: id } },
    body: { amount: '20.00' },
  });

  expect(error).toBeUndefined();
  expect(await match(order_number, '20,00')).toEqual({ outcome: 'check_by_hand', orders: [id] });
  expect(await match(order_number, '20,01')).toEqual({ outcome: 'matched', orders: [id] });
});
