import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDashboardClient, createStorefrontClient } from '@commerce-backend/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoShop, openDemoShop } from '../../test/demo-shop.ts';

const ROOT = join(import.meta.dirname, '../../..');

let shop: DemoShop;
let storefront: ReturnType<typeof createStorefrontClient>;
let dashboard: ReturnType<typeof createDashboardClient>;

beforeAll(async () => {
  shop = await openDemoShop();
  const { baseUrl, demo } = shop;
  storefront = createStorefrontClient({ baseUrl, siteId: demo.site_id, storefrontToken: demo.storefront_token });
  dashboard = createDashboardClient({ baseUrl, apiKey: demo.api_key });
});
afterAll(() => shop.close());

/** A query and the expected products, which were chosen before any result was seen. */
interface EverydayQuery {
  q: string;
  expect: string[];
  within: number;
  /** Whether all expected products must be among the first results; otherwise one is enough. */
  all?: boolean;
}

const GOAL = 36;

test('at least 36 of 40 everyday queries find an expected product of the demo shop among the first results', async () => {
  const queries = JSON.parse(readFileSync(join(ROOT, 'bench/everyday-queries.json'), 'utf8')) as EverydayQuery[];
  const missed: string[] = [];
  for (const { q, expect: expected, within, all } of queries) {
    const { data } = await storefront.GET('/api/storefront/products', { params: { query: { q } } });
    const first = data?.products.slice(0, within).map(({ slug }) => slug) ?? [];
    const isFound = (slug: string) => first.includes(slug);
    if (!(all ? expected.every(isFound) : expected.some(isFound))) missed.push(q);
  }

  expect(queries).toHaveLength(40);
  expect(queries.length - missed.length, `Missed: ${missed.join(', ')}`).toBeGreaterThanOrEqual(GOAL);
});

test('every example search in docs/search.md finds the products that the page names', async () => {
  const [, table = ''] =
    /<!-- keywords:.*?-->(.*?)<!-- end of keywords -->/s.exec(readFileSync(join(ROOT, 'docs/search.md'), 'utf8')) ?? [];
  const rows = [...table.matchAll(/^\| `(.+?)` \| (.+?) \|/gm)];
  expect(rows.length).toBeGreaterThan(5);
  for (const [, q = '', name] of rows) {
    const params = { params: { query: { q } } };
    const [listed, suggested, ofStaff, stock] = await Promise.all([
      storefront.GET('/api/storefront/products', params),
      storefront.GET('/api/storefront/suggest', params),
      dashboard.GET('/api/dashboard/products', params),
      dashboard.GET('/api/dashboard/inventory', params),
    ]);
    expect.soft(listed.data?.products[0]?.name, `list: ${q}`).toBe(name);
    expect.soft(suggested.data?.products[0]?.name, `suggestions: ${q}`).toBe(name);
    expect.soft(ofStaff.data?.products[0]?.name, `dashboard: ${q}`).toBe(name);
    expect.soft(stock.data?.inventory[0]?.product_name, `stock: ${q}`).toBe(name);
  }
});
