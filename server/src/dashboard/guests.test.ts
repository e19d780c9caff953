import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const PATH = '/api/dashboard/customers/guests';

test('lists the e-mail addresses of guest orders with the number of orders and the sum of their payments', async () => {
  const shop = await openShop();
  const first = await shop.givenOrder({ content: '10.00', email: 'Lena@example.com' });
  await shop.givenOrder({ content: '20.00', email: 'lena@example.com' });
  await shop.givenOrder({ content: '30.00', email: 'omar@example.com' });
  const customer = await shop.givenCustomer();
  await shop.givenOrder({ content: '40.00', email: customer.email, client: customer.client });
  const params = { path: { order_id: first.id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/refunds', {
    params,
    body: { amount: '4.00', reason: 'other' },
  });

  const { data } = await shop.dashboard.GET(PATH);
  expect(data?.total).toBe(2);
  expect(
    data?.guests.map(({ email, first_name, orders_count, total_spent }) => [
      email,
      first_name,
      orders_count,
      total_spent,
    ]),
  ).toEqual([
    ['omar@example.com', 'June', 1, '0.00'],
    // 10.00 plus 4.90 for shipping, minus a refund of 4.00.
    ['lena@example.com', 'June', 2, '10.90'],
  ]);
  const found = await shop.dashboard.GET(PATH, { params: { query: { q: 'LENA', sort: 'spent_desc' } } });
  expect(found.data?.guests.map(({ email }) => email)).toEqual(['lena@example.com']);
  const beyond = await shop.dashboard.GET(PATH, { params: { query: { page: 5 } } });
  expect(beyond.data).toMatchObject({ guests: [], total: 2 });

  const orders = async (guest_email: string) => {
    const { data } = await shop.dashboard.GET('/api/dashboard/orders', { params: { query: { guest_email } } });
    return data?.orders.map(({ subtotal }) => subtotal);
  };
  expect(await orders('LENA@example.com')).toEqual(['20.00', '10.00']);
  expect(await orders(customer.email)).toEqual([]);
  expect(await orders('lena@example')).toEqual([]);
});

test('does not list guests of another shop or guests whose orders have been erased', async () => {
  const shop = await openShop();
  const order = await shop.givenOrder({ email: 'gone@example.com' });
  await shop.givenOrder({ email: 'left@example.com' });
  const other = await openShop();
  await other.givenOrder({ email: 'stranger@example.com' });
  await shop.owner.query(sql`update commerce.orders set email = null where id = ${order.id}`);
  const { data } = await shop.dashboard.GET(PATH);
  expect(data?.guests.map(({ email }) => email)).toEqual(['left@example.com']);
});

test('no longer lists a guest whose orders now belong to an account', async () => {
  const shop = await openShop();
  await shop.givenOrder({ email: 'june@example.com' });
  const created = await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });
  const before = await shop.dashboard.GET(PATH);
  expect(before.data?.total).toBe(1);
  await shop.owner.query(
    sql`update commerce.orders set customer_id = ${created.data?.id} where site_id = ${shop.site_id}`,
  );
  const { data } = await shop.dashboard.GET(PATH);
  expect(data?.guests).toEqual([]);
});
