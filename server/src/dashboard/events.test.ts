import { createDashboardClient } from '@commerce-backend/sdk';
import type { EventType } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { startServer, stopServer } from '../../test/server.ts';
import { openShop, tenantOf } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { Connection } from '../db/connect.ts';
import { notePublication } from '../jobs/note-publication.ts';
import { Shop, SYSTEM } from '../shop/shop.ts';
import * as deliveries from '../shop/webhooks/deliveries.ts';

const product = '/api/dashboard/products/{product_id}';
const images = '/api/dashboard/products/{product_id}/images';
const image = '/api/dashboard/products/{product_id}/images/{image_id}';
const variant = '/api/dashboard/products/{product_id}/variants/{variant_id}';
const option = '/api/dashboard/products/{product_id}/options/{option_id}';
const oneWebhook = '/api/dashboard/webhooks/{webhook_id}';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

/** Opens a shop with a webhook for these event types, and returns a function that reads the events written so far. */
async function givenSubscriber(...events: EventType[]) {
  const shop = await openShop();
  const url = 'https://hooks.example.net/shop';
  const { data } = await shop.dashboard.POST('/api/dashboard/webhooks', { body: { url, events } });
  if (!data) throw new Error('The webhook was refused.');
  return { ...shop, webhook_id: data.id, told: () => toldBy(shop) };
}

async function toldBy({ owner, site_id }: OpenShop): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const { rows } = await owner.query<{ payload: string }>(
    'select payload from commerce.events where site_id = $1 order by made_in, id',
    [site_id],
  );
  return rows.map(({ payload }) => JSON.parse(payload));
}

async function setStatus({ dashboard }: OpenShop, webhook_id: string, status: 'active' | 'disabled') {
  await dashboard.PATCH(oneWebhook, { params: { path: { webhook_id } }, body: { status } });
}

function replayFailed({ dashboard }: OpenShop) {
  const since = new Date(Date.now() - 60_000).toISOString();
  return dashboard.POST('/api/dashboard/webhook-deliveries/replay-failed', { body: { since } });
}

test('reports a changed image as a product change, and ignores a request that changes nothing', async () => {
  const shop = await givenSubscriber('product.updated');
  const { id: product_id } = await shop.givenProduct();
  const path = { product_id };
  const add = (url: string) => shop.dashboard.POST(images, { params: { path }, body: { url } });
  await add('https://shop.example/front.jpg');
  const { data } = await add('https://shop.example/back.jpg');
  const image_id = data?.images[1]?.id ?? '';
  expect(await shop.told()).toHaveLength(2);

  const patch = (body: { alt?: string; position?: number }) =>
    shop.dashboard.PATCH(image, { params: { path: { product_id, image_id } }, body });
  const { data: described } = await patch({ alt: 'The back' });
  expect(Date.parse(described?.updated_at ?? '')).toBeGreaterThan(Date.parse(data?.updated_at ?? ''));
  await patch({ position: 1 });
  expect(await shop.told()).toHaveLength(4);
  const { data: same } = await patch({ alt: 'The back', position: 1 });
  expect(same?.updated_at).toBe((await shop.told()).at(-1)?.data.updated_at);
  expect(await shop.told()).toHaveLength(4);

  await shop.dashboard.DELETE(image, { params: { path: { product_id, image_id } } });
  expect(await shop.told()).toHaveLength(5);
});

test('reports changes of a product, its variants and its options, and ignores requests that change nothing', async () => {
  const shop = await givenSubscriber('product.updated');
  const before = await shop.givenProduct({
    ...{ name: 'Jug', price: '14.00', compare_at_price: '18.00', tags: ['clay'], vendor: 'Alder' },
    options: [{ name: 'Colour', values: ['Slate', 'Oat'] }],
    variants: [{ option1: 'Slate', sku: 'JUG-S', price: '14.00', compare_at_price: '18.00' }],
  });
  const product_id = before.id;
  const variant_id = before.variants[0]?.id ?? '';
  const option_id = before.options[0]?.id ?? '';
  const inProduct = { params: { path: { product_id } } };
  const inVariant = { params: { path: { product_id, variant_id } } };
  const inOption = { params: { path: { product_id, option_id } } };

  const same = { name: 'Jug', tags: ['clay'], vendor: 'Alder', status: 'active' as const, track_inventory: true };
  const answers = [
    await shop.dashboard.PATCH(product, { ...inProduct, body: same }),
    await shop.dashboard.PATCH(variant, { ...inVariant, body: { price: '14', option1: 'Slate', position: 1 } }),
    await shop.dashboard.PATCH(option, { ...inOption, body: { name: 'Colour', values: ['Slate', 'Oat'] } }),
  ];
  expect(answers.map(({ response }) => response.status)).toEqual([200, 200, 200]);
  expect((await shop.dashboard.GET(product, inProduct)).data).toEqual(before);
  expect(await shop.told()).toEqual([]);

  await shop.dashboard.PATCH(product, { ...inProduct, body: { vendor: null } });
  await shop.dashboard.PATCH(variant, { ...inVariant, body: { price: '15.00' } });
  await shop.dashboard.PATCH(variant, { ...inVariant, body: { option1: 'Oat' } });
  await shop.dashboard.PATCH(option, { ...inOption, body: { name: 'Glaze' } });
  expect(await shop.told()).toHaveLength(4);
});

