import { expect, test } from 'vitest';
import { givenTee, readProduct, save, type TestShop, tagIn } from '../../test/saved-product.ts';
import { openShop } from '../../test/shop.ts';

test('accepts exactly one of 16 concurrent saves based on the same version', async () => {
  const shop = await openShop();
  const tee = await givenTee(shop);
  const { etag } = await readProduct(shop, tee.id);
  const first = tee.variants.slice(0, 1);

  const saves = await Promise.all(
    Array.from({ length: 16 }, (_, i) =>
      save(
        shop,
        tee.id,
        {
          name: `Tee ${i}`,
          variants: first.map(({ id }) => ({ id, price: `${i + 1}.00` })),
          images: [{ url: `https://a.example/${i}.jpg` }],
        },
        etag,
      ),
    ),
  );

  const statuses = saves.map(({ response }) => response.status);
  expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 15 }, () => 412)]);
  const won = saves[statuses.indexOf(200)];
  const now = await readProduct(shop, tee.id);
  expect(now.product).toEqual(won?.data);
  expect(now.etag).toBe(tagIn(won?.response as Response));
});

test('saving a product keeps stock changes from concurrent sales and adjustments', async () => {
  const shop = await openShop();
  await shop.givenTerms();
  const { id, variants } = await shop.givenProduct({
    options: [{ name: 'Size', values: ['S', 'M'] }],
    variants: ['S', 'M'].map((option1) => ({ option1, price: '5.00', inventory_quantity: 50 })),
  });
  const [small = '', medium = ''] = variants.map((variant) => variant.id);
  const sell = () => shop.givenOrder({ content: [{ variant_id: small, quantity: 1 }] });
  const count = () =>
    shop.dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
      params: { path: { variant_id: medium } },
      body: { delta: 1, reason: 'received' },
    });
  const rewrite = async (i: number) => {
    const result = await save(shop, id, {
      name: `Tee ${i}`,
      variants: [medium, small].map((variant) => ({ id: variant, barcode: `${i}` })),
    });
    return result.response.status;
  };

  const saved = await Promise.all(
    Array.from({ length: 10 }, async (_, i) => {
      const [status] = await Promise.all([rewrite(i), sell(), count()]);
      return status;
    }),
  );

  expect(saved).toContain(200);
  const { product } = await readProduct(shop, id);
  expect(product.variants.map((variant) => [variant.id, variant.inventory_quantity])).toEqual([
    [medium, 60],
    [small, 40],
  ]);
});

test('accepts a save based on the product version from before a sale', async () => {
  const shop = await openShop();
  const { id, variants } = await shop.givenProduct();
  const { etag } = await readProduct(shop, id);
  await shop.givenOrder({ content: [{ variant_id: variants[0]?.id ?? '', quantity: 2 }] });

  const saved = await save(shop, id, { name: 'Cup', variants: [{ id: variants[0]?.id, price: '12.00' }] }, etag);

  expect(saved.data?.variants).toMatchObject([{ price: '12.00', inventory_quantity: 8 }]);
});

/** Calls `take` to remove the second of two variants, which a cart and an order contain. */
async function withoutSecond(take: (shop: TestShop, product_id: string, ids: [string, string]) => Promise<unknown>) {
  const shop = await openShop();
  const made = await shop.givenProduct({
    options: [{ name: 'Size', values: ['S', 'M'] }],
    variants: ['S', 'M'].map((option1) => ({ option1, price: '5.00', inventory_quantity: 5, sku: option1 })),
  });
  const [small = '', medium = ''] = made.variants.map(({ id }) => id);
  const content = [{ variant_id: medium, quantity: 1 }];
  const order = await shop.givenOrder({ content });
  const cart = await shop.givenCart(content);

  await take(shop, made.id, [small, medium]);

  const { data: line } = await shop.storefront.GET('/api/storefront/cart/{cart_id}', {
    params: { path: { cart_id: cart.id } },
  });
  const { data: kept } = await shop.dashboard.GET('/api/dashboard/orders/{order_id}', {
    params: { path: { order_id: order.id } },
  });
  const { rows: movements } = await shop.owner.query(
    'select type, delta from commerce.stock_movements where site_id = $1 and variant_id = $2 order by id',
    [shop.site_id, medium],
  );
  const { product } = await readProduct(shop, made.id);
  return {
    product: product.variants.map(({ sku, inventory_quantity }) => [sku, inventory_quantity]),
    cart: [line?.items.map(({ sku, price }) => [sku, price]), line?.warnings.map(({ code }) => code)],
    order: kept?.line_items.map(({ sku, quantity, price }) => [sku, quantity, price]),
    movements,
  };
}

test('saving a product without one of its variants has the same effect as deleting that variant', async () => {
  const one = await withoutSecond((shop, product_id, [, variant_id]) =>
    shop.dashboard.DELETE('/api/dashboard/products/{product_id}/variants/{variant_id}', {
      params: { path: { product_id, variant_id } },
    }),
  );
  const whole = await withoutSecond((shop, product_id, [small]) =>
    save(shop, product_id, { variants: [{ id: small }] }),
  );

  expect(whole).toEqual(one);
  expect(whole.product).toEqual([['S', 5]]);
});

const MOST = 2048;
const VALUES = Array.from({ length: 128 }, (_, i) => `Shade ${i}`);
const SIZES = Array.from({ length: 16 }, (_, i) => `Size ${i}`);

test('saves 2,048 variants with all their fields, and rejects 2,049', async () => {
  const shop = await openShop();
  const { id } = await shop.givenProduct();
  const options = [
    { name: 'Shade', values: VALUES },
    { name: 'Size', values: SIZES },
  ];
  const variants = VALUES.flatMap((option1, i) =>
    SIZES.map((option2, j) => ({
      ...{ option1, option2, sku: `TEE-${i}-${j}`, barcode: `${4_000_000_000_000 + i * 16 + j}`, price: '19.90' },
      ...{
        compare_at_price: '29.90',
        cost_per_item: '7.10',
        inventory_policy: 'continue' as const,
        inventory_quantity: j,
      },
      ...{ low_stock_threshold: 3, weight: '0.25', weight_unit: 'kg' as const, requires_shipping: true },
      image_url: `https://images.example/${'path/'.repeat(60)}${i}-${j}.jpg`,
    })),
  );

  const created = await save(shop, id, { options, variants });

  expect(created.response.status).toBe(200);
  expect(created.data?.variants).toHaveLength(MOST);
  const parts = created.data?.variants ?? [];
  const more = await save(shop, id, { variants: [...parts.map((one) => ({ id: one.id })), { option1: 'Shade 0' }] });
  expect(more.error).toMatchObject({ detail: [{ loc: ['body', 'variants'], type: 'too_long' }] });
  const last = parts.at(-1);
  const turned = parts.toReversed().map((one) => ({ id: one.id, price: '18.00' }));
  const changed = await save(shop, id, { variants: turned });
  expect(changed.data?.variants[0]).toMatchObject({
    id: last?.id,
    sku: last?.sku,
    price: '18.00',
    inventory_quantity: 15,
  });
  const failed = await save(shop, id, {
    variants: turned.map((one, i) => (i === MOST - 1 ? { ...one, price: '99.00' } : { ...one, price: '1.00' })),
    slug: 'x'.repeat(256),
  });
  expect(failed.response.status).toBe(422);
  expect((await readProduct(shop, id)).product).toEqual(changed.data);
});
