import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const images = '/api/dashboard/products/{product_id}/images';
const image = '/api/dashboard/products/{product_id}/images/{image_id}';

test('sets and changes the variants that an image shows', async () => {
  const shop = await openShop();
  const product = await shop.givenProduct({
    status: 'active',
    options: [{ name: 'Colour', values: ['Red', 'Blue'] }],
    variants: [
      { option1: 'Red', price: '5.00', image_url: 'https://a.example/red.jpg' },
      { option1: 'Blue', price: '5.00' },
    ],
    images: [{ url: 'https://a.example/red.jpg' }],
  });
  const [red = '', blue = ''] = product.variants.map(({ id }) => id);
  const path = { product_id: product.id };
  expect(product.images.map(({ variant_ids }) => variant_ids)).toEqual([[red]]);

  const body = { url: 'https://a.example/both.jpg', variant_ids: [blue] };
  const added = await shop.dashboard.POST(images, { params: { path }, body });
  expect(added.data?.images.map(({ variant_ids }) => variant_ids)).toEqual([[red], [blue]]);
  expect(added.data?.variants[1]?.image_url).toBe('https://a.example/both.jpg');

  const image_id = added.data?.images[1]?.id ?? '';
  const change = (variant_ids: string[]) =>
    shop.dashboard.PATCH(image, { params: { path: { ...path, image_id } }, body: { variant_ids } });
  expect((await change([red, blue])).data?.images.map(({ variant_ids }) => variant_ids)).toEqual([[], [red, blue]]);
  const shown = await shop.storefront.GET('/api/storefront/products/{id_or_slug}', {
    params: { path: { id_or_slug: product.id } },
  });
  expect(shown.data?.images[1]?.variant_ids).toEqual([red, blue]);

  const before = await change([red]);
  expect(before.data?.variants.map(({ image_url }) => image_url)).toEqual(['https://a.example/both.jpg', null]);
  const again = await change([red]);
  expect(again.data?.updated_at).toBe(before.data?.updated_at);

  expect(await change([red, product.id])).toMatchObject({
    error: { detail: [{ loc: ['body', 'variant_ids', 1], type: 'variant_unknown' }] },
  });
  expect((await change([])).data?.variants.map(({ image_url }) => image_url)).toEqual([null, null]);
});
