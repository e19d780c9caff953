import type { EventType } from '@commerce-backend/spec';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workJobs } from '../../test/jobs.ts';
import { openReceiver, waitFor } from '../../test/receiver.ts';
import { openShop } from '../../test/shop.ts';
import type { Jobs } from './run.ts';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

let jobs: Jobs;
beforeAll(async () => {
  jobs = await workJobs();
});
afterAll(() => jobs.stop());

async function givenWebhook({ dashboard }: OpenShop, url: string, events: EventType[]) {
  const { data, error } = await dashboard.POST('/api/dashboard/webhooks', { body: { url, events } });
  if (!data) throw new Error(`The webhook was refused: ${JSON.stringify(error)}`);
  return data;
}

async function deliveriesOf({ dashboard }: OpenShop) {
  const { data } = await dashboard.GET('/api/dashboard/webhook-deliveries');
  return data?.deliveries ?? [];
}

/** As if the time of the next attempt had come. */
async function hurry({ owner, site_id }: OpenShop) {
  await owner.query(
    `update graphile_worker._private_jobs set run_at = now() where payload->>'site_id' = $1 and locked_at is null`,
    [site_id],
  );
  await owner.query(`notify "jobs:insert", '{"count":50}'`);
}

test('every change of an order is told, signed so that another implementation of Standard Webhooks accepts it', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  const types: EventType[] = ['order.created', 'order.paid', 'order.fulfilled', 'order.delivered'];
  const { secret } = await givenWebhook(shop, receiver.url, types);

  const order = await shop.givenOrder();
  const path = { order_id: order.id };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params: { path } });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/fulfillments', { params: { path }, body: {} });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-delivered', { params: { path } });

  const received = await receiver.until(4);
  expect(received.map(({ event }) => event.type).sort()).toEqual([...types].sort());
  const judge = new Webhook(secret);
  for (const { body, headers } of received) {
    expect(judge.verify(body, headers as Record<string, string>)).toMatchObject({ data: { id: order.id } });
  }
  await waitFor(async () => (await deliveriesOf(shop)).every(({ status }) => status === 'succeeded'));
  await receiver.close();
});

test('a product is told once per change, and a refused change not at all', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  await givenWebhook(shop, receiver.url, ['product.created', 'product.updated', 'product.deleted']);

  const { id } = await shop.givenProduct({ name: 'Jug' });
  const params = { path: { product_id: id } };
  await shop.dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { name: 'Big jug' } });
  await shop.dashboard.POST('/api/dashboard/products', {
    body: { name: 'No jug', price: '1.00', compare_at_price: '0.50' },
  });
  await shop.dashboard.DELETE('/api/dashboard/products/{product_id}', { params });

  const told = (await receiver.until(3)).map(({ event }) => [event.type, event.data.name ?? event.data.slug]);
  expect(told.sort()).toEqual([
    ['product.created', 'Jug'],
    ['product.deleted', 'jug'],
    ['product.updated', 'Big jug'],
  ]);
  expect(await deliveriesOf(shop)).toHaveLength(3);
  await receiver.close();
});

test('stock is told when it changes significantly, and not otherwise', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  await givenWebhook(shop, receiver.url, ['inventory.changed']);
  const { variants } = await shop.givenProduct({ inventory_quantity: 100 });
  const variant_id = variants[0]?.id ?? '';
  const set = (delta: number) =>
    shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
      params: { path: { variant_id } },
      body: { delta, reason: 'correction' as const },
    });

  await set(-19); // Less than a fifth.
  await set(-41);
  await set(-36);
  await set(-4);
  await set(2);

  const told = (await receiver.until(4)).map(({ event }) => event.data);
  const byQuantity = told.sort((a, b) => Number(b.previous_quantity) - Number(a.previous_quantity));
  expect(byQuantity).toMatchObject([
    { previous_quantity: 81, inventory_quantity: 40, available: true, reasons: ['amount'] },
    { previous_quantity: 40, inventory_quantity: 4, available: true, reasons: ['low_stock', 'amount'] },
    { previous_quantity: 4, inventory_quantity: 0, available: false, reasons: ['availability'] },
    { previous_quantity: 0, inventory_quantity: 2, available: true, reasons: ['availability'] },
  ]);
  expect(await deliveriesOf(shop)).toHaveLength(4);
  await receiver.close();
});

