import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const products = '/api/dashboard/products';
const product = '/api/dashboard/products/{product_id}';
const importing = '/api/dashboard/products/import';
const tee = {
  name: 'Tee',
  options: [{ name: 'Size', values: ['S', 'M'] }],
  variants: [
    { option1: 'S', sku: 'TEE-S', inventory_quantity: 3 },
    { option1: 'M', sku: 'TEE-M' },
  ],
};

test('creating or changing a product or variant with a taken SKU is rejected, and the error names the SKU', async () => {
  const { dashboard, givenProduct } = await openShop();
  const [made, mug] = [await givenProduct(tee), await givenProduct({ sku: 'MUG' })];
  await dashboard.PATCH('/api/dashboard/products/{product_id}/options/{option_id}', {
    params: { path: { product_id: made.id, option_id: made.options[0]?.id ?? '' } },
    body: { values: ['S', 'M', 'L'] },
  });
  const variant = { product_id: made.id, variant_id: made.variants[0]?.id ?? '' };

  const refusals = await Promise.all([
    dashboard.POST(products, {
      body: {
        ...tee,
        price: '1',
        variants: [
          { option1: 'S', sku: 'NEW' },
          { option1: 'M', sku: 'MUG' },
        ],
      },
    }),
    dashboard.PATCH(product, { params: { path: { product_id: mug.id } }, body: { sku: 'TEE-M' } }),
    dashboard.POST('/api/dashboard/products/{product_id}/variants', {
      params: { path: { product_id: made.id } },
      body: { option1: 'L', sku: 'MUG' },
    }),
    dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
      params: { path: variant },
      body: { sku: 'TEE-M' },
    }),
  ]);

  expect(refusals.map(({ error }) => error)).toMatchObject(
    ['MUG', 'TEE-M', 'MUG', 'TEE-M'].map((sku) => ({ error: 'sku_taken', sku })),
  );
});

test('SKUs are unique regardless of case, even under concurrent requests', async () => {
  const { dashboard, givenProduct } = await openShop();
  const first = await givenProduct({ sku: 'AA-1' });
  const other = await givenProduct({ sku: 'BB-1' });
  const changed = await dashboard.PATCH(product, { params: { path: { product_id: other.id } }, body: { sku: 'aa-1' } });
  const respelt = await dashboard.PATCH(product, { params: { path: { product_id: first.id } }, body: { sku: 'aA-1' } });
  const row = { name: 'Cup', slug: 'cup', price: '1.00', sku: 'Aa-1' };
  const { data } = await dashboard.POST('/api/dashboard/products/import', { body: { products: [row] } });
  const together = await Promise.all(
    ['cc-1', 'CC-1', 'Cc-1'].map((sku) => dashboard.POST(products, { body: { name: 'Bowl', price: '1.00', sku } })),
  );

  expect(changed.error).toMatchObject({ error: 'sku_taken', sku: 'aa-1' });
  expect(respelt.data?.variants[0]?.sku).toBe('aA-1');
  expect(data?.results[0]?.errors[0]?.type).toBe('sku_taken');
  expect(together.map(({ response }) => response.status).sort()).toEqual([201, 409, 409]);
  expect(together.flatMap(({ error }) => (error ? [error.error] : []))).toEqual(['sku_taken', 'sku_taken']);
});

test('existing SKUs that differ only in case are accepted until one is changed', async () => {
  const { dashboard, givenProduct, owner } = await openShop();
  const kept = await givenProduct({ sku: 'AA-1' });
  const twin = await givenProduct({ sku: 'x' });
  const id = twin.variants[0]?.id;
  await owner.query(`update commerce.variants set sku = 'aa-1', sku_twin = true where id = $1`, [id]);
  const path = { product_id: twin.id };
  const change = (body: { price?: string; sku?: string }) => dashboard.PATCH(product, { params: { path }, body });

  const priced = await change({ price: '3.00' });
  const same = await change({ sku: 'aa-1' });
  const respelt = await change({ sku: 'Aa-1' });
  const renamed = await change({ sku: 'bb-1' });
  const back = await change({ sku: 'aa-1' });
  const third = await dashboard.POST(products, { body: { name: 'Cup', price: '1.00', sku: 'aA-1' } });

  expect(priced.data?.variants[0]).toMatchObject({ price: '3.00', sku: 'aa-1' });
  expect(same.data?.variants[0]?.sku).toBe('aa-1');
  expect([respelt, back, third].map(({ error }) => error?.error)).toEqual(['sku_taken', 'sku_taken', 'sku_taken']);
  expect(renamed.data?.variants[0]?.sku).toBe('bb-1');
  expect((await dashboard.GET(product, { params: { path: { product_id: kept.id } } })).data).toEqual(kept);
});

test('rejects empty names of products and options', async () => {
  const { dashboard, givenProduct } = await openShop();
  const made = await givenProduct(tee);
  const params = { path: { product_id: made.id } };
  const option = { path: { product_id: made.id, option_id: made.options[0]?.id ?? '' } };
  const optionPath = '/api/dashboard/products/{product_id}/options/{option_id}';

  const refusals = await Promise.all([
    dashboard.POST(products, { body: { name: ' ', price: '1' } }),
    dashboard.POST(products, { body: { ...tee, price: '1', options: [{ name: ' ', values: ['S', 'M'] }] } }),
    dashboard.PATCH(product, { params, body: { name: '\t ' } }),
    dashboard.POST('/api/dashboard/products/{product_id}/options', { params, body: { name: ' ', values: ['A'] } }),
    dashboard.PATCH(optionPath, { params: option, body: { name: ' ' } }),
  ]);
  const patched = await dashboard.PATCH(product, { params, body: { name: ' T ', tags: [' a', 'a', ' '] } });
  const renamed = await dashboard.PATCH(optionPath, { params: option, body: { name: ' Fit ' } });

  expect(refusals.map(({ response }) => response.status)).toEqual([422, 422, 422, 422, 422]);
  expect(patched.data).toMatchObject({ name: 'T', tags: ['a'] });
  expect(renamed.data?.options[0]?.name).toBe('Fit');
});

