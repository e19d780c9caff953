import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { testServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { inShopAsSystem } from '../../shop/in-shop.ts';
import type { SearchDb } from '../search-db.ts';
import { lookUp } from './known-words.ts';

const UNKNOWN = { isNamed: false, isValue: false, isKnown: false };

type Shop = Awaited<ReturnType<typeof openShop>>;

async function look({ site_id }: Shop, ...phrases: string[]) {
  const { db } = await testServer();
  return inShopAsSystem(db, site_id, async (shop) => {
    const row = await shop.one<{ version: string }>(sql`select commerce.catalog_version(${site_id}) as version`);
    const { siteId, currency, currencyDigits } = shop;
    const catalogVersion = row?.version ?? '';
    return lookUp({ siteId, currency, currencyDigits, catalogVersion, ...statementsOf(shop) }, phrases);
  });
}

/**
 * Only the methods that send statements. The rest of the shop is left out, because it acts as the system and has no
 * catalogue version, so that nothing would be cached.
 */
function statementsOf(shop: Pick<SearchDb, 'rows' | 'one' | 'run'>): Pick<SearchDb, 'rows' | 'one' | 'run'> {
  return {
    rows: (statement) => shop.rows(statement),
    one: (statement) => shop.one(statement),
    run: (statement) => shop.run(statement),
  };
}

test('a word becomes known with the first product that contains it, and unknown once no product contains it', async () => {
  const shop = await openShop();
  expect((await look(shop, 'sundial')).get('sundial')).toMatchObject(UNKNOWN);

  const { id } = await shop.givenProduct({ name: 'Brass sundial', product_type: 'Sundial' });
  expect((await look(shop, 'sundial')).get('sundial')).toMatchObject({ isNamed: true, isValue: true, isLabel: true });

  const { response } = await shop.dashboard.DELETE('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: id } },
  });
  expect(response.status).toBe(200);
  expect((await look(shop, 'sundial')).get('sundial')).toMatchObject(UNKNOWN);
});

test('a word of one shop stays unknown in another', async () => {
  const [one, other] = [await openShop(), await openShop()];
  await one.givenProduct({ name: 'Brass astrolabe' });

  expect((await look(one, 'astrolabe')).get('astrolabe')).toMatchObject({ isNamed: true });
  expect((await look(other, 'astrolabe')).get('astrolabe')).toMatchObject({ isNamed: false });
});

test('a second look-up returns cached and new words together', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Oak stool', tags: ['seat'] });
  await look(shop, 'stool', 'bench');

  const known = await look(shop, 'bench', 'stool', 'seat', 'oak stool');

  expect([...known.keys()].toSorted()).toEqual(['bench', 'oak stool', 'seat', 'stool']);
  expect(known.get('stool')).toMatchObject({ isNamed: true, isHead: true });
  expect(known.get('bench')).toMatchObject({ isNamed: false, isKnown: false });
  expect(known.get('seat')).toMatchObject({ isNamed: false, isValue: true });
  expect(known.get('oak stool')).toMatchObject({ isNamed: true });
});