test('what fails is tried again under the same id, until it is taken', async () => {
  const shop = await openShop();
  const receiver = await openReceiver((_received, count) => (count < 3 ? 500 : 200));
  const { id } = await givenWebhook(shop, receiver.url, ['customer.created']);
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });

  await receiver.until(1);
  await waitFor(async () => (await deliveriesOf(shop))[0]?.attempts_count === 1);
  const [waiting] = await deliveriesOf(shop);
  const wait = Date.parse(waiting?.next_attempt_at ?? '') - Date.now();
  expect(waiting).toMatchObject({ status: 'pending', response_status: 500 });
  expect(wait).toBeLessThan(5_600);
  await hurry(shop);
  await receiver.until(2);
  await waitFor(async () => (await deliveriesOf(shop))[0]?.attempts_count === 2);
  await hurry(shop);
  await receiver.until(3);

  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  await waitFor(async () => (await deliveriesOf(shop))[0]?.status === 'succeeded');
  const { data } = await shop.dashboard.GET('/api/dashboard/webhook-deliveries/{delivery_id}', {
    params: { path: { delivery_id: waiting?.id ?? '' } },
  });
  expect(data?.attempts.map(({ outcome, response_status }) => [outcome, response_status])).toEqual([
    ['refused', 500],
    ['refused', 500],
    ['succeeded', 200],
  ]);
  const { data: webhook } = await shop.dashboard.GET('/api/dashboard/webhooks/{webhook_id}', {
    params: { path: { webhook_id: id } },
  });
  expect(webhook).toMatchObject({ failing_since: null, status: 'active' });
  await receiver.close();
});

test('410 disables the webhook, gives up what waits for it, and tells the staff', async () => {
  const shop = await openShop();
  const receiver = await openReceiver(() => 410);
  const { id } = await givenWebhook(shop, receiver.url, ['customer.created']);
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });

  const params = { path: { webhook_id: id } };
  const current = async () => (await shop.dashboard.GET('/api/dashboard/webhooks/{webhook_id}', { params })).data;
  await waitFor(async () => (await current())?.status === 'disabled');
  expect(await current()).toMatchObject({ disabled_reason: 'gone' });
  expect(await deliveriesOf(shop)).toMatchObject([{ status: 'failed', next_attempt_at: null }]);
  await receiver.close();
});

test('Retry-After is waited for, an hour at most, and a redirect is a failure that is not followed', async () => {
  const shop = await openShop();
  const other = await openReceiver();
  const receiver = await openReceiver((_received, count) =>
    count === 1 ? [429, { 'Retry-After': '90000' }] : [302, { Location: other.url }],
  );
  await givenWebhook(shop, receiver.url, ['customer.created']);
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });
  await waitFor(async () => (await deliveriesOf(shop))[0]?.response_status === 429);
  const [waiting] = await deliveriesOf(shop);
  const wait = (Date.parse(waiting?.next_attempt_at ?? '') - Date.parse(waiting?.created_at ?? '')) / 1000;
  expect(wait).toBeGreaterThan(3_590);
  expect(wait).toBeLessThan(3_660);

  await hurry(shop);
  await waitFor(async () => (await deliveriesOf(shop))[0]?.response_status === 302);
  expect(other.received).toEqual([]);
  await Promise.all([receiver.close(), other.close()]);
});

test('during a rotation each delivery is signed with both secrets, and a second rotation has to wait', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  const { id, secret } = await givenWebhook(shop, receiver.url, ['customer.created']);
  const params = { path: { webhook_id: id } };
  const { data: rotated } = await shop.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/rotate', { params });
  const { response } = await shop.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/rotate', { params });
  expect(response.status).toBe(409);

  await shop.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/test', { params });
  const [ping] = await receiver.until(1);
  for (const one of [secret, rotated?.secret ?? '']) {
    const headers = ping?.headers as Record<string, string>;
    expect(new Webhook(one).verify(ping?.body ?? '', headers)).toMatchObject({ type: 'webhook.ping' });
  }
  await receiver.close();
});

test('a replay sends the same event under the same id', async () => {
  const shop = await openShop();
  const receiver = await openReceiver((_received, count) => (count === 1 ? 410 : 204));
  const { id } = await givenWebhook(shop, receiver.url, ['customer.created']);
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });
  await waitFor(async () => (await deliveriesOf(shop))[0]?.status === 'failed');
  const since = new Date(Date.now() - 60_000).toISOString();
  const replayFailed = () =>
    shop.dashboard.POST('/api/dashboard/webhook-deliveries/replay-failed', { body: { since } });
  expect((await replayFailed()).data).toEqual({ replayed: 0 });

  await shop.dashboard.PATCH('/api/dashboard/webhooks/{webhook_id}', {
    params: { path: { webhook_id: id } },
    body: { status: 'active' },
  });
  expect((await replayFailed()).data).toEqual({ replayed: 1 });
  const [first, second] = await receiver.until(2);
  expect(second?.body).toBe(first?.body);
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  await receiver.close();
});

test('receivers that do not answer delay no other tenant', async () => {
  const shop = await openShop();
  const neighbour = await openShop();
  const deaf = await openReceiver(() => undefined);
  const receiver = await openReceiver();
  for (let i = 0; i < 60; i += 1) await givenWebhook(shop, `${deaf.url}/${i}`, ['customer.created']);
  await givenWebhook(neighbour, receiver.url, ['customer.created']);

  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });
  await deaf.until(20);
  await neighbour.dashboard.POST('/api/dashboard/customers', { body: { email: 'june@example.com' } });
  await receiver.until(1);
  expect(deaf.received).toHaveLength(20);
  await Promise.all([receiver.close(), deaf.close()]);
});
