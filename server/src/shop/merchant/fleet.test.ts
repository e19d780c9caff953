import { expect, test } from 'vitest';
import { testServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { listSites } from './fleet.ts';

test('the list of sites counts what each of them holds, and nothing of the others', async () => {
  const [{ db }, busy, quiet] = [await testServer(), await openShop(), await openShop()];
  await busy.givenProduct();
  await busy.givenProduct({ status: 'draft' });
  await quiet.givenProduct();

  const sites = await listSites(db, undefined, { sort: 'name' });

  const of = (site_id: string) => sites.find((site) => site.site_id === site_id);
  expect(of(busy.credentials.site_id)).toMatchObject({ products: 2, orders: 0, last_order_at: null, host: null });
  expect(of(quiet.credentials.site_id)).toMatchObject({ products: 1, orders: 0, storage_bytes: 0 });
});

test('sites are sorted by what is asked for', async () => {
  const { db } = await testServer();
  const [first, second] = [await openShop(), await openShop()];
  await first.givenProduct();

  const byCreated = (await listSites(db, undefined, { sort: 'created' })).map(({ site_id }) => site_id);
  const byProducts = (await listSites(db, undefined, { sort: 'products' })).map(({ site_id }) => site_id);

  const [one, two] = [first.credentials.site_id, second.credentials.site_id];
  expect(byCreated.indexOf(two)).toBeLessThan(byCreated.indexOf(one));
  expect(byProducts.indexOf(one)).toBeLessThan(byProducts.indexOf(two));
});
