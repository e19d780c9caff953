import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const listPath = '/api/dashboard/inventory';
const adjustPath = '/api/dashboard/inventory/{variant_id}/adjust';
const movementsPath = '/api/dashboard/inventory/{variant_id}/movements';
const unknown = '0192f3a0-5555-7000-8000-00000000dead';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function givenVariant(shop: OpenShop, input: Parameters<OpenShop['givenProduct']>[0] = {}): Promise<string> {
  const product = await shop.givenProduct(input);
  return product.variants[0]?.id ?? '';
}

function at(variant_id: string) {
  return { params: { path: { variant_id } } };
}

async function quantityOf({ dashboard }: OpenShop, product_id: string) {
  const { data } = await dashboard.GET(listPath, { params: { query: { product_id } } });
  return data?.inventory[0]?.inventory_quantity;
}

test('a stock adjustment by a delta changes the stock on hand and records a stock movement with actor, reason and result', async () => {
  const shop = await openShop();
  const { dashboard } = shop;
  const variant_id = await givenVariant(shop);

  const { data } = await dashboard.POST(adjustPath, {
    ...at(variant_id),
    body: { delta: 24, reason: 'received', note: 'Delivery of 2 March' },
  });
  const { data: history } = await dashboard.GET(movementsPath, at(variant_id));

  expect(data).toMatchObject({ variant_id, on_hand: 34, reserved: 0, inventory_quantity: 34, product_name: 'Mug' });
  expect(history?.movements[0]).toMatchObject({
    variant_id,
    type: 'adjustment',
    reason: 'received',
    delta: 24,
    on_hand_after: 34,
    reserved_after: 0,
    note: 'Delivery of 2 March',
    actor_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(history?.movements).toHaveLength(2);
});

test('a stock count sets the stock on hand and leaves reservations unchanged', async () => {
  const shop = await openShop();
  const variant_id = await givenVariant(shop);
  await shop.givenCheckout({ content: [{ variant_id, quantity: 2 }] });

  const { data } = await shop.dashboard.POST(adjustPath, {
    ...at(variant_id),
    body: { set_to: 5, expected_quantity: 8, reason: 'correction' },
  });

  expect(data).toMatchObject({ on_hand: 7, reserved: 2, inventory_quantity: 5 });
});

test('rejects a stock count whose expected quantity is wrong (409 quantity_changed), and returns the actual quantity', async () => {
  const shop = await openShop();
  const { dashboard } = shop;
  const variant_id = await givenVariant(shop);

  const { error, response } = await dashboard.POST(adjustPath, {
    ...at(variant_id),
    body: { set_to: 5, expected_quantity: 9, reason: 'correction' },
  });
  const { data: history } = await dashboard.GET(movementsPath, at(variant_id));

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'quantity_changed', actual: 10 });
  expect(history?.movements).toHaveLength(1);
});

test('records no stock movement if the quantity is unchanged', async () => {
  const shop = await openShop();
  const { dashboard } = shop;
  const variant_id = await givenVariant(shop);

  const { data } = await dashboard.POST(adjustPath, {
    ...at(variant_id),
    body: { set_to: 10, expected_quantity: 10, reason: 'correction' },
  });
  const { data: history } = await dashboard.GET(movementsPath, at(variant_id));

  expect(data?.inventory_quantity).toBe(10);
  expect(history?.movements).toHaveLength(1);
});

test('rejects a stock adjustment of 0 (422)', async () => {
  const shop = await openShop();
  const variant_id = await givenVariant(shop);

  const { error, response } = await shop.dashboard.POST(adjustPath, {
    ...at(variant_id),
    body: { delta: 0, reason: 'correction' },
  });

  expect(response.status).toBe(422);
  expect(error).toMatchObject({ detail: [{ loc: ['body', 'delta'], msg: 'Should not be 0.', type: 'value_error' }] });
});

