import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { testServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { inTransaction } from '../../db/transaction.ts';
import { ValidationError } from '../errors.ts';
import { createSite, mintPassword } from './sites.ts';

const staff = { email: 'someone@example.com', name: 'Someone' };
const password = await mintPassword();

test('a price has the number of decimals of its currency', async () => {
  for (const [currency, price] of [
    ['EUR', '10.50'],
    ['JPY', '1050'],
    ['KWD', '10.500'],
  ] as const) {
    const { givenProduct } = await openShop({ currency });

    const product = await givenProduct({ price });

    expect(product).toMatchObject({ price, currency });
  }
});

test('rejects a new site with an unknown currency code', async () => {
  const { db, owner } = await testServer();
  const site = { name: 'Shop without money', currency: 'ABC', staff, password };

  await expect(inTransaction(db, (connection) => createSite(connection, site))).rejects.toThrow(ValidationError);

  const { rows } = await owner.query(sql`select from commerce.sites where merchant_name = ${site.name}`);
  expect(rows).toHaveLength(0);
});

test('rejects a new site and reports all its mistakes together', async () => {
  const { db } = await testServer();
  const site = { name: ' ', currency: 'yen', staff: { email: 'nobody', name: 'x'.repeat(256) }, password };

  const refusal = await inTransaction(db, (connection) => createSite(connection, site)).catch((error) => error);

  const places = (refusal as ValidationError).detail.map(({ loc }) => loc.slice(1));
  expect(places).toEqual([['currency'], ['name'], ['staff', 'name'], ['staff', 'email']]);
});

test('creates a site completely or not at all', async () => {
  const { db, owner } = await testServer();
  const site = { name: 'Shop half made', currency: 'EUR', staff, password };

  const making = inTransaction(db, async (connection) => {
    await createSite(connection, site);
    throw new Error('the power fails');
  });

  await expect(making).rejects.toThrow('the power fails');
  const { rows } = await owner.query(
    sql`select merchant_name from commerce.sites where merchant_name = ${site.name}
      union all select email from commerce.staff where email = ${staff.email}`,
  );
  expect(rows).toHaveLength(0);
});
