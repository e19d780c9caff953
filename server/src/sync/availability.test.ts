import { gzipSync } from 'node:zlib';
import { unwrap } from '@commerce-backend/sdk';
import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const availability = '/api/sync/availability';

type OpenShop = Awaited<ReturnType<typeof openShop>>;

async function variantOf(product: Awaited<ReturnType<OpenShop['givenProduct']>>) {
  return product.variants[0]?.id ?? '';
}

test('returns the availability of each item, by id or SKU, in the order of the request', async () => {
  const { sync, givenProduct } = await openShop();
  const mug = await givenProduct({
    options: [{ name: 'Colour', values: ['Slate', 'Oat', 'Rose'] }],
    variants: [
      { option1: 'Slate', sku: 'MUG-SLATE', price: '14.00', compare_at_price: '18.00', inventory_quantity: 40 },
      { option1: 'Oat', sku: 'MUG-OAT', price: '16.00', inventory_quantity: 3, low_stock_threshold: 5 },
      { option1: 'Rose', sku: 'MUG-ROSE', price: '16.00', inventory_quantity: 0 },
    ],
  });
  const [slate, oat, rose] = mug.variants.map(({ id }) => id);
  const voucher = await givenProduct({ track_inventory: false, sku: 'VOUCHER', price: '25.00' });
  const made = await givenProduct({ inventory_policy: 'continue', inventory_quantity: 0, sku: 'MADE', price: '80.00' });
  const nothing = { inventory_quantity: null, price: null, compare_at_price: null };

  const items = [
    { sku: 'MUG-OAT', quantity: 3 },
    { variant_id: slate ?? '', quantity: 41 },
    { sku: 'MUG-OAT', quantity: 4 },
    { variant_id: rose ?? '' },
    { sku: 'NONE' },
    { sku: 'VOUCHER', quantity: 1_000_000 },
    { sku: 'MADE', quantity: 9 },
    { variant_id: '0192f3a0-4444-7000-8000-000000000001' },
  ];
  const answer = await unwrap(sync.POST(availability, { body: { items } }));

  const of = { product_id: mug.id };
  const oats = { ...of, variant_id: oat, sku: 'MUG-OAT', availability: 'low_stock', inventory_quantity: 3 };
  expect(answer.currency).toBe('EUR');
  expect(answer.items).toEqual([
    { ...oats, available: true, price: '16.00', compare_at_price: null },
    {
      ...of,
      variant_id: slate,
      sku: 'MUG-SLATE',
      availability: 'in_stock',
      available: false,
      inventory_quantity: 40,
      price: '14.00',
      compare_at_price: '18.00',
    },
    { ...oats, available: false, price: '16.00', compare_at_price: null },
    {
      ...of,
      variant_id: rose,
      sku: 'MUG-ROSE',
      availability: 'out_of_stock',
      available: false,
      inventory_quantity: 0,
      price: '16.00',
      compare_at_price: null,
    },
    { variant_id: null, product_id: null, sku: 'NONE', availability: 'unknown', available: false, ...nothing },
    {
      variant_id: await variantOf(voucher),
      product_id: voucher.id,
      sku: 'VOUCHER',
      availability: 'in_stock',
      available: true,
      inventory_quantity: null,
      price: '25.00',
      compare_at_price: null,
    },
    {
      variant_id: await variantOf(made),
      product_id: made.id,
      sku: 'MADE',
      availability: 'backorder',
      available: true,
      inventory_quantity: 0,
      price: '80.00',
      compare_at_price: null,
    },
    {
      variant_id: '0192f3a0-4444-7000-8000-000000000001',
      product_id: null,
      sku: null,
      availability: 'unknown',
      available: false,
      ...nothing,
    },
  ]);
});

