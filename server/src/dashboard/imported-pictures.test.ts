import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

test('an import converts image URLs to https with a warning for each, and changes nothing when repeated', async () => {
  const { dashboard } = await openShop();
  const row = {
    ...{ slug: 'a', name: 'A', price: '9', options: [{ name: 'Size', values: ['S', 'M'] }] },
    images: [{ url: 'http://old.example/1.jpg' }, { url: 'https://old.example/2.jpg' }],
    variants: [{ option1: 'S', image_url: 'http://old.example/1.jpg' }, { option1: 'M' }],
  };
  const send = async (dry_run: boolean) =>
    (await dashboard.POST('/api/dashboard/products/import', { body: { products: [row], dry_run } })).data?.results[0];

  const results = [await send(true), await send(false), await send(false)];

  expect(results.map((result) => result?.status)).toEqual(['created', 'created', 'unchanged']);
  for (const result of results.slice(0, 2)) {
    expect(result?.warnings).toMatchObject([
      { loc: ['body', 'products', 0, 'images', 0, 'url'], type: 'insecure_picture' },
      { loc: ['body', 'products', 0, 'variants', 0, 'image_url'], type: 'insecure_picture' },
    ]);
  }
  const { data } = await dashboard.GET('/api/dashboard/products');
  expect(data?.products[0]).toMatchObject({
    images: [{ url: 'https://old.example/1.jpg' }, { url: 'https://old.example/2.jpg' }],
    variants: [{ image_url: 'https://old.example/1.jpg' }, { image_url: null }],
  });
});
