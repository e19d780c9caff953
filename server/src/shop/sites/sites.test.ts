import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asOwner } from '../../../test/as-owner.ts';
import { FILES_DIR } from '../../../test/server.ts';
import { logIn } from '../../../test/session.ts';
import { openShop } from '../../../test/shop.ts';
import { directoryStore } from '../../files/directory.ts';
import { deleteSite } from './deletion.ts';
import { resumeSite, suspendSite } from './state.ts';
import { tablesOfSites } from './tables.ts';

const SUSPENDED = { error: 'site_suspended' };

test('a suspended site rejects API calls and pages (403), except exports by its staff, until it is resumed', async () => {
  const shop = await openShop();
  const { site_id, baseUrl } = shop;
  await shop.givenProduct();
  const checkout = await shop.givenCheckout();
  const { staff } = await logIn(shop);
  expect((await shop.storefront.GET('/api/storefront/products')).response.status).toBe(200);
  const at = (path: string, init?: RequestInit) => fetch(`${baseUrl}${path}`, init);
  const page = new URL(checkout.checkout_url ?? '').pathname;
  expect((await at(page)).status).toBe(200);
  expect((await at(`/sites/${site_id}/llms.txt`)).status).toBe(200);

  await asOwner((owner) => suspendSite(owner, site_id, 'unpaid'));

  expect((await shop.storefront.GET('/api/storefront/products')).error).toMatchObject(SUSPENDED);
  expect((await shop.storefront.POST('/api/storefront/cart')).error).toMatchObject(SUSPENDED);
  expect((await shop.dashboard.GET('/api/dashboard/products')).error).toMatchObject(SUSPENDED);
  expect((await shop.sync.GET('/api/sync/products')).error).toMatchObject(SUSPENDED);
  const consent = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
  };
  const body = JSON.stringify({ agent_name: 'Agent', scopes: ['catalog:read'] });
  expect((await at(`/api/agent/consent/request?site_id=${site_id}`, { ...consent, body })).status).toBe(403);
  for (const path of [
    page,
    `/account?site_id=${site_id}`,
    `/sites/${site_id}/llms.txt`,
    `/sites/${site_id}/skill.md`,
    `/sites/${site_id}/oauth/authorize`,
    `/sites/${site_id}/basket/none`,
    `/.well-known/oauth-authorization-server/sites/${site_id}`,
    `/sites/${site_id}/.well-known/ucp`,
    `/files/${site_id}/${'0'.repeat(32)}/320.webp`,
  ]) {
    expect([path, (await at(path)).status]).toEqual([path, 403]);
  }
  for (const path of [
    '/api/dashboard/products/export',
    '/api/dashboard/orders/export',
    '/api/dashboard/customers/export',
  ] as const) {
    expect([path, (await staff.GET(path)).response.status]).toEqual([path, 200]);
    expect((await shop.dashboard.GET(path)).error).toMatchObject(SUSPENDED);
  }
  expect((await staff.GET('/api/dashboard/products')).error).toMatchObject(SUSPENDED);
  expect((await shop.dashboard.GET('/api/dashboard/me')).error).toMatchObject(SUSPENDED);
  expect(await (await at(page, { headers: { 'Accept-Language': 'de' } })).text()).toContain('zurzeit geschlossen');

  await asOwner((owner) => resumeSite(owner, site_id));

  expect((await shop.storefront.GET('/api/storefront/products')).response.status).toBe(200);
  expect((await at(page)).status).toBe(200);
});

test('deletes all rows, files and jobs of a site, and none of another site', async () => {
  const [shop, neighbour] = [await openShop(), await openShop()];
  const { site_id, owner: db } = shop;
  for (const one of [shop, neighbour]) {
    await one.givenOrder();
    await one.givenCustomer();
    await one.dashboard.POST('/api/dashboard/webhooks', { body: { url: 'https://hooks.example/', events: ['*'] } });
    await one.givenProduct();
  }
  const file = join(FILES_DIR, 'files', site_id, 'a', 'original');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, 'bytes');
  const left = async (id: string) => {
    const tables = await asOwner(tablesOfSites);
    const parts = tables.map(
      (table) => `select '${table}' as table, count(*)::int as rows from ${table} where site_id = $1`,
    );
    const { rows } = await db.query<{ table: string; rows: number }>(parts.join(' union all '), [id]);
    return rows.filter(({ rows: count }) => count > 0);
  };
  const { session, staff } = await logIn(shop);
  await staff.POST('/api/dashboard/auth/logout');
  const keys = () => db.query('select from commerce.idempotency_keys where principal_id = $1', [session.staff.id]);
  expect((await keys()).rowCount).toBe(1);
  // A member of both sites keeps the login.
  const both = (await logIn(neighbour)).session.staff;
  await db.query(`insert into commerce.staff_memberships (site_id, staff_id, role) values ($1, $2, 'viewer')`, [
    site_id,
    both.id,
  ]);
  const before = await left(neighbour.site_id);

  const store = directoryStore(FILES_DIR);
  const done = await asOwner((owner) => deleteSite(owner, store, site_id, { now: true, force: true }));

  expect(done).toMatchObject({ removed: { logins: 1 } });
  expect(await left(site_id)).toEqual([]);
  expect((await keys()).rowCount).toBe(0);
  expect((await logIn(neighbour)).session.staff).toEqual(both);
  expect(await left(neighbour.site_id)).toEqual(before);
  expect(existsSync(file)).toBe(false);
  const jobs = await db.query(`select from graphile_worker._private_jobs where payload->>'site_id' = $1`, [site_id]);
  expect(jobs.rowCount).toBe(0);
  expect((await shop.storefront.GET('/api/storefront/products')).response.status).toBe(401);
  expect((await neighbour.storefront.GET('/api/storefront/products')).response.status).toBe(200);
});
