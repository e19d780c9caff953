import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { givenMany } from '../../test/many-products.ts';
import { openShop } from '../../test/shop.ts';
import type { FilterQuery } from '../shop/catalog/filters.ts';

const search = '/api/agent/catalog/search';
const find = '/api/agent/intent/find';
const MANY = 520;
/** Up to 2,000 products that an index finds are read by their ids. */
const TOO_MANY_FOR_IDS = 2_000;

/**
 * Opens a shop with many mugs. Once the number of matches is cached, PostgreSQL reads a page of them in the order of
 * the list.
 */
async function openLargeShop(size = MANY) {
  const shop = await openShop();
  await givenMany(shop, size, {
    ...{ name: 'Moor mug', price: '10.00', vendor: 'Kiln', product_type: 'Cups', tags: ['gift'] },
    metadata: { material: 'Stoneware' },
  });
  const others = { vendor: 'Kiln', product_type: 'Cups', tags: ['gift'], metadata: { material: 'Stoneware' } };
  const cheap = await shop.givenProduct({ ...others, name: 'Cheap cup', price: '2.00' });
  const soldOut = await shop.givenProduct({ ...others, name: 'Last cup', price: '1.00', inventory_quantity: 0 });
  const reduced = await shop.givenProduct({ ...others, name: 'Old cup', price: '3.00', compare_at_price: '4.00' });
  const glass = await shop.givenProduct({ name: 'Tall glass', price: '0.50', vendor: 'Ash', product_type: 'Glasses' });
  const { agent } = await givenAgent(shop, await shop.givenCustomer());
  const page = async (
    query: FilterQuery & { q?: string; sort?: 'newest' | 'price_asc'; page?: number },
    by = agent,
  ) => {
    const { data } = await by.GET(search, { params: { query: { ...query, limit: 10 } } });
    return { total: data?.total, ids: data?.products.map(({ id }) => id) };
  };
  return { ...shop, shop, agent, cheap, soldOut, reduced, glass, page };
}

test('repeating a request for a page of a large filtered list returns the same page and total, in each sort order', async () => {
  const { page, cheap, soldOut, reduced, glass } = await openLargeShop();
  const lists: [FilterQuery, number][] = [
    [{ vendor: ['kiln'] }, MANY + 3],
    [{ product_type: ['cups'], tag: ['GIFT'], in_stock: true }, MANY + 2],
    [{ attribute: ['material:stoneware'] }, MANY + 3],
    [{ price_min: '1', price_max: '10' }, MANY + 3],
    [{ exclude_type: ['glasses'], exclude_text: ['old'] }, MANY + 2],
    [{ in_stock: true }, MANY + 3],
    [{ on_sale: false }, MANY + 3],
  ];
  for (const [filters, total] of lists) {
    for (const order of [{}, { sort: 'newest' as const }, { sort: 'price_asc' as const }]) {
      for (const number of [1, 2]) {
        const query = { ...filters, ...order, page: number };
        const first = await page(query);

        expect(first, JSON.stringify(query)).toMatchObject({ total, ids: { length: 10 } });
        expect(await page(query), JSON.stringify(query)).toEqual(first);
      }
    }
  }
  const cheapest = async (filters: FilterQuery) => (await page({ ...filters, sort: 'price_asc' })).ids?.slice(0, 3);
  expect(await cheapest({ vendor: ['kiln'] })).toEqual([soldOut.id, cheap.id, reduced.id]);
  expect(await cheapest({ in_stock: true })).toEqual([glass.id, cheap.id, reduced.id]);
});

test.each([MANY, TOO_MANY_FOR_IDS])(
  'among %d products of a vendor, lists and searches find the cheapest and count all',
  async (size) => {
    const { page, agent, cheap, soldOut, reduced } = await openLargeShop(size);
    const filters = { vendor: ['kiln'], product_type: ['cups'] };

    const { total, ids } = await page({ ...filters, sort: 'price_asc' });
    expect(total).toBe(size + 3);
    expect(ids?.slice(0, 3)).toEqual([soldOut.id, cheap.id, reduced.id]);
    const { data } = await agent.POST(find, { body: { ...filters, sort: 'price_asc' } });
    expect(data?.candidates.slice(0, 2).map(({ id }) => id)).toEqual([cheap.id, reduced.id]);
    expect((await page({ ...filters, q: 'mug' })).total).toBe(size);
    expect((await page({ ...filters, q: 'old cup' })).ids?.[0]).toBe(reduced.id);
    expect((await page({ vendor: ['ash'], q: 'mug' })).total).toBe(0);
  },
);

test('the total and the facets of a large list are current after a product is archived or sold out', async () => {
  const { page, agent, dashboard, cheap } = await openLargeShop();
  const query = { product_type: ['cups'], in_stock: true };
  const facets = async () => {
    const { data } = await agent.GET(search, { params: { query: { ...query, facets: true, limit: 1 } } });
    return data?.facets?.products;
  };
  const twice = async () => [(await page(query)).total, (await page(query)).total, await facets(), await facets()];

  expect(await twice()).toEqual([MANY + 2, MANY + 2, MANY + 2, MANY + 2]);
  await dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
    params: { path: { variant_id: cheap.variants[0]?.id ?? '' } },
    body: { delta: -10, reason: 'lost' },
  });
  expect(await twice()).toEqual([MANY + 1, MANY + 1, MANY + 1, MANY + 1]);
  await dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params: { path: { product_id: cheap.id } },
    body: { status: 'archived' },
  });
  expect((await page({ product_type: ['cups'] })).total).toBe(MANY + 2);
});

test('agents with different categories get different totals and facets for the same request', async () => {
  const { shop, agent, page } = await openLargeShop();
  const { agent: limited } = await givenAgent(shop, await shop.givenCustomer(), { categories: ['Glasses'] });
  const query = { price_max: '10' };
  const facets = async (by: typeof agent) => (await by.GET('/api/agent/catalog/facets')).data?.products;

  for (let time = 1; time <= 2; time += 1) {
    expect([(await page(query)).total, (await page(query, limited)).total]).toEqual([MANY + 4, 1]);
    expect([await facets(agent), await facets(limited)]).toEqual([MANY + 4, 1]);
  }
});

test('find without a sentence returns the best-selling products that meet the filters, those in stock first', async () => {
  const { owner, site_id, agent, cheap, soldOut, reduced } = await openLargeShop();
  const sold = [soldOut.id, reduced.id, cheap.id];
  await owner.query(
    `update commerce.products p set sales_count = 10 - array_position($2::uuid[], p.id)
      where site_id = $1 and id = any($2)`,
    [site_id, sold],
  );

  const { data } = await agent.POST(find, { body: { vendor: ['kiln'], limit: 2 } });

  expect(data?.candidates.map(({ id }) => id)).toEqual([reduced.id, cheap.id]);
});
