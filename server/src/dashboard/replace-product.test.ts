import { expect, test } from 'vitest';
import { givenProcessingFile, givenTee, readProduct, save, type TestShop, tagIn } from '../../test/saved-product.ts';
import { openShop } from '../../test/shop.ts';

test('saves fields, options, variants and images in one request, and keeps fields that the request omits', async () => {
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
      { option1: 'L', option2: 'Blue' },
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
    [null, '20.00', 0],
  ]);
  expect(now?.variants.slice(1, 4).map(({ id }) => id)).toEqual([mr?.id, sr?.id, sb?.id]);
  expect(now?.variants[1]).toMatchObject({ barcode: '4006381333931', compare_at_price: '25.00' });
  expect(now?.images.map(({ id, url, alt, position }) => [id, url, alt, position])).toEqual([
    [third?.id, 'https://a.example/3.jpg', 'Side', 1],
    [expect.any(String), 'https://a.example/4.jpg', null, 2],
    [first?.id, 'https://a.example/1.jpg', 'Front', 3],
  ]);
  const { product, etag } = await readProduct(shop, tee.id);
  expect(product).toEqual(now);
  expect(tagIn(saved.response)).toBe(etag);
  expect([second, mb].map((gone) => JSON.stringify(product).includes(gone?.id ?? ''))).toEqual([false, false]);
});

test('a save without changes writes nothing and sends no event', async () => {
  const shop = await openShop();
  const { id, options, variants, images, ...tee } = await givenTee(shop);
  const { told } = await givenWebhook(shop);
  const ids = (parts: { id: string }[]) => parts.map((part) => ({ id: part.id }));

  const same = await save(shop, id, {
    ...{ name: tee.name, slug: tee.slug, tags: tee.tags, metadata: { care: 'cold' }, status: 'active' },
    options: options.map(({ id, name, values }) => ({ id, name, values })),
    variants: ids(variants),
    images: ids(images),
  });

  expect(same.data).toEqual({ ...tee, id, options, variants, images });
  expect(await told()).toEqual([]);
});

test('a save sends one product.updated, updates the search index, and adds an audit event', async () => {
  const shop = await openShop();
  const tee = await givenTee(shop);
  const { told } = await givenWebhook(shop);

  const saved = await save(shop, tee.id, {
    name: 'Zephyr',
    variants: tee.variants.slice(0, 2).map(({ id }) => ({ id, price: '19.00' })),
    images: [{ url: 'https://a.example/9.jpg' }],
  });

  expect(await told()).toEqual([{ type: 'product.updated', name: 'Zephyr', updated_at: saved.data?.updated_at }]);
  const search = await shop.storefront.GET('/api/storefront/products', { params: { query: { q: 'zephyr' } } });
  expect(search.data?.products.map(({ id }) => id)).toEqual([tee.id]);
  const { data: audit } = await shop.dashboard.GET('/api/dashboard/audit-events', { params: { query: { limit: 1 } } });
  expect(audit?.audit_events[0]).toMatchObject({
    ...{ action: 'dashboard.replaceProduct', status: 200, targets: [tee.id] },
    fields: ['name', 'variants', 'images'],
  });
});

test('adds options and variants to a product, and removes them', async () => {
  const shop = await openShop();
  const mug = await shop.givenProduct({ sku: 'MUG', inventory_quantity: 7 });
  const [only] = mug.variants;

  const split = await save(shop, mug.id, {
    options: [{ name: 'Colour', values: ['Slate', 'Oat'] }],
    variants: [
      { id: only?.id, option1: 'Slate' },
      { option1: 'Oat', inventory_quantity: 2 },
    ],
  });

  expect(split.data).toMatchObject({ has_variants: true, total_inventory: 9 });
  expect(split.data?.variants).toMatchObject([
    { id: only?.id, sku: 'MUG', option1: 'Slate', price: '10.00', inventory_quantity: 7 },
    { option1: 'Oat', price: '10.00', inventory_quantity: 2 },
  ]);
  const joined = await save(shop, mug.id, { options: [], variants: [{ id: only?.id }] });
  expect(joined.data).toMatchObject({ has_variants: false, options: [], total_inventory: 7 });
  expect(joined.data?.variants).toMatchObject([{ id: only?.id, option1: null }]);
});

