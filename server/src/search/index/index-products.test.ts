import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { testServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { indexOutdatedProducts } from '../../jobs/index-products.ts';

const products = '/api/storefront/products';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function found({ storefront }: Shop, q: string): Promise<string[]> {
  const { data } = await storefront.GET(products, { params: { query: { q } } });
  return data?.products.map(({ name }) => name) ?? [];
}

test('after each change, a product is found by its new words, and no longer by its old words', async () => {
  const shop = await openShop();
  const { dashboard, givenProduct } = shop;
  const { id: product_id } = await givenProduct({ name: 'Teapot', tags: ['ceramic'] });
  const params = { path: { product_id } };

  await dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { name: 'Pitcher', tags: ['glass'] } });

  expect([await found(shop, 'pitcher'), await found(shop, 'glass')]).toEqual([['Pitcher'], ['Pitcher']]);
  expect([await found(shop, 'teapot'), await found(shop, 'ceramic')]).toEqual([[], []]);
  await dashboard.POST('/api/dashboard/products/{product_id}/options', {
    params,
    body: { name: 'Colour', values: ['Teal'] },
  });
  expect(await found(shop, 'teal')).toEqual(['Pitcher']);
});

test('an unpublished or deleted product is not found, and an unpublished one is found again once it is published', async () => {
  const shop = await openShop();
  const { dashboard, givenProduct } = shop;
  const { id: product_id } = await givenProduct({ name: 'Hammock' });
  const params = { path: { product_id } };
  const setStatus = (status: 'draft' | 'active') =>
    dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { status } });

  await setStatus('draft');
  expect(await found(shop, 'hammock')).toEqual([]);
  await setStatus('active');
  expect(await found(shop, 'hammock')).toEqual(['Hammock']);
  await dashboard.DELETE('/api/dashboard/products/{product_id}', { params });
  expect(await found(shop, 'hammock')).toEqual([]);
});

test('indexes imported products, except those of a dry run and rejected rows', async () => {
  const shop = await openShop();
  const send = (rows: object[], dry_run = false) =>
    shop.dashboard.POST('/api/dashboard/products/import', { body: { dry_run, products: rows as never } });
  const row = { slug: 'stool', name: 'Stool', price: '10.00', status: 'active' };

  await send([row], true);
  expect(await found(shop, 'stool')).toEqual([]);
  await send([row, { slug: 'bench', name: 'Bench', price: '20.00', status: 'active' }]);
  expect([await found(shop, 'stool'), await found(shop, 'bench')]).toEqual([['Stool'], ['Bench']]);
  await send([{ ...row, name: 'Ladder', price: 'free' }]);
  expect([await found(shop, 'stool'), await found(shop, 'ladder')]).toEqual([['Stool'], []]);
  await send([{ ...row, name: 'Ladder' }]);
  expect([await found(shop, 'stool'), await found(shop, 'ladder')]).toEqual([[], ['Ladder']]);
});

test('after concurrent changes, the index contains the words of the last change only', async () => {
  const shop = await openShop();
  const { id: product_id } = await shop.givenProduct({ name: 'Name 0' });
  const names = Array.from({ length: 8 }, (_, i) => `Distinct${'abcdefgh'[i]}`);

  await Promise.all(
    names.map((name) =>
      shop.dashboard.PATCH('/api/dashboard/products/{product_id}', {
        params: { path: { product_id } },
        body: { name },
      }),
    ),
  );

  const found_by = await Promise.all(names.map((name) => found(shop, name)));
  const { data } = await shop.dashboard.GET('/api/dashboard/products/{product_id}', {
    params: { path: { product_id } },
  });
  const { owner } = await testServer();
  const { rows } = await owner.query<{ term: string }>(
    sql`select term from commerce.search_postings where site_id = ${shop.site_id} and term like 'distinct_'`,
  );
  expect(found_by.flat()).toContain(data?.name);
  expect(rows.map(({ term }) => term)).toEqual([data?.name.toLowerCase()]);
});

test('the job reindexes products that were indexed by an older release', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Gramophone' });
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: { search_synonyms: [{ term: 'Turntable', synonyms: ['gramophones'] }] },
  });
  const { owner, db } = await testServer();
  await owner.query(
    sql`with gone as (delete from commerce.search_postings where site_id = ${shop.site_id}),
        terms as (update commerce.site_settings set search_synonym_terms = '{"turntable": ["gramophones"]}'
          where site_id = ${shop.site_id})
      update commerce.product_search set index_version = 0, fingerprint = '' where site_id = ${shop.site_id}`,
  );
  expect(await found(shop, 'turntable')).toEqual([]);

  expect(await indexOutdatedProducts(db)).toBeGreaterThanOrEqual(1);

  expect(await found(shop, 'turntable')).toEqual(['Gramophone']);
});

test('a product that is deleted during its reindexing is not in the index', async () => {
  const shop = await openShop();
  const made = await Promise.all(Array.from({ length: 12 }, (_, i) => shop.givenProduct({ name: `Zeppelin ${i}` })));
  const { owner, db } = await testServer();
  await owner.query(sql`update commerce.product_search set index_version = 0 where site_id = ${shop.site_id}`);

  await Promise.all([
    indexOutdatedProducts(db),
    ...made.map(({ id: product_id }) =>
      shop.dashboard.DELETE('/api/dashboard/products/{product_id}', { params: { path: { product_id } } }),
    ),
  ]);

  const { rows } = await owner.query(
    sql`select term from commerce.search_postings where site_id = ${shop.site_id}
      union all select title from commerce.product_search where site_id = ${shop.site_id}`,
  );
  expect(rows).toEqual([]);
});
