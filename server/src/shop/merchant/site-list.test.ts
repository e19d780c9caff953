import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { asOwner } from '../../../test/as-owner.ts';
import { testServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { inTransaction } from '../../db/transaction.ts';
import { ValidationError } from '../errors.ts';
import { suspendSite } from '../sites/state.ts';
import { listSites, pageOfSites } from './site-list.ts';

test('the list of sites shows the counts of each site separately', async () => {
  const [{ db }, busy, quiet] = [await testServer(), await openShop(), await openShop()];
  await busy.givenProduct();
  await busy.givenProduct({ status: 'draft' });
  await quiet.givenProduct();

  const sites = await listSites(db, undefined, { sort: 'name' });

  const of = (site_id: string) => sites.find((site) => site.site_id === site_id);
  expect(of(busy.credentials.site_id)).toMatchObject({ products: 2, orders: 0, last_order_at: null, host: null });
  expect(of(quiet.credentials.site_id)).toMatchObject({ products: 1, orders: 0, storage_bytes: 0 });
});

test('sorts the list of sites by the requested order', async () => {
  const { db } = await testServer();
  const [first, second] = [await openShop(), await openShop()];
  await first.givenProduct();

  const byCreated = (await listSites(db, undefined, { sort: 'created' })).map(({ site_id }) => site_id);
  const byProducts = (await listSites(db, undefined, { sort: 'products' })).map(({ site_id }) => site_id);

  const [one, two] = [first.credentials.site_id, second.credentials.site_id];
  expect(byCreated.indexOf(two)).toBeLessThan(byCreated.indexOf(one));
  expect(byProducts.indexOf(one)).toBeLessThan(byProducts.indexOf(two));
});

/** Opens shops with a unique word in their names, so that a search finds only these. */
async function givenFleet(size: number) {
  const word = `fleet-${randomUUID()}`;
  const shops = [];
  for (let n = 0; n < size; n += 1) {
    const shop = await openShop();
    await shop.owner.query(`update commerce.site_settings set name = $2 where site_id = $1`, [
      shop.site_id,
      // The name is longer than the part of a name that a cursor contains.
      `${word} ${'long '.repeat(10)}${String.fromCharCode(97 + n)}`,
    ]);
    shops.push(shop);
  }
  const { db } = await testServer();
  const page = (query: Partial<Parameters<typeof pageOfSites>[2]>) =>
    inTransaction(db, (connection) => pageOfSites(connection, undefined, { q: word, ...query }));
  return { shops, page };
}

test.each(['name', 'created', 'products', 'last_order', 'calls', 'health'] as const)(
  'the pages of the site list, sorted by %s, contain every site once',
  async (sort) => {
    const { shops, page } = await givenFleet(5);
    await shops[1]?.givenProduct();
    const whole = (await page({ sort, limit: 100 })).sites.map(({ site_id }) => site_id);
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const { sites, total, next_cursor } = await page({ sort, limit: 2, ...(cursor && { cursor }) });
      expect(total).toBe(5);
      found.push(...sites.map(({ site_id }) => site_id));
      cursor = next_cursor;
    } while (cursor);

    expect(found).toEqual(whole);
    expect(found.toSorted()).toEqual(shops.map(({ site_id }) => site_id).toSorted());
  },
);

test('the pages of the site list skip no site when another site moves to an earlier page', async () => {
  const { shops, page } = await givenFleet(4);
  const first = await page({ sort: 'products', limit: 2 });
  const last = shops.find(({ site_id }) => site_id === first.sites[1]?.site_id);
  await last?.givenProduct();

  const rest = await page({ sort: 'products', limit: 10, cursor: first.next_cursor ?? '' });

  expect(rest.sites).toHaveLength(2);
  expect(rest.next_cursor).toBeNull();
  await expect(page({ sort: 'name', cursor: first.next_cursor ?? '' })).rejects.toThrow(ValidationError);
  await expect(page({ sort: 'products', cursor: 'AAAA' })).rejects.toThrow(ValidationError);
});

