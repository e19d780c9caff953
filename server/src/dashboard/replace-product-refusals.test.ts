import type { ProductReplacement } from '@commerce-backend/spec';
import { beforeAll, describe, expect, test } from 'vitest';
import { givenTee, PRODUCT, readProduct, rowsOf, save, type TestShop } from '../../test/saved-product.ts';
import { openShop } from '../../test/shop.ts';

type Product = Awaited<ReturnType<TestShop['givenProduct']>>;
type Loc = (string | number)[];
type Body = Omit<ProductReplacement, 'status'> & Record<string, unknown>;

const NOBODY = '0192f3a0-5555-7000-8000-00000000dead';

/** Invalid request bodies, each with the path and the type of the expected error. */
const MISTAKES: Record<string, (tee: Product, other: Product) => [Body, Loc, string]> = {
  'a price of the wrong form': ({ variants }) => [
    { variants: variants.map(({ id }, i) => (i === 3 ? { id, price: 'free' } : { id })) },
    ['variants', 3, 'price'],
    'string_pattern_mismatch',
  ],
  'a price with too many decimals': ({ variants }) => [
    { variants: variants.map(({ id }, i) => (i === 3 ? { id, price: '1.999' } : { id })) },
    ['variants', 3, 'price'],
    'decimal_max_places',
  ],
  'a compare_at_price that is not above the price': ({ variants }) => [
    { variants: variants.map(({ id }, i) => (i === 3 ? { id, compare_at_price: '20.00' } : { id })) },
    ['variants', 3, 'compare_at_price'],
    'greater_than',
  ],
  'a variant of another product': ({ variants }, other) => [
    { variants: [...variants, other.variants[0]].map((variant) => ({ id: variant?.id })) },
    ['variants', 4, 'id'],
    'variant_unknown',
  ],
  'the same variant twice': ({ variants: [one] }) => [
    { variants: [{ id: one?.id }, { id: one?.id }] },
    ['variants', 1, 'id'],
    'duplicate',
  ],
  'stock of an existing variant': ({ variants: [one] }) => [
    { variants: [{ id: one?.id, inventory_quantity: 3 }] },
    ['variants', 0, 'inventory_quantity'],
    'extra_forbidden',
  ],
  'no variant': () => [{ variants: [] }, ['variants'], 'too_short'],
  'two variants with the same values': ({ variants: [one, two] }) => [
    { variants: [{ id: one?.id }, { id: two?.id, option2: 'Red' }] },
    ['variants', 1],
    'duplicate',
  ],
  'a value that its option does not have': ({ variants: [one] }) => [
    { variants: [{ id: one?.id, option2: 'Green' }] },
    ['variants', 0, 'option2'],
    'enum',
  ],
  'a used value that its option no longer lists': ({ options: [size, colour] }) => [
    { options: [{ id: size?.id, values: ['S'] }, { id: colour?.id }] },
    ['variants', 2, 'option1'],
    'enum',
  ],
  'a new option without values in the variants': ({ options: [size, colour] }) => [
    { options: [{ id: size?.id }, { id: colour?.id }, { name: 'Fit', values: ['Slim'] }] },
    ['variants', 0, 'option3'],
    'missing',
  ],
  'a new option without a name': () => [{ options: [{ values: ['S'] }] }, ['options', 0, 'name'], 'missing'],
  'two options with the same name': ({ options: [size, colour] }) => [
    { options: [{ id: size?.id }, { id: colour?.id, name: 'SIZE' }] },
    ['options', 1, 'name'],
    'duplicate',
  ],
  'an unknown option': () => [{ options: [{ id: NOBODY }] }, ['options', 0, 'id'], 'option_unknown'],
  'an unknown image': () => [{ images: [{ id: NOBODY }] }, ['images', 0, 'id'], 'image_unknown'],
  'an image without a URL': () => [{ images: [{ alt: 'Front' }] }, ['images', 0, 'url'], 'missing'],
  'an image URL without https': () => [
    { images: [{ url: 'http://b.example/1.jpg' }] },
    ['images', 0, 'url'],
    'value_error',
  ],
  'an unknown file': () => [{ images: [{ file_id: NOBODY }] }, ['images', 0, 'file_id'], 'file_unknown'],
  'a file for an existing image': ({ images: [one] }) => [
    { images: [{ id: one?.id, file_id: NOBODY }] },
    ['images', 0, 'file_id'],
    'extra_forbidden',
  ],
  'a SKU of another product': ({ variants }) => [
    { variants: variants.map(({ id }, i) => (i === 3 ? { id, sku: 'other' } : { id })) },
    ['variants', 3, 'sku'],
    'sku_taken',
  ],
  'a blank name': () => [{ name: ' ' }, ['name'], 'string_too_short'],
  'a read-only field': () => [{ price: '5.00' }, ['price'], 'extra_forbidden'],
  'an empty body': () => [{}, [], 'too_short'],
};

