import { createSyncClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';

const products = '/api/sync/products';
const inventory = '/api/sync/inventory';
const keys = '/api/dashboard/sync-keys';

/** Opens a shop with a sync key that has write access. */
async function openWarehouse() {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const { data: key } = await staff.POST(keys, { body: { description: 'Warehouse', scopes: ['write'] } });
  const { baseUrl, site_id } = shop;
  const syncSecret = key?.secret ?? '';
  return { ...shop, staff, key, warehouse: createSyncClient({ baseUrl, siteId: site_id, syncSecret, maxAttempts: 1 }) };
}

test('a sync key without the write scope can read products, but cannot change products or stock (403 insufficient_scope)', async () => {
  const { sync, staff, key, warehouse, baseUrl } = await openWarehouse();
  expect(key?.scopes).toEqual(['read', 'write']);
  const { data: listed } = await staff.GET(keys);
  expect(listed?.map(({ scopes }) => scopes)).toEqual([['read', 'write'], ['read']]);

  const body = { products: [{ name: 'Mug', slug: 'mug', price: '14.00' }] };
  const refused = [
    await sync.POST(products, { body }),
    await sync.POST(inventory, { body: { items: [{ sku: 'MUG', inventory_quantity: 1 }] } }),
  ];
  expect(refused.map(({ response, error }) => [response.status, error?.error])).toEqual([
    [403, 'insufficient_scope'],
    [403, 'insufficient_scope'],
  ]);
  expect(refused[0]?.error).toMatchObject({
    ...{ error: 'insufficient_scope', scope: 'write', held: ['read'] },
    message: 'This sync key may only read. Create one with the scope write.',
  });
  expect((await sync.GET(products)).response.status).toBe(200);
  expect((await warehouse.POST(products, { body })).data?.counts.created).toBe(1);

  const { data: minter } = await staff.POST('/api/dashboard/api-keys', {
    body: { description: 'Keys only', scopes: ['keys:write'] },
  });
  const answer = await fetch(`${baseUrl}${keys}`, {
    method: 'POST',
    headers: {
      'X-API-Key': minter?.secret ?? '',
      'Content-Type': 'application/json',
      'Idempotency-Key': crypto.randomUUID(),
    },
    body: JSON.stringify({ description: 'More than its own', scopes: ['write'] }),
  });
  expect(answer.status).toBe(403);
});

test('a sync key changes products and stock like the dashboard, and a repeated call changes nothing', async () => {
  const { warehouse, dashboard, givenCheckout } = await openWarehouse();
  const rows = [
    { name: 'Mug', slug: 'mug', status: 'active' as const, price: '14.00', sku: 'MUG', inventory_quantity: 5 },
    { name: 'Bad', slug: 'bad', price: 'fourteen' },
  ];
  const upsert = async (price: string) => {
    const body = { products: [{ ...rows[0], price }, rows[1]] as typeof rows };
    return (await warehouse.POST(products, { body })).data?.counts;
  };
  expect(await upsert('14.00')).toEqual({ created: 1, updated: 0, unchanged: 0, failed: 1 });
  expect(await upsert('14.00')).toEqual({ created: 0, updated: 0, unchanged: 1, failed: 1 });
  expect(await upsert('15.00')).toEqual({ created: 0, updated: 1, unchanged: 0, failed: 1 });

  const { data: stock } = await dashboard.GET('/api/dashboard/inventory', { params: { query: { q: 'MUG' } } });
  const variant_id = stock?.inventory[0]?.variant_id ?? '';
  await givenCheckout({ content: [{ variant_id, quantity: 2 }] });
  const set = async () => {
    const items = [
      { sku: 'MUG', inventory_quantity: 9 },
      { variant_id, inventory_quantity: -4 },
      { sku: 'NONE', inventory_quantity: 1 },
    ];
    return (await warehouse.POST(inventory, { body: { items } })).data?.results;
  };
  const outcome = (results: Awaited<ReturnType<typeof set>>) =>
    results?.map(({ status, reason, inventory_quantity }) => [status, reason, inventory_quantity]);
  expect(outcome(await set())).toEqual([
    ['adjusted', null, 9],
    ['failed', 'insufficient_stock', 9],
    ['failed', 'not_found', null],
  ]);
  expect(outcome(await set())?.[0]).toEqual(['unchanged', null, 9]);
  const { data: told } = await dashboard.GET('/api/dashboard/inventory/{variant_id}/movements', {
    params: { path: { variant_id } },
  });
  expect(told?.movements[0]).toMatchObject({ type: 'sync', delta: 6, on_hand_after: 11, reserved_after: 2 });
});

test('rotates a sync key with the requested grace period, and with 0 ends the old key immediately', async () => {
  const { staff, key, warehouse } = await openWarehouse();
  const rotate = (sync_key_id: string, grace_hours: number) =>
    staff.POST('/api/dashboard/sync-keys/{sync_key_id}/rotate', {
      params: { path: { sync_key_id } },
      body: { grace_hours },
    });
  const { data: listed = [] } = await staff.GET(keys);
  for (const { id } of listed.filter(({ id }) => id !== key?.id)) {
    await staff.DELETE('/api/dashboard/sync-keys/{sync_key_id}', { params: { path: { sync_key_id: id } } });
  }
  expect((await rotate(key?.id ?? '', 73)).response.status).toBe(422);
  const next = await rotate(key?.id ?? '', 72);
  expect(next.data?.scopes).toEqual(['read', 'write']);
  const { data: now = [] } = await staff.GET(keys);
  const old = now.find(({ id }) => id === key?.id);
  expect(Math.round((Date.parse(old?.expires_at ?? '') - Date.now()) / 3_600_000)).toBe(72);
  expect((await warehouse.GET(products)).response.status).toBe(200);
  await staff.DELETE('/api/dashboard/sync-keys/{sync_key_id}', { params: { path: { sync_key_id: key?.id ?? '' } } });
  const last = await rotate(next.data?.id ?? '', 0);
  expect(last.response.status).toBe(200);
  const { data: after = [] } = await staff.GET(keys);
  const ended = after.find(({ id }) => id === next.data?.id);
  expect(Date.parse(ended?.expires_at ?? '')).toBeLessThanOrEqual(Date.now());
});
