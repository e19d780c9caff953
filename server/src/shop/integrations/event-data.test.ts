import type { ProductPatch } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { workJobs } from '../../../test/jobs.ts';
import { openReceiver, waitFor } from '../../../test/receiver.ts';
import { openShop } from '../../../test/shop.ts';
import { fitted } from './event-data.ts';

test('limits event data to 64 KB by truncating long texts, and keeps the fields stored with the event', () => {
  const noted = { id: 'x', name: 'n'.repeat(300) };
  const long = { ...noted, description: 'ö'.repeat(65_000), variants: Array.from({ length: 50 }, (_, n) => ({ n })) };
  const cut = fitted(long, noted);
  expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(64 * 1024);
  expect(cut).toMatchObject({ ...noted, truncated: true, variants: long.variants });
  expect(fitted(noted, noted)).toBe(noted);
});

test('webhooks of staff contain dashboard objects, and webhooks of integrations contain storefront objects', async () => {
  const jobs = await workJobs();
  const shop = await openShop();
  const [staff, integration] = [await openReceiver(), await openReceiver()];
  const register = (events: string[]) =>
    shop.sync.POST('/api/sync/webhook/register', { body: { url: integration.url, events: events as never } });
  expect((await register(['order.created'])).response.status).toBe(422);
  expect((await register(['*'])).response.status).toBe(422);
  const { data: registered } = await register(['product.*', 'inventory.changed']);
  // An earlier version let integrations choose this event.
  await shop.owner.query(`update commerce.webhooks set events = events || '{customer.created}' where id = $1`, [
    registered?.id,
  ]);
  await shop.dashboard.POST('/api/dashboard/webhooks', { body: { url: staff.url, events: ['*'] } });
  await shop.dashboard.PATCH('/api/dashboard/settings', { body: { show_stock: 'never' } });

  const { id: product_id } = await shop.givenProduct({ name: 'Jug', cost_per_item: '3.00' });
  const { variants } = await shop.givenProduct({ name: 'Bowl', inventory_quantity: 9 });
  await shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
    params: { path: { variant_id: variants[0]?.id ?? '' } },
    body: { delta: -9, reason: 'lost' },
  });
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com', first_name: 'June' } });
  const values = Array.from({ length: 60 }, (_, n) => `Size ${n}`);
  await shop.givenProduct({
    name: 'Shirt',
    description: 'x'.repeat(65_000),
    options: [{ name: 'Size', values }],
    variants: values.map((option1) => ({ option1, price: '5.00' })),
  });
  const order = await shop.givenOrder({
    content: [{ variant_id: (await shop.givenProduct()).variants[0]?.id ?? '', quantity: 1 }],
  });

  const told = async (
    receiver: typeof staff,
    type: string,
    of: (data: Record<string, unknown>) => boolean = () => true,
  ) => {
    let found: Record<string, unknown> | undefined;
    await waitFor(async () => {
      found = receiver.received.find(({ event }) => event.type === type && of(event.data))?.event.data;
      return found !== undefined;
    });
    return found ?? {};
  };
  expect(await told(staff, 'order.created')).toMatchObject({
    id: order.id,
    order_number: order.order_number,
    reference: null,
    line_items: [{ quantity: 1 }],
    shipping_address: { city: 'Berlin' },
    payment: { status: 'awaiting_payment' },
  });
  expect(await told(staff, 'product.created', ({ id }) => id === product_id)).toMatchObject({
    cost_per_item: '3.00',
    total_inventory: 10,
  });
  expect(await told(integration, 'product.created', ({ id }) => id === product_id)).toMatchObject({
    name: 'Jug',
    cost_per_item: null,
    variants: [{ inventory_quantity: 1 }],
  });
  expect(await told(staff, 'inventory.changed')).toMatchObject({
    product_name: 'Bowl',
    on_hand: 0,
    previous_quantity: 9,
  });
  expect(await told(integration, 'inventory.changed')).toMatchObject({
    price: '10.00',
    previous_quantity: 1,
    inventory_quantity: 0,
  });
  expect(await told(staff, 'customer.created')).toMatchObject({ email: 'june@example.com', addresses: [] });
  expect(Object.keys(await told(integration, 'customer.created')).sort()).toEqual(['created_at', 'id']);
  const shirt = await told(staff, 'product.created', ({ name }) => name === 'Shirt');
  expect(shirt).toMatchObject({ truncated: true });
  expect((shirt.variants as unknown[]).length).toBeLessThanOrEqual(50);

  // A replay sends the stored payload, even if the product has changed.
  const { data } = await shop.dashboard.GET('/api/dashboard/webhook-deliveries', {
    params: { query: { type: 'order.created' } },
  });
  const path = { delivery_id: data?.deliveries[0]?.id ?? '' };
  await waitFor(async () => {
    const one = await shop.dashboard.GET('/api/dashboard/webhook-deliveries/{delivery_id}', { params: { path } });
    return one.data?.status === 'succeeded';
  });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path: { order_id: order.id } } });
  await shop.dashboard.POST('/api/dashboard/webhook-deliveries/{delivery_id}/replay', { params: { path } });
  const bodies = () =>
    staff.received.filter(({ event }) => event.type === 'order.created').map(({ body }) => String(body));
  await waitFor(async () => bodies().length === 2);
  expect(bodies()[1]).toBe(bodies()[0]);
  const { data: buyer } = await shop.dashboard.GET('/api/dashboard/customers');
  const customer_id = buyer?.customers[0]?.id ?? '';
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', {
    params: { path: { order_id: order.id } },
    body: { reason: 'customer' },
  });
  await shop.owner.query('update commerce.orders set customer_id = $2 where id = $1', [order.id, customer_id]);
  await waitFor(() => staff.received.some(({ event }) => event.type === 'order.cancelled'));
  const { data: erased } = await shop.dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', {
    params: { path: { customer_id } },
  });
  expect(erased?.anonymized_at).toBeTruthy();
  const { rows } = await shop.owner.query(
    `select 1 from commerce.webhook_deliveries where site_id = $1 and payload ~ 'june@example.com|Lindenallee'`,
    [shop.site_id],
  );
  expect(rows).toEqual([]);
  await Promise.all([staff.close(), integration.close()]);
  await jobs.stop();
});

