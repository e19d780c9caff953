import { afterAll, expect, test } from 'vitest';
import { openStripe, type StripeShop } from '../../test/stripe/shop.ts';

const stripe = await openStripe();
const { standIn, server } = stripe;
afterAll(() => stripe.close());

/** Creates an order paid by card. Its refunds stay pending until the provider executes them. */
async function givenOrderOf(quantity: number) {
  const shop = await stripe.givenShop();
  const product = await shop.givenProduct({ inventory_quantity: 10 });
  const variant_id = product.variants[0]?.id ?? '';
  const order = await shop.givenPaidOrder({ content: [{ variant_id, quantity }] });
  const at = { params: { path: { order_id: order.id } } };
  const line_item_id = order.line_items[0]?.id ?? '';
  return {
    shop,
    order,
    refund: (amount: string, pieces: number, restock = true) =>
      shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
        ...at,
        body: { amount, reason: 'customer', line_items: [{ line_item_id, quantity: pieces, restock }] },
      }),
    cancel: (restock = true) =>
      shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', { ...at, body: { reason: 'customer', restock } }),
    ship: () => shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { ...at, body: {} }),
    details: () => shop.details(order.id),
    onHand: async () => {
      const statement = 'select on_hand from commerce.variants where id = $1';
      const { rows } = await server.owner.query<{ on_hand: number }>(statement, [variant_id]);
      return rows[0]?.on_hand;
    },
  };
}

/** Makes the provider report that accepted refunds have failed. */
async function failRefunds(shop: StripeShop): Promise<void> {
  for (const made of standIn.ledger.refunds.values()) {
    if (made.account === shop.account && made.status !== 'failed') standIn.ledger.changeRefund(made, 'failed');
  }
  for (const event of shop.events().filter(({ type }) => type.startsWith('refund.'))) await shop.send(event);
}

test('items in a pending refund do not ship, and can ship again if the refund fails', async () => {
  const { shop, refund, ship, details, onHand } = await givenOrderOf(3);
  standIn.ledger.refundsBegin = 'pending';

  await refund('10.00', 1);
  const part = await ship();
  await shop.finishMoves();
  const pending = await details();
  await failRefunds(shop);
  standIn.ledger.refundsBegin = 'succeeded';
  const failed = await details();
  const rest = await ship();

  expect(part.data?.fulfillment.items).toMatchObject([{ quantity: 2 }]);
  expect(part.data?.order.fulfillment_status).toBe('partially_fulfilled');
  expect(pending?.line_states).toMatchObject([{ fulfilled: 2, refunded: 1, removed: 1, to_fulfill: 0 }]);
  expect(failed?.line_states).toMatchObject([{ fulfilled: 2, refunded: 0, removed: 0, to_fulfill: 1 }]);
  expect(rest.data?.order.fulfillment_status).toBe('fulfilled');
  expect(await onHand()).toBe(7);
});

test('an order is cancelled only once the provider has refunded all its items', async () => {
  const { shop, order, refund, details, onHand } = await givenOrderOf(2);

  await refund(order.total, 2);
  const pending = await details();
  const { data: list } = await shop.dashboard.GET('/api/dashboard/orders', {
    params: { query: { waiting_for: 'shipping' } },
  });
  await shop.finishMoves();

  expect(pending).toMatchObject({ status: 'confirmed', line_states: [{ to_fulfill: 0 }] });
  expect(list?.orders).toEqual([]);
  expect(await details()).toMatchObject({ status: 'cancelled', payment_status: 'refunded', refund_due: '0.00' });
  expect(await onHand()).toBe(10);
});

test.each([true, false])(
  'restocks the items of a cancelled order once if one of its refunds (restock %s) fails',
  async (restock) => {
    const { shop, refund, cancel, details, onHand } = await givenOrderOf(3);
    standIn.ledger.refundsBegin = 'pending';
    await refund('10.00', 1, restock);
    await shop.finishMoves();
    const { error } = await cancel();
    const cancelled = await onHand();

    await failRefunds(shop);
    standIn.ledger.refundsBegin = 'succeeded';
    const failed = await onHand();
    await refund('10.00', 1, true);
    await shop.finishMoves();

    expect(error).toBeUndefined();
    expect([cancelled, failed]).toEqual([9, 10]);
    expect(await details()).toMatchObject({ status: 'cancelled', refunded: '10.00' });
    expect(await onHand()).toBe(10);
  },
);

test('does not restock the items of a failed refund if the order was cancelled without restocking', async () => {
  const { shop, refund, cancel, onHand } = await givenOrderOf(3);
  standIn.ledger.refundsBegin = 'pending';
  await refund('10.00', 1);
  await shop.finishMoves();
  const { error } = await cancel(false);

  await failRefunds(shop);
  standIn.ledger.refundsBegin = 'succeeded';

  expect(error).toBeUndefined();
  expect(await onHand()).toBe(7);
});

test('the amount is due for refund again after the bank rejects the refund that cancelled the order', async () => {
  const { shop, order, refund, details, onHand } = await givenOrderOf(2);
  await refund('5.00', 2);
  await shop.finishMoves();
  const cancelled = await details();

  await failRefunds(shop);

  expect(cancelled).toMatchObject({ status: 'cancelled', refund_due: '0.00' });
  expect(await details()).toMatchObject({ status: 'cancelled', refund_due: '5.00', refundable: order.total });
  expect(await onHand()).toBe(10);
});
