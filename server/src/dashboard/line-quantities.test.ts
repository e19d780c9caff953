import { expect, test } from 'vitest';
import { givenVariant, stockOf } from '../../test/buying.ts';
import { openShop } from '../../test/shop.ts';

const orderPath = '/api/dashboard/orders/{order_id}';
const paidPath = '/api/dashboard/orders/{order_id}/mark-paid';
const shipPath = '/api/dashboard/orders/{order_id}/fulfillments';
const deliveredPath = '/api/dashboard/orders/{order_id}/mark-delivered';
const refundPath = '/api/dashboard/orders/{order_id}/refunds';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

interface Pieces {
  quantity: number;
  restock?: boolean;
  shipped?: boolean;
}

/** Creates a paid order for a product with a stock of 30. */
async function givenOrderOf(quantity: number) {
  const shop = await openShop();
  const { product, variant_id } = await givenVariant(shop, { price: '10.00', inventory_quantity: 30 });
  const order = await shop.givenOrder({ content: [{ variant_id, quantity }] });
  const at = { params: { path: { order_id: order.id } } };
  await shop.dashboard.POST(paidPath, at);
  const line_item_id = order.line_items[0]?.id ?? '';
  return {
    shop,
    order,
    refund: (amount: string, ...pieces: Pieces[]) => {
      const line_items = pieces.map((one) => ({ line_item_id, ...one }));
      const body = { amount, reason: 'customer' as const, ...(pieces.length > 0 && { line_items }) };
      return shop.dashboard.POST(refundPath, { ...at, body });
    },
    ship: (pieces?: number) =>
      shop.dashboard.POST(shipPath, {
        ...at,
        body: pieces === undefined ? {} : { items: [{ line_item_id, quantity: pieces }] },
      }),
    deliver: () => shop.dashboard.POST(deliveredPath, at),
    details: async () => (await shop.dashboard.GET(orderPath, at)).data,
    line: async () => (await shop.dashboard.GET(orderPath, at)).data?.line_states[0],
    onHand: async () => (await stockOf(shop, product.id)).on_hand,
  };
}

async function toShip({ dashboard }: OpenShop): Promise<{ listed: string[]; counted: number | undefined }> {
  const { data } = await dashboard.GET('/api/dashboard/orders', { params: { query: { waiting_for: 'shipping' } } });
  const { data: overview } = await dashboard.GET('/api/dashboard/overview');
  return { listed: data?.orders.map(({ id }) => id) ?? [], counted: overview?.orders_to_ship_count };
}

test('refunded items cannot ship, and the other items can', async () => {
  const { refund, ship, line, onHand } = await givenOrderOf(3);

  await refund('10.00', { quantity: 1, restock: true });
  const tooMany = await ship(3);
  const rest = await ship();

  expect(tooMany.error).toMatchObject({
    error: 'fulfillment_exceeds_remaining',
    lines: [{ requested: 3, remaining: 2 }],
  });
  expect(rest.data?.fulfillment.items).toMatchObject([{ quantity: 2 }]);
  expect(rest.data?.order).toMatchObject({ status: 'processing', fulfillment_status: 'fulfilled' });
  expect(await line()).toMatchObject({ fulfilled: 2, refunded: 1, removed: 1, returned: 0, to_fulfill: 0 });
  expect(await onHand()).toBe(28);
});

test('refunding all items before shipping cancels and restocks the order, and nothing is due', async () => {
  const { shop, order, refund, ship, details, onHand } = await givenOrderOf(2);

  const { data } = await refund('15.00', { quantity: 2, restock: true });
  const shipped = await ship();

  expect(data?.order).toMatchObject({
    status: 'cancelled',
    payment_status: 'partially_refunded',
    fulfillment_status: 'unfulfilled',
  });
  expect(shipped.error).toMatchObject({ error: 'invalid_transition', from: 'cancelled' });
  expect(await details()).toMatchObject({
    cancel_reason: 'customer',
    refund_due: '0.00',
    amount_received: order.total,
    line_states: [{ fulfilled: 0, refunded: 2, removed: 2, to_fulfill: 0, refundable_amount: '0.00' }],
  });
  expect(await onHand()).toBe(30);
  expect(await toShip(shop)).toEqual({ listed: [], counted: 0 });
});

test('a full refund without lines removes all items if nothing has shipped', async () => {
  const { order, refund, line, onHand } = await givenOrderOf(2);

  const part = await refund('5.00');
  const before = await line();
  const { data } = await refund((Number(order.total) - 5).toFixed(2));

  expect(part.data).toMatchObject({ refund: { line_items: [] }, order: { status: 'confirmed' } });
  expect(before).toMatchObject({ refunded: 0, removed: 0, to_fulfill: 2 });
  expect(data).toMatchObject({
    refund: { line_items: [{ quantity: 2, restock: false, shipped: false }] },
    order: { status: 'cancelled', payment_status: 'refunded' },
  });
  // The items are restocked only if the refund requests it.
  expect(await onHand()).toBe(28);
});

