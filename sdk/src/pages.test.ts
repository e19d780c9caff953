import { HttpResponse, http } from 'msw';
import { expect, expectTypeOf, test } from 'vitest';
import { baseUrl, openNetwork, refusal, siteId } from '../test/backend.ts';
import { createDashboardClient, createStorefrontClient, NotFoundError, paginate, type Schemas } from './index.ts';

const network = openNetwork();
const storefront = createStorefrontClient({ baseUrl, siteId, storefrontToken: 'stk_1' });
const dashboard = createDashboardClient({ baseUrl, apiKey: 'key_1' });

/** Serves a list with two entries per page, and records the queries. */
function listByPage(slugs: string[]) {
  const queries: string[] = [];
  network.use(
    http.get(`${baseUrl}/api/storefront/products`, ({ request }) => {
      const { search, searchParams } = new URL(request.url);
      queries.push(search);
      const page = Number(searchParams.get('page') ?? 1);
      const products = slugs.slice((page - 1) * 2, page * 2).map((slug) => ({ slug }));
      return HttpResponse.json({
        products,
        facets: {},
        total: slugs.length,
        page,
        limit: 2,
        pages: Math.ceil(slugs.length / 2),
      });
    }),
  );
  return queries;
}

async function slugsOf(products: AsyncIterable<{ slug: string }>): Promise<string[]> {
  const slugs: string[] = [];
  for await (const { slug } of products) slugs.push(slug);
  return slugs;
}

test('reads a list by page number to its end, and sends the filters with each page', async () => {
  const queries = listByPage(['a', 'b', 'c', 'd', 'e']);
  const query = { tag: ['mug', 'cup'], limit: 2 };

  expect(await slugsOf(paginate(storefront, '/api/storefront/products', { params: { query } }))).toEqual([...'abcde']);
  expect(queries).toEqual([
    '?limit=2&tag=mug&tag=cup',
    '?limit=2&tag=mug&tag=cup&page=2',
    '?limit=2&tag=mug&tag=cup&page=3',
  ]);
});

test('requests no further page after a full last page', async () => {
  const queries = listByPage(['a', 'b', 'c', 'd']);
  expect(await slugsOf(paginate(storefront, '/api/storefront/products'))).toHaveLength(4);
  expect(queries).toEqual(['?limit=100', '?limit=100&page=2']);
});

test('stops after the first page of an empty list', async () => {
  const queries = listByPage([]);
  expect(await slugsOf(paginate(storefront, '/api/storefront/products'))).toEqual([]);
  expect(queries).toHaveLength(1);
});

test('paginate starts at the requested page', async () => {
  listByPage(['a', 'b', 'c', 'd', 'e']);
  const params = { query: { page: 2 } };
  expect(await slugsOf(paginate(storefront, '/api/storefront/products', { params }))).toEqual(['c', 'd', 'e']);
});

test('requests no further page after the caller breaks out of the loop', async () => {
  const queries = listByPage(['a', 'b', 'c', 'd', 'e']);
  for await (const { slug } of paginate(storefront, '/api/storefront/products')) {
    if (slug === 'b') break;
  }
  expect(queries).toHaveLength(1);
});

test('follows cursors to the end of a list, even after an empty page', async () => {
  const cursors: (string | null)[] = [];
  const pages = [
    { products: [{ slug: 'a' }], next_cursor: 'one' },
    { products: [], next_cursor: 'two' },
    { products: [{ slug: 'b' }], next_cursor: null },
  ];
  network.use(
    http.get(`${baseUrl}/api/dashboard/products/export`, ({ request }) => {
      cursors.push(new URL(request.url).searchParams.get('cursor'));
      return HttpResponse.json(pages[cursors.length - 1]);
    }),
  );

  expect(await slugsOf(paginate(dashboard, '/api/dashboard/products/export'))).toEqual(['a', 'b']);
  expect(cursors).toEqual([null, 'one', 'two']);
});

test('sends path parameters, and throws errors like unwrap', async () => {
  const variant_id = '0192f3a0-4444-7000-8000-000000000001';
  network.use(http.get(`${baseUrl}/api/dashboard/inventory/${variant_id}/movements`, () => refusal(404, 'not_found')));
  const movements = paginate(dashboard, '/api/dashboard/inventory/{variant_id}/movements', {
    params: { path: { variant_id } },
  });
  await expect(movements.next()).rejects.toThrow(NotFoundError);
});

test("stops reading pages when the caller's signal is aborted", async () => {
  listByPage(['a', 'b', 'c']);
  const controller = new AbortController();
  const { signal } = controller;
  const read = async () => {
    for await (const { slug } of paginate(storefront, '/api/storefront/products', { signal })) {
      if (slug === 'b') controller.abort();
    }
  };
  await expect(read()).rejects.toThrow('abort');
});

test('the elements of each paginated list have the type of the contract', () => {
  expectTypeOf(paginate(storefront, '/api/storefront/products')).toEqualTypeOf<
    AsyncGenerator<Schemas['Product'], void, undefined>
  >();
  expectTypeOf(paginate(dashboard, '/api/dashboard/inventory')).toEqualTypeOf<
    AsyncGenerator<Schemas['InventoryItem'], void, undefined>
  >();
});

/** Never called. Compiling it is the test. */
export function typesRefusePathsThatAreNotLists() {
  // @ts-expect-error The shop is not a list.
  void paginate(storefront, '/api/storefront/shop');
  // @ts-expect-error A path of another surface.
  void paginate(storefront, '/api/dashboard/products');
  // @ts-expect-error The path parameter is required.
  void paginate(dashboard, '/api/dashboard/inventory/{variant_id}/movements');
}