test('filters the list of sites by state and problem, and can list sites with problems first', async () => {
  const { shops, page } = await givenFleet(3);
  const [empty, selling, away] = shops.map(({ site_id }) => site_id);
  for (const shop of shops.slice(1)) {
    await shop.givenProduct({ status: 'active', inventory_quantity: 1 });
    await shop.givenShippingOption();
    const bank_details = { account_holder: 'Fleet', iban: 'DE89370400440532013000' };
    await shop.dashboard.PATCH('/api/dashboard/settings', { body: { bank_details } });
  }
  await asOwner((owner) => suspendSite(owner, away ?? '', null));
  const ids = async (query: Parameters<typeof page>[0]) => (await page(query)).sites.map(({ site_id }) => site_id);

  expect(await ids({ problem: 'cannot_sell' })).toEqual([empty]);
  expect(await ids({ status: 'suspended' })).toEqual([away]);
  expect(await ids({ status: 'deleting' })).toEqual([]);
  expect(await ids({ sort: 'health' })).toEqual([empty, away, selling]);
  const { sites } = await page({ sort: 'health' });
  expect(sites.map(({ problems, lacks }) => [problems, lacks])).toEqual([
    [['cannot_sell'], ['products', 'delivery', 'payment']],
    [['suspended'], []],
    [[], []],
  ]);
});

test('the site filter by problem finds exactly the sites with that problem', async () => {
  const { shops, page } = await givenFleet(3);
  const [failing, gone, well] = shops;
  for (const shop of shops) {
    const body = { url: 'https://hooks.example.com/', events: ['order.created' as const] };
    await shop.dashboard.POST('/api/dashboard/webhooks', { body });
  }
  const set = (shop: (typeof shops)[number] | undefined, change: string) =>
    shop?.owner.query(`update commerce.webhooks set ${change} where site_id = $1`, [shop.site_id]);
  await set(failing, 'failing_since = now()');
  await set(gone, `status = 'disabled', disabled_reason = 'gone'`);
  await asOwner((owner) => suspendSite(owner, well?.site_id ?? '', null));
  const ids = async (query: Parameters<typeof page>[0]) =>
    (await page(query)).sites.map(({ site_id }) => site_id).toSorted();

  const hurt = [failing?.site_id, gone?.site_id].toSorted();
  expect(await ids({ problem: 'webhooks_failing' })).toEqual(hurt);
  expect(await ids({ problem: 'webhooks_failing', status: 'suspended' })).toEqual([]);
  expect(await ids({ problem: 'suspended' })).toEqual([well?.site_id]);
  expect(await ids({ problem: 'suspended', sort: 'health' })).toEqual([well?.site_id]);
  expect(await ids({ problem: 'cannot_sell' })).toEqual(shops.map(({ site_id }) => site_id).toSorted());
});

test.each(['name', 'orders', 'health'] as const)(
  'listing sites sorted by %s runs no more SQL statements if there are more sites',
  async (sort) => {
    await openShop();
    const { db } = await testServer();
    const sent = () =>
      inTransaction(db, async (connection) => {
        const spy = vi.spyOn(connection.client, 'query');
        try {
          const { total } = await pageOfSites(connection, undefined, { sort, limit: 100 });
          return { total, statements: spy.mock.calls.length };
        } finally {
          spy.mockRestore();
        }
      });
    const before = await sent();
    await givenFleet(3);
    const after = await sent();

    expect(after.total).toBeGreaterThan(before.total);
    expect(after.statements).toBe(before.statements);
    expect(after.statements).toBeLessThan(10);
  },
);

test('site_health and site_counts return no data of another site', async () => {
  const { db } = await testServer();
  const [shop, other] = [await openShop(), await openShop()];
  const rowsAs = (tenant: string) =>
    inTransaction(db, async (connection) => {
      await connection.client.query(`select set_config('app.site_id', $1, true)`, [tenant]);
      const health = await connection.client.query('select from commerce.site_health($1)', [shop.site_id]);
      const counts = await connection.client.query(`select from commerce.site_counts($1, '{products}')`, [
        shop.site_id,
      ]);
      return [health.rowCount, counts.rowCount];
    });

  expect(await rowsAs(shop.site_id)).toEqual([1, 1]);
  expect(await rowsAs(other.site_id)).toEqual([0, 0]);
});