test('the unshipped items of a partly shipped order can still ship after a full refund without lines', async () => {
  const { order, refund, ship, line } = await givenOrderOf(2);
  await ship(1);

  await refund(order.total);

  expect(await line()).toMatchObject({ fulfilled: 1, refunded: 0, removed: 0, to_fulfill: 1 });
});

test('a partly shipped order is fulfilled and can be completed once the rest has been refunded', async () => {
  const { shop, refund, ship, deliver, line, onHand } = await givenOrderOf(3);
  await ship(2);
  const before = await toShip(shop);

  const { data } = await refund('10.00', { quantity: 1, restock: true });
  const after = await toShip(shop);
  const delivered = await deliver();

  expect(before.counted).toBe(1);
  expect(data?.order).toMatchObject({ status: 'processing', fulfillment_status: 'fulfilled' });
  expect(data?.order.shipped_at).not.toBeNull();
  expect(after).toEqual({ listed: [], counted: 0 });
  expect(delivered.data).toMatchObject({ status: 'completed', fulfillment_status: 'delivered' });
  expect(await line()).toMatchObject({ fulfilled: 2, removed: 1, to_fulfill: 0 });
  expect(await onHand()).toBe(28);
});

test('a refund covers unshipped items first, and records shipped ones separately', async () => {
  const { refund, ship, line, onHand } = await givenOrderOf(3);
  await ship(2);

  const { data } = await refund('20.00', { quantity: 2, restock: true });

  expect(data?.refund.line_items).toMatchObject([
    { quantity: 1, restock: true, shipped: false },
    { quantity: 1, restock: true, shipped: true },
  ]);
  expect(await line()).toMatchObject({ fulfilled: 2, refunded: 2, removed: 1, returned: 1, to_fulfill: 0 });
  expect(await onHand()).toBe(29);
});

test('a refund of shipped items cannot exceed their quantity, and the unshipped items can still ship', async () => {
  const { refund, ship, line, onHand } = await givenOrderOf(3);
  await ship(1);

  const tooMany = await refund('20.00', { quantity: 2, shipped: true });
  await refund('10.00', { quantity: 1, shipped: true, restock: true });
  const more = await refund('10.00', { quantity: 1, shipped: true });
  const unshipped = await refund('5.00', { quantity: 3, shipped: false });

  expect(tooMany.error).toMatchObject({ detail: [{ loc: ['body', 'line_items', 0, 'quantity'], ctx: { le: 1 } }] });
  expect(more.response.status).toBe(422);
  expect(unshipped.error).toMatchObject({ detail: [{ ctx: { le: 2 } }] });
  expect(await line()).toMatchObject({ fulfilled: 1, refunded: 1, removed: 0, returned: 1, to_fulfill: 2 });
  expect(await onHand()).toBe(28);
});

test('a refund can list a line once, or once for its shipped and once for its unshipped items', async () => {
  const { refund, ship, line } = await givenOrderOf(3);
  await ship(1);

  const twice = await refund('1.00', { quantity: 1 }, { quantity: 1, shipped: false });
  const { data } = await refund('20.00', { quantity: 1, shipped: true }, { quantity: 1, shipped: false });

  expect(twice.error).toMatchObject({ detail: [{ loc: ['body', 'line_items', 1, 'line_item_id'] }] });
  expect(data?.refund.line_items).toHaveLength(2);
  expect(await line()).toMatchObject({ refunded: 2, removed: 1, to_fulfill: 1 });
});

test('a bulk shipment rejects an order with nothing left to ship', async () => {
  const { shop, order, refund, ship } = await givenOrderOf(2);
  await ship(1);
  await refund('10.00', { quantity: 1 });

  const { data } = await shop.dashboard.POST('/api/dashboard/orders/fulfill', {
    body: { orders: [{ order_number: order.order_number }] },
  });

  expect(data?.counts).toEqual({ fulfilled: 0, failed: 1 });
  expect(data?.results[0]).toMatchObject({ reason: 'invalid_transition', message: 'Nothing is left to ship.' });
});

test('concurrent refunds and fulfilments never exceed the quantity of a line', async () => {
  for (let round = 0; round < 6; round += 1) {
    const { refund, ship, line, onHand } = await givenOrderOf(4);

    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => refund('5.00', { quantity: 1, restock: true, shipped: false })),
      ...Array.from({ length: 4 }, () => ship(1)),
    ]);

    const done = answers.filter(({ data }) => data).length;
    const state = await line();
    expect(done).toBe(4);
    expect((state?.fulfilled ?? 0) + (state?.removed ?? 0)).toBe(4);
    expect(state?.to_fulfill).toBe(0);
    // Stock and shipped items add up to the initial stock of 30.
    expect(((await onHand()) ?? 0) + (state?.fulfilled ?? 0)).toBe(30);
  }
});

test('a cancelled order has nothing to ship, and its refund does not restock twice', async () => {
  const { shop, order, refund, line, onHand } = await givenOrderOf(3);
  await refund('10.00', { quantity: 1, restock: true });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params: { path: { order_id: order.id } },
    body: { reason: 'customer' },
  });
  const cancelled = await line();

  await refund('20.00', { quantity: 2, restock: true });

  expect(cancelled).toMatchObject({ removed: 1, to_fulfill: 0 });
  expect(await onHand()).toBe(30);
});
