import { expect, test } from 'vitest';
import { openShop } from '../../../test/shop.ts';
import * as products from '../products/products.ts';
import { Shop, SYSTEM } from '../shop.ts';
import * as inventory from './inventory.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** Does work and commits it once somebody waits for what it has locked; returns what those who waited got. */
async function whileWaitedFor<T>(
  { db, owner, site_id }: OpenShop,
  work: (shop: Shop) => Promise<unknown>,
  call: () => Promise<T>,
): Promise<T> {
  const tenant = {
    site_id,
    merchant_id: site_id,
    currency: 'EUR',
    currency_digits: 2,
    show_stock: 'exact',
    catalog_version: '',
  } as const;
  const connection = await db.connect();
  try {
    await connection.query('begin');
    await connection.query(`select set_config('app.site_id', $1, true)`, [site_id]);
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
    await work(new Shop(tenant, SYSTEM, connection));
    const answer = call();
    await expect
      .poll(
        async () =>
          (await owner.query('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [rows[0]?.pid]))
            .rowCount,
        { timeout: 10_000 },
      )
      .toBe(1);
    await connection.query('commit');
    return await answer;
  } finally {
    connection.release();
  }
}

test('pieces that come in while a checkout waits for the stock are had', async () => {
  const shop = await openShop();
  const product = await shop.givenProduct({ inventory_quantity: 2 });
  const variant_id = product.variants[0]?.id ?? '';
  const cart = await shop.givenCart([{ variant_id, quantity: 2 }]);
  const count = (delta: number) => (inside: Shop) =>
    inventory.adjust(inside, variant_id, { delta, reason: 'correction' });
  const params = { path: { variant_id } };
  const body = { delta: -2, reason: 'correction' as const };
  await shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', { params, body });

  const { data, error } = await whileWaitedFor(shop, count(2), () =>
    shop.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } }),
  );

  expect(error).toBeUndefined();
  expect(data?.reserved_until).not.toBeNull();
});

test('what is deleted while a checkout is being completed is not sold', async () => {
  const shop = await openShop();
  const product = await shop.givenProduct();
  const content = [{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }];
  const { id } = await shop.givenCheckout({ content });
  await shop.owner.query('delete from commerce.stock_reservations where checkout_id = $1', [id]);
  await shop.owner.query('update commerce.variants set reserved = 0 where product_id = $1', [product.id]);

  const { data, error } = await whileWaitedFor(
    shop,
    (inside) => products.remove(inside, product.id),
    () =>
      shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', {
        params: { path: { checkout_id: id } },
        body: {},
      }),
  );

  expect(data).toBeUndefined();
  expect(error).toMatchObject({ error: 'insufficient_stock', lines: [{ requested: 1, available: 0 }] });
});

test('a product without stock control that is deleted while its checkout completes is not sold', async () => {
  const shop = await openShop();
  const product = await shop.givenProduct({ track_inventory: false });
  const { id } = await shop.givenCheckout({ content: [{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }] });

  const { data, error } = await whileWaitedFor(
    shop,
    (inside) => products.remove(inside, product.id),
    () =>
      shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', {
        params: { path: { checkout_id: id } },
        body: {},
      }),
  );

  expect(data).toBeUndefined();
  expect(error).toMatchObject({ error: 'insufficient_stock', lines: [{ requested: 1, available: 0 }] });
});
