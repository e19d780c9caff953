import { expect, test } from 'vitest';
import { openShop } from '../../../test/shop.ts';

const products = '/api/dashboard/products';

test('rejects invisible characters in a product and names the fields (422), but accepts line breaks in the description', async () => {
  const { dashboard } = await openShop();
  const body = { name: '\u202egnp.exe', description: 'Two\r\nlines\u200b', tags: ['a', 'b\n'], price: '1.00' };

  const refused = await dashboard.POST(products, { body });
  const taken = await dashboard.POST(products, {
    body: { name: 'Mug 👩‍🚀', description: 'Two\nlines', price: '1.00' },
  });

  expect(refused.response.status).toBe(422);
  expect(refused.error).toMatchObject({
    detail: [
      { loc: ['body', 'name'], type: 'hidden_character', ctx: { code_point: 'U+202E' } },
      { loc: ['body', 'description'], type: 'hidden_character', ctx: { code_point: 'U+200B' } },
      { loc: ['body', 'tags', 1], type: 'hidden_character', ctx: { code_point: 'U+000A' } },
    ],
  });
  expect(taken.data).toMatchObject({ name: 'Mug 👩‍🚀', description: 'Two\nlines' });
});

test('an import removes invisible characters with a warning', async () => {
  const { dashboard } = await openShop();
  const rows = [
    {
      slug: 'mug',
      name: '\ufeffMug',
      price: '1.00',
      options: [{ name: 'Size\u200b', values: ['S'] }],
      variants: [{ option1: 'S' }],
    },
    { slug: 'cup', name: 'Cup', price: '1.00' },
  ];

  const { data } = await dashboard.POST('/api/dashboard/products/import', { body: { products: rows } });
  const { data: found } = await dashboard.GET(products, {});

  expect(data?.results).toMatchObject([
    {
      status: 'created',
      warnings: [
        { loc: ['body', 'products', 0, 'name'], type: 'hidden_character' },
        { loc: ['body', 'products', 0, 'options', 0, 'name'], type: 'hidden_character' },
      ],
    },
    { status: 'created' },
  ]);
  expect(data?.results[1]).not.toHaveProperty('warnings');
  expect(found?.products.map(({ name }) => name).sort()).toEqual(['Cup', 'Mug']);
});
