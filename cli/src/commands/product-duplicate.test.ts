import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { fakeServer, loggedIn, pageOf } from '../testing.ts';

// biome-ignore lint/suspicious/noExplicitAny: the contract's own examples.
const EXAMPLES: any = contract.components.examples;
const PRODUCT = EXAMPLES.Product.value;
const COLLECTION = { ...EXAMPLES.Collection.value, id: '0192f3a0-9999-7000-8000-000000000001' };
const COPY = { ...PRODUCT, id: '0192f3a0-9999-7000-8000-000000000002', slug: 'copy', status: 'draft' };

test('`products duplicate` creates a copy without slug, SKUs and stock, and adds it to the collections of the product', async () => {
  const server = await fakeServer({
    'GET /api/dashboard/products': { body: pageOf('products', [PRODUCT]) },
    'GET /api/dashboard/collections': { body: pageOf('collections', [COLLECTION]) },
    'POST /api/dashboard/products': { body: COPY },
    [`POST /api/dashboard/collections/${COLLECTION.id}/products`]: { body: COLLECTION },
  });
  const { commerce } = await loggedIn(server.url);

  const { code, err } = await commerce(['products', 'duplicate', PRODUCT.slug]);

  expect([code, err]).toEqual([0, '']);
  const [created, added] = server.seen.filter(({ method }) => method === 'POST');
  expect(created?.body).toMatchObject({ name: `${PRODUCT.name} (copy)`, tags: PRODUCT.tags });
  for (const field of ['id', 'slug', 'status', 'price', 'sku']) expect(created?.body).not.toHaveProperty(field);
  expect(created?.body.variants).toHaveLength(PRODUCT.variants.length);
  for (const variant of created?.body.variants ?? []) {
    expect(variant).toHaveProperty('price');
    for (const field of ['id', 'sku', 'barcode', 'inventory_quantity']) expect(variant).not.toHaveProperty(field);
  }
  expect(added?.body).toEqual({ product_ids: [COPY.id] });
});