test('integrations receive events when a public product becomes hidden or is deleted, but none about changes of a hidden one', async () => {
  const shop = await openShop();
  const { dashboard, sync, owner, site_id } = shop;
  // Without a subscriber no event is written.
  await shop.givenProduct({ name: 'Unheard' });
  expect((await owner.query('select from commerce.events where site_id = $1', [site_id])).rowCount).toBe(0);
  const [staff, integration] = [await openReceiver(), await openReceiver()];
  const events = ['product.*', 'inventory.changed'] as const;
  await sync.POST('/api/sync/webhook/register', { body: { url: integration.url, events: [...events] } });
  await dashboard.POST('/api/dashboard/webhooks', { body: { url: staff.url, events: [...events] } });
  await dashboard.PATCH('/api/dashboard/settings', { body: { show_stock: 'never' } });
  const change = (product_id: string, body: ProductPatch) =>
    dashboard.PATCH('/api/dashboard/products/{product_id}', { params: { path: { product_id } }, body });
  const remove = (product_id: string) =>
    dashboard.DELETE('/api/dashboard/products/{product_id}', { params: { path: { product_id } } });
  const lose = (variant_id = '') =>
    dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
      params: { path: { variant_id } },
      body: { delta: -9, reason: 'lost' },
    });

  const draft = await shop.givenProduct({ name: 'Unannounced', status: 'draft' });
  await lose(draft.variants[0]?.id);
  await change(draft.id, { name: 'Still unannounced' });
  const dropped = await shop.givenProduct({ name: 'Dropped', status: 'draft' });
  await remove(dropped.id);
  const later = await shop.givenProduct({ name: 'Later', published_at: '2096-01-01T00:00:00Z' });
  const seen = await shop.givenProduct({ name: 'Seen' });
  await lose(seen.variants[0]?.id);
  await change(seen.id, { status: 'archived' });
  await change(seen.id, { name: 'Renamed in secret' });
  await remove(seen.id);
  await change(draft.id, { name: 'Announced', status: 'active' });

  const jobs = await workJobs();
  const told = ({ received }: typeof staff, id: string) =>
    received.filter(({ event: { data } }) => [data.id, data.product_id].includes(id)).map(({ event }) => event);
  const typesOf = (receiver: typeof staff, id: string) =>
    told(receiver, id)
      .map(({ type }) => type)
      .sort();
  const pending = async () =>
    (await owner.query(`select from commerce.webhook_deliveries where site_id = $1 and status = 'pending'`, [site_id]))
      .rowCount;
  await waitFor(async () => (await pending()) === 0);

  expect(typesOf(staff, draft.id)).toEqual([
    'inventory.changed',
    'product.created',
    ...Array(2).fill('product.updated'),
  ]);
  expect(typesOf(staff, later.id)).toEqual(['product.created']);
  // The first event is the change that made the product public.
  expect(told(integration, draft.id)).toMatchObject([{ type: 'product.updated', data: { name: 'Announced' } }]);
  for (const { id } of [dropped, later]) expect([id, typesOf(integration, id)]).toEqual([id, []]);
  expect(typesOf(integration, seen.id)).toEqual([
    'inventory.changed',
    'product.created',
    'product.deleted',
    'product.updated',
  ]);
  expect(JSON.stringify(integration.received.map(({ event }) => event))).not.toMatch(/Still unannounced|in secret/);
  // The product was hidden before the delivery. So the event contains no price, and only as much of the stock as the
  // shop shows.
  const stock = told(integration, seen.id).find(({ type }) => type === 'inventory.changed')?.data;
  expect(stock).toMatchObject({ previous_quantity: 1, inventory_quantity: 1 });
  expect(stock).not.toHaveProperty('price');
  await Promise.all([staff.close(), integration.close(), jobs.stop()]);
});
