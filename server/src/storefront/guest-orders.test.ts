import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

const ordersIn = async ({ client }: Awaited<ReturnType<OpenShop['givenCustomer']>>) =>
  (await client.GET('/api/storefront/customer/me/orders')).data?.orders.map(({ order_number }) => order_number);

test("adds a guest's order to the account that has verified the same e-mail address, without revealing this to the guest", async () => {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { id: checkout_id } = await shop.givenCheckout({ email: customer.email.toUpperCase() });
  const complete = () =>
    shop.storefront.POST('/api/storefront/checkout/{checkout_id}/complete', {
      params: { path: { checkout_id } },
      body: {},
    });

  const { data } = await complete();
  expect(data?.order.customer_id).toBeNull();
  expect((await complete()).data?.order).toMatchObject({ id: data?.order.id, customer_id: null });
  expect(await ordersIn(customer)).toEqual([data?.order.order_number]);
});

test("adds a guest's order to no account while the account's e-mail address is unverified", async () => {
  const shop = await openShop();
  const { data: record } = await shop.dashboard.POST('/api/dashboard/customers', {
    body: { email: 'june@example.com' },
  });
  const { id: order_id } = await shop.givenOrder({ email: 'june@example.com' });

  const { data } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}', { params: { path: { order_id } } });
  expect(record?.email_verified_at).toBeNull();
  expect(data?.customer_id).toBeNull();
});
