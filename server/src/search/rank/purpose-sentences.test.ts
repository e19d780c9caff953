import { expect, test } from 'vitest';
import { askSentence } from '../../../test/ask-sentence.ts';
import { openShop } from '../../../test/shop.ts';

/** Sentences that name no thing, but what is to be done, where and when, and how it shall be. */

type Shop = Awaited<ReturnType<typeof openShop>>;

async function homeShop(): Promise<Shop> {
  const shop = await openShop();
  const colours = {
    options: [{ name: 'Colour', values: ['Night', 'Sage'] }],
    variants: ['Night', 'Sage'].map((option1) => ({ option1, price: '18.00' })),
  };
  await shop.givenProduct({ name: 'Stoneware Mug', tags: ['coffee', 'gift'], ...colours });
  await shop.givenProduct({ name: 'Storm Lantern', tags: ['outdoor'] });
  await shop.givenProduct({ name: 'Wool Sleeping Bag', product_type: 'Camping', tags: ['hiking'] });
  await shop.givenProduct({ name: 'Canvas Tote', product_type: 'Bags', tags: ['cotton'] });
  await shop.givenProduct({ name: 'Oak Chopping Board', tags: ['oak', 'bread'] });
  await shop.givenProduct({ name: 'Glass Jar', description: 'Keeps what is in it dry.' });
  await shop.givenProduct({ name: 'Reading Lamp' });
  await shop.givenProduct({ name: 'Linen Tea Towels', tags: ['linen', 'gift'] });
  await shop.givenProduct({ name: 'Clay Teapot', tags: ['tea'] });
  await shop.givenProduct({ name: 'Hand Trowel', tags: ['garden'] });
  await shop.givenProduct({ name: 'Deck Chair', tags: ['terrace'] });
  return shop;
}

test.each([
  ['something to store flour', 'Glass Jar'],
  ['something to carry my shopping', 'Canvas Tote'],
  ['what do I need to sleep outdoors', 'Wool Sleeping Bag'],
  ['something to read by at night', 'Reading Lamp'],
  ['something to sit on in the garden', 'Deck Chair'],
  ['womit kann ich Brot schneiden', 'Oak Chopping Board'],
  ['ein Geschenk für meine Mutter, die gerne gärtnert', 'Hand Trowel'],
])('what is to be done decides before where and when: %s', async (sentence, name) => {
  expect((await askSentence(await homeShop(), sentence)).names[0]).toBe(name);
});

test.each([
  ['something that keeps my tea hot on a hike', 'Insulated Bottle'],
  ['etwas, das Tee warm hält', 'Insulated Bottle'],
  ['I would take the cold beer', 'Cold Beer'],
  ['do you keep cold beer', 'Cold Beer'],
])('what keeps a drink hot is no drink, and a cold drink is one: %s', async (sentence, name) => {
  const shop = await homeShop();
  await shop.givenProduct({ name: 'Insulated Bottle' });
  await shop.givenProduct({ name: 'Cold Beer' });

  expect((await askSentence(shop, sentence)).names[0]).toBe(name);
});

test('a type is asked for, whatever else is named, and the tag of a gift is not', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Wool Hat', product_type: 'Accessories', tags: ['wool'] });
  await shop.givenProduct({ name: 'Felt Rug', product_type: 'Rugs', tags: ['wool'] });

  expect((await askSentence(shop, 'wool accessories')).names).toEqual(['Wool Hat']);
  expect((await askSentence(shop, 'a gift of wool')).names).toHaveLength(2);
});

test('a value of the shop tells more than a purpose', async () => {
  const { names } = await askSentence(await homeShop(), 'something for someone who bakes bread');

  expect(names).toEqual(['Oak Chopping Board']);
});

test.each([
  ['what can I use to make tea', ['Clay Teapot', 'Linen Tea Towels']],
  ['du thé', ['Clay Teapot', 'Linen Tea Towels']],
  ['etwas zum Teekochen', ['Clay Teapot', 'Linen Tea Towels']],
  ['a bag', ['Canvas Tote', 'Wool Sleeping Bag']],
])('what the shop calls so comes before what only has the word in its name: %s', async (sentence, names) => {
  expect((await askSentence(await homeShop(), sentence)).names).toEqual(names);
});

test('the night of `at night` is no colour, and that of `a night mug` is', async () => {
  const shop = await homeShop();

  expect((await askSentence(shop, 'something to read by at night')).names).not.toContain('Stoneware Mug');
  expect((await askSentence(shop, 'a mug in night')).values).toEqual(['Night']);
});

test('an adjective that ends like a foreign word is no compound', async () => {
  const shop = await homeShop();
  await shop.givenProduct({ name: 'Leather Gloves' });

  expect((await askSentence(shop, 'something elegant')).names).not.toContain('Leather Gloves');
});
