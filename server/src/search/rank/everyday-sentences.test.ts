import { expect, test } from 'vitest';
import { askSentence } from '../../../test/ask-sentence.ts';
import { openShop } from '../../../test/shop.ts';

/** Sentences as people say them: misspelt, about kinds of goods, for somebody, beside a product that they know. */

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
  ['a hoodei', ['Oslo Hoodie', 'Bergen Hoodie']],
  ['beanei', ['Fjord Beanie']],
  ['Mütze', ['Fjord Beanie']],
  ['Müttze', ['Fjord Beanie']],
])('a misspelt word finds what was meant: %s', async (sentence, names) => {
  const found = await askSentence(await clothesShop(), sentence);

  expect(found.names.toSorted()).toEqual(names.toSorted());
  expect(Object.values(found.fates).filter((fate) => !fate.endsWith('applied'))).toEqual([]);
});

test('a word that is no slip of another is told as not available', async () => {
  const shop = await clothesShop();
  await shop.givenProduct({ name: 'Tromso Boots' });

  expect((await askSentence(shop, 'boats')).fates).toEqual({ boats: 'word not_available' });
});

test('a misspelt colour and a misspelt currency are limits', async () => {
  const shop = await clothesShop();

  const colour = await askSentence(shop, 'womens hoddie purpel');
  const price = await askSentence(shop, 'scarf under 50 eruos');

  expect([colour.names, colour.values]).toEqual([['Bergen Hoodie'], ['Purple']]);
  expect(price.limits).toEqual([{ min: null, max: 50 }]);
});

test('a shop without the word for several kinds is asked for the kinds', async () => {
  const shop = await clothesShop();

  expect((await askSentence(shop, 'any hats?')).names.toSorted()).toEqual(['Fjord Beanie', 'Harbour Cap']);
  expect((await askSentence(shop, 'least expensive scarf or hat')).names).toEqual([
    'Fjord Beanie',
    'Harbour Cap',
    'Ridge Scarf',
  ]);
});

test.each(['a hoodie for my husband', 'ein Hoodie für meinen Bruder', 'un hoodie pour mon père'])(
  'what is for a man or a woman is looked for among what is made for them: %s',
  async (sentence) => expect((await askSentence(await clothesShop(), sentence)).names).toEqual(['Oslo Hoodie']),
);

test('whom all things of a sentence are for, and their colour, is said once', async () => {
  const shop = await clothesShop();

  expect((await askSentence(shop, 'a hoodie and shorts for men')).names).toEqual(['Oslo Hoodie', 'Narvik Shorts']);
  expect((await askSentence(shop, 'hoodie and shorts in grey')).values).toEqual(['Grey', 'Grey', 'Grey']);
});

test('what is for an animal is found among what the shop has for animals', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Plush Toy', tags: ['children'] });
  await shop.givenProduct({ name: 'Hot Dog Socks', tags: ['socks'] });
  await shop.givenProduct({ name: 'Rubber Ball', tags: ['pet'] });

  expect((await askSentence(shop, 'a toy for my dog')).names).toEqual(['Rubber Ball']);
  expect((await askSentence(shop, 'Spielzeug für meine Katze')).names).toEqual(['Rubber Ball']);
  expect((await askSentence(shop, 'a toy for the kids')).names).toEqual(['Plush Toy']);
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
])('a product of the shop sets the limit: %s', async (sentence, names, limit) => {
  const found = await askSentence(await lampShop(), sentence);

  expect(found.names.toSorted()).toEqual(names);
  expect(found.limits).toEqual([limit]);
});

test('nothing is offered as cheaper than the cheapest, and no hidden product tells its price', async () => {
  const shop = await lampShop();

  expect((await askSentence(shop, 'a lamp cheaper than the Oslo Table Lamp')).names).toEqual([]);
  expect((await askSentence(shop, 'a lamp cheaper than the Secret Lamp')).limits).toEqual([]);
});

test('what is not wanted may be named by several words of a name', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Running Top', tags: ['women'] });
  await shop.givenProduct({ name: 'Sports Bra', tags: ['women'] });
  await shop.givenProduct({ name: 'Leather Handbag' });
  await shop.givenProduct({ name: 'Canvas Handbag' });

  expect((await askSentence(shop, 'women tops but not sports bras')).names).toEqual(['Running Top']);
  expect((await askSentence(shop, 'a non-leather handbag')).names).toEqual(['Canvas Handbag']);
});

test('what says itself that it is without something comes first', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Soy Scent', description: 'Smells of figs. Smells of salt, smells of summer.' });
  await shop.givenProduct({
    name: 'Reed Scent',
    description: 'Scent without a flame, for long evenings in quiet halls.',
  });

  expect((await askSentence(shop, 'a scent without a flame')).names[0]).toBe('Reed Scent');
});

test('a size before a preposition, a measure in words and a colour of two words are read as values', async () => {
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

test('a type that begins with the word is about it, unless the word is the thing itself', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Hand Trowel', product_type: 'Garden Tools' });
  await shop.givenProduct({ name: 'Hammock', product_type: 'Camping', tags: ['garden'] });
  await shop.givenProduct({ name: 'Soy Candle', product_type: 'Candles & Scent' });
  await shop.givenProduct({ name: 'Reed Diffuser', product_type: 'Candles & Scent' });

  expect((await askSentence(shop, 'something for the garden')).names.toSorted()).toEqual(['Hammock', 'Hand Trowel']);
  expect((await askSentence(shop, 'candles')).names).toEqual(['Soy Candle']);
});

test('a fan with an article is a thing, and a word in another language for several words is one', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Tower Fan' });
  await shop.givenProduct({ name: 'Steam Iron' });
  await shop.givenProduct({ name: 'Stick Vacuum', tags: ['cordless'] });

  expect((await askSentence(shop, 'an iron and also a fan')).names).toEqual(['Steam Iron', 'Tower Fan']);
  expect((await askSentence(shop, 'Staubsauger ohne Kabel')).fates).toEqual({
    Staubsauger: 'word applied',
    'ohne Kabel': 'value applied',
  });
});
