/** Everyday sentences: with typing errors, about a person, or compared with a product. */

import { expect, test } from 'vitest';
import { askSentence } from '../../../test/ask-sentence.ts';
import { openShop } from '../../../test/shop.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function clothesShop(): Promise<Shop> {
  const shop = await openShop();
  const colours = (...values: string[]) => ({
    options: [{ name: 'Colour', values }],
    variants: values.map((option1) => ({ option1, price: '20.00' })),
  });
  await shop.givenProduct({ name: 'Fjord Beanie', tags: ['women'], price: '29.00' });
  await shop.givenProduct({ name: 'Harbour Cap', tags: ['men'], price: '38.00' });
  await shop.givenProduct({ name: 'Ridge Scarf', tags: ['women'], price: '49.00' });
  await shop.givenProduct({ name: 'Oslo Hoodie', tags: ['men'], ...colours('Purple', 'Grey') });
  await shop.givenProduct({ name: 'Bergen Hoodie', tags: ['women'], ...colours('Purple', 'Grey') });
  await shop.givenProduct({ name: 'Narvik Shorts', tags: ['men'], ...colours('Grey') });
  return shop;
}

test.each([
  ['hoddie', ['Oslo Hoodie', 'Bergen Hoodie']],
  ['Mütze', ['Fjord Beanie']],
])('finds products for a misspelt or German word: %s', async (sentence, names) => {
  const found = await askSentence(await clothesShop(), sentence);

  expect(found.names.toSorted()).toEqual(names.toSorted());
  expect(Object.values(found.fates).filter((fate) => !fate.endsWith('applied'))).toEqual([]);
});

test('reports an unknown word that is no misspelling as not available', async () => {
  const shop = await clothesShop();
  await shop.givenProduct({ name: 'Tromso Boots' });

  expect((await askSentence(shop, 'boats')).fates).toEqual({ boats: 'word not_available' });
});

test('a misspelt colour in a sentence selects the variant with the intended colour', async () => {
  const shop = await clothesShop();

  const colour = await askSentence(shop, 'womens hoddie purpel');

  expect([colour.names, colour.values]).toEqual([['Bergen Hoodie'], ['Purple']]);
});

test.each([
  ['a hoodie for my husband', 'husband'],
  ['ein Hoodie für meinen Bruder', 'Bruder'],
  ['un hoodie pour mon père', 'père'],
])('reports the recipient as not understood, and returns products for everyone: %s', async (sentence, person) => {
  const found = await askSentence(await clothesShop(), sentence);

  expect(found.names.toSorted()).toEqual(['Bergen Hoodie', 'Oslo Hoodie']);
  expect(found.fates).toMatchObject({ [person]: 'word not_understood' });
});

test('a group of people and a colour at the end of a sentence apply to all its products', async () => {
  const shop = await clothesShop();

  expect((await askSentence(shop, 'a hoodie and shorts for men')).names).toEqual(['Oslo Hoodie', 'Narvik Shorts']);
  expect((await askSentence(shop, 'hoodie and shorts in grey')).values).toEqual(['Grey', 'Grey', 'Grey']);
});

async function lampShop(): Promise<Shop> {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Oslo Table Lamp', price: '98.00' });
  await shop.givenProduct({ name: 'Bergen Lamp', price: '119.00' });
  await shop.givenProduct({ name: 'Narvik Lamp', price: '229.00' });
  await shop.givenProduct({ name: 'Secret Lamp', price: '500.00', status: 'draft' });
  return shop;
}

test.each([
  ['a lamp cheaper than the Narvik Lamp', ['Bergen Lamp', 'Oslo Table Lamp'], { min: null, max: 228.99 }],
  ['a cheaper alternative to the Bergen Lamp', ['Oslo Table Lamp'], { min: null, max: 118.99 }],
  ['eine günstigere Lampe als die Bergen Lamp', ['Oslo Table Lamp'], { min: null, max: 118.99 }],
  ['a more expensive lamp than the Bergen Lamp', ['Narvik Lamp'], { min: 119.01, max: null }],
])('derives the price limit from the product that the sentence names: %s', async (sentence, names, limit) => {
  const found = await askSentence(await lampShop(), sentence);

  expect(found.names.toSorted()).toEqual(names);
  expect(found.limits).toEqual([limit]);
});

