import { expect, test } from 'vitest';
import { givenMany } from '../../../test/many-products.ts';
import { testServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { searchableProducts } from '../../shop/agents/find.ts';
import { inShopAsSystem } from '../../shop/in-shop.ts';
import { findProducts } from './find.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function findIn({ site_id }: Shop, query: string) {
  const { db } = await testServer();
  return inShopAsSystem(db, site_id, (shop) => findProducts(shop, searchableProducts(shop), { query, limit: 20 }));
}

async function namesFor(shop: Shop, query: string): Promise<string[]> {
  const { candidates } = await findIn(shop, query);
  return candidates.map(({ product }) => product.name).toSorted();
}

test('an excluded word in an attribute counts with accents and in the plural, unless the same attribute denies it', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Oak lamp', metadata: { material: 'Oak' } });
  await shop.givenProduct({ name: 'Brushed lamp', metadata: { material: 'Métal brossé' } });
  await shop.givenProduct({ name: 'Reading lamp', metadata: { material: 'Wood, metals' } });
  await shop.givenProduct({ name: 'Paper lamp', metadata: { material: 'Paper, no metal' } });
  await shop.givenProduct({ name: 'Linen lamp', metadata: { metal_free: 'No metal in it' } });
  // Attributes are sorted by the length of their names, so "No screws" directly precedes "Metal".
  await shop.givenProduct({ name: 'Folding lamp', metadata: { note: 'No screws', material: 'Metal' } });
  await shop.givenProduct({ name: 'Garden lamp', description: 'A lamp of metal and glass.' });
  await shop.givenProduct({ name: 'Desk lamp', description: 'A lamp without a metal foot.' });

  expect(await namesFor(shop, 'a lamp without metal')).toEqual(['Desk lamp', 'Linen lamp', 'Oak lamp', 'Paper lamp']);
});

test('an excluded word in options removes a product only if every variant has it', async () => {
  const shop = await openShop();
  const inColours = (name: string, ...values: string[]) =>
    shop.givenProduct({
      name,
      options: [{ name: 'Colour', values }],
      variants: values.map((option1) => ({ option1, price: '9.00', inventory_quantity: 5 })),
    });
  await inColours('Lake scarf', 'Dark-Cherry', 'CHERRIES');
  await inColours('Wood scarf', 'Cherry', 'Green');
  await inColours('Cloud scarf', 'Cherrywood', 'White');

  const { candidates, excluded } = await findIn(shop, 'a scarf, not cherry');

  expect(candidates.map(({ product, variant }) => [product.name, variant.option1]).toSorted()).toEqual([
    ['Cloud scarf', 'Cherrywood'],
    ['Wood scarf', 'Green'],
  ]);
  expect(excluded).toEqual([{ reason: 'without', text: 'not cherry', count: 1 }]);
});

test('finds a size within a range that is written with a hyphen, a dash or a slash', async () => {
  const shop = await openShop();
  const inSize = (name: string, size: string) =>
    shop.givenProduct({
      name,
      options: [{ name: 'Size', values: [size] }],
      variants: [{ option1: size, price: '60.00', inventory_quantity: 5 }],
    });
  await inSize('River boots', '42');
  await inSize('Rain boots', '40/43');
  await inSize('Mud boots', '41 - 42');
  await inSize('Snow boots', '41—44');
  await inSize('Small boots', '36-41');
  await inSize('Article boots', 'A42');

  expect(await namesFor(shop, 'boots, size 42')).toEqual(['Mud boots', 'Rain boots', 'River boots', 'Snow boots']);
});

test('products that violate a limit that is never relaxed do not displace a product that meets it', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Oslo Lamp', price: '50.00' });
  await givenMany(shop, 250, { name: 'Harbour lamp', price: '90.00' });
  await shop.givenProduct({ name: 'Shade', price: '20.00', description: 'Turns a candle into a lamp.' });

  const { candidates, understood } = await findIn(shop, 'a lamp cheaper than the Oslo Lamp');

  expect(candidates.map(({ product }) => product.name)).toEqual(['Shade']);
  expect(understood).toContainEqual(expect.objectContaining({ kind: 'price', fate: 'applied' }));
});
