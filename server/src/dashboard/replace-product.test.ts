import type { ProductReplacement } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const PRODUCT = '/api/dashboard/products/{product_id}';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function read({ dashboard }: Shop, product_id: string) {
  const { data, response } = await dashboard.GET(PRODUCT, { params: { path: { product_id } } });
  if (!data) throw new Error('The product is gone.');
  return { product: data, etag: response.headers.get('ETag') ?? '' };
}

/** Saves upon the present version, unless another is given. */
async function save(shop: Shop, product_id: string, body: ProductReplacement, etag?: string) {
  const header = { 'If-Match': etag ?? (await read(shop, product_id)).etag };
  return shop.dashboard.PUT(PRODUCT, { params: { path: { product_id }, header }, body });
}

/** A tee in two sizes and two colours, with pictures. */
function givenTee(shop: Shop) {
  return shop.givenProduct({
    name: 'Tee',
    price: '20.00',
    compare_at_price: '25.00',
    tags: ['summer'],
    metadata: { care: 'cold' },
    description: 'A tee.',
    options: [
      { name: 'Size', values: ['S', 'M'] },
      { name: 'Colour', values: ['Red', 'Blue'] },
    ],
    variants: [
      { option1: 'S', option2: 'Red', sku: 'TEE-S-R', inventory_quantity: 3 },
      { option1: 'S', option2: 'Blue', sku: 'TEE-S-B', inventory_quantity: 4 },
      { option1: 'M', option2: 'Red', sku: 'TEE-M-R', inventory_quantity: 5, barcode: '4006381333931' },
      { option1: 'M', option2: 'Blue', sku: 'TEE-M-B', inventory_quantity: 6 },
    ],
    images: [
      { url: 'https://a.example/1.jpg', alt: 'Front' },
      { url: 'https://a.example/2.jpg', alt: 'Back' },
      { url: 'https://a.example/3.jpg' },
    ],
  });
}

test('saves fields, options, variants and images in one call, and what is absent stays', async () => {
  const shop = await openShop();
  const tee = await givenTee(shop);
  const [size, colour] = tee.options;
  const [sr, sb, mr, mb] = tee.variants;
  const [first, second, third] = tee.images;

  const saved = await save(shop, tee.id, {
    name: 'T-shirt',
    tags: ['winter'],
    options: [{ id: size?.id, values: ['S', 'M', 'L'] }, { id: colour?.id }],
    variants: [
      { option1: 'L', option2: 'Red', sku: 'TEE-L-R', price: '22.00', inventory_quantity: 9 },
      { id: mr?.id, price: '21.00' },
      { id: sr?.id },
      { id: sb?.id, sku: 'TEE-M-B' },
    ],
    images: [{ id: third?.id, alt: 'Side' }, { url: 'https://a.example/4.jpg' }, { id: first?.id }],
  });

  expect(saved.error).toBeUndefined();
  const now = saved.data;
  expect(now).toMatchObject({ name: 'T-shirt', tags: ['winter'], metadata: { care: 'cold' }, description: 'A tee.' });
  expect(now?.options).toEqual([{ ...size, values: ['S', 'M', 'L'] }, colour]);
  expect(now?.variants.map(({ sku, price, inventory_quantity }) => [sku, price, inventory_quantity])).toEqual([
    ['TEE-L-R', '22.00', 9],
    ['TEE-M-R', '21.00', 5],
    ['TEE-S-R', '20.00', 3],
    ['TEE-M-B', '20.00', 4],
  ]);
  expect(now?.variants.slice(1).map(({ id }) => id)).toEqual([mr?.id, sr?.id, sb?.id]);
  expect(now?.variants[1]).toMatchObject({ barcode: '4006381333931', compare_at_price: '25.00' });
  expect(now?.images.map(({ id, url, alt, position }) => [id, url, alt, position])).toEqual([
    [third?.id, 'https://a.example/3.jpg', 'Side', 1],
    [expect.any(String), 'https://a.example/4.jpg', null, 2],
    [first?.id, 'https://a.example/1.jpg', 'Front', 3],
  ]);
  const { product, etag } = await read(shop, tee.id);
  expect(product).toEqual(now);
  expect(saved.response.headers.get('ETag')).toBe(etag);
  expect([second, mb].map((gone) => JSON.stringify(product).includes(gone?.id ?? ''))).toEqual([false, false]);
});