test('renames an option value together with its variants', async () => {
  const shop = await openShop();
  const tee = await givenTee(shop);
  const [size, colour] = tee.options;

  const saved = await save(shop, tee.id, {
    options: [{ id: size?.id }, { id: colour?.id, name: 'Shade', values: ['Crimson', 'Blue'] }],
    variants: tee.variants.map(({ id, option2 }) => ({ id, ...(option2 === 'Red' && { option2: 'Crimson' }) })),
  });

  expect(saved.data?.options).toEqual([size, { ...colour, name: 'Shade', values: ['Crimson', 'Blue'] }]);
  expect(
    saved.data?.variants.map(({ id, option1, option2, inventory_quantity }) => [
      id,
      option1,
      option2,
      inventory_quantity,
    ]),
  ).toEqual([
    [tee.variants[0]?.id, 'S', 'Crimson', 3],
    [tee.variants[1]?.id, 'S', 'Blue', 4],
    [tee.variants[2]?.id, 'M', 'Crimson', 5],
    [tee.variants[3]?.id, 'M', 'Blue', 6],
  ]);
});

test('moves the option values of variants with their options, even if the request contains only the options', async () => {
  const shop = await openShop();
  const tee = await givenTee(shop);
  const [size, colour] = tee.options;

  const moved = await save(shop, tee.id, { options: [{ id: colour?.id }, { id: size?.id }] });

  expect(moved.data?.options.map(({ id, position }) => [id, position])).toEqual([
    [colour?.id, 1],
    [size?.id, 2],
  ]);
  expect(moved.data?.variants.map(({ id, option1, option2 }) => [id, option1, option2])).toEqual(
    tee.variants.map(({ id, option1, option2 }) => [id, option2, option1]),
  );
  const [sr, sb] = tee.variants;
  const left = await save(shop, tee.id, { options: [{ id: colour?.id }], variants: [{ id: sr?.id }, { id: sb?.id }] });
  expect(left.data?.variants.map(({ id, option1, option2 }) => [id, option1, option2])).toEqual([
    [sr?.id, 'Red', null],
    [sb?.id, 'Blue', null],
  ]);
});

test('swaps the SKUs and the option values of two variants', async () => {
  const shop = await openShop();
  const { id, variants } = await givenTee(shop);
  const [a, b, ...rest] = variants;

  const saved = await save(shop, id, {
    variants: [
      { id: a?.id, sku: b?.sku, option1: b?.option1, option2: b?.option2 },
      { id: b?.id, sku: a?.sku, option1: a?.option1, option2: a?.option2 },
      ...rest.map((variant) => ({ id: variant.id })),
    ],
  });

  expect(saved.data?.variants.map(({ id, sku, option2 }) => [id, sku, option2])).toEqual([
    [a?.id, 'TEE-S-B', 'Blue'],
    [b?.id, 'TEE-S-R', 'Red'],
    [rest[0]?.id, 'TEE-M-R', 'Red'],
    [rest[1]?.id, 'TEE-M-B', 'Blue'],
  ]);
});

