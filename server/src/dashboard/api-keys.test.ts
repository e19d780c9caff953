import { createDashboardClient } from '@commerce-backend/sdk';
import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { logIn } from '../../test/session.ts';
import { openShop } from '../../test/shop.ts';

const keys = '/api/dashboard/api-keys';
const key = '/api/dashboard/api-keys/{api_key_id}';
const rotation = '/api/dashboard/api-keys/{api_key_id}/rotate';
const settings = '/api/dashboard/settings';
const of = (api_key_id = '') => ({ params: { path: { api_key_id } } });

/** Opens a shop with a logged-in staff member, and a function that creates a client for an API key. */
async function openStaffedShop() {
  const shop = await openShop();
  const { staff } = await logIn(shop);
  const withKey = (apiKey = '') => createDashboardClient({ baseUrl: shop.baseUrl, apiKey, maxAttempts: 1 });
  return { ...shop, staff, withKey };
}

test('an API key with only read access cannot write', async () => {
  const { staff, withKey } = await openStaffedShop();
  const { data: made } = await staff.POST(keys, { body: { description: 'Reports', scopes: ['read'] } });
  const reader = withKey(made?.secret);

  const read = await reader.GET(settings);
  const written = await reader.PATCH(settings, { body: { name: 'Mine now' } });

  expect(read.response.status).toBe(200);
  expect(written.response.status).toBe(403);
  expect(written.error).toMatchObject({ error: 'insufficient_scope', scope: 'settings:write' });
});

test('an API key with write access can read', async () => {
  const { staff, withKey } = await openStaffedShop();

  const { data: made } = await staff.POST(keys, { body: { description: 'Import', scopes: ['write'] } });

  expect(made?.scopes).toEqual(['read', 'write']);
  expect((await withKey(made?.secret).GET(settings)).response.status).toBe(200);
});

test('a revoked API key is rejected on the next call', async () => {
  const { staff, withKey } = await openStaffedShop();
  const { data: made } = await staff.POST(keys, { body: { description: 'Import', scopes: ['write'] } });
  const client = withKey(made?.secret);
  expect((await client.GET(settings)).response.status).toBe(200);

  const { data: revoked } = await staff.DELETE(key, of(made?.id));

  expect(revoked?.revoked_at).not.toBeNull();
  const { error, response } = await client.GET(settings);
  expect(response.status).toBe(401);
  expect(error).toMatchObject({ error: 'invalid_token' });
});

test('a rotated API key and its successor both work until the old key expires', async () => {
  const { staff, withKey, owner } = await openStaffedShop();
  const { data: old } = await staff.POST(keys, { body: { description: 'Import', scopes: ['write'] } });

  const { data: successor } = await staff.POST(rotation, of(old?.id));

  expect(successor).toMatchObject({ description: 'Import', scopes: ['read', 'write'] });
  expect((await withKey(old?.secret).GET(settings)).response.status).toBe(200);
  expect((await withKey(successor?.secret).GET(settings)).response.status).toBe(200);
  await owner.query(sql`update commerce.tokens set expires_at = now() where id = ${old?.id ?? null}`);
  expect((await withKey(old?.secret).GET(settings)).response.status).toBe(401);
});

test.each([1, 2, 72])('a rotated API key works for the requested %i hours, and no longer', async (grace_hours) => {
  const { staff, withKey, owner } = await openStaffedShop();
  const { data: old } = await staff.POST(keys, { body: { description: 'Import', scopes: ['write'] } });
  const works = async () => (await withKey(old?.secret).GET(settings)).response.status;

  const begun = Date.now();
  const { data: successor } = await staff.POST(rotation, { ...of(old?.id), body: { grace_hours } });

  const { data: listed = [] } = await staff.GET(keys);
  const ends = Date.parse(listed.find(({ id }) => id === old?.id)?.expires_at ?? '');
  expect(ends).toBeGreaterThanOrEqual(begun + grace_hours * 3_600_000);
  expect(ends).toBeLessThanOrEqual(Date.now() + grace_hours * 3_600_000);
  // Simulates the time one minute before the expiry, and one minute after it.
  const shift = (ms: number) =>
    owner.query(
      sql`update commerce.tokens set expires_at = now() + ${ms} * interval '1 ms' where id = ${old?.id ?? null}`,
    );
  await shift(60_000);
  expect(await works()).toBe(200);
  await shift(0);
  expect(await works()).toBe(401);
  expect((await withKey(successor?.secret).GET(settings)).response.status).toBe(200);
});

test('rotation rejects a grace period above 72 hours, and leaves the API key unchanged', async () => {
  const { staff, withKey } = await openStaffedShop();
  const { data: old } = await staff.POST(keys, { body: { description: 'Import', scopes: ['write'] } });

  for (const grace_hours of [73, -1, 1.5]) {
    const { error, response } = await staff.POST(rotation, { ...of(old?.id), body: { grace_hours } });
    expect(response.status).toBe(422);
    expect(error).toMatchObject({ detail: [{ loc: ['body', 'grace_hours'] }] });
  }

  const { data: listed = [] } = await staff.GET(keys);
  expect(listed.filter(({ description }) => description === 'Import')).toMatchObject([{ expires_at: null }]);
  expect((await withKey(old?.secret).GET(settings)).response.status).toBe(200);
});

test('an API key cannot manage API keys', async () => {
  const { dashboard, credentials, baseUrl } = await openShop();
  const { data: me } = await dashboard.GET('/api/dashboard/me');
  const headers = { 'X-API-Key': credentials.api_key };

  const listed = await fetch(`${baseUrl}${keys}`, { headers });
  const revoked = await fetch(`${baseUrl}${keys}/${me?.api_key?.id}`, { method: 'DELETE', headers });

  expect([listed.status, revoked.status]).toEqual([401, 401]);
});

test('rejects the 101st active API key', async () => {
  const { staff, owner, site_id } = await openStaffedShop();
  await owner.query(
    sql`insert into commerce.tokens (site_id, id, kind, token_hash, secret_prefix, description, scopes)
      select ${site_id}, gen_random_uuid(), 'api_key', sha256(gen_random_uuid()::text::bytea), 'key_', 'n', '{read}'
      from generate_series(1, 99)`,
  );

  const { error, response } = await staff.POST(keys, { body: { description: 'One more', scopes: ['read'] } });

  expect(response.status).toBe(409);
  expect(error).toMatchObject({ error: 'limit_reached', limit: 100 });
});

test('returns 404 for an API key of another shop', async () => {
  const { staff } = await openStaffedShop();
  const { dashboard: stranger } = await openShop();
  const { data: theirs } = await stranger.GET('/api/dashboard/me');
  const id = theirs?.api_key?.id;

  const revoked = await staff.DELETE(key, of(id));
  const rotated = await staff.POST(rotation, of(id));

  expect(revoked.response.status).toBe(404);
  expect(rotated.response.status).toBe(404);
  expect((await stranger.GET(settings)).response.status).toBe(200);
});
