/** Events contain a resource of the shop, so only keys that may read the resource can receive them. */

import { randomUUID } from 'node:crypto';
import { createDashboardClient } from '@commerce-backend/sdk';
import type { ApiKeyScope } from '@commerce-backend/spec';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workJobs } from '../../test/jobs.ts';
import { openReceiver } from '../../test/receiver.ts';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';

let jobs: Awaited<ReturnType<typeof workJobs>>;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
beforeAll(async () => {
  jobs = await workJobs();
  receiver = await openReceiver();
});
afterAll(async () => {
  await jobs.stop();
  await receiver.close();
});

const WEBHOOKS = '/api/dashboard/webhooks';
const ONE = '/api/dashboard/webhooks/{webhook_id}';

async function openShopWithKey(scopes: ApiKeyScope[]) {
  const opened = await openShop();
  const { staff } = await logIn(opened);
  const shop = { ...opened, dashboard: staff };
  const { data: key } = await staff.POST('/api/dashboard/api-keys', {
    body: { description: 'Integration', scopes },
  });
  const client = createDashboardClient({ baseUrl: shop.baseUrl, apiKey: key?.secret ?? '', maxAttempts: 1 });
  return { ...shop, key_id: key?.id ?? '', client };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/**
 * Creates a customer and then a product, and waits for these events, which may arrive in any order. Returns the types
 * of all events that were received until then.
 */
async function typesSent(
  { dashboard, givenProduct, site_id }: Shop,
  awaited: string[] = ['product.created'],
): Promise<string[]> {
  const before = receiver.received.length;
  await dashboard.POST('/api/dashboard/customers', { body: { email: `${randomUUID()}@example.com` } });
  await givenProduct();
  const ofShop = () =>
    receiver.received.slice(before).flatMap(({ event }) => {
      const { type, site_id: from } = event as typeof event & { site_id: string };
      return from === site_id ? [type] : [];
    });
  await expect.poll(ofShop, { timeout: 20_000 }).toEqual(expect.arrayContaining(awaited));
  return ofShop();
}

test('an API key cannot subscribe to events whose resource it may not read (403)', async () => {
  const { client, dashboard } = await openShopWithKey(['webhooks:write', 'webhooks:read', 'products:read']);
  const { url } = receiver;

  for (const events of [
    ['order.paid'],
    ['order.*'],
    ['customer.created'],
    ['agent.*'],
    ['inventory.changed'],
  ] as const) {
    const { error } = await client.POST(WEBHOOKS, { body: { url, events: [...events] } });
    expect(error, events[0]).toMatchObject({ error: 'insufficient_scope' });
  }
  const listener = await client.POST('/api/dashboard/events/listeners', { body: { events: ['order.*'] } });
  const { data: ofOwner } = await dashboard.POST(WEBHOOKS, { body: { url, events: ['order.*'] } });
  const path = { webhook_id: ofOwner?.id ?? '' };
  const moved = await client.PATCH(ONE, { params: { path }, body: { url: `${url}/elsewhere` } });
  const { data: made } = await client.POST(WEBHOOKS, { body: { url, events: ['product.*'] } });
  const widened = await client.PATCH(ONE, {
    params: { path: { webhook_id: made?.id ?? '' } },
    body: { events: ['product.*', 'order.*'] },
  });

  for (const { error } of [listener, moved, widened]) {
    expect(error).toMatchObject({ error: 'insufficient_scope', scope: 'orders:read' });
  }
  expect((await dashboard.GET(ONE, { params: { path } })).data).toMatchObject({ url, withheld_events: [] });
});

test('a webhook for all events gets only events that its API key may read, and none after the key is revoked', async () => {
  const shop = await openShopWithKey(['webhooks:write', 'products:read']);
  const { data: made } = await shop.client.POST(WEBHOOKS, { body: { url: receiver.url, events: ['*'] } });
  const path = { webhook_id: made?.id ?? '' };

  expect(made?.withheld_events).toEqual([
    ...['inventory.*', 'order.*', 'return.*', 'document.*', 'customer.*', 'agent.*'],
  ]);
  expect(await typesSent(shop)).toEqual(['product.created']);
  const { data: log } = await shop.dashboard.GET('/api/dashboard/webhook-deliveries');
  expect(log?.deliveries.map(({ type }) => type)).toEqual(['product.created']);

  await shop.dashboard.DELETE('/api/dashboard/api-keys/{api_key_id}', {
    params: { path: { api_key_id: shop.key_id } },
  });
  const { data: revoked } = await shop.dashboard.GET(ONE, { params: { path } });
  expect(revoked?.withheld_events).toContain('product.*');
  // A staff member who may read these events changes the webhook, and thereby becomes its author.
  await shop.dashboard.PATCH(ONE, { params: { path }, body: { events: ['*'] } });
  const both = ['customer.created', 'product.created'];
  expect(await typesSent(shop, both)).toEqual(expect.arrayContaining(both));
});

test('rotating the API key that created a webhook withholds no events from the webhook', async () => {
  const shop = await openShopWithKey(['webhooks:write', 'products:read']);
  const { data: made } = await shop.client.POST(WEBHOOKS, { body: { url: receiver.url, events: ['product.*'] } });

  await shop.dashboard.POST('/api/dashboard/api-keys/{api_key_id}/rotate', {
    ...{ params: { path: { api_key_id: shop.key_id } }, body: { grace_hours: 0 } },
  });

  const { data } = await shop.dashboard.GET(ONE, { params: { path: { webhook_id: made?.id ?? '' } } });
  expect(data?.withheld_events).toEqual([]);
});

test('shows the payload of an event only to callers that may read its resource', async () => {
  const shop = await openShopWithKey(['webhooks:read', 'webhooks:write', 'products:read']);
  await shop.dashboard.POST(WEBHOOKS, { body: { url: receiver.url, events: ['customer.*', 'product.*'] } });
  const { data: listener } = await shop.dashboard.POST('/api/dashboard/events/listeners', { body: { events: ['*'] } });
  await typesSent(shop);
  const { data: log } = await shop.client.GET('/api/dashboard/webhook-deliveries');
  const detail = (type: string, client: Shop['dashboard']) => {
    const delivery_id = log?.deliveries.find((one) => one.type === type)?.id ?? '';
    return client.GET('/api/dashboard/webhook-deliveries/{delivery_id}', { params: { path: { delivery_id } } });
  };
  const heard = async (client: Shop['dashboard']) => {
    const path = { listener_id: listener?.id ?? '' };
    const { data } = await client.GET('/api/dashboard/events/listeners/{listener_id}', { params: { path } });
    return [...new Set(data?.events.map(({ payload }) => payload.type))].sort();
  };

  expect((await detail('customer.created', shop.client)).error).toMatchObject({ scope: 'customers:read' });
  expect((await detail('product.created', shop.client)).data).toMatchObject({ type: 'product.created' });
  expect((await detail('customer.created', shop.dashboard)).data).toMatchObject({ type: 'customer.created' });
  // An event waits until all transactions that began before it have ended, including those of other tests.
  await expect.poll(() => heard(shop.client), { timeout: 20_000 }).toEqual(['product.created']);
  await expect.poll(() => heard(shop.dashboard), { timeout: 20_000 }).toContain('customer.created');
});
