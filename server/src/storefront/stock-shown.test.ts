import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { PaperBrowser } from '../../test/paper-browser.ts';
import { openShop } from '../../test/shop.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { release } from '../shop/stock/stock.ts';

const products = '/api/storefront/products';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function shown({ storefront }: OpenShop, slug: string) {
  const { data } = await storefront.GET('/api/storefront/products/{id_or_slug}', {
    params: { path: { id_or_slug: slug } },
  });
  const [variant] = data?.variants ?? [];
  return [variant?.inventory_quantity, variant?.is_low_stock, variant?.is_out_of_stock, data?.total_inventory];
}

test('the storefront and sync APIs show only as much stock as the shop allows, and the dashboard shows all stock', async () => {
  const shop = await openShop();
  const { dashboard, sync, givenProduct } = shop;
  await givenProduct({ name: 'Many', inventory_quantity: 40, low_stock_threshold: 5, sku: 'MANY' });
  await givenProduct({ name: 'Few', inventory_quantity: 3, low_stock_threshold: 5 });
  await givenProduct({ name: 'None', inventory_quantity: 0 });
  const show = (show_stock: 'exact' | 'low_only' | 'never') =>
    dashboard.PATCH('/api/dashboard/settings', { body: { show_stock } });

  expect(await shown(shop, 'many')).toEqual([40, false, false, 40]);
  await show('low_only');
  expect(await shown(shop, 'many')).toEqual([6, false, false, 6]);
  expect(await shown(shop, 'few')).toEqual([3, true, false, 3]);
  await show('never');
  expect(await shown(shop, 'many')).toEqual([1, false, false, 1]);
  expect(await shown(shop, 'few')).toEqual([1, false, false, 1]);
  expect(await shown(shop, 'none')).toEqual([0, false, true, 0]);

  const told = async () => {
    const { data } = await sync.GET('/api/sync/products');
    return data?.changes.map(({ product }) => product?.total_inventory).sort();
  };
  // A change is reported only after all earlier transactions have ended, including those of other tests.
  await expect.poll(told, { timeout: 20_000 }).toEqual([0, 1, 1]);
  const availability = await sync.POST('/api/sync/availability', { body: { items: [{ sku: 'MANY', quantity: 30 }] } });
  expect(availability.data?.items[0]).toMatchObject({
    inventory_quantity: 1,
    available: true,
    availability: 'in_stock',
  });
  const { data } = await dashboard.GET('/api/dashboard/products');
  expect(data?.products.map(({ total_inventory }) => total_inventory).sort()).toEqual([0, 3, 40]);
});

test('cart warnings and errors reveal only as much stock as the shop allows', async () => {
  const shop = await openShop();
  const { dashboard, storefront, givenProduct } = shop;
  const few = await givenProduct({ name: 'Few', inventory_quantity: 4, low_stock_threshold: 5 });
  await dashboard.PATCH('/api/dashboard/settings', { body: { show_stock: 'never' } });
  const cart = await storefront.POST('/api/storefront/cart');
  const path = { cart_id: cart.data?.id ?? '' };
  const add = (quantity: number) =>
    storefront.POST('/api/storefront/cart/{cart_id}/items', {
      params: { path },
      body: { variant_id: few.variants[0]?.id ?? randomUUID(), quantity },
    });
  const adjust = (delta: number) =>
    dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
      params: { path: { variant_id: few.variants[0]?.id ?? '' } },
      body: { delta, reason: 'correction' },
    });

  const taken = await add(2);
  expect(taken.data?.warnings).toEqual([]);
  const refused = await add(3);
  expect(refused.error).toMatchObject({
    error: 'insufficient_stock',
    message: 'Not enough stock: Few (fewer available, 5 requested).',
    lines: [{ requested: 5, available: 1 }],
  });

  // The message does not reveal whether one or several are left.
  await adjust(-3);
  expect((await add(3)).error).toMatchObject({ message: 'Not enough stock: Few (fewer available, 5 requested).' });

  // Unless the setting is `exact`, the hosted page shows no quantities.
  await adjust(3);
  const { data: checkout } = await storefront.POST('/api/storefront/checkout', { body: path });
  const browser = new PaperBrowser(shop.baseUrl, { 'Accept-Language': 'en' });
  const sentences = async () => {
    const said: string[] = [];
    for (const show_stock of ['exact', 'low_only', 'never'] as const) {
      await dashboard.PATCH('/api/dashboard/settings', { body: { show_stock } });
      const { html } = await browser.open(checkout?.checkout_url ?? '');
      said.push(/Only (?:\d+|a few) left|There are fewer left than you want/.exec(html)?.[0] ?? '');
    }
    return said;
  };
  expect(await sentences()).toEqual(['Only 4 left', 'Only a few left', '']);
  await inShopAsSystem(shop.db, shop.site_id, (inside) => release(inside, checkout?.id ?? ''));
  await adjust(-3);
  const FEWER = 'There are fewer left than you want';
  expect(await sentences()).toEqual(['Only 1 left', FEWER, FEWER]);
});

test('a cached response shows the current stock, and its ETag does not change with hidden stock', async () => {
  const { dashboard, storefront, givenProduct } = await openShop();
  const mug = await givenProduct({ name: 'Mug', inventory_quantity: 40, low_stock_threshold: 5 });
  const variant_id = mug.variants[0]?.id ?? '';
  await dashboard.PATCH('/api/dashboard/settings', { body: { show_stock: 'low_only' } });
  const read = async () => {
    const { data, response } = await storefront.GET(products);
    return { etag: response.headers.get('ETag'), quantity: data?.products[0]?.variants[0]?.inventory_quantity };
  };
  const reserve = async (quantity: number) => {
    const cart = await storefront.POST('/api/storefront/cart');
    const cart_id = cart.data?.id ?? '';
    const params = { path: { cart_id } };
    await storefront.POST('/api/storefront/cart/{cart_id}/items', { params, body: { variant_id, quantity } });
    const { response } = await storefront.POST('/api/storefront/checkout', { body: { cart_id } });
    expect(response.status).toBe(201);
  };

  const before = await read();
  await reserve(10);
  expect(await read()).toEqual({ etag: before.etag, quantity: 6 });
  await reserve(26);
  const few = await read();
  expect(few.quantity).toBe(4);
  expect(few.etag).not.toBe(before.etag);
});
