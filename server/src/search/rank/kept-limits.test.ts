/** No candidate in a response may break a limit that is reported as applied. */

import type { Product } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { askSentence } from '../../../test/ask-sentence.ts';
import { openShop } from '../../../test/shop.ts';
import { brokenLimits, withKeptLimits } from './kept-limits.ts';

const colours = (...values: string[]) => ({
  options: [{ name: 'Colour', values }],
  variants: values.map((option1) => ({ option1, price: '20.00', inventory_quantity: 5 })),
});

test('a product counts as in stock only if the requested quantity is available', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Oslo Hoodie', inventory_quantity: 2 });
  await shop.givenProduct({ name: 'Bergen Hoodie', inventory_quantity: 9 });

  const found = await askSentence(shop, '3 hoodies in stock');

  expect(found.names).toEqual(['Bergen Hoodie']);
  expect(found.availability).toEqual(['in_stock']);
});

test('a sentence with option values finds only products with a variant that has them', async () => {
  const shop = await openShop();
  await shop.givenProduct({
    name: 'Ina Short',
    options: [
      { name: 'Size', values: ['28', '30'] },
      { name: 'Colour', values: ['Blue'] },
    ],
    variants: ['28', '30'].map((option1) => ({ option1, option2: 'Blue', price: '20.00' })),
  });
  await shop.givenProduct({
    name: 'Meteor Short',
    options: [
      { name: 'Size', values: ['32', '34'] },
      { name: 'Colour', values: ['Blue'] },
    ],
    variants: ['32', '34'].map((option1) => ({ option1, option2: 'Blue', price: '20.00' })),
  });

  const found = await askSentence(shop, 'shorts 28 in blue');

  expect(found.names).toEqual(['Ina Short']);
  expect(found.values).toEqual(['28 Blue']);
});

test('all candidates have the requested material in one of their texts', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Ridge Scarf', description: 'Woven of merino wool.' });
  await shop.givenProduct({ name: 'Dune Scarf', description: 'Woven of linen.' });

  expect((await askSentence(shop, 'a wool scarf')).names).toEqual(['Ridge Scarf']);
});

test('a measure and a limit on a measure also match other units of the same quantity', async () => {
  const shop = await openShop();
  await shop.givenProduct({
    name: 'Burn Bottle',
    options: [{ name: 'Capacity', values: ['0.5 l', '0.75 l'] }],
    variants: ['0.5 l', '0.75 l'].map((option1) => ({ option1, price: '20.00' })),
  });

  expect((await askSentence(shop, 'bottle 750 ml')).values).toEqual(['0.75 l']);
  expect((await askSentence(shop, 'bottle under 600 ml')).values).toEqual(['0.5 l']);
});

test('an exclusion that may belong to either of two products applies to both', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Fell Backpack', metadata: { material: 'Canvas, leather' } });
  await shop.givenProduct({ name: 'Ford Bag', metadata: { material: 'Nylon' } });

  expect((await askSentence(shop, 'a backpack or bag without leather')).names).toEqual(['Ford Bag']);
});

test('reports a colour as relaxed if only the description mentions it and the product comes in other colours', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Oslo Hoodie', description: 'Looks well over navy trousers.', ...colours('Black') });

  expect((await askSentence(shop, 'a navy hoodie')).fates).toMatchObject({ navy: 'word relaxed' });
});

test('reports a number without a currency, where a price would stand, as a price that was not understood', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Oslo Mug', price: '40.00' });

  expect((await askSentence(shop, 'a mug for 15')).fates).toMatchObject({ '15': 'price not_understood' });
  expect((await askSentence(shop, 'mugs, 15-20')).fates).toMatchObject({ '15': 'price not_understood' });
});

test('does not apply a limit in another currency, even if the currency follows after a comma', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Oslo Mug', price: '40.00' });

  const { fates } = await askSentence(shop, 'mug, max_price 50, currency JPY');

  expect(Object.values(fates)).toContain('price not_available');
});

test('a price for several products limits their total, or is reported as relaxed', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Kiln Teapot', price: '58.00' });
  await shop.givenProduct({ name: 'Oslo Mug', price: '14.00' });
  await shop.givenProduct({ name: 'Bergen Mug', price: '30.00' });

  const kept = await askSentence(shop, 'a teapot and two mugs, 90 euros max for everything');
  const broken = await askSentence(shop, 'a teapot and two mugs, 80 euros max for everything');

  expect(kept.names.toSorted()).toEqual(['Kiln Teapot', 'Oslo Mug']);
  expect(kept.fates).toMatchObject({ '90 euros max': 'price applied' });
  expect(broken.fates).toMatchObject({ '80 euros max': 'price relaxed' });
});

test('products in a counted list are separate needs, even without `and`', async () => {
  const shop = await openShop();
  for (const name of ['Oslo Mug', 'Fir Candle', 'Field Notebook']) await shop.givenProduct({ name });

  const { quantities } = await askSentence(shop, 'three things: a mug, a candle, a notebook');

  expect(quantities).toEqual([1, 1, 1]);
});

test('the final check removes candidates that violate a limit, and relaxes a limit that all candidates violate', async () => {
  const shop = await openShop();
  const cheap = await shop.givenProduct({ name: 'Oslo Mug', price: '10.00', ...colours('Red', 'Blue') });
  const dear = await shop.givenProduct({ name: 'Bergen Mug', price: '50.00' });
  const candidate = (given: typeof cheap) => {
    const product = given as Product;
    const [variant] = product.variants;
    if (!variant) throw new Error('A product has a variant.');
    return { product, variant, matches: product.variants.map((each) => ({ variant: each, match_reasons: [] })) };
  };
  const base = {
    text: '',
    start: 0,
    end: 0,
    min: null,
    max: null,
    currency: null,
    value: null,
    fate: 'applied' as const,
  };
  const under30 = { ...base, kind: 'price' as const, max: 30 };
  const blue = { ...base, kind: 'value' as const, value: 'blue' };
  const notRed = { ...base, kind: 'without' as const, value: 'red' };

  const some = withKeptLimits([candidate(dear), candidate(cheap)], [under30]);
  const others = withKeptLimits([candidate(cheap)], [blue, notRed]);
  const none = withKeptLimits([candidate(dear)], [under30]);

  expect(some.candidates.map(({ product }) => product.name)).toEqual(['Oslo Mug']);
  expect(others.candidates.map(({ variant }) => variant.option1)).toEqual(['Blue']);
  expect(others.candidates.flatMap(({ matches }) => matches).length).toBe(1);
  expect(none.candidates.length).toBe(1);
  expect(none.understood).toEqual([{ ...under30, fate: 'relaxed' }]);
  expect(brokenLimits(cheap as Product, candidate(cheap).variant, [blue, { ...blue, value: 'red' }])).toEqual([]);
});
