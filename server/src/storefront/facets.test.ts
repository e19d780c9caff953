import { expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';

const products = '/api/storefront/products';

/**
 * Opens a shop with products of two vendors and two types, with two options whose names differ in case; one product is
 * sold out.
 */
async function openMixedShop() {
  const shop = await openShop();
  const shirt = (name: string, price: string, more: Partial<Parameters<typeof shop.givenProduct>[0]>) =>
    shop.givenProduct({ name, price, product_type: 'Shirt', ...more });
  await shirt('Linen shirt', '20', {
    ...{ vendor: 'Alder', tags: ['summer'], options: [{ name: 'Colour', values: ['Red', 'Blue'] }] },
    variants: ['Red', 'Blue'].map((option1) => ({ option1, inventory_quantity: 1 })),
  });
  await shirt('Wool shirt', '60', {
    ...{ vendor: 'Finch', tags: ['winter'] },
    options: [
      { name: 'colour', values: ['Red', 'Green'] },
      { name: 'Size', values: ['S', 'M'] },
    ],
    variants: [
      { option1: 'Red', option2: 'S', inventory_quantity: 1 },
      { option1: 'Green', option2: 'M', inventory_quantity: 1 },
    ],
  });
  await shirt('Old shirt', '90', { vendor: 'Finch', tags: ['winter'], inventory_quantity: 0 });
  await shirt('Wool hat', '15', { vendor: 'Alder', product_type: 'Hat', tags: ['winter'] });

  async function listed(query: object) {
    const { data } = await shop.storefront.GET(products, { params: { query: { ...query, facets: true } } });
    if (!data?.facets) throw new Error('The response has no facets.');
    const { vendors, product_types, tags, options, price, in_stock } = data.facets;
    const written = (values: { value: string; count: number }[]) =>
      values.map(({ value, count }) => `${value} ${count}`).join(', ');
    return {
      total: data.total,
      vendors: written(vendors),
      product_types: written(product_types),
      tags: written(tags),
      options: Object.fromEntries(options.map(({ name, values }) => [name, written(values)])),
      price: price && `${price.min} to ${price.max}`,
      in_stock: `${in_stock.true} of ${in_stock.true + in_stock.false}`,
    };
  }
  return { ...shop, listed };
}

test('filtering by vendor, type or tag keeps the other values in that facet, and narrows the other facets', async () => {
  const { listed } = await openMixedShop();

  expect(await listed({ vendor: ['alder'] })).toEqual({
    ...{ total: 2, vendors: 'Alder 2, Finch 2', product_types: 'Hat 1, Shirt 1', tags: 'summer 1, winter 1' },
    ...{ options: { Colour: 'Blue 1, Red 1' }, price: '15.00 to 20.00', in_stock: '2 of 2' },
  });
  expect(await listed({ product_type: ['Hat'] })).toEqual({
    ...{ total: 1, vendors: 'Alder 1', product_types: 'Shirt 3, Hat 1', tags: 'winter 1' },
    ...{ options: {}, price: '15.00 to 15.00', in_stock: '1 of 1' },
  });
  expect(await listed({ tag: ['summer'] })).toMatchObject({ vendors: 'Alder 1', tags: 'winter 3, summer 1' });
});

test('each facet counts the products that match the filters of all other facets', async () => {
  const { listed } = await openMixedShop();

  expect(await listed({ vendor: ['Alder'], tag: ['winter'], price_max: '70' })).toEqual({
    ...{ total: 1, vendors: 'Alder 1, Finch 1', product_types: 'Hat 1', tags: 'summer 1, winter 1' },
    ...{ options: {}, price: '15.00 to 15.00', in_stock: '1 of 1' },
  });
  expect(await listed({ vendor: ['Alder', 'Finch'], product_type: ['Hat'] })).toMatchObject({
    ...{ vendors: 'Alder 1', product_types: 'Shirt 3, Hat 1' },
  });
  // Even without a matching product, facets list choices.
  expect(await listed({ vendor: ['Alder'], price_min: '80' })).toMatchObject({
    ...{ total: 0, vendors: 'Finch 1', product_types: '', price: '15.00 to 20.00' },
  });
});

test('the price facet shows the whole price range despite a price filter', async () => {
  const { listed } = await openMixedShop();

  const whole = '15.00 to 90.00';
  expect(await listed({ price_min: '50' })).toMatchObject({ total: 2, vendors: 'Finch 2', price: whole });
  expect(await listed({ price_max: '50' })).toMatchObject({ total: 2, vendors: 'Alder 2', price: whole });
  expect(await listed({ price_min: '16', price_max: '50', vendor: ['Alder'] })).toMatchObject({
    ...{ total: 1, price: '15.00 to 20.00' },
  });
});

test('the stock facet counts products in and out of stock, unless unavailable products are hidden', async () => {
  const { listed } = await openMixedShop();

  expect(await listed({ in_stock: true })).toMatchObject({ total: 3, vendors: 'Alder 2, Finch 1', in_stock: '3 of 4' });
  expect(await listed({ in_stock: false })).toMatchObject({ total: 1, vendors: 'Finch 1', in_stock: '3 of 4' });
  expect(await listed({ in_stock: false, vendor: ['Alder'] })).toMatchObject({ total: 0, in_stock: '2 of 2' });
  expect(await listed({ in_stock: true, unavailable: 'hide' })).toMatchObject({ total: 3, in_stock: '3 of 3' });
});

test('filtering by an option value keeps the other values of that option, and narrows the other options', async () => {
  const { listed } = await openMixedShop();

  expect(await listed({ option: ['COLOUR:blue'] })).toMatchObject({
    ...{ total: 1, vendors: 'Alder 1', options: { Colour: 'Red 2, Blue 1, Green 1' } },
  });
  expect(await listed({ option: ['Size:S'] })).toMatchObject({
    ...{ total: 1, options: { colour: 'Green 1, Red 1', Size: 'M 1, S 1' } },
  });
  expect(await listed({ option: ['Size:S', 'Colour:Blue'] })).toMatchObject({
    ...{ total: 0, vendors: '', options: { colour: 'Green 1, Red 1' } },
  });
});

test('a product counts once per option value, even if several of its variants have that value', async () => {
  const shop = await openShop();
  await shop.givenProduct({
    name: 'Linen shirt',
    options: [
      { name: 'Colour', values: ['Red', 'Blue'] },
      { name: 'Size', values: ['S', 'M'] },
    ],
    variants: [
      { option1: 'Red', option2: 'S', inventory_quantity: 1 },
      { option1: 'Red', option2: 'M', inventory_quantity: 1 },
      { option1: 'Blue', option2: 'M', inventory_quantity: 1 },
    ],
  });

  const { data } = await shop.storefront.GET(products, { params: { query: { facets: true } } });

  expect(data?.facets?.options).toEqual([
    {
      name: 'Colour',
      values: [
        { value: 'Blue', count: 1 },
        { value: 'Red', count: 1 },
      ],
    },
    {
      name: 'Size',
      values: [
        { value: 'M', count: 1 },
        { value: 'S', count: 1 },
      ],
    },
  ]);
});

test('a filter with several values of one option matches products with any of them', async () => {
  const { listed } = await openMixedShop();

  expect(await listed({ option: ['Colour:Blue', 'colour:green'] })).toMatchObject({
    ...{ total: 2, vendors: 'Alder 1, Finch 1', options: { Colour: 'Red 2, Blue 1, Green 1', Size: 'M 1, S 1' } },
  });
  expect((await listed({ option: ['Colour:Blue', 'Colour:Green', 'Size:M'] })).total).toBe(1);
});

test('facets of a filtered search also list values that only the unfiltered results have', async () => {
  const { listed } = await openMixedShop();

  expect(await listed({ q: 'shirt', vendor: ['Alder'] })).toEqual({
    ...{ total: 1, vendors: 'Finch 2, Alder 1', product_types: 'Shirt 1', tags: 'summer 1' },
    ...{ options: { Colour: 'Blue 1, Red 1' }, price: '20.00 to 20.00', in_stock: '1 of 1' },
  });
  expect(await listed({ q: 'wool', price_max: '50', option: ['Size:S'] })).toMatchObject({
    ...{ total: 0, price: '60.00 to 60.00' },
  });
  // Conditions in the search text are not filters that the shopper can remove.
  expect(await listed({ q: 'shirt in stock under 80', vendor: ['Alder'], in_stock: true })).toMatchObject({
    ...{ total: 1, vendors: 'Alder 1, Finch 1', in_stock: '1 of 1', price: '20.00 to 20.00' },
  });
});
