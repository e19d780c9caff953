import { expect, test } from 'vitest';
import { agentOfDemo, givenAgent } from '../../test/agents.ts';
import { openDemoShop } from '../../test/demo-shop.ts';
import { openShop } from '../../test/shop.ts';

const facetsPath = '/api/agent/catalog/facets';
const search = '/api/agent/catalog/search';
const find = '/api/agent/intent/find';

/** As in the benchmark, a token is about four characters. */
const tokensOf = (text: string) => Math.ceil(text.length / 4);

async function openFacetedShop(categories: string[] = []) {
  const shop = await openShop();
  const { agent } = await givenAgent(shop, await shop.givenCustomer(), { categories });
  const mug = await shop.givenProduct({
    ...{ name: 'Moor mug', price: '18.00', product_type: 'Cups', vendor: 'Kiln', metadata: { Material: 'Stoneware' } },
    tags: ['gift'],
    options: [{ name: 'Colour', values: ['Sage', 'Oat'] }],
    variants: [
      { option1: 'Sage', inventory_quantity: 1 },
      { option1: 'Oat', inventory_quantity: 0 },
    ],
  });
  await shop.givenProduct({
    ...{ name: 'Camp mug', price: '9.00', product_type: 'Cups', vendor: 'Ash', tags: ['camping', 'gift'] },
    metadata: { material: 'Steel, enamel', weight: '90 g' },
  });
  await shop.givenProduct({ name: 'Rug', price: '90.00', product_type: 'Rugs', metadata: { material: 'stoneware' } });
  await shop.givenProduct({
    name: 'Secret',
    status: 'draft',
    product_type: 'Hidden',
    tags: ['Hidden'],
    metadata: { material: 'Gold' },
  });
  const collection = { title: 'For the table', handle: 'table', published: true };
  const rules = [{ field: 'product_type' as const, operator: 'equals' as const, value: 'cups' }];
  await shop.dashboard.POST('/api/dashboard/collections', { body: { ...collection, type: 'automatic', rules } });
  const { data: chosen } = await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Chosen', handle: 'chosen', type: 'manual', published: true, product_ids: [mug.id] },
  });
  if (!chosen) throw new Error('The collection was refused.');
  return { ...shop, agent };
}

const CUPS = {
  product_type: [{ value: 'Cups', count: 2 }],
  collection: [
    { value: 'table', count: 2 },
    { value: 'chosen', count: 1 },
  ],
  vendor: [
    { value: 'Ash', count: 1 },
    { value: 'Kiln', count: 1 },
  ],
  tag: [
    { value: 'gift', count: 2 },
    { value: 'camping', count: 1 },
  ],
  option: [{ name: 'Colour', values: [{ value: 'Sage', count: 1 }], more: 0 }],
  attribute: [
    {
      name: 'material',
      values: [
        { value: 'Steel', count: 1 },
        { value: 'Stoneware', count: 1 },
        { value: 'enamel', count: 1 },
      ],
      more: 0,
    },
    { name: 'weight', values: [{ value: '90 g', count: 1 }], more: 0 },
  ],
};

test("an agent's facets count only the public products in its categories", async () => {
  const whole = await (await openFacetedShop()).agent.GET(facetsPath);
  expect(whole.data).toMatchObject({ products: 3, price: { min: '9.00', max: '90.00' } });
  expect(whole.data?.content.attribute[0]?.values).toContainEqual({ value: 'Stoneware', count: 2 });
  expect(JSON.stringify(whole.data)).not.toMatch(/Gold|Hidden/);

  const { data } = await (await openFacetedShop(['Cups'])).agent.GET(facetsPath);
  expect(data).toMatchObject({ products: 2, price: { min: '9.00', max: '18.00' }, content: CUPS });
});

