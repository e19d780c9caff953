import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';

const add = '/api/agent/intent/find-and-add';
const buy = '/api/agent/intent/find-and-buy';
const find = '/api/agent/intent/find';

/** Opens a shop whose variants differ in price, size and colour, and a customer with an agent. */
async function givenShopWithAgent() {
  const shop = await openShop();
  await shop.givenTerms();
  const customer = await shop.givenCustomer();
  const colour = (values: string[]) => [{ name: 'Colour', values }];
  const carafe = await shop.givenProduct({
    name: 'Quokka carafe',
    options: [{ name: 'Volume', values: ['Half', 'Whole'] }],
    variants: [
      { option1: 'Half', price: '10.00', inventory_quantity: 0 },
      { option1: 'Whole', price: '80.00', inventory_quantity: 9 },
    ],
  });
  const jar = await shop.givenProduct({
    name: 'Storage jar',
    options: [{ name: 'Volume', values: ['0.5 l', '1 l', '2 l'] }],
    variants: [
      { option1: '0.5 l', price: '14.00', inventory_quantity: 9 },
      { option1: '1 l', price: '17.00', inventory_quantity: 9 },
      { option1: '2 l', price: '22.00', inventory_quantity: 9 },
    ],
  });
  await shop.givenProduct({
    name: 'Rubber boots',
    options: [{ name: 'Size', values: ['37', '42'] }],
    variants: ['37', '42'].map((option1) => ({ option1, price: '79.00', inventory_quantity: 9 })),
  });
  await shop.givenProduct({
    name: 'Wool sweater',
    options: colour(['Oat', 'Night', 'Rust']),
    variants: ['Oat', 'Night', 'Rust'].map((option1) => ({ option1, price: '99.00', inventory_quantity: 9 })),
  });
  await shop.givenProduct({ name: 'Bird house', tags: ['bird'], price: '36.00' });
  return { carafe, jar, shop, ...(await givenAgent(shop, customer, { budget_cents: 100_000 })) };
}

test('buys nothing above a price limit in the sentence, and reports sold-out matches', async () => {
  const { agent, carafe } = await givenShopWithAgent();

  for (const body of [
    { query: 'a quokka carafe under 15 euros' },
    { product_id: carafe.id, query: 'under 15 euros' },
  ]) {
    const { data } = await agent.POST(buy, { body });
    expect(data).toMatchObject({
      status: 'needs_choice',
      question: 'The matching products are out of stock. Is something else acceptable?',
      candidates: [{ price: '10.00', availability: 'out_of_stock' }],
      checkout: null,
    });
  }
});

test('if no variant meets the price limit, adding by product id asks a question, and adding by variant id succeeds', async () => {
  const { agent, jar } = await givenShopWithAgent();
  const query = 'under 5 euros';
  const relaxed = { understood: [{ kind: 'price', fate: 'relaxed' }] };

  const { data: asked } = await agent.POST(add, { body: { product_id: jar.id, query } });
  const variant_id = asked?.candidates[1]?.variant_id ?? '';
  const { data: chosen } = await agent.POST(add, { body: { variant_id, query } });

  expect(asked).toMatchObject({ status: 'needs_choice', cart: null, ...relaxed });
  expect(chosen).toMatchObject({ status: 'added', cart: { items: [{ variant_id }] }, ...relaxed });
});

test.each([
  ['storage jar under 15 euros', '0.5 l'],
  ['cheapest storage jar', '0.5 l'],
  ['storage jar over 20 euros', '2 l'],
  ['storage jar 1 l', '1 l'],
  ['rubber boots size 42', '42'],
])('adds the requested variant to the cart and names the same one in the response: %s', async (query, variant_name) => {
  const { agent } = await givenShopWithAgent();

  const { data } = await agent.POST(add, { body: { query } });

  expect(data).toMatchObject({
    status: 'added',
    candidates: [{ content: { variant_name } }],
    cart: { items: [{ content: { variant_name } }] },
  });
  expect(data?.candidates[0]?.variant_id).toBe(data?.cart?.items[0]?.variant_id);
});

test('offers no excluded variants, and gives each offered variant its own match reasons', async () => {
  const { agent } = await givenShopWithAgent();

  const { data } = await agent.POST(add, { body: { query: 'a wool sweater that is not rust' } });

  expect(data?.status).toBe('needs_choice');
  expect(data?.candidates.map(({ content, match_reasons }) => [content.variant_name, match_reasons])).toEqual([
    ['Oat', ['name: wool, sweater', 'as asked: not rust']],
    ['Night', ['name: wool, sweater', 'as asked: not rust']],
  ]);
});

test('a request for a product that the shop does not have is not answered with another product', async () => {
  const { agent } = await givenShopWithAgent();

  const { data: cage } = await agent.POST(buy, { body: { query: 'a bird cage' } });
  const { data: wallet } = await agent.POST(find, { body: { query: 'wallet not leather' } });
  const { data: red } = await agent.POST(buy, { body: { query: 'a red wool sweater in night' } });

  expect(cage).toMatchObject({ status: 'needs_choice', checkout: null });
  expect(cage?.understood).toContainEqual(
    expect.objectContaining({ kind: 'word', text: 'cage', fate: 'not_available' }),
  );
  expect(wallet).toMatchObject({ status: 'not_found', candidates: [] });
  expect(red?.status).toBe('needs_choice');
});

test('adds the quantity in the sentence to the cart', async () => {
  const { agent, jar } = await givenShopWithAgent();
  const quantities = await Promise.all(
    [
      { query: 'two storage jars, 1 l' },
      { query: 'storage jar 1 l, 3 pieces' },
      { product_id: jar.id, query: '4 jars, 2 l' },
    ].map(async (body) => (await agent.POST(add, { body })).data?.cart?.items[0]?.quantity),
  );
  expect(quantities).toEqual([2, 3, 4]);
});

test('returns match reasons for each product of a list', async () => {
  const { agent } = await givenShopWithAgent();
  const reasons = async (query: Record<string, string | boolean | string[]>) => {
    const { data } = await agent.GET('/api/agent/catalog/search', { params: { query } });
    return data?.products.map(({ content, match_reasons }) => [content.variant_name ?? content.name, match_reasons]);
  };

  expect(await reasons({ q: 'jar' })).toEqual([['0.5 l', ['name: jar']]]);
  expect(await reasons({ tag: ['Bird'] })).toEqual([['Bird house', ['tags: bird']]]);
  expect(await reasons({ option: ['Colour:night'], in_stock: true })).toEqual([
    ['Night', ['in stock', 'option: Night']],
  ]);
  expect(await reasons({ price_min: '12.00', price_max: '15.00' })).toEqual([
    ['0.5 l', ['price 14.00 within the limit']],
  ]);
  for (const [, match_reasons] of (await reasons({})) ?? []) expect(match_reasons).not.toEqual([]);
});