test('finds nothing that is cheaper than the cheapest product, and does not compare prices with a hidden product', async () => {
  const shop = await lampShop();

  expect((await askSentence(shop, 'a lamp cheaper than the Oslo Table Lamp')).names).toEqual([]);
  expect((await askSentence(shop, 'a lamp cheaper than the Secret Lamp')).fates).toMatchObject({
    'cheaper than the Secret Lamp': 'price not_understood',
  });
});

test('a part of a product name sets a price limit only if it names a single product', async () => {
  const shop = await lampShop();

  expect((await askSentence(shop, 'a lamp cheaper than the Oslo one')).names).toEqual([]);
  expect((await askSentence(shop, 'something cheaper than the lamp')).fates).toMatchObject({
    'cheaper than the lamp': 'price not_understood',
  });
});

test('a sentence can exclude a product of several words (`not sports bras`) or a property (`non-leather`)', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Running Top', tags: ['women'] });
  await shop.givenProduct({ name: 'Sports Bra', tags: ['women'] });
  await shop.givenProduct({ name: 'Leather Handbag' });
  await shop.givenProduct({ name: 'Canvas Handbag' });

  expect((await askSentence(shop, 'women tops but not sports bras')).names).toEqual(['Running Top']);
  expect((await askSentence(shop, 'a non-leather handbag')).names).toEqual(['Canvas Handbag']);
});

test('products that state the absence of an excluded thing rank first', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Soy Scent', description: 'Smells of figs. Smells of salt, smells of summer.' });
  await shop.givenProduct({
    name: 'Reed Scent',
    description: 'Scent without a flame, for long evenings in quiet halls.',
  });

  expect((await askSentence(shop, 'a scent without a flame')).names[0]).toBe('Reed Scent');
});

test('reads a size before a preposition, a measure in words and a colour of two words as values', async () => {
  const shop = await openShop();
  await shop.givenProduct({
    name: 'Trail Pants',
    options: [
      { name: 'Waist', values: ['32', '34'] },
      { name: 'Colour', values: ['Grey', 'Rose Gold'] },
    ],
    variants: [
      { option1: '32', option2: 'Grey' },
      { option1: '34', option2: 'Grey' },
      { option1: '34', option2: 'Rose Gold' },
    ],
  });
  await shop.givenProduct({
    name: 'Jute Rug',
    options: [{ name: 'Size', values: ['80 × 150 cm', '140 × 200 cm'] }],
    variants: [{ option1: '80 × 150 cm' }, { option1: '140 × 200 cm' }],
  });
  const bag = (name: string, ...values: string[]) =>
    shop.givenProduct({
      name,
      options: [{ name: 'Capacity', values }],
      variants: values.map((option1) => ({ option1 })),
    });
  await bag('River Bag', '10 l', '20 l');
  await bag('City Bag', '18 l', '26 l');

  expect((await askSentence(shop, 'pants waist 34 in grey')).values).toEqual(['34 Grey']);
  expect((await askSentence(shop, 'rose gold pants')).fates).toMatchObject({ 'rose gold': 'value applied' });
  expect((await askSentence(shop, 'a rug that is 140 by 200')).values).toEqual(['140 × 200 cm']);
  expect(await askSentence(shop, 'a bag of 20 litres')).toMatchObject({ names: ['River Bag'], values: ['20 l'] });
});

test('a product type of several words matches a purpose (`for the garden`), but not a product (`candles`)', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Hand Trowel', product_type: 'Garden Tools' });
  await shop.givenProduct({ name: 'Hammock', product_type: 'Camping', tags: ['garden'] });
  await shop.givenProduct({ name: 'Soy Candle', product_type: 'Candles & Scent' });
  await shop.givenProduct({ name: 'Reed Diffuser', product_type: 'Candles & Scent' });

  expect((await askSentence(shop, 'something for the garden')).names.toSorted()).toEqual(['Hammock', 'Hand Trowel']);
  expect((await askSentence(shop, 'candles')).names).toEqual(['Soy Candle']);
});

test('finds both products of a sentence with `and also`', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Tower Fan' });
  await shop.givenProduct({ name: 'Steam Iron' });

  expect((await askSentence(shop, 'an iron and also a fan')).names).toEqual(['Steam Iron', 'Tower Fan']);
});