test('a sale sends no product.updated', async () => {
  const shop = await givenSubscriber('product.updated', 'order.created');
  await shop.givenOrder();
  expect((await shop.told()).map(({ type }) => type)).toEqual(['order.created']);
});

test('sends inventory.changed when a checkout reserves the last item, but not when an expired reservation moves to another checkout', async () => {
  const shop = await givenSubscriber('inventory.changed');
  const { variants } = await shop.givenProduct({ inventory_quantity: 1 });
  const content = [{ variant_id: variants[0]?.id ?? '', quantity: 1 }];
  const [early, late] = [await shop.givenCart(content), await shop.givenCart(content)];
  const { id } = await shop.givenCheckout({ cart_id: early.id });
  const lastPiece = { previous_quantity: 1, inventory_quantity: 0, reasons: ['availability', 'low_stock'] };
  const soldOut = (await shop.told()).map(({ data }) => data);
  expect(soldOut).toMatchObject([{ ...lastPiece, reasons: expect.arrayContaining(['availability']) }]);

  await shop.owner.query('update commerce.checkouts set reserved_until = now() where id = $1', [id]);
  await shop.givenCheckout({ cart_id: late.id });
  const { rows } = await shop.owner.query(
    'select count(distinct checkout_id)::int as released from commerce.stock_reservations where checkout_id = $1',
    [id],
  );
  expect(rows).toEqual([{ released: 0 }]);
  expect(await shop.told()).toHaveLength(1);
});

test('sends product.updated once when the publication time of a product arrives', async () => {
  const shop = await givenSubscriber('product.updated');
  const { id } = await shop.givenProduct({ published_at: new Date(Date.now() + 60_000).toISOString() });
  const note = () => notePublication(shop.db)({ site_id: shop.site_id, product_id: id });
  await note();
  expect(await shop.told()).toEqual([]);

  await shop.owner.query('update commerce.products set published_at = now() where id = $1', [id]);
  await note();
  await note();
  expect(await shop.told()).toMatchObject([{ type: 'product.updated', data: { id, status: 'active' } }]);
});

test('a change of a customer or their address book sends one customer.updated and no other event', async () => {
  const shop = await givenSubscriber('customer.updated');
  const { client, id, password } = await shop.givenCustomer();
  const at = { params: { path: { customer_id: id } } };
  const events = async () => (await shop.told()).map(({ type, data }) => [type, data.id]);
  const before = (await events()).length;
  const made = await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'new@example.com' } });
  expect(await events()).toHaveLength(before);

  await shop.dashboard.PATCH('/api/dashboard/customers/{customer_id}', { ...at, body: { note: 'Calls first.' } });
  await shop.dashboard.PATCH('/api/dashboard/customers/{customer_id}', { ...at, body: { note: 'Calls first.' } });
  expect(await events()).toHaveLength(before + 1);
  await client.POST('/api/storefront/customer/me/addresses', {
    body: { last_name: 'Okafor', address1: 'Lindenallee 7', city: 'Berlin', postal_code: '10115', country: 'DE' },
  });
  expect((await events()).slice(before)).toEqual([
    ['customer.updated', id],
    ['customer.updated', id],
  ]);
  await client.POST('/api/storefront/customer/me/password', {
    body: { current_password: password, new_password: 'another correct horse' },
  });
  await shop.dashboard.POST('/api/dashboard/customers/{customer_id}/anonymize', {
    params: { path: { customer_id: made.data?.id ?? '' } },
  });
  expect(await events()).toHaveLength(before + 2);
});

test('events are stored as failed deliveries while a webhook is disabled, and can be replayed once it is active', async () => {
  const shop = await givenSubscriber('customer.created');
  await setStatus(shop, shop.webhook_id, 'disabled');
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });

  const kept = async () => (await shop.dashboard.GET('/api/dashboard/webhook-deliveries')).data?.deliveries;
  expect(await kept()).toMatchObject([{ type: 'customer.created', status: 'failed', attempts_count: 0 }]);
  expect((await replayFailed(shop)).data).toEqual({ replayed: 0, remaining: 0 });
  const { data: triggered } = await shop.dashboard.POST('/api/dashboard/events/trigger', {
    body: { type: 'customer.created' },
  });
  expect(triggered).toMatchObject({ webhooks_count: 0 });

  await setStatus(shop, shop.webhook_id, 'active');
  expect((await replayFailed(shop)).data).toEqual({ replayed: 2, remaining: 0 });
});

