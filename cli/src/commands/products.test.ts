import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { fakeServer, folder, loggedIn, refusal } from '../testing.ts';

// biome-ignore lint/suspicious/noExplicitAny: the contract's own example of a product.
const PRODUCT: any = contract.components.examples.Product.value;
const { id, slug } = PRODUCT;
const LIST = 'GET /api/dashboard/products';
const EXPORT = 'GET /api/dashboard/products/export';

const pageOf = (products: unknown[]) => ({ products, total: products.length, page: 1, limit: 20, pages: 1 });

test('lists products of any of several given vendors', async () => {
  const server = await fakeServer({ [LIST]: { body: pageOf([PRODUCT]) } });
  const { commerce } = await loggedIn(server.url);
  const { code, out } = await commerce([
    'products',
    'list',
    '--vendor',
    'Alder',
    '--vendor',
    'Finch',
    '--type',
    'Mugs',
  ]);
  expect(code).toBe(0);
  expect(out).toContain(`${PRODUCT.price}  ${PRODUCT.currency}`);
  expect(out).toContain('\n\n1 product.\n');
  expect(server.seen[0]?.query.toString()).toBe('vendor=Alder&vendor=Finch&product_type=Mugs');
});

test('lists products by price, stock, collection and time, and names the option of an invalid price', async () => {
  const collection = contract.components.examples.Collection.value;
  const server = await fakeServer({
    [LIST]: ({ query }) =>
      query.get('price_min') === '0.01'
        ? refusal(422, 'validation_error', 'The request does not fit.', {
            detail: [{ loc: ['query', 'price_min'], msg: 'Should be an amount.', type: 'value_error' }],
          })
        : { body: pageOf([PRODUCT]) },
    'GET /api/dashboard/collections': { body: { collections: [collection], total: 1, page: 1, limit: 20, pages: 1 } },
  });
  const { commerce } = await loggedIn(server.url);
  const filters = ['--stock', 'low', '--max-price', '20', '--changed-from', '2026-11-01'];
  const { code } = await commerce(['products', 'list', '--collection', collection.handle, ...filters]);
  expect(code).toBe(0);
  expect(Object.fromEntries(server.seen.at(-1)?.query ?? [])).toEqual({
    ...{ stock: 'low', price_max: '20', collection_id: collection.id },
    updated_from: expect.stringMatching(/^2026-1[01]-/),
  });
  const { err } = await commerce(['products', 'list', '--min-price', '0.01']);
  expect(err).toContain('--min-price: Should be an amount.');
});

test('shows one product by its id, slug or SKU', async () => {
  const server = await fakeServer({
    [LIST]: { body: pageOf([{ ...PRODUCT, id: 'x', slug: `${slug}-2`, variants: [] }, PRODUCT]) },
    [`GET /api/dashboard/products/${id}`]: { body: PRODUCT },
  });
  const { commerce } = await loggedIn(server.url);
  for (const wanted of [id, slug, PRODUCT.variants[0].sku.toLowerCase()]) {
    const { out } = await commerce(['products', 'get', wanted, '--json']);
    expect(JSON.parse(out)).toEqual(PRODUCT);
  }
  const { out } = await commerce(['products', 'get', slug]);
  // The output contains this field of the contract, although no code formats it.
  expect(out).toMatch(new RegExp(`^SEO title +${PRODUCT.seo_title}$`, 'm'));
  expect(out).toContain(PRODUCT.variants[0].sku);
  const unknown = await commerce(['products', 'get', 'no-such-thing']);
  expect(unknown.code).toBe(1);
  expect(unknown.err).toContain('No product with the slug or SKU "no-such-thing" was found.');
});

const pages = {
  [EXPORT]: ({ query }: { query: URLSearchParams }) =>
    query.get('cursor') === 'c2'
      ? { body: { products: [{ ...PRODUCT, slug: 'second' }], next_cursor: null } }
      : { body: { products: [PRODUCT], next_cursor: 'c2' } },
};

test('exports products to stdout, and requests each page with the same status filter', async () => {
  const server = await fakeServer(pages);
  const { commerce } = await loggedIn(server.url);
  const { code, out, err } = await commerce(['products', 'export', '--status', 'active']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const slugs = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).slug);
  expect(slugs).toEqual([slug, 'second']);
  expect(server.seen.map(({ query }) => query.get('status'))).toEqual(['active', 'active']);
});

test('exports products as Shopify CSV with its header', async () => {
  const server = await fakeServer(pages);
  const { commerce } = await loggedIn(server.url);
  const output = join(await folder(), 'products.csv');
  const { out } = await commerce(['products', 'export', '--format', 'shopify', '--output', output]);
  expect(out).toBe(`Exported 2 products to ${output}.\n`);
  expect(await readFile(output, 'utf8')).toMatch(/^Handle,Title,/);
});

test('a failed export of products leaves no partial file behind', async () => {
  const server = await fakeServer({
    [EXPORT]: ({ query }) => (query.has('cursor') ? refusal(401, 'invalid_token', 'Ended.') : pages[EXPORT]({ query })),
  });
  const { commerce } = await loggedIn(server.url);
  const dir = await folder();
  const { code } = await commerce(['products', 'export', '--output', join(dir, 'products.jsonl')]);
  expect(code).toBe(3);
  expect(await readdir(dir)).toEqual([]);
});