test.each([{ delta: 1, set_to: 5, expected_quantity: 10 }, { set_to: 5 }, { delta: 1, expected_quantity: 10 }, {}])(
  'rejects the stock adjustment %j, because only delta alone or set_to with expected_quantity is valid (422)',
  async (fields) => {
    const shop = await openShop();
    const variant_id = await givenVariant(shop);

    const { response } = await shop.dashboard.POST(adjustPath, {
      ...at(variant_id),
      body: { reason: 'other', ...fields },
    });

    expect(response.status).toBe(422);
  },
);

test('rejects a quantity below the reserved stock (409), with the requested and the available quantity', async () => {
  const shop = await openShop();
  const variant_id = await givenVariant(shop);
  await shop.givenCheckout({ content: [{ variant_id, quantity: 4 }] });

  const { error, response } = await shop.dashboard.POST(adjustPath, {
    ...at(variant_id),
    body: { delta: -7, reason: 'lost' },
  });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'insufficient_stock', requested: 7, available: 6 });
});

test.each([{ inventory_policy: 'continue' as const }, { track_inventory: false }])(
  'allows stock below zero for a variant with %j',
  async (rule) => {
    const shop = await openShop();
    const variant_id = await givenVariant(shop, rule);

    const { data } = await shop.dashboard.POST(adjustPath, {
      ...at(variant_id),
      body: { delta: -13, reason: 'other' },
    });

    expect(data).toMatchObject({ on_hand: -3, inventory_quantity: -3 });
  },
);

test('rejects stock above the maximum of the contract (409)', async () => {
  const shop = await openShop();
  const variant_id = await givenVariant(shop);

  const { error, response } = await shop.dashboard.POST(adjustPath, {
    ...at(variant_id),
    body: { delta: 1_000_000_000, reason: 'received' },
  });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'conflict' });
});

test('64 concurrent stock adjustments add up exactly', async () => {
  const shop = await openShop();
  const { dashboard, givenProduct } = shop;
  const product = await givenProduct({ inventory_quantity: 100 });
  const variant_id = product.variants[0]?.id ?? '';
  const deltas = Array.from({ length: 64 }, (_, i) => (i % 3) - 1 || 2);

  const answers = await Promise.all(
    deltas.map((delta) => dashboard.POST(adjustPath, { ...at(variant_id), body: { delta, reason: 'correction' } })),
  );
  const { data: history } = await dashboard.GET(movementsPath, {
    params: { path: { variant_id }, query: { limit: 100 } },
  });

  expect(answers.map(({ response }) => response.status)).toEqual(deltas.map(() => 200));
  expect(await quantityOf(shop, product.id)).toBe(100 + deltas.reduce((sum, delta) => sum + delta, 0));
  const levels = history?.movements.map(({ on_hand_after, delta }) => on_hand_after - delta) ?? [];
  expect(levels).toEqual([...(history?.movements.slice(1).map(({ on_hand_after }) => on_hand_after) ?? []), 0]);
});

test('exactly one of several concurrent stock counts with the same expected quantity succeeds', async () => {
  const shop = await openShop();
  const variant_id = await givenVariant(shop);
  const counts = Array.from({ length: 16 }, (_, i) => 20 + i);

  const answers = await Promise.all(
    counts.map((set_to) =>
      shop.dashboard.POST(adjustPath, {
        ...at(variant_id),
        body: { set_to, expected_quantity: 10, reason: 'correction' },
      }),
    ),
  );

  const winners = answers.filter(({ response }) => response.status === 200);
  expect(winners).toHaveLength(1);
  const losers = answers.flatMap(({ error }) => (error ? [error] : []));
  for (const error of losers) {
    expect(error).toMatchObject({ error: 'quantity_changed', actual: winners[0]?.data?.inventory_quantity });
  }
});