test('replays 2,500 failed deliveries in batches, each delivery once', async () => {
  const shop = await givenSubscriber('customer.created');
  const { site_id } = shop;
  const since = new Date(Date.now() - 60_000).toISOString();
  // The transaction is rolled back, so that its job does not occupy the workers of another test.
  const client = await shop.owner.connect();
  try {
    await client.query('begin');
    await client.query('set local search_path = commerce, public');
    await client.query(
      `with made as (
          insert into events (site_id, id, type, payload)
          select $1, uuid_v7(), 'customer.created', '{}' from generate_series(1, 2500) returning id
        )
        insert into webhook_deliveries (site_id, id, webhook_id, event_id, type, status, next_attempt_at, completed_at)
        select $1, uuid_v7(), $2, id, 'customer.created', 'failed', null, now() from made`,
      [site_id, shop.webhook_id],
    );
    const inside = new Shop(tenantOf(site_id), SYSTEM, new Connection(client));
    expect(await deliveries.replayFailed(inside, { since })).toEqual({ replayed: 1_000, remaining: 1_500 });
    expect(await deliveries.replayFailed(inside, { since })).toEqual({ replayed: 1_000, remaining: 500 });
    expect(await deliveries.replayFailed(inside, { since })).toEqual({ replayed: 500, remaining: 0 });
    const { rows } = await client.query(
      `select count(*)::int as jobs, count(distinct payload->>'delivery_id')::int as deliveries
        from graphile_worker._private_jobs where payload->>'site_id' = $1`,
      [site_id],
    );
    expect(rows).toEqual([{ jobs: 2_500, deliveries: 2_500 }]);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

/** Opens a shop with an event listener on a server that can drain, and a function that waits for its events. */
async function givenListener() {
  const shop = await openShop();
  const { data } = await shop.dashboard.POST('/api/dashboard/events/listeners', { body: {} });
  const listener_id = data?.id ?? '';
  const readiness = { draining: false };
  const server = await startServer(databaseUrl(), { readiness });
  const client = createDashboardClient({
    baseUrl: server.baseUrl,
    apiKey: shop.credentials.api_key,
    maxAttempts: 1,
  });
  const wait = (wait_seconds: number, signal?: AbortSignal) =>
    client.GET('/api/dashboard/events/listeners/{listener_id}', {
      params: { path: { listener_id }, query: { wait_seconds } },
      ...(signal && { signal }),
    });
  /** Returns a value that changes each time the listener is extended. */
  const version = async () => {
    const { rows } = await shop.owner.query('select xmin from commerce.event_listeners where id = $1', [listener_id]);
    return rows[0]?.xmin;
  };
  return { ...shop, readiness, wait, version, end: () => stopServer(server) };
}

test('a draining process ends its waiting requests, while requests to another process keep waiting', async () => {
  const [listener, other] = [await givenListener(), await givenListener()];
  const leaving = new AbortController();
  setTimeout(() => {
    listener.readiness.draining = true;
  }, 300);
  const elsewhere = other.wait(20, leaving.signal).then(
    () => 'elsewhere',
    () => 'left',
  );
  const first = await Promise.race([listener.wait(20), elsewhere]);
  expect(first).toMatchObject({ data: { events: [] } });
  leaving.abort();
  await Promise.all([listener.end(), other.end()]);
});

test('a waiting request renews its listener only when the request ends, even if the client disconnects', async () => {
  const listener = await givenListener();
  const before = await listener.version();
  const leaving = new AbortController();
  const gone = listener.wait(20, leaving.signal).catch(() => undefined);
  await new Promise((done) => setTimeout(done, 1_500));
  expect(await listener.version()).toBe(before);
  leaving.abort();
  await gone;
  await expect.poll(listener.version, { timeout: 10_000 }).not.toBe(before);
  await listener.end();
});

test('limits a shop to 20 waiting fetches, without affecting immediate fetches and other shops', async () => {
  const [listener, other] = [await givenListener(), await givenListener()];
  const leaving = new AbortController();
  const replies: number[] = [];
  const waits = Array.from({ length: 30 }, () =>
    listener.wait(20, leaving.signal).then(
      ({ response }) => replies.push(response.status),
      () => undefined,
    ),
  );

  await expect.poll(() => replies, { timeout: 10_000 }).toEqual(Array(10).fill(429));
  expect((await listener.wait(0)).response.status).toBe(200);
  expect((await other.wait(1)).response.status).toBe(200);
  leaving.abort();
  await Promise.all(waits);
  await expect.poll(async () => (await listener.wait(1)).response.status, { timeout: 10_000 }).toBe(200);
  await Promise.all([listener.end(), other.end()]);
});