test('searches and intents return the facets of their results', async () => {
  const { agent, storefront } = await openFacetedShop();

  const { data: listed } = await agent.GET(search, { params: { query: { product_type: ['Cups'], facets: true } } });
  const { data: found } = await agent.POST(find, { body: { product_type: ['Cups'], facets: true } });
  const { data: words } = await agent.POST(find, { body: { query: 'mug', facets: true } });
  for (const facets of [listed?.facets, found?.facets, words?.facets]) {
    expect(facets).toMatchObject({ products: 2, price: { min: '9.00', max: '18.00' }, content: CUPS });
  }
  const query = { attribute: ['material:steel'], facets: true };
  const { data: shown } = await storefront.GET('/api/storefront/products', { params: { query } });
  // The facet of a filtered attribute still lists the other values.
  expect(shown?.facets?.attributes.find(({ name }) => name === 'material')?.values).toHaveLength(3);
  expect(shown?.facets?.collections).toEqual([{ value: 'table', title: 'For the table', count: 1 }]);
  const { data: plain } = await agent.POST(find, { body: { query: 'mug' } });
  expect(plain).not.toHaveProperty('facets');
});

test('the facets of the demo shop take at most 1,500 tokens, and the facets of a search with five results at most 800', async () => {
  const { baseUrl, demo, close } = await openDemoShop();
  const { access_token } = await agentOfDemo(baseUrl, demo);
  const read = async (path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${access_token}`, 'Content-Type': 'application/json' };
    const sent = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() },
    };
    const answer = await fetch(baseUrl + path, body ? sent : { headers });
    expect(answer.status, path).toBe(200);
    return answer.text();
  };

  const facets = await read(facetsPath);
  // Three characters per token, because brackets and numbers need more tokens than words.
  expect(facets.length / 3).toBeLessThanOrEqual(1_500);
  const { product_type, tag } = JSON.parse(facets).content;
  expect([product_type.length, tag.length]).toEqual([20, 10]);
  for (const words of ['wool', 'a gift', 'camping', 'something for the kitchen', 'colour fjord']) {
    const query = { query: words, limit: 5 };
    const listed = await read(`${search}?limit=5&q=${encodeURIComponent(words)}`);
    const found = await read(find, query);
    expect(JSON.parse(listed).products.length, words).toBeGreaterThan(3);
    expect(
      [tokensOf(listed), tokensOf(found)].filter((tokens) => tokens > 800),
      words,
    ).toEqual([]);
  }
  await close();
});

test('facets list a limited number of values, and state how many they omit', async () => {
  const { agent, givenProduct } = await openFacetedShop();
  for (let i = 0; i < 60; i += 1) {
    const metadata = Object.fromEntries(Array.from({ length: 30 }, (_, key) => [`property-${key}`, `a value of ${i}`]));
    await givenProduct({
      name: `Thing ${i}`,
      product_type: `The type with the number ${i}`,
      vendor: `Maker ${i}`,
      tags: [`a tag with the number ${i}`],
      metadata,
    });
  }

  const { data } = await agent.GET(facetsPath);

  expect(JSON.stringify(data).length).toBeLessThanOrEqual(4_300);
  const { content } = data ?? {};
  expect((content?.product_type.length ?? 0) + (content?.more.product_type ?? 0)).toBe(62);
  expect((content?.tag.length ?? 0) + (content?.more.tag ?? 0)).toBe(62);
  expect((content?.attribute.length ?? 0) + (content?.more.attribute ?? 0)).toBe(32);
  const [first] = content?.attribute ?? [];
  expect((first?.values.length ?? 0) + (first?.more ?? 0)).toBeGreaterThan(3);
});

test('the price range in facets for agents includes the most expensive variant', async () => {
  const { agent, givenProduct } = await openFacetedShop();
  await givenProduct({
    ...{ name: 'Tent', product_type: 'Tents', options: [{ name: 'Size', values: ['S', 'L'] }] },
    variants: [
      { option1: 'S', price: '40.00' },
      { option1: 'L', price: '190.00' },
    ],
  });

  const { data: shop } = await agent.GET(facetsPath);
  const { data: listed } = await agent.GET(search, { params: { query: { product_type: ['Tents'], facets: true } } });
  const { data: found } = await agent.POST(find, { body: { product_type: ['Tents'], facets: true } });

  expect(shop?.price).toEqual({ min: '9.00', max: '190.00' });
  for (const facets of [listed?.facets, found?.facets]) expect(facets?.price).toEqual({ min: '40.00', max: '190.00' });
});
