import { createDashboardClient, createSyncClient } from '@commerce-backend/sdk';
import type { EventPattern } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { openReceiver } from '../../test/receiver.ts';
import { startServer, stopServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { openEgress } from '../egress/post.ts';

const one = '/api/dashboard/webhooks/{webhook_id}';
const url = 'https://hooks.example.net/shop';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function givenWebhook({ dashboard }: OpenShop, events: EventPattern[] = ['order.paid']) {
  const { data } = await dashboard.POST('/api/dashboard/webhooks', { body: { url, events } });
  if (!data) throw new Error('The webhook was refused.');
  return data;
}

function at(webhook_id: string) {
  return { params: { path: { webhook_id } } };
}

test('returns the secret of a webhook once and stores it encrypted', async () => {
  const shop = await openShop();
  const { id, secret } = await givenWebhook(shop);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

  const { data } = await shop.dashboard.GET(one, at(id));
  expect(data).toMatchObject({ id, url, events: ['order.paid'], status: 'active', previous_secret_expires_at: null });
  expect(data).not.toHaveProperty('secret');
  const { rows } = await shop.owner.query('select w::text as row from commerce.webhooks w where id = $1', [id]);
  expect(rows[0]?.row).not.toContain(secret.slice(6, 30));
  expect(rows[0]?.row).not.toContain(Buffer.from(secret).toString('hex'));
});

test('staff see the webhooks that an integration registers, rotates and deletes', async () => {
  const shop = await openShop();
  const { data: registered } = await shop.sync.POST('/api/sync/webhook/register', {
    body: { url, events: ['product.updated'] },
  });
  const { id = '', created_at } = registered ?? {};
  expect((await shop.sync.GET('/api/sync/webhook')).data).toEqual([
    { id, url, events: ['product.updated'], created_at },
  ]);
  expect((await shop.dashboard.GET('/api/dashboard/webhooks')).data).toMatchObject([{ id, status: 'active' }]);

  const path = { webhook_id: id };
  const { data: rotated } = await shop.sync.POST('/api/sync/webhook/{webhook_id}/rotate', { params: { path } });
  expect(rotated?.secret).not.toBe(registered?.secret);
  const { data: ping } = await shop.sync.POST('/api/sync/webhook/{webhook_id}/test', { params: { path } });
  expect(ping).toMatchObject({ webhook_id: id, type: 'webhook.ping', status: 'pending', attempts_count: 1 });
  expect((await shop.sync.DELETE('/api/sync/webhook/{webhook_id}', { params: { path } })).data).toEqual({
    id,
    deleted: true,
  });
  expect((await shop.dashboard.GET('/api/dashboard/webhooks')).data).toEqual([]);
});

test('a sync key can change the webhooks of other sync keys of the shop, but not those of the merchant (404)', async () => {
  const shop = await openShop();
  const { id } = await givenWebhook(shop);
  const params = { path: { webhook_id: id } };
  const refused = [
    await shop.sync.POST('/api/sync/webhook/{webhook_id}/rotate', { params }),
    await shop.sync.POST('/api/sync/webhook/{webhook_id}/test', { params }),
    await shop.sync.DELETE('/api/sync/webhook/{webhook_id}', { params }),
  ];
  expect(refused.map(({ response }) => response.status)).toEqual([404, 404, 404]);
  expect((await shop.dashboard.GET(one, at(id))).data).toMatchObject({ previous_secret_expires_at: null });
  expect((await shop.sync.GET('/api/sync/webhook')).data).toMatchObject([{ id }]);

  const { data: registered } = await shop.sync.POST('/api/sync/webhook/register', {
    body: { url, events: ['product.updated'] },
  });
  const { data: key } = await shop.dashboard.POST('/api/dashboard/sync-keys', { body: { description: 'Second' } });
  const { baseUrl, site_id } = shop;
  const second = createSyncClient({ baseUrl, siteId: site_id, syncSecret: key?.secret ?? '', maxAttempts: 1 });
  const theirs = { params: { path: { webhook_id: registered?.id ?? '' } } };
  expect((await second.POST('/api/sync/webhook/{webhook_id}/rotate', theirs)).response.status).toBe(200);
});

test('a webhook can be changed, disabled and enabled, and its pending deliveries fail while it is disabled', async () => {
  const shop = await openShop();
  const { id } = await givenWebhook(shop);
  await shop.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/test', at(id));

  const { data: off } = await shop.dashboard.PATCH(one, { ...at(id), body: { status: 'disabled' } });
  expect(off).toMatchObject({ status: 'disabled', disabled_reason: 'staff', events: ['order.paid'] });
  const list = () => shop.dashboard.GET('/api/dashboard/webhook-deliveries', { params: { query: { webhook_id: id } } });
  const [given] = (await list()).data?.deliveries ?? [];
  expect(given).toMatchObject({ status: 'failed', next_attempt_at: null });
  const replay = () =>
    shop.dashboard.POST('/api/dashboard/webhook-deliveries/{delivery_id}/replay', {
      params: { path: { delivery_id: given?.id ?? '' } },
    });
  expect((await replay()).error).toMatchObject({ error: 'webhook_disabled' });
  const tested = await shop.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/test', at(id));
  expect(tested.error).toMatchObject({ error: 'webhook_disabled' });

  const { data: on } = await shop.dashboard.PATCH(one, {
    ...at(id),
    body: { status: 'active', events: ['order.created'], description: 'Warehouse' },
  });
  expect(on).toMatchObject({
    status: 'active',
    disabled_reason: null,
    events: ['order.created'],
    description: 'Warehouse',
  });
  expect((await replay()).data).toMatchObject({ status: 'pending' });
  expect((await replay()).error).toMatchObject({ error: 'delivery_pending' });
});

test('only one of two concurrent rotations of a webhook secret succeeds', async () => {
  const shop = await openShop();
  const { id } = await givenWebhook(shop);
  const both = await Promise.all(
    [1, 2].map(() => shop.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/rotate', at(id))),
  );
  expect(both.map(({ response }) => response.status).sort()).toEqual([200, 409]);
  const refused = both.find(({ error }) => error)?.error;
  expect(refused).toMatchObject({ error: 'rotation_in_progress', previous_secret_expires_at: expect.any(String) });
});

test('repeating a registration returns the same secret until the webhook is deleted', async () => {
  const shop = await openShop();
  const request = {
    body: { url, events: ['order.paid' as const] },
    headers: { 'Idempotency-Key': '0192f3a0-0000-7000-8000-00000000beef' },
  };
  const first = await shop.dashboard.POST('/api/dashboard/webhooks', request);
  const second = await shop.dashboard.POST('/api/dashboard/webhooks', request);
  expect(second.data).toEqual(first.data);
  await shop.dashboard.DELETE(one, at(first.data?.id ?? ''));
  expect((await shop.dashboard.POST('/api/dashboard/webhooks', request)).error).toMatchObject({
    error: 'key_not_active',
  });
});

test("returns 404 for another shop's webhooks and deliveries", async () => {
  const [shop, stranger] = await Promise.all([openShop(), openShop()]);
  const { id } = await givenWebhook(shop);
  const { data: ping } = await shop.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/test', at(id));
  const path = { delivery_id: ping?.id ?? '' };
  const answers = await Promise.all([
    stranger.dashboard.GET(one, at(id)),
    stranger.dashboard.PATCH(one, { ...at(id), body: { status: 'disabled' } }),
    stranger.dashboard.DELETE(one, at(id)),
    stranger.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/rotate', at(id)),
    stranger.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/test', at(id)),
    stranger.dashboard.GET('/api/dashboard/webhook-deliveries/{delivery_id}', { params: { path } }),
    stranger.dashboard.POST('/api/dashboard/webhook-deliveries/{delivery_id}/replay', { params: { path } }),
  ]);
  expect(answers.map(({ response }) => response.status)).toEqual([404, 404, 404, 404, 404, 404, 404]);
});

test('in production, rejects registering a webhook URL outside of the public internet', async () => {
  const shop = await openShop();
  const server = await startServer(databaseUrl(), {
    egress: openEgress({ allowPrivate: false, ownHost: 'shop.example.com' }),
  });
  const strict = createDashboardClient({ baseUrl: server.baseUrl, apiKey: shop.credentials.api_key, maxAttempts: 1 });
  for (const refused of [
    'http://hooks.example.net/',
    'https://127.0.0.1/',
    'https://[::ffff:10.0.0.1]/',
    'https://localhost/',
  ]) {
    const body = { url: refused, events: ['order.paid' as const] };
    const { error } = await strict.POST('/api/dashboard/webhooks', { body });
    expect(error).toMatchObject({ detail: [{ loc: ['body', 'url'], type: 'url_refused' }] });
  }
  const { data } = await strict.POST('/api/dashboard/webhooks', { body: { url, events: ['order.paid'] } });
  const patched = await strict.PATCH(one, { ...at(data?.id ?? ''), body: { url: 'https://10.0.0.1/' } });
  expect(patched.response.status).toBe(422);
  await stopServer(server);
});

test('a listener receives all events from its creation on, without losing any between two fetches', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Before' });
  const { data: listener } = await shop.dashboard.POST('/api/dashboard/events/listeners', {
    body: { events: ['product.created'] },
  });
  const listener_id = listener?.id ?? '';
  const fetch = (query: { cursor?: string; limit?: number; wait_seconds?: number }) =>
    shop.dashboard.GET('/api/dashboard/events/listeners/{listener_id}', {
      params: { path: { listener_id }, query },
    });

  const waiting = fetch({ wait_seconds: 20 });
  await shop.givenProduct({ name: 'One' });
  const first = (await waiting).data;
  expect(first?.events.map(({ payload }) => payload.data.name)).toEqual(['One']);
  await Promise.all(['Two', 'Three', 'Four'].map((name) => shop.givenProduct({ name })));
  const rest: unknown[] = [];
  let cursor = first?.next_cursor ?? '';
  for (let pages = 0; pages < 10 && rest.length < 3; pages += 1) {
    const { data } = await fetch({ cursor, limit: 2, wait_seconds: 5 });
    rest.push(...(data?.events ?? []).map(({ payload }) => payload.data.name));
    cursor = data?.next_cursor ?? '';
  }
  expect(rest.sort()).toEqual(['Four', 'Three', 'Two']);

  const params = { path: { listener_id } };
  await shop.dashboard.DELETE('/api/dashboard/events/listeners/{listener_id}', { params });
  expect((await fetch({ cursor })).response.status).toBe(404);
});

test('triggering a test event sends the example of the contract, marked as a test', async () => {
  const shop = await openShop();
  const { id } = await givenWebhook(shop);
  await shop.dashboard.POST('/api/dashboard/events/listeners', { body: {} });
  const { data } = await shop.dashboard.POST('/api/dashboard/events/trigger', { body: { type: 'order.paid' } });
  expect(data).toMatchObject({ webhooks_count: 1, listeners_count: 1, payload: { type: 'order.paid', test: true } });
  const { data: list } = await shop.dashboard.GET('/api/dashboard/webhook-deliveries');
  expect(list?.deliveries).toMatchObject([{ webhook_id: id, event_id: data?.event_id, type: 'order.paid' }]);
});

test("a ping returns the receiver's response without control characters, truncated to 1 KB", async () => {
  const shop = await openShop();
  const said = `no\u0000t to\u001bday ${'é'.repeat(1_000)}`;
  const receiver = await openReceiver(() => [503, {}, said]);
  const { data: webhook } = await shop.dashboard.POST('/api/dashboard/webhooks', {
    body: { url: receiver.url, events: ['order.*'] },
  });
  const { data: ping } = await shop.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/test', at(webhook?.id ?? ''));
  await receiver.close();

  expect(receiver.received.map(({ event }) => event)).toEqual([ping?.payload]);
  expect(ping).toMatchObject({ status: 'pending', attempts_count: 1, response_status: 503 });
  expect(ping?.payload).toMatchObject({ site_id: shop.site_id, data: { webhook_id: webhook?.id } });
  const [attempt] = ping?.attempts ?? [];
  expect(attempt).toMatchObject({ outcome: 'refused', response_status: 503 });
  expect(attempt?.response_body).toMatch(/^not today é+$/);
  expect(Buffer.byteLength(attempt?.response_body ?? '')).toBeLessThanOrEqual(1_024);
  expect(attempt?.response_body?.length).toBeGreaterThan(500);
});

test('a ping to an unreachable receiver returns not_connected, and is scheduled for another attempt', async () => {
  const shop = await openShop();
  const receiver = await openReceiver();
  await receiver.close();
  const { data: webhook } = await shop.dashboard.POST('/api/dashboard/webhooks', {
    body: { url: receiver.url, events: ['order.paid'] },
  });
  const { data: ping } = await shop.dashboard.POST('/api/dashboard/webhooks/{webhook_id}/test', at(webhook?.id ?? ''));
  expect(ping).toMatchObject({ status: 'pending', response_status: null, next_attempt_at: expect.any(String) });
  expect(ping?.attempts).toMatchObject([{ outcome: 'not_connected', response_status: null, response_body: null }]);
});

test.each([
  [['order.*'], ['order.created']],
  [['*'], ['customer.created', 'order.created', 'product.created']],
  [
    ['product.*', 'customer.created'],
    ['customer.created', 'product.created'],
  ],
] as const)('a webhook subscribed to %j receives only events of these types', async (events, told) => {
  const shop = await openShop();
  await givenWebhook(shop, [...events]);
  await shop.givenOrder({});
  await shop.dashboard.POST('/api/dashboard/customers', { body: { email: `someone@${shop.site_id}.example` } });
  const { data } = await shop.dashboard.GET('/api/dashboard/webhook-deliveries');
  const types = new Set(data?.deliveries.map(({ type }) => type));
  const counted = ['customer.created', 'order.created', 'order.paid', 'product.created'] as const;
  expect(counted.filter((type) => types.has(type))).toEqual(told);
});