test('reports hidden products and products of another shop as unknown', async () => {
  const { sync, givenProduct } = await openShop();
  const other = await openShop();
  const hidden = [
    await givenProduct({ status: 'draft', sku: 'DRAFT' }),
    await givenProduct({ status: 'archived' }),
    await givenProduct({ published_at: '2126-01-01T00:00:00Z' }),
    await other.givenProduct({ sku: 'THEIRS' }),
  ];
  const ids = await Promise.all(hidden.map(variantOf));

  const items = [...ids.map((variant_id) => ({ variant_id })), { sku: 'DRAFT' }, { sku: 'THEIRS' }];
  const answer = await unwrap(sync.POST(availability, { body: { items } }));

  expect(new Set(answer.items.map((item) => item.availability))).toEqual(new Set(['unknown']));
  expect(answer.items).toHaveLength(6);
});

test('availability excludes reserved stock, and a repeated Idempotency-Key returns the current stock', async () => {
  const { sync, givenProduct, givenCheckout } = await openShop();
  const variant_id = await variantOf(await givenProduct({ inventory_quantity: 10 }));
  const params = { header: { 'Idempotency-Key': '0192f3a0-4444-7000-8000-00000000000a' } };
  const quantity = async () =>
    (await unwrap(sync.POST(availability, { params, body: { items: [{ variant_id }] } }))).items[0]?.inventory_quantity;

  expect(await quantity()).toBe(10);
  await givenCheckout({ content: [{ variant_id, quantity: 4 }] });
  expect(await quantity()).toBe(6);
});

test('accepts 500 items in one call and rejects 501 (too_long)', async () => {
  const { sync } = await openShop();
  const items = Array.from({ length: 501 }, (_, index) => ({ sku: `SKU-${index}` }));

  const answer = await unwrap(sync.POST(availability, { body: { items: items.slice(0, 500) } }));
  expect(answer.items.map(({ sku }) => sku)).toEqual(items.slice(0, 500).map(({ sku }) => sku));

  const { error } = await sync.POST(availability, { body: { items } });
  expect(error).toMatchObject({ detail: [{ loc: ['body', 'items'], type: 'too_long', ctx: { max_length: 500 } }] });
});

test.each([
  ['neither id nor SKU', {}],
  ['both', { variant_id: '0192f3a0-4444-7000-8000-000000000001', sku: 'MUG' }],
  ['an invalid id', { variant_id: 'MUG' }],
  ['a quantity of 0', { sku: 'MUG', quantity: 0 }],
])('rejects an invalid item, and names its position: %s', async (_what, item) => {
  const { sync } = await openShop();

  const { error } = await sync.POST(availability, { body: { items: [{ sku: 'MUG' }, item as { sku: string }] } });

  const { detail } = error as { detail: { loc: (string | number)[] }[] };
  expect(detail.length).toBeGreaterThan(0);
  for (const { loc } of detail) expect(loc.slice(0, 3)).toEqual(['body', 'items', 1]);
});

test('the sync API accepts compressed bodies up to the size limit after decompression, and the storefront accepts none', async () => {
  const { baseUrl, credentials, givenProduct } = await openShop();
  await givenProduct({ sku: 'MUG' });
  const headers = {
    'X-Site-ID': credentials.site_id,
    'X-Sync-Secret': credentials.sync_secret,
    'Content-Type': 'application/json',
    'Content-Encoding': 'gzip',
  };
  const send = (path: string, text: string, more: Record<string, string>) =>
    fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { ...more, 'Idempotency-Key': crypto.randomUUID() },
      body: gzipSync(text),
    });

  const packed = await send(availability, JSON.stringify({ items: [{ sku: 'MUG' }] }), headers);
  expect(await packed.json()).toMatchObject({ items: [{ availability: 'in_stock' }] });

  const bomb = await send(availability, `{"items":[${' '.repeat(50_000_000)}]}`, headers);
  expect(bomb.status).toBe(413);
  const torn = await fetch(`${baseUrl}${availability}`, {
    method: 'POST',
    headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() },
    body: gzipSync('{"items":[]}').subarray(0, 20),
  });
  expect(torn.status).toBe(422);
  const deflated = await send(availability, '{}', { ...headers, 'Content-Encoding': 'deflate' });
  expect(deflated.status).toBe(415);

  const { 'X-Sync-Secret': _, ...others } = headers;
  const elsewhere = await send('/api/storefront/checkout', '{}', {
    ...others,
    'X-Service-Token': credentials.storefront_token,
  });
  expect(elsewhere.status).toBe(415);
});
