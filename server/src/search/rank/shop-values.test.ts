/** Tests sentences with words that are option values, product types or tags of the shop. */

import { expect, test } from 'vitest';
import { askSentence } from '../../../test/ask-sentence.ts';
import { openShop } from '../../../test/shop.ts';

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

test('a sentence with a product type and a tag does not find a product of another type with that tag', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Wool Hat', product_type: 'Accessories', tags: ['wool'] });
  await shop.givenProduct({ name: 'Felt Rug', product_type: 'Rugs', tags: ['wool'] });

  expect((await askSentence(shop, 'wool accessories')).names).toEqual(['Wool Hat']);
});

test.each([
  ['what can I use to make tea', ['Clay Teapot', 'Linen Tea Towels']],
  ['du thé', ['Clay Teapot', 'Linen Tea Towels']],
  ['a bag', ['Canvas Tote', 'Wool Sleeping Bag']],
])('ranks a matching type or tag before a name with the word: %s', async (sentence, names) => {
  expect((await askSentence(await homeShop(), sentence)).names).toEqual(names);
});

test('reads `night` in `a mug in night` as a colour', async () => {
  const shop = await homeShop();

  expect((await askSentence(shop, 'a mug in night')).values).toEqual(['Night']);
});

test('an adjective with a foreign-looking ending is not read as a compound', async () => {
  const shop = await homeShop();
  await shop.givenProduct({ name: 'Leather Gloves' });

  expect((await askSentence(shop, 'something elegant')).names).not.toContain('Leather Gloves');
});
