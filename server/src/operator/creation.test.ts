import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { testServer } from '../../test/server.ts';
import { openShop } from '../../test/shop.ts';
import { inTransaction } from '../db/transaction.ts';
import { createSite, mintPassword } from '../shop/merchant/sites.ts';

async function givenNewSite() {
  const staff = { email: `${randomUUID()}@example.com`, name: 'New' };
  return { name: 'New', currency: 'EUR', staff, password: await mintPassword() };
}

test('creating a shop does not block sales and catalogue changes of another shop, or the creation of a third one', async () => {
  const { db } = await testServer();
  const [shop, one, two] = [await openShop(), await givenNewSite(), await givenNewSite()];
  const version = async () => {
    const { rows } = await shop.owner.query(
      'select v::text as version from commerce.catalog_versions v where site_id = $1 order by v',
      [shop.site_id],
    );
    return rows;
  };

  const before = await version();
  const [created, opened] = await inTransaction(db, async (connection) => {
    // On a busy machine, opening a shop may take longer than the idle timeout.
    await connection.client.query(`select set_config('idle_in_transaction_session_timeout', '0', true)`);
    const first = await createSite(connection, one);
    // The first transaction has not committed yet.
    const order = await shop.givenOrder();
    expect(order.order_number).toBeTruthy();
    const changed = await shop.dashboard.PATCH('/api/dashboard/settings', { body: { name: 'Renamed meanwhile' } });
    expect(changed.response.status).toBe(200);
    const sold = await version();
    const second = await inTransaction(db, (other) => createSite(other, two));
    expect(await version()).toEqual(sold);
    return [first.credentials, second.credentials];
  });
  expect(before).toHaveLength(1);
  expect(created.site_id).not.toBe(opened.site_id);
});

test('creating a shop changes no data of other shops and locks no table against their writes', async () => {
  const { db } = await testServer();
  const other = await openShop();
  await other.givenProduct();
  const held = async () => {
    const { rows } = await other.owner.query(
      `select (select sum(hashtextextended(t::text, 0)) from commerce.products t where site_id = $1)::text as products,
        (select sum(hashtextextended(t::text, 0)) from commerce.site_settings t where site_id = $1)::text as settings,
        (select sum(hashtextextended(t::text, 0)) from commerce.sites t where site_id = $1)::text as site,
        (select sum(hashtextextended(t::text, 0)) from commerce.catalog_versions t where site_id = $1)::text as version`,
      [other.site_id],
    );
    return rows[0];
  };
  const before = await held();
  const site = await givenNewSite();
  const tables = await inTransaction(db, async (connection) => {
    const { credentials } = await createSite(connection, site);
    // The transaction locks no rows of other shops, and no table in a way that blocks their writes.
    const { rows } = await connection.client.query<{ mode: string; name: string }>(
      `select distinct l.mode, c.relname as name from pg_locks l join pg_class c on c.oid = l.relation
        join pg_namespace n on n.oid = c.relnamespace
        where l.pid = pg_backend_pid() and n.nspname = 'commerce' and c.relkind = 'r'`,
    );
    expect(credentials.site_id).toBeTruthy();
    return rows;
  });
  const harmless = ['AccessShareLock', 'RowShareLock', 'RowExclusiveLock'];
  expect(tables.filter(({ mode }) => !harmless.includes(mode))).toEqual([]);
  expect(tables.map(({ name }) => name)).toContain('sites');
  expect(await held()).toEqual(before);
});