test('of 24 concurrent requests for the last ten units, exactly ten succeed', async () => {
  const shop = await openShop();
  const product = await shop.givenProduct({ inventory_quantity: 10 });
  const variant_id = product.variants[0]?.id ?? '';

  const answers = await Promise.all(
    Array.from({ length: 24 }, () =>
      shop.dashboard.POST(adjustPath, { ...at(variant_id), body: { delta: -1, reason: 'damaged' } }),
    ),
  );

  expect(answers.filter(({ response }) => response.status === 200)).toHaveLength(10);
  expect(await quantityOf(shop, product.id)).toBe(0);
});

test('lists the stock of each variant, sorted by product name and position', async () => {
  const { dashboard, givenProduct } = await openShop();
  await givenProduct({ name: 'Plate', sku: 'PLATE', images: [{ url: 'https://shop.example/plate.jpg' }] });
  await givenProduct({
    name: 'Cup',
    options: [
      { name: 'Colour', values: ['Slate', 'Oat'] },
      { name: 'Size', values: ['S'] },
    ],
    variants: [
      { option1: 'Slate', option2: 'S', inventory_quantity: 1, image_url: 'https://shop.example/slate.jpg' },
      { option1: 'Oat', option2: 'S', inventory_quantity: 2 },
    ],
  });

  const { data } = await dashboard.GET(listPath);

  expect(data).toMatchObject({ total: 3, page: 1, limit: 20, pages: 1 });
  expect(data?.inventory).toMatchObject([
    { product_name: 'Cup', variant_name: 'Slate / S', on_hand: 1, image_url: 'https://shop.example/slate.jpg' },
    { product_name: 'Cup', variant_name: 'Oat / S', on_hand: 2, image_url: null },
    { product_name: 'Plate', variant_name: null, sku: 'PLATE', image_url: 'https://shop.example/plate.jpg' },
  ]);
});

test('the stock filters ignore untracked variants, and two filters are combined with OR', async () => {
  const { dashboard, givenProduct } = await openShop();
  await givenProduct({ name: 'Plenty', inventory_quantity: 6, low_stock_threshold: 5 });
  await givenProduct({ name: 'Low', inventory_quantity: 5, low_stock_threshold: 5 });
  await givenProduct({ name: 'Out', inventory_quantity: 0, low_stock_threshold: 5 });
  await givenProduct({ name: 'Untracked', inventory_quantity: 0, track_inventory: false });
  const named = async (query: { low_stock?: boolean; out_of_stock?: boolean }) => {
    const { data } = await dashboard.GET(listPath, { params: { query } });
    return data?.inventory.map(({ product_name }) => product_name);
  };

  expect(await named({ low_stock: true })).toEqual(['Low']);
  expect(await named({ out_of_stock: true })).toEqual(['Out']);
  expect(await named({ low_stock: true, out_of_stock: true })).toEqual(['Low', 'Out']);
  expect(await named({})).toEqual(['Low', 'Out', 'Plenty', 'Untracked']);
});

test('finds literal text in SKU, barcode and product name regardless of case', async () => {
  const { dashboard, givenProduct } = await openShop();
  await givenProduct({ name: 'Mug 50% off', sku: 'A_1' });
  await givenProduct({ name: 'Mug 500', sku: 'AX1', barcode: '4006381333931' });
  const found = async (q: string) => {
    const { data } = await dashboard.GET(listPath, { params: { query: { q } } });
    return data?.inventory.map(({ sku }) => sku);
  };

  expect(await found('50%')).toEqual(['A_1']);
  expect(await found('a_1')).toEqual(['A_1']);
  expect(await found('638133')).toEqual(['AX1']);
  expect(await found('mug')).toEqual(['A_1', 'AX1']);
});

