/** Tests the SDK's cart session with this server. */

import { createCartSession, unwrap } from '@commerce-backend/sdk';
import { beforeEach, expect, test } from 'vitest';
import { openShop } from './shop.ts';

let shop: Awaited<ReturnType<typeof openShop>>;
let kept: Map<string, string>;
let variant_id: string;

beforeEach(async () => {
  shop = await openShop();
  variant_id = (await shop.givenProduct({ price: '10.00' })).variants[0]?.id ?? '';
  kept = new Map();
});

const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
};
const session = (client = shop.storefront) => createCartSession(client, { storage });

test('the SDK finds the cart of an earlier visit by its stored id', async () => {
  const { id, total } = await session().add({ variant_id, quantity: 2 });
  expect(total).toBe('20.00');
  expect([...kept]).toEqual([['cart_id', id]]);
  expect(await session().get()).toMatchObject({ id, total: '20.00' });
});

test('after a login, the SDK finds the merged cart by the id of the guest cart', async () => {
  const customer = await shop.givenCustomer();
  const other = (await shop.givenProduct({ price: '3.00' })).variants[0]?.id ?? '';
  const own = await shop.givenCart([{ variant_id: other, quantity: 1 }], customer.client);
  const cart = session();
  const guest = await cart.add({ variant_id, quantity: 1 });

  const { access_token } = await cart.login({ email: customer.email, password: customer.password });
  expect(await cart.get()).toMatchObject({ id: own.id, customer_id: customer.id, total: '13.00' });

  // In another tab, the guest cart's id is still stored, although that tab has the customer's token.
  kept.set('cart_id', guest.id);
  const tab = session(shop.storefront.withCustomer(access_token));
  expect(await tab.add({ variant_id, quantity: 1 })).toMatchObject({ id: own.id, total: '23.00' });
  expect(kept.get('cart_id')).toBe(own.id);
});

test('the SDK creates a new cart if the stored one has expired, became an order or belongs to another customer', async () => {
  const cart = session();
  const first = await cart.add({ variant_id, quantity: 1 });
  await shop.owner.query('update commerce.carts set expires_at = now() where id = $1', [first.id]);
  const second = await cart.add({ variant_id, quantity: 1 });
  expect(second).toMatchObject({ status: 'active', total: '10.00' });
  expect(second.id).not.toBe(first.id);

  await shop.givenOrder({ cart_id: second.id });
  const third = await cart.get();
  expect(third).toMatchObject({ status: 'active', items: [] });

  const customer = await shop.givenCustomer();
  const theirs = await shop.givenCart([{ variant_id, quantity: 1 }], customer.client);
  kept.set('cart_id', theirs.id);
  expect((await cart.add({ variant_id, quantity: 1 })).id).not.toBe(theirs.id);
});

test('concurrent calls of the SDK share one cart, and keep it after an error of the shop', async () => {
  const cart = session();
  const add = () => cart.add({ variant_id, quantity: 1 });
  const [one, two] = await Promise.all([add(), add()]);
  expect(one.id).toBe(two.id);
  await expect(cart.add({ variant_id, quantity: 50 })).rejects.toMatchObject({ code: 'insufficient_stock' });
  expect(await cart.get()).toMatchObject({ id: one.id, total: '20.00' });
  const checkout = await cart.run((cart_id, client) =>
    unwrap(client.POST('/api/storefront/checkout', { body: { cart_id } })),
  );
  expect(checkout.cart_id).toBe(one.id);
});
