import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const testOrder = '/api/dashboard/setup/test-order';

test('a test order passes through all steps, shows its mails, and leaves no data', async () => {
  const shop = await openShop();
  const { owner, site_id } = shop;
  const empty = await shop.dashboard.POST(testOrder);
  expect([empty.response.status, empty.error]).toEqual([
    409,
    expect.objectContaining({ error: 'checkout_incomplete', missing: ['product'] }),
  ]);
  await shop.givenProduct({ price: '30.00' });
  const { variants } = await shop.givenProduct({ name: 'Cheap mug', price: '4.00', inventory_quantity: 1 });
  await shop.givenProduct({ price: '1.00', inventory_quantity: 0 });
  const homeless = await shop.dashboard.POST(testOrder);
  expect(homeless.error).toMatchObject({ error: 'checkout_incomplete', missing: ['shipping_option_id'] });
  await shop.givenShippingOption({ countries: ['US'], states: ['CA'], postcode_prefixes: ['94'] });
  await shop.dashboard.POST('/api/dashboard/webhooks', { body: { url: 'https://erp.example/hook', events: ['*'] } });

  // The test order sells and sends nothing: the tables have the same number of rows as before.
  const counts = async () => {
    const { rows } = await owner.query(
      `select (select count(*) from commerce.orders where site_id = $1) as orders,
        (select count(*) from commerce.carts where site_id = $1) as carts,
        (select count(*) from commerce.events where site_id = $1) as events,
        (select count(*) from commerce.stock_movements where site_id = $1) as movements,
        (select count(*) from commerce.payments where site_id = $1) as payments,
        (select count(*) from commerce.order_numbers where site_id = $1) as numbers,
        (select count(*) from commerce.order_links where site_id = $1) as links,
        (select count(*) from commerce.product_sales where site_id = $1) as sales,
        (select sum(on_hand * 1000 + reserved) from commerce.variants where site_id = $1) as stock,
        (select count(*) from graphile_worker._private_jobs where payload ->> 'site_id' = $1::text) as jobs`,
      [site_id],
    );
    return rows[0];
  };
  const before = await counts();
  const [first, second] = await Promise.all([shop.dashboard.POST(testOrder), shop.dashboard.POST(testOrder)]);
  for (const { data } of [first, second]) {
    expect(data).toMatchObject({
      test: true,
      order: {
        order_number: '1001',
        status: 'confirmed',
        payment_status: 'paid',
        payment_method: 'card',
        line_items: [{ name: 'Cheap mug', variant_id: variants[0]?.id, quantity: 1 }],
        total: '8.90',
      },
      mails: [
        { template: 'order_placed', to: 'test-order@example.com', subject: expect.stringContaining('1001') },
        { template: 'new_order', to: shop.credentials.staff.email, text: expect.stringContaining('/panel/orders/') },
      ],
    });
    expect(data?.timeline.map(({ type }) => type).sort()).toEqual(['created', 'payment_confirmed']);
    const gone = await shop.dashboard.GET('/api/dashboard/orders/{order_id}', {
      params: { path: { order_id: data?.order.id ?? '' } },
    });
    expect(gone.response.status).toBe(404);
  }
  expect(await counts()).toEqual(before);
  const { id: shipping_option_id } = await shop.givenShippingOption();
  expect((await shop.givenOrder({ shipping_option_id })).order_number).toBe('1001');
});
