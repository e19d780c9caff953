import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStorefrontClient } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { openDemoShop } from '../../test/demo-shop.ts';

/** Queries that were written before any result was seen: bench/everyday-queries.json. */
interface EverydayQuery {
  q: string;
  expect: string[];
  within: number;
  /** Whether all of the expected products must be among the first; else one of them is enough. */
  all?: boolean;
}

const FILE = join(import.meta.dirname, '../../../bench/everyday-queries.json');
const GOAL = 36;

test('36 of 40 everyday queries find what a shopper of the demo shop expects among the first three', async () => {
  const shop = await openDemoShop();
  try {
    const { site_id, storefront_token } = shop.demo;
    const storefront = createStorefrontClient({
      baseUrl: shop.baseUrl,
      siteId: site_id,
      storefrontToken: storefront_token,
    });
    const queries = JSON.parse(readFileSync(FILE, 'utf8')) as EverydayQuery[];
    const missed: string[] = [];
    for (const { q, expect: expected, within, all } of queries) {
      const { data } = await storefront.GET('/api/storefront/products', { params: { query: { q } } });
      const first = data?.products.slice(0, within).map(({ slug }) => slug) ?? [];
      const isFound = (slug: string) => first.includes(slug);
      if (!(all ? expected.every(isFound) : expected.some(isFound))) missed.push(q);
    }
    expect(queries).toHaveLength(40);
    expect(queries.length - missed.length, `Missed: ${missed.join(', ')}`).toBeGreaterThanOrEqual(GOAL);
  } finally {
    await shop.close();
  }
});
