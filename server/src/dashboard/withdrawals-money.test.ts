import { afterAll, expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';
import { openStripe, type StripeShop } from '../../test/stripe/shop.ts';
import { matched, moveToEu } from '../../test/withdrawals.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { type ChosenLine, store } from '../shop/withdrawals/statements.ts';

const stripe = await openStripe();
const { standIn } = stripe;
afterAll(() => stripe.close());

type Shop = Pick<Awaited<ReturnType<typeof openShop>>, 'db' | 'dashboard' | 'site_id'>;

const ORDER = '/api/dashboard/orders/{order_id}';
const at = (order_id: string) => ({ params: { path: { order_id } } });

/** Submits a withdrawal from these pieces of an order, as its customer does on the page. */
async function stated(shop: Shop, order_id: string, lines: ChosenLine[] | null) {
  const id = crypto.randomUUID();
  const entries = {
    id,
    name: 'Jo',
    email: 'jo@example.com',
    contract: '1',
    items: null,
    locale: 'en',
    order_id,
    lines,
  };
  const client = { ip: undefined, secretKey: 'x'.repeat(32) };
  await inShopAsSystem(shop.db, shop.site_id, (inside) => store(inside, entries, client));
  const found = (await matched(shop)).find((one) => one.id === id);
  if (!found) throw new Error('The withdrawal was not stored.');
  return found;
}

function confirm({ dashboard }: Shop, withdrawal_id: string) {
  return dashboard.POST('/api/dashboard/withdrawals/{withdrawal_id}/confirm', {
    params: { path: { withdrawal_id } },
    body: {},
  });
}

/** An order of three pieces of one line and one of another, paid by card. */
async function givenPaid() {
  const shop = await stripe.givenShop();
  await moveToEu(shop);
  const [scarf, hat] = [await shop.givenProduct({ price: '10.00' }), await shop.givenProduct({ price: '20.00' })];
  const order = await shop.givenPaidOrder({
    content: [
      { variant_id: scarf.variants[0]?.id ?? '', quantity: 3 },
      { variant_id: hat.variants[0]?.id ?? '', quantity: 1 },
    ],
  });
  const [scarves = '', hats = ''] = order.line_items.map(({ id }) => id ?? '');
  return { shop, order, scarves, hats };
}

test('the items of one withdrawal stay withheld when another withdrawal is confirmed', async () => {
  const { shop, order, scarves, hats } = await givenPaid();
  const first = await stated(shop, order.id, [{ line_item_id: scarves, quantity: 3 }]);
  const second = await stated(shop, order.id, [{ line_item_id: hats, quantity: 1 }]);

  await confirm(shop, first.id);

  const details = await shop.details(order.id);
  expect(details.status).toBe('confirmed');
  expect(details.refunds).toMatchObject([{ amount: '30.00' }]);
  expect(details.line_states).toMatchObject([{ removed: 3 }, { removed: 0, to_fulfill: 0 }]);
  expect((await confirm(shop, second.id)).data).toMatchObject({ status: 'closed', lines: [{ confirmed: 1 }] });
});

test('withheld items do not ship after their refund has failed', async () => {
  const { shop, order, scarves } = await givenPaid();
  await stated(shop, order.id, [{ line_item_id: scarves, quantity: 1 }]);
  await shop.dashboard.POST(`${ORDER}/refunds`, {
    ...at(order.id),
    body: { amount: '30.00', reason: 'customer', line_items: [{ line_item_id: scarves, quantity: 3 }] },
  });
  standIn.dispute(intentOf(shop));
  await shop.finishMoves();

  expect((await shop.details(order.id)).refunds).toMatchObject([{ status: 'failed' }]);
  expect((await shop.details(order.id)).line_states[0]).toMatchObject({ removed: 0, to_fulfill: 2 });
});

test('items of a confirmed withdrawal do not ship if their refund fails, and can be refunded again', async () => {
  const { shop, order, scarves } = await givenPaid();
  const { id } = await stated(shop, order.id, [{ line_item_id: scarves, quantity: 1 }]);
  await confirm(shop, id);
  standIn.dispute(intentOf(shop), 100);
  await shop.finishMoves();

  expect((await shop.details(order.id)).refunds).toMatchObject([{ status: 'failed' }]);
  expect((await shop.details(order.id)).line_states[0]).toMatchObject({ removed: 0, to_fulfill: 2 });
  await shop.dashboard.POST(`${ORDER}/refunds`, {
    ...at(order.id),
    body: { amount: '10.00', reason: 'customer', by_hand: true, line_items: [{ line_item_id: scarves, quantity: 1 }] },
  });
  expect((await shop.details(order.id)).line_states[0]).toMatchObject({ removed: 1, to_fulfill: 2 });
});

test('after the refund of a confirmed withdrawal from a whole order fails, no item of the order ships', async () => {
  const { shop, order } = await givenPaid();
  const { id } = await stated(shop, order.id, null);
  await confirm(shop, id);
  standIn.dispute(intentOf(shop), 100);
  await shop.finishMoves();

  const { status, refunds, line_states } = await shop.details(order.id);
  expect([status, refunds.map((one) => one.status)]).toEqual(['cancelled', ['failed']]);
  expect(line_states).toMatchObject([
    { removed: 0, to_fulfill: 0 },
    { removed: 0, to_fulfill: 0 },
  ]);
});

test('closing one of two withdrawals keeps the items of the other withheld', async () => {
  const { shop, order, scarves } = await givenPaid();
  const first = await stated(shop, order.id, [{ line_item_id: scarves, quantity: 1 }]);
  await stated(shop, order.id, [{ line_item_id: scarves, quantity: 1 }]);
  await shop.dashboard.POST(`${ORDER}/refunds`, {
    ...at(order.id),
    body: { amount: '20.00', reason: 'customer', line_items: [{ line_item_id: scarves, quantity: 2 }] },
  });

  await shop.dashboard.POST('/api/dashboard/withdrawals/{withdrawal_id}/close', {
    params: { path: { withdrawal_id: first.id } },
  });

  expect((await shop.details(order.id)).line_states[0]).toMatchObject({ removed: 2, to_fulfill: 0 });
});

test('a withdrawal from a partly shipped order refunds the shipping cost once, whichever items are refunded first', async () => {
  for (const returnsFirst of [true, false]) {
    const { shop, order, scarves } = await givenPaid();
    await shop.dashboard.POST(`${ORDER}/fulfillments`, {
      ...at(order.id),
      body: { items: [{ line_item_id: scarves, quantity: 3 }] },
    });
    const { id, return_id } = await stated(shop, order.id, null);
    if (!returnsFirst) await confirm(shop, id);
    const path = { params: { path: { return_id: return_id ?? '' } } };
    const back = await shop.dashboard.GET('/api/dashboard/returns/{return_id}', path);
    const lines = [{ id: back.data?.lines[0]?.id ?? '', quantity: 3, condition: 'resellable' as const }];
    await shop.dashboard.POST('/api/dashboard/returns/{return_id}/receive', { ...path, body: { lines } });
    await shop.dashboard.POST('/api/dashboard/returns/{return_id}/refund', { ...path, body: {} });
    if (returnsFirst) await confirm(shop, id);
    await shop.finishMoves();

    const { refunded, total, refunds } = await shop.details(order.id);
    expect([returnsFirst, refunds.length, refunded]).toEqual([returnsFirst, 2, total]);
  }
});

test('after a withdrawal from a whole unpaid order, nothing is due, not even the shipping cost', async () => {
  const shop = await openShop();
  await moveToEu(shop);
  await shop.givenShippingOption({ name: 'Pickup', kind: 'pickup', price: '2.50' });
  const order = await shop.givenOrder({ payment_method: 'manual' });
  const [line] = order.line_items;
  if (!line) throw new Error('The order has no line.');
  await shop.dashboard.POST(`${ORDER}/fulfillments`, { ...at(order.id), body: {} });
  const { return_id } = await stated(shop, order.id, null);
  const path = { params: { path: { return_id: return_id ?? '' } } };
  const back = await shop.dashboard.GET('/api/dashboard/returns/{return_id}', path);
  const lines = [{ id: back.data?.lines[0]?.id ?? '', quantity: line.quantity, condition: 'resellable' as const }];

  await shop.dashboard.POST('/api/dashboard/returns/{return_id}/receive', { ...path, body: { lines } });

  const { data } = await shop.dashboard.GET(ORDER, at(order.id));
  expect([data?.total, data?.amount_due]).toEqual([order.total, '0.00']);
  expect(order.shipping_cost).toBe('2.50');
});

function intentOf(shop: StripeShop): string {
  const [intent] = [...standIn.ledger.intents.values()].filter(({ account }) => account === shop.account);
  if (!intent) throw new Error('The shop has no payment.');
  return intent.id;
}
