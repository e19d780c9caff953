import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workJobs } from '../../test/jobs.ts';
import { type Operators, openOperators, SITES } from '../../test/operators.ts';
import { testServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { createUsageCounter } from '../shop/usage.ts';

let operators: Operators;
type Told = Awaited<ReturnType<Operators['ask']>>;
const post = (site_id: string, what: string, body?: object): Promise<Told> =>
  operators.ask(`${SITES}/${site_id}/${what}`, { method: 'POST', body });
const remove = (site_id: string, query = ''): Promise<Told> =>
  operators.ask(`${SITES}/${site_id}${query}`, { method: 'DELETE' });

beforeAll(async () => {
  await testServer();
  operators = await openOperators();
});

afterAll(() => operators.close());

test('a suspended site rejects calls (403), and accepts calls again once it is resumed', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const read = async (of = shop) => (await of.dashboard.GET('/api/dashboard/settings')).response.status;

  const { data } = await post(shop.site_id, 'suspend', { reason: 'Invoice 7' });
  expect(data).toMatchObject({ site_id: shop.site_id, suspended_reason: 'Invoice 7', delete_at: null });
  expect([await read(), await read(other)]).toEqual([403, 200]);
  expect((await operators.ask(`${SITES}/${shop.site_id}`)).data.problems).toContain('suspended');

  const resumed = await post(shop.site_id, 'resume');
  expect(resumed.data).toEqual({
    ...{ site_id: shop.site_id, suspended_at: null, suspended_reason: null, moved_at: null, delete_at: null },
  });
  expect(await read()).toBe(200);
});

test('a site deletion waits 30 days, and can be cancelled until then', async () => {
  const shop = await openShop();

  const { data } = await remove(shop.site_id);
  expect(data.notice).toContain('backups');
  const again = await remove(shop.site_id);
  const days = (Date.parse(data.delete_at) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  expect(again.data.delete_at).toBe(data.delete_at);

  const kept = await post(shop.site_id, 'cancel-deletion');
  expect([kept.data.delete_at, kept.data.suspended_at]).toEqual([null, data.suspended_at]);
});

test('a worker deletes a site immediately if requested, and no other site', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  await Promise.all([shop.givenProduct(), other.givenProduct()]);
  const jobs = await workJobs();
  try {
    const asked = await remove(shop.site_id, '?now=true');
    expect([asked.status, Date.parse(asked.data.delete_at) <= Date.now() + 1000]).toEqual([200, true]);
    await expect
      .poll(async () => (await operators.ask(`${SITES}/${shop.site_id}`)).status, { timeout: 20_000 })
      .toBe(404);
  } finally {
    await jobs.stop();
  }
  expect((await operators.ask(`${SITES}/${other.site_id}`)).data.products).toBe(1);
  expect((await remove(shop.site_id)).status).toBe(404);
});

test('rejects the deletion of a site that still owes a refund (409), and accepts it with `force`', async () => {
  const shop = await openShop();
  const params = { path: { order_id: (await shop.givenOrder()).id } };
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/mark-paid', { params, body: {} });
  await shop.dashboard.POST('/api/dashboard/orders/{order_id}/cancel', { params, body: { reason: 'staff' } });

  const refused = await remove(shop.site_id, '?now=true');
  expect([refused.status, refused.data.error, refused.data.refunds_due]).toEqual([409, 'conflict', 1]);
  expect((await operators.ask(`${SITES}/${shop.site_id}`)).data.suspended_at).toBeNull();

  expect((await remove(shop.site_id, '?force=true')).data.delete_at).not.toBeNull();
});

test('answers 404 for an unknown site, and names the field of an invalid value (422)', async () => {
  const nobody = randomUUID();
  for (const what of ['suspend', 'resume', 'cancel-deletion']) {
    expect((await post(nobody, what, what === 'suspend' ? {} : undefined)).status).toBe(404);
  }
  expect((await remove(nobody)).status).toBe(404);
  expect((await operators.ask(`${SITES}/${nobody}/usage`)).status).toBe(404);

  const { site_id } = await openShop();
  const long = await post(site_id, 'suspend', { reason: 'x'.repeat(1001) });
  expect([long.status, long.data.detail[0].loc]).toEqual([422, ['body', 'reason']]);
  const months = await operators.ask(`${SITES}/${site_id}/usage?months=61`);
  expect([months.status, months.data.detail[0].loc]).toEqual([422, ['query', 'months']]);
});

test('reports the usage of a site by month, without the usage of other sites', async () => {
  const [{ db }, shop, other] = [await testServer(), await openShop(), await openShop()];
  await shop.givenProduct();
  await shop.givenOrder();
  const counter = createUsageCounter(db);
  for (let n = 0; n < 3; n += 1) counter.count(shop.site_id, 'calls');
  counter.count(shop.site_id, 'deliveries');
  counter.count(other.site_id, 'calls');
  await counter.flush();

  const { data } = await operators.ask(`${SITES}/${shop.site_id}/usage?months=2`);

  const [now, before] = data.usage;
  expect(now).toMatchObject({ month: new Date().toISOString().slice(0, 7), calls: 3, deliveries: 1, orders: 1 });
  expect(now.products).toBeGreaterThan(0);
  expect(before).toMatchObject({ calls: 0, orders: 0, deliveries: 0, products: 0, storage_bytes: 0 });
  const told = (await operators.ask(`${SITES}/${other.site_id}/usage?months=1`)).data.usage;
  expect(told).toMatchObject([{ calls: 1, orders: 0, products: 0 }]);
});
