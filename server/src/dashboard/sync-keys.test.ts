import { randomUUID } from 'node:crypto';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const keys = '/api/dashboard/sync-keys';
const key = '/api/dashboard/sync-keys/{sync_key_id}';
const rotation = '/api/dashboard/sync-keys/{sync_key_id}/rotate';
const body = { description: 'Search integration' };
const of = (sync_key_id: string) => ({ params: { path: { sync_key_id } } });

/** Opens a shop, and returns the id of its only sync key. */
async function openShopWithKey() {
  const shop = await openShop();
  const { data: [first] = [] } = await shop.dashboard.GET(keys);
  if (!first) throw new Error('A new shop has a sync key.');
  return { ...shop, first };
}

test('returns the secret of a sync key only when it is created', async () => {
  const { dashboard, owner } = await openShop();

  const { data: made, response } = await dashboard.POST(keys, { body });

  expect(response.status).toBe(201);
  expect(made).toMatchObject({ ...body, revoked_at: null, expires_at: null, last_used_at: null });
  expect(made?.secret).toMatch(/^syk_[0-9A-Za-z]{38}$/);
  expect(made?.secret_prefix).toBe(made?.secret.slice(0, 8));
  expect(made?.key_id).toMatch(/^sync_[0-9a-f]{12}$/);
  const { data: listed } = await dashboard.GET(keys);
  expect(JSON.stringify(listed)).not.toContain(made?.secret);
  const { rows } = await owner.query(sql`select * from commerce.tokens where id = ${made?.id ?? null}`);
  expect(JSON.stringify(rows)).not.toContain(made?.secret);
});

test('lists active and revoked sync keys, newest first', async () => {
  const { dashboard, first } = await openShopWithKey();
  const { data: second } = await dashboard.POST(keys, { body });
  await dashboard.DELETE(key, of(first.id));

  const { data } = await dashboard.GET(keys);

  expect(data?.map(({ id }) => id)).toEqual([second?.id, first.id]);
  expect(data?.map(({ revoked_at }) => revoked_at !== null)).toEqual([false, true]);
});

test('rejects a third active sync key', async () => {
  const { dashboard } = await openShop();
  await dashboard.POST(keys, { body });

  const { error, response } = await dashboard.POST(keys, { body });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'sync_key_limit', limit: 2 });
});

test('concurrent requests create at most two active sync keys', async () => {
  const { dashboard } = await openShop();

  const answers = await Promise.all(Array.from({ length: 32 }, () => dashboard.POST(keys, { body })));

  expect(answers.filter(({ response }) => response.status === 201)).toHaveLength(1);
  expect(answers.filter(({ response }) => response.status === 409)).toHaveLength(31);
  expect((await dashboard.GET(keys)).data).toHaveLength(2);
});

test('a rotated sync key expires after a day, and its successor does not expire', async () => {
  const { dashboard, first } = await openShopWithKey();

  const { data: successor } = await dashboard.POST(rotation, of(first.id));

  expect(successor).toMatchObject({ description: first.description, expires_at: null });
  expect(successor?.secret).toMatch(/^syk_/);
  const { data } = await dashboard.GET(keys);
  const [, old] = data ?? [];
  expect(old).toMatchObject({ id: first.id, revoked_at: null });
  expect((Date.parse(old?.expires_at ?? '') - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
});

test('of several concurrent rotations of a sync key, only one succeeds', async () => {
  const { dashboard, first } = await openShopWithKey();

  const answers = await Promise.all(Array.from({ length: 8 }, () => dashboard.POST(rotation, of(first.id))));

  const refused = answers.filter(({ response }) => response.status === 409);
  expect(refused).toHaveLength(7);
  for (const { error } of refused) expect(error).toMatchObject({ error: 'key_not_active' });
});

test('rejects a rotation that would make a third active sync key, and changes nothing', async () => {
  const { dashboard, first } = await openShopWithKey();
  await dashboard.POST(keys, { body });

  const { error } = await dashboard.POST(rotation, of(first.id));

  expect(error).toMatchObject({ error: 'sync_key_limit' });
  const { data } = await dashboard.GET(keys);
  expect(data?.map(({ expires_at }) => expires_at)).toEqual([null, null]);
});

test('a rotated sync key stops counting toward the limit after a day', async () => {
  const { dashboard, first, owner } = await openShopWithKey();
  await dashboard.POST(rotation, of(first.id));
  await owner.query(sql`update commerce.tokens set expires_at = now() where id = ${first.id}`);

  const { response } = await dashboard.POST(keys, { body });

  expect(response.status).toBe(201);
});

test('revoking a revoked sync key changes nothing', async () => {
  const { dashboard, first } = await openShopWithKey();

  const { data: once } = await dashboard.DELETE(key, of(first.id));
  const { data: twice } = await dashboard.DELETE(key, of(first.id));

  expect(once?.revoked_at).not.toBeNull();
  expect(twice).toEqual(once);
  const { error } = await dashboard.POST(rotation, of(first.id));
  expect(error).toMatchObject({ error: 'key_not_active' });
});

test('returns 404 for a sync key of another shop or a key of another kind', async () => {
  const { first } = await openShopWithKey();
  const { dashboard: stranger } = await openShop();
  const { data: tokens } = await stranger.GET('/api/dashboard/storefront-tokens');

  for (const id of [first.id, randomUUID(), tokens?.[0]?.id ?? '']) {
    const revoked = await stranger.DELETE(key, of(id));
    const rotated = await stranger.POST(rotation, of(id));
    expect(revoked.response.status).toBe(404);
    expect(rotated.response.status).toBe(404);
    expect(rotated.error).toMatchObject({ error: 'not_found', message: 'There is no such sync key.' });
  }
});

test('repeating a creation with the same Idempotency-Key returns the same secret until the sync key is revoked', async () => {
  const { dashboard } = await openShop();
  const call = { body, params: { header: { 'Idempotency-Key': randomUUID() } } };

  const { data: made } = await dashboard.POST(keys, call);
  const { data: again } = await dashboard.POST(keys, call);
  await dashboard.DELETE(key, of(made?.id ?? ''));
  const { error } = await dashboard.POST(keys, call);

  expect(again).toEqual(made);
  expect(error).toMatchObject({ error: 'key_not_active' });
});
