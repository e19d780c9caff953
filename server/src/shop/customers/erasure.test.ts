import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { openShop } from '../../../test/shop.ts';
import * as checkouts from '../checkout/checkouts.ts';
import { inShop } from '../in-shop.ts';
import { withoutHosts } from '../links.ts';
import { SYSTEM } from '../shop.ts';
import { anonymize } from './erasure.ts';

const checkoutDeps = {
  baseUrl: 'http://localhost',
  hosts: withoutHosts('http://localhost'),
  secretKey: 'a secret of the tests, long enough to be one',
  card: undefined,
};

test('erasing a customer during the creation of their checkout releases the reserved stock', async () => {
  const { db, owner, site_id, givenCart, givenCustomer } = await openShop();
  const tenant = {
    site_id,
    merchant_id: site_id,
    currency: 'EUR',
    currency_digits: 2,
    show_stock: 'exact',
    catalog_version: '',
  } as const;
  const { id } = await givenCustomer();
  const { id: guest_cart_id } = await givenCart();

  const forgetting = await inShop(db, tenant, { type: 'customer', id, customer_id: id }, async (shop) => {
    await checkouts.create(shop, checkoutDeps, guest_cart_id);
    const own = await shop.one<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    let over = false;
    const begun = inShop(db, tenant, SYSTEM, (other) => anonymize(other, id)).finally(() => {
      over = true;
    });
    const waiting = () => owner.query('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [own?.pid]);
    while (!over && (await waiting()).rowCount === 0) await new Promise((done) => setTimeout(done, 10));
    return { begun };
  });
  await forgetting.begun;

  const { rows } = await owner.query('select customer_id, email, status from commerce.checkouts where site_id = $1', [
    site_id,
  ]);
  expect(rows).toEqual([{ customer_id: null, email: null, status: 'cancelled' }]);
  const held = await owner.query('select from commerce.stock_reservations where site_id = $1', [site_id]);
  expect(held.rowCount).toBe(0);
});
