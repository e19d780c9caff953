import { expect, test } from 'vitest';
import { openShop, tenantOf } from '../../../test/shop.ts';
import { Connection } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { readCart } from '../carts/rows.ts';
import * as products from '../products/products.ts';
import { Shop, SYSTEM } from '../shop.ts';
import * as inventory from './inventory.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** Runs `work` in a transaction, and commits it once `call` waits for its locks. Returns the result of `call`. */
async function whileWaitedFor<T>(
  open: OpenShop,
  work: (shop: Shop) => Promise<unknown>,
  call: () => Promise<T>,
): Promise<T> {
  const { db, owner, site_id } = open;
  const connection = await db.connect();
  try {
    await connection.query('begin');
    await connection.query(`select set_config('app.site_id', $1, true)`, [site_id]);
    const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
    await work(new Shop(tenantOf(site_id), SYSTEM, new Connection(connection)));
    const answer = call();
    await expect
      .poll(
        async () =>
          (await owner.query('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [rows[0]?.pid]))
            .rowCount,
        { timeout: 20_000 },
      )
      .toBe(1);
    await connection.query('commit');
    return await answer;
  } finally {
    connection.release();
  }
}

test('a checkout that waits for the lock of a variant can reserve stock that is added during the wait', async () => {
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

test('a product that is deleted while a checkout completes is not sold', async () => {
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

test('an untracked product that is deleted while its checkout completes is not sold', async () => {
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

const OTHERS = 100;

/** Copies a cart and its checkout many times, with equal reservations. */
async function givenOthersLike({ owner }: OpenShop, cart_id: string): Promise<void> {
  await owner.query(
    `with others as materialized (
        select gen_random_uuid() as cart_id, gen_random_uuid() as checkout_id from generate_series(1, ${OTHERS})
      ), of_carts as (
        insert into commerce.carts
        select (jsonb_populate_record(c, jsonb_build_object('id', o.cart_id))).* from commerce.carts c, others o where c.id = $1
      ), of_checkouts as (
        insert into commerce.checkouts
        select (jsonb_populate_record(k, jsonb_build_object('id', o.checkout_id, 'cart_id', o.cart_id))).*
        from commerce.checkouts k, others o where k.cart_id = $1
      ), of_stock as (
        update commerce.variants v set reserved = v.reserved + ${OTHERS} * r.quantity
        from commerce.checkouts k join commerce.stock_reservations r on r.checkout_id = k.id
        where k.cart_id = $1 and v.id = r.variant_id
      )
      insert into commerce.stock_reservations
      select r.site_id, o.checkout_id, r.variant_id, r.quantity
      from others o, commerce.checkouts k join commerce.stock_reservations r on r.checkout_id = k.id where k.cart_id = $1`,
    [cart_id],
  );
}

test('reading a cart does not scan the reservations of other checkouts', async () => {
  const open = await openShop();
  const product = await open.givenProduct({ inventory_quantity: OTHERS + 1 });
  const cart = await open.givenCart([{ variant_id: product.variants[0]?.id ?? '', quantity: 1 }]);
  await open.storefront.POST('/api/storefront/checkout', { body: { cart_id: cart.id } });
  await givenOthersLike(open, cart.id);
  await open.owner.query('analyze commerce.checkouts, commerce.stock_reservations');

  const [read, looked_at] = await inTransaction(open.db, async (connection) => {
    await connection.client.query(`select set_config('app.site_id', $1, true)`, [open.site_id]);
    const lookedAt = async () => {
      const { rows } = await connection.client.query<{ rows: number }>(
        `select sum(pg_stat_get_xact_tuples_returned(name::regclass) + pg_stat_get_xact_tuples_fetched(name::regclass))::int as rows
          from unnest(array['checkouts', 'stock_reservations']) as name`,
      );
      return rows[0]?.rows ?? 0;
    };
    const before = await lookedAt();
    const found = await readCart(new Shop(tenantOf(open.site_id), SYSTEM, connection), cart.id);
    return [found, (await lookedAt()) - before] as const;
  });

  expect(read?.pieces_held).toBe(1);
  expect(looked_at).toBeLessThan(OTHERS / 10);
});