test('keeps existing SKUs that differ only in case until they are changed', async () => {
  const shop = await openShop();
  await shop.givenProduct({ sku: 'AA-1' });
  const tee = await givenTee(shop);
  const [a, b, c, d] = tee.variants;
  const respell = (id: string | undefined, sku: string) =>
    shop.owner.query('update commerce.variants set sku = $2, sku_twin = true where id = $1', [id, sku]);
  await respell(a?.id, 'aa-1');
  await respell(b?.id, 'tee-m-r');

  const renamed = await save(shop, tee.id, { name: 'Shirt' });
  const priced = await save(shop, tee.id, { variants: [a, b, c, d].map((one) => ({ id: one?.id, price: '9.00' })) });
  const respelt = await save(shop, tee.id, { variants: [{ id: a?.id, sku: 'Aa-1' }, { id: b?.id }] });
  const repeated = await save(shop, tee.id, { variants: [{ id: d?.id, sku: 'Tee-M-R' }, { id: c?.id }] });

  expect(renamed.data?.name).toBe('Shirt');
  expect(priced.data?.variants.map(({ sku, price }) => [sku, price])).toEqual(
    ['aa-1', 'tee-m-r', 'TEE-M-R', 'TEE-M-B'].map((sku) => [sku, '9.00']),
  );
  expect(respelt.error).toMatchObject({ detail: [{ loc: ['body', 'variants', 0, 'sku'], type: 'sku_taken' }] });
  expect(repeated.error).toMatchObject({ detail: [{ loc: ['body', 'variants', 0, 'sku'], type: 'duplicate' }] });
});

test('a save can keep, describe, move, remove and add images, including unprocessed ones', async () => {
  const shop = await openShop();
  const { id, images } = await givenTee(shop);
  const [first] = images;
  const file_id = await givenProcessingFile(shop);
  const unseen = (await readProduct(shop, id)).etag;
  const { data: added } = await shop.dashboard.POST('/api/dashboard/products/{product_id}/images', {
    params: { path: { product_id: id } },
    body: { file_id, position: 2, alt: 'New' },
  });
  const waiting = added?.images[3];
  expect((await save(shop, id, { images: [] }, unseen)).response.status).toBe(412);
  const before = await readProduct(shop, id);

  const same = await save(shop, id, { images: before.product.images.map((image) => ({ id: image.id })) });
  expect(same.data).toEqual(before.product);
  expect(tagIn(same.response)).toBe(before.etag);

  const moved = await save(shop, id, {
    images: [{ id: waiting?.id, alt: 'Newer' }, { id: first?.id }, { file_id: await givenProcessingFile(shop) }],
  });
  expect(moved.data?.images).toMatchObject([
    { id: first?.id, position: 1 },
    { id: waiting?.id, alt: 'Newer', position: 1, status: 'processing' },
    { alt: null, position: 3, status: 'processing' },
  ]);
  const late = await save(shop, id, { images: [] }, before.etag);
  expect(late.response.status).toBe(412);
  expect((await save(shop, id, { images: [] })).data?.images).toEqual([]);
});

test('a repeated save with the same Idempotency-Key returns the first response', async () => {
  const shop = await openShop();
  const { id: product_id } = await shop.givenProduct();
  const { etag } = await readProduct(shop, product_id);
  const header = { 'If-Match': etag, 'Idempotency-Key': crypto.randomUUID() };
  const put = () =>
    shop.dashboard.PUT('/api/dashboard/products/{product_id}', {
      params: { path: { product_id }, header },
      body: { images: [{ url: 'https://a.example/1.jpg' }] },
    });

  const [once, again] = [await put(), await put()];

  expect(again.data).toEqual(once.data);
  expect(again.response.headers.get('Idempotency-Replayed')).toBe('true');
  expect((await readProduct(shop, product_id)).product.images).toHaveLength(1);
});

/** Creates a webhook for product changes, and returns a function that reads its events. */
async function givenWebhook({ dashboard, owner, site_id }: TestShop) {
  await dashboard.POST('/api/dashboard/webhooks', {
    body: { url: 'https://hooks.example.net/shop', events: ['product.*'] },
  });
  const told = async () => {
    const { rows } = await owner.query<{ payload: string }>('select payload from commerce.events where site_id = $1', [
      site_id,
    ]);
    return rows.map(({ payload }) => {
      const { type, data } = JSON.parse(payload);
      return { type, name: data.name, updated_at: data.updated_at };
    });
  };
  return { told };
}