test('accepts a deeply nested HTML description, even with broken nesting', async () => {
  const { givenProduct } = await openShop();

  const deep = await givenProduct({ description: '<b>'.repeat(21_000) });
  const broken = await givenProduct({ description: '<a'.repeat(32_700) });

  expect(deep.description).toBe('');
  expect(broken.description).toBe('<a'.repeat(32_700));
});

test('rejects two options with the same name in any case, and a fourth option', async () => {
  const { dashboard, givenProduct } = await openShop();
  const { id, options } = await givenProduct(tee);
  const add = (name: string) =>
    dashboard.POST('/api/dashboard/products/{product_id}/options', {
      params: { path: { product_id: id } },
      body: { name, values: ['One'] },
    });

  const taken = await add('SIZE');
  await add('Colour');
  const renamed = await dashboard.PATCH('/api/dashboard/products/{product_id}/options/{option_id}', {
    params: { path: { product_id: id, option_id: options[0]?.id ?? '' } },
    body: { name: 'colour' },
  });
  await add('Cut');
  const fourth = await add('Cloth');

  expect([taken.error?.error, renamed.error?.error]).toEqual(['option_name_taken', 'option_name_taken']);
  expect(fourth.error).toMatchObject({ error: 'limit_reached', limit: 3 });
});

test('an image or option cannot be changed through another product of the shop', async () => {
  const { dashboard, givenProduct } = await openShop();
  const made = await givenProduct({ ...tee, images: [{ url: 'https://images.example/1.jpg' }] });
  const { id: product_id } = await givenProduct();
  const image = { params: { path: { product_id, image_id: made.images[0]?.id ?? '' } } };
  const option = { params: { path: { product_id, option_id: made.options[0]?.id ?? '' } } };
  const imagePath = '/api/dashboard/products/{product_id}/images/{image_id}';
  const optionPath = '/api/dashboard/products/{product_id}/options/{option_id}';

  const refusals = await Promise.all([
    dashboard.PATCH(imagePath, { ...image, body: { alt: 'Mine' } }),
    dashboard.DELETE(imagePath, image),
    dashboard.PATCH(optionPath, { ...option, body: { name: 'Mine' } }),
    dashboard.DELETE(optionPath, option),
  ]);

  expect(refusals.map(({ error }) => error?.error)).toEqual(Array.from({ length: 4 }, () => 'not_found'));
  const { data } = await dashboard.GET(product, { params: { path: { product_id: made.id } } });
  expect([data?.images, data?.options]).toEqual([made.images, made.options]);
});

test('a product or variant with reserved stock cannot be deleted', async () => {
  const { dashboard, givenProduct, givenCheckout } = await openShop();
  const made = await givenProduct(tee);
  const variant_id = made.variants[0]?.id ?? '';
  await givenCheckout({ content: [{ variant_id, quantity: 1 }] });

  const whole = await dashboard.DELETE(product, { params: { path: { product_id: made.id } } });
  const variant = await dashboard.DELETE('/api/dashboard/products/{product_id}/variants/{variant_id}', {
    params: { path: { product_id: made.id, variant_id } },
  });

  expect([whole.error?.error, variant.error?.error]).toEqual(['conflict', 'conflict']);
  const { data } = await dashboard.GET(product, { params: { path: { product_id: made.id } } });
  expect(data?.variants).toHaveLength(2);
});

test('rejects an import row that omits a variant with reserved stock', async () => {
  const { dashboard, givenProduct, givenCheckout } = await openShop();
  const made = await givenProduct({ ...tee, slug: 'tee' });
  await givenCheckout({ content: [{ variant_id: made.variants[0]?.id ?? '', quantity: 1 }] });

  const { data } = await dashboard.POST(importing, {
    body: { products: [{ name: 'Tee', slug: 'tee', variants: [{ option1: 'M' }] }] },
  });

  expect(data?.results[0]).toMatchObject({ status: 'failed', errors: [{ type: 'conflict' }] });
  const after = await dashboard.GET(product, { params: { path: { product_id: made.id } } });
  expect(after.data?.variants).toHaveLength(2);
});

test('rejects the second of two import rows with one slug', async () => {
  const { dashboard } = await openShop();
  const row = (slug: string, name: string) => ({ slug, name, price: '5' });

  const { data } = await dashboard.POST(importing, {
    body: { products: [row('mug', 'Mug'), row('cup', 'Cup'), row('mug', 'Other')] },
  });

  expect(data?.results.map(({ status }) => status)).toEqual(['created', 'created', 'failed']);
  expect(data?.results[2]?.errors).toMatchObject([
    { loc: ['body', 'products', 2, 'slug'], type: 'duplicate', ctx: { first: 0 } },
  ]);
  const listed = await dashboard.GET(products, { params: { query: { q: 'Other' } } });
  expect(listed.data?.total).toBe(0);
});