describe('saving a product with an invalid body', () => {
  let shop: TestShop;
  let tee: Product;
  let other: Product;
  beforeAll(async () => {
    shop = await openShop();
    tee = await givenTee(shop);
    other = await shop.givenProduct({ sku: 'OTHER' });
  });

  test.for(Object.entries(MISTAKES))('rejects %s (422), names the field and changes nothing', async ([, mistake]) => {
    const before = await rowsOf(shop);
    const [body, place, type] = mistake(tee, other);

    const { response, error } = await save(shop, tee.id, body);

    expect(response.status).toBe(422);
    const [first] = (error as { detail?: object[] } | undefined)?.detail ?? [];
    expect(first).toMatchObject({ loc: ['body', ...place], type });
    expect(await rowsOf(shop)).toEqual(before);
  });
});

/** Requests that are rejected by the database or the state of the shop, after part of them was written. */
const CONFLICTS: Record<string, [string, (tee: Product) => ProductReplacement]> = {
  'a slug of another product': ['slug_taken', () => ({ slug: 'other' })],
  'deleting a variant whose stock an open checkout has reserved': [
    'conflict',
    ({ variants }) => ({ variants: variants.slice(0, 3).map(({ id }) => ({ id })) }),
  ],
  'the policy deny for a variant with more reserved than on hand': [
    'insufficient_stock',
    ({ variants }) => ({
      variants: variants.map(({ id }, i) => ({
        id,
        price: '1.00',
        ...(i === 3 && { inventory_policy: 'deny' as const }),
      })),
    }),
  ],
  'a new last variant with stock below zero': [
    'insufficient_stock',
    ({ options: [size, colour], variants }) => ({
      options: [{ id: size?.id, values: ['S', 'M', 'L'] }, { id: colour?.id }],
      variants: [
        ...variants.map(({ id }) => ({ id, price: '1.00' })),
        { option1: 'L', option2: 'Red', inventory_quantity: -1 },
      ],
    }),
  ],
};

describe('saving a product with a conflict in one part', () => {
  test.for(Object.entries(CONFLICTS))('rejects %s, and saves none of the other parts', async ([, [code, bodyOf]]) => {
    const shop = await openShop();
    const tee = await givenTee(shop);
    await shop.givenProduct({ slug: 'other' });
    const last = tee.variants[3]?.id ?? '';
    const path = { product_id: tee.id, variant_id: last };
    await shop.dashboard.PATCH('/api/dashboard/products/{product_id}/variants/{variant_id}', {
      params: { path },
      body: { inventory_policy: 'continue' },
    });
    await shop.givenCheckout({ content: [{ variant_id: last, quantity: 8 }] });
    const before = await rowsOf(shop);

    const body = { name: 'Shirt', images: [{ url: 'https://a.example/9.jpg' }], metadata: {}, ...bodyOf(tee) };
    const { response, error } = await save(shop, tee.id, body);

    expect([response.status, error?.error]).toEqual([409, code]);
    expect(await rowsOf(shop)).toEqual(before);
  });
});

test('rejects a save without If-Match (422), or with an old version (412 stale)', async () => {
  const shop = await openShop();
  const tee = await givenTee(shop);
  const { etag } = await readProduct(shop, tee.id);
  await shop.dashboard.PATCH(PRODUCT, { params: { path: { product_id: tee.id } }, body: { name: 'Shirt' } });
  const before = await rowsOf(shop);

  const late = await save(shop, tee.id, { name: 'Blouse' }, etag);
  const without = await shop.dashboard.PUT(PRODUCT, {
    params: { path: { product_id: tee.id }, header: {} as { 'If-Match': string } },
    body: { name: 'Blouse' },
  });

  expect(late.response.status).toBe(412);
  const now = await readProduct(shop, tee.id);
  expect(late.error).toMatchObject({ error: 'stale', etag: now.etag, changed_fields: ['name'] });
  expect(without.response.status).toBe(422);
  expect(without.error).toMatchObject({ detail: [{ loc: ['header', 'If-Match'], type: 'missing' }] });
  expect(await rowsOf(shop)).toEqual(before);
  const again = await save(shop, tee.id, { name: 'Blouse' }, (late.error as unknown as { etag: string }).etag);
  expect(again.data?.name).toBe('Blouse');
});

test('returns 404 for a product of another shop and for a deleted one', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const theirs = await givenTee(other);
  const { id } = await shop.givenProduct();
  await shop.dashboard.DELETE(PRODUCT, { params: { path: { product_id: id } } });

  for (const product_id of [theirs.id, id, NOBODY]) {
    const { response, error } = await save(shop, product_id, { name: 'Mine' }, '*');
    expect([response.status, error?.error]).toEqual([404, 'not_found']);
  }
});
