import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openShop, tenantOf } from '../../test/shop.ts';
import { query } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { mergeAtLogin } from './checkout/cart-merge.ts';
import * as checkouts from './checkout/checkouts.ts';
import { complete } from './checkout/complete.ts';
import { ShopError } from './errors.ts';
import { withoutHosts } from './links.ts';
import * as orders from './orders/orders.ts';
import { importProducts } from './products/import.ts';
import { Shop, SYSTEM } from './shop.ts';

const checkoutDeps = {
  baseUrl: 'http://localhost',
  hosts: withoutHosts('http://localhost'),
  secretKey: 'a secret of the tests, long enough to be one',
  card: undefined,
};

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** Runs an operation in a transaction without retries, so that a deadlock makes the test fail. */
function once<T>({ db, site_id }: OpenShop, work: (shop: Shop) => Promise<T>): Promise<T> {
  return inTransaction(db, async (connection) => {
    await query(connection, sql`select set_config('app.site_id', ${site_id}, true)`);
    return work(new Shop(tenantOf(site_id), SYSTEM, connection));
  });
}

test('never deadlocks when checkouts with the same discount code and variants complete, renew and cancel concurrently', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  await shop.givenDiscount({ usage_limit: 100 });
  const products = [
    await shop.givenProduct({ inventory_quantity: 90 }),
    await shop.givenProduct({ inventory_quantity: 90 }),
  ];
  const lines = products.map(({ variants }) => ({ variant_id: variants[0]?.id ?? '', quantity: 2 }));
  const given = async (turned: boolean) => {
    const cart = await shop.givenCart(turned ? lines.toReversed() : lines);
    const params = { path: { cart_id: cart.id } };
    await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params, body: { code: 'TEN' } });
    return shop.givenCheckout({ cart_id: cart.id });
  };

  for (let round = 0; round < 4; round += 1) {
    const ready = await Promise.all(Array.from({ length: 9 }, (_, i) => given(i % 2 === 0)));
    const made = await Promise.all(
      ready.slice(0, 3).map(({ id }) => once(shop, (inside) => complete(inside, checkoutDeps, id, NOTHING, undefined))),
    );
    // Let some reservations expire, so that they must be renewed.
    const lapsed = ready.slice(0, 6).map(({ id }) => id);
    await shop.owner.query(
      'update commerce.checkouts set reserved_until = now() where id = any($1) and reserved_until is not null',
      [lapsed],
    );
    const operations = [
      ...made.map(
        ({ order }) =>
          (inside: Shop) =>
            orders.cancel(inside, order.id, { reason: 'other' }),
      ),
      ...ready.slice(3, 6).map(
        ({ id }) =>
          (inside: Shop) =>
            complete(inside, checkoutDeps, id, NOTHING, undefined),
      ),
      ...ready.slice(6, 8).map(
        ({ id }) =>
          (inside: Shop) =>
            checkouts.update(inside, checkoutDeps, id, { note: 'Now' }),
      ),
      ...ready.slice(8).map(
        ({ id }) =>
          (inside: Shop) =>
            checkouts.cancel(inside, checkoutDeps, id),
      ),
    ];

    const results = await Promise.allSettled(operations.map((work) => once<unknown>(shop, work)));

    expect(results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))).toEqual([]);
  }
});

test('never deadlocks when logins merge carts while their checkouts change and others buy the same variants', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  await shop.givenDiscount({ usage_limit: 100 });
  const products = [
    await shop.givenProduct({ inventory_quantity: 90 }),
    await shop.givenProduct({ inventory_quantity: 90 }),
  ];
  const lines = products.map(({ variants }) => ({ variant_id: variants[0]?.id ?? '', quantity: 2 }));
  const customers = [await shop.givenCustomer(), await shop.givenCustomer()];
  const given = async (turned: boolean) => {
    const cart = await shop.givenCart(turned ? lines.toReversed() : lines);
    const params = { path: { cart_id: cart.id } };
    await shop.storefront.POST('/api/storefront/cart/{cart_id}/discounts', { params, body: { code: 'TEN' } });
    return shop.givenCheckout({ cart_id: cart.id });
  };

  for (let round = 0; round < 3; round += 1) {
    const ready = await Promise.all(Array.from({ length: 6 }, (_, i) => given(i % 2 === 0)));
    const merges = ready.slice(0, 4).map(
      ({ cart_id }, i) =>
        (inside: Shop) =>
          mergeAtLogin(inside, cart_id, customers[i % 2]?.id ?? ''),
    );
    const others = ready.map(({ id }, i) => (inside: Shop): Promise<unknown> => {
      if (i % 3 === 0) return complete(inside, checkoutDeps, id, NOTHING, undefined);
      return i % 3 === 1
        ? checkouts.update(inside, checkoutDeps, id, { note: 'Now' })
        : checkouts.cancel(inside, checkoutDeps, id);
    });

    const results = await Promise.allSettled([...merges, ...others].map((work) => once<unknown>(shop, work)));

    // A rule of the shop may reject an operation (ShopError), but an operation must never fail with a database error.
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refusals.filter((error) => !(error instanceof ShopError))).toEqual([]);
  }
  const { rows } = await shop.owner.query(
    `select v.reserved, coalesce(sum(r.quantity), 0)::int as held from commerce.variants v
     left join commerce.stock_reservations r on r.site_id = v.site_id and r.variant_id = v.id
     left join commerce.checkouts k on k.site_id = r.site_id and k.id = r.checkout_id and k.status in ('open', 'ready')
     where v.site_id = $1 and (r.checkout_id is null or k.id is not null) group by v.id, v.reserved`,
    [shop.site_id],
  );
  expect(rows.map(({ reserved, held }) => reserved - held)).toEqual([0, 0]);
});

test('never deadlocks when imports write the same products in opposite orders while they are sold', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  const products = [];
  for (let count = 0; count < 4; count += 1) products.push(await shop.givenProduct({ inventory_quantity: 90 }));
  const lines = products.map(({ variants }) => ({ variant_id: variants[0]?.id ?? '', quantity: 1 }));

  for (let round = 0; round < 4; round += 1) {
    const fresh = [1, 2].map((count) => ({ slug: `fresh-${round}-${count}`, name: 'Fresh', price: '1.00' }));
    const rows = [...products.map(({ slug, name }) => ({ slug, name, price: `${round + 2}.00` })), ...fresh];
    const carts = await Promise.all([lines, lines.toReversed(), lines].map((content) => shop.givenCart(content)));
    const operations = [rows, rows.toReversed(), rows, rows.toReversed()].map(
      (given) => (inside: Shop) => importProducts(inside, { products: given }, () => []),
    );
    const begins = carts.map(
      ({ id }) =>
        (inside: Shop) =>
          checkouts.create(inside, checkoutDeps, id),
    );

    const results = await Promise.allSettled([...operations, ...begins].map((work) => once<unknown>(shop, work)));

    expect(results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))).toEqual([]);
  }
});

const NOTHING = { expected_total: undefined, payment: undefined };