test('a stock movement refers to the checkout, order or refund that caused it', async () => {
  const shop = await openShop();
  const { dashboard, givenProduct, givenOrder, givenCheckout } = shop;
  const product = await givenProduct();
  const variant_id = product.variants[0]?.id ?? '';
  const content = [{ variant_id, quantity: 2 }];
  const cancelled = await givenOrder({ content });
  await dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params: { path: { order_id: cancelled.id } },
    body: { reason: 'customer' },
  });
  const kept = await givenOrder({ content });
  const path = { order_id: kept.id };
  await dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path } });
  const { data: order } = await dashboard.GET('/api/dashboard/orders/{order_id}', { params: { path } });
  const line_item_id = order?.line_items[0]?.id ?? '';
  const { data: refunded } = await dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params: { path },
    body: { amount: '10.00', reason: 'returned', line_items: [{ line_item_id, quantity: 1, restock: true }] },
  });
  const open = await givenCheckout({ content });
  await shop.storefront.POST('/api/storefront/checkout/{checkout_id}/cancel', {
    params: { path: { checkout_id: open.id } },
  });
  const row = { name: product.name, slug: product.slug, price: '10.00', inventory_quantity: 50 };
  await dashboard.POST('/api/dashboard/products/import', { body: { products: [row], update_inventory: true } });

  const { data } = await dashboard.GET(movementsPath, { params: { path: { variant_id }, query: { limit: 100 } } });
  const told = data?.movements.map(({ type, reference }) => [type, reference?.type, reference?.id]).toReversed();
  const checkout = { first: cancelled.checkout_id, second: kept.checkout_id };
  expect(told).toEqual([
    ['adjustment', undefined, undefined],
    ['reservation', 'checkout', checkout.first],
    ['sale', 'order', cancelled.id],
    ['return', 'order', cancelled.id],
    ['reservation', 'checkout', checkout.second],
    ['sale', 'order', kept.id],
    ['return', 'refund', refunded?.refund.id],
    ['reservation', 'checkout', open.id],
    ['release', 'checkout', open.id],
    ['adjustment', 'import', null],
  ]);
});

test('lists stock movements newest first, each on exactly one page', async () => {
  const shop = await openShop();
  const { dashboard } = shop;
  const variant_id = await givenVariant(shop);
  for (const delta of [1, 2, 3, 4]) {
    await dashboard.POST(adjustPath, { ...at(variant_id), body: { delta, reason: 'received' } });
  }

  const deltas: number[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { limit: 2, ...(cursor && { cursor }) };
    const { data } = await dashboard.GET(movementsPath, { params: { path: { variant_id }, query } });
    deltas.push(...(data?.movements.map(({ delta }) => delta) ?? []));
    cursor = data?.next_cursor;
  } while (cursor);

  expect(deltas).toEqual([4, 3, 2, 1, 10]);
});

test('rejects an invalid cursor of stock movements (422)', async () => {
  const shop = await openShop();
  const variant_id = await givenVariant(shop);

  const { error, response } = await shop.dashboard.GET(movementsPath, {
    params: { path: { variant_id }, query: { cursor: 'elsewhere' } },
  });

  expect(response.status).toBe(422);
  expect(error).toMatchObject({ detail: [{ loc: ['query', 'cursor'] }] });
});

test('returns 404 for the stock of another shop', async () => {
  const neighbour = await openShop();
  const foreign = await givenVariant(neighbour, { name: 'Theirs' });
  const { dashboard } = await openShop();

  for (const variant_id of [foreign, unknown]) {
    const adjusted = await dashboard.POST(adjustPath, { ...at(variant_id), body: { delta: 1, reason: 'received' } });
    const counted = await dashboard.POST(adjustPath, {
      ...at(variant_id),
      body: { set_to: 1, expected_quantity: 10, reason: 'received' },
    });
    const history = await dashboard.GET(movementsPath, at(variant_id));
    for (const { error, response } of [adjusted, counted, history]) {
      expect(response.status).toBe(404);
      expect(error).toMatchObject({ error: 'not_found', message: 'There is no such variant.' });
    }
  }
  const { data } = await dashboard.GET(listPath);
  expect(data).toMatchObject({ inventory: [], total: 0, pages: 0 });
});
