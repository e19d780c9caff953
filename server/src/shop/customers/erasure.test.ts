import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openShop, tenantOf } from '../../../test/shop.ts';
import * as checkouts from '../checkout/checkouts.ts';
import { inShop } from '../in-shop.ts';
import { withoutHosts } from '../links.ts';
import { SYSTEM } from '../shop.ts';
import { anonymize } from './erasure.ts';

const checkoutDeps = {
  baseUrl: 'http://localhost',
  hosts: withoutHosts('http://localhost'),
  secretKey: 'a secret of the tests, long enough to be one',
  card: undefined,
};

test('erasing a customer during the creation of their checkout releases the reserved stock', async () => {
  const { db, owner, site_id, givenCart, givenCustomer } = await openShop();
  const { id } = await givenCustomer();
  const { id: guest_cart_id } = await givenCart();

  const forgetting = await inShop(db, tenantOf(site_id), { type: 'customer', id, customer_id: id }, async (shop) => {
    await checkouts.create(shop, checkoutDeps, guest_cart_id);
    const own = await shop.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    let over = false;
    const begun = inShop(db, tenantOf(site_id), SYSTEM, (other) => anonymize(other, id)).finally(() => {
      over = true;
    });
    const waiting = () => owner.query('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [own?.pid]);
    while (!over && (await waiting()).rowCount === 0) await new Promise((done) => setTimeout(done, 10));
    return { begun };
  });
  await forgetting.begun;

  const { rows } = await owner.query('select customer_id, email, status from commerce.checkouts where site_id = $1', [
    site_id,
  ]);
  expect(rows).toEqual([{ customer_id: null, email: null, status: 'cancelled' }]);
  const held = await owner.query('select from commerce.stock_reservations where site_id = $1', [site_id]);
  expect(held.rowCount).toBe(0);
});

test('erasing a customer removes payment references and discount reasons of that customer only', async () => {
  const shop = await openShop();
  const { dashboard, owner, site_id } = shop;
  await shop.givenTerms();
  /** A customer with a paid and delivered order, and a cancelled draft. `name` is part of the texts of staff. */
  const given = async (name: string) => {
    const customer = await shop.givenCustomer();
    const params = { path: { customer_id: customer.id } };
    await dashboard.PATCH('/api/dashboard/customers/{customer_id}', { params, body: { payment_terms_days: 14 } });
    const { client, email } = customer;
    const order = await shop.givenOrder({ client, email, payment_method: 'invoice' });
    const at = { params: { path: { order_id: order.id } } };
    const paid = await dashboard.POST('/api/dashboard/orders/{order_id}/payments', {
      ...at,
      body: { amount: order.total, reference: `Transfer of ${name}` },
    });
    expect(paid.error).toBeUndefined();
    await dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { ...at, body: {} });
    await dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', at);
    const { data: draft } = await dashboard.POST('/api/dashboard/draft-orders', {
      body: {
        customer_id: customer.id,
        lines: [{ name: 'Engraving', quantity: 1, price: '5.00' }],
        discount: { type: 'percentage', value: '10', reason: `Friend of ${name}` },
      },
    });
    await dashboard.POST('/api/dashboard/draft-orders/{draft_order_id}/cancel', {
      params: { path: { draft_order_id: draft?.id ?? '' } },
    });
    return { params, order };
  };
  const countOf = async (name: string) => {
    const { rows } = await owner.query<{ found: string }>(
      `select unnest(array[
          (select count(*) from commerce.order_payments where site_id = $1 and reference like $2),
          (select count(*) from commerce.order_events where site_id = $1 and context::text like $2),
          (select count(*) from commerce.draft_orders where site_id = $1 and discount_reason like $2)]) as found`,
      [site_id, `%${name}%`],
    );
    return rows.map(({ found }) => Number(found));
  };
  const erased = await given('Erna Erased');
  await given('Karl Kept');
  expect([await countOf('Erna Erased'), await countOf('Karl Kept')]).toEqual([
    [1, 1, 1],
    [1, 1, 1],
  ]);

  const { error } = await dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', {
    params: erased.params,
  });
  expect(error).toBeUndefined();

  expect([await countOf('Erna Erased'), await countOf('Karl Kept')]).toEqual([
    [0, 0, 0],
    [1, 1, 1],
  ]);
  const { rows } = await owner.query('select amount, reference from commerce.order_payments where order_id = $1', [
    erased.order.id,
  ]);
  expect(rows).toEqual([{ amount: erased.order.total, reference: null }]);
});
