import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { openShop } from '../../test/shop.ts';
import { publishProfile, ucpClient } from '../../test/ucp.ts';

const agent = await publishProfile();
afterAll(agent.close);

async function openUcp() {
  const shop = await openShop();
  const { call, send } = ucpClient({ issuer: `${shop.baseUrl}/sites/${shop.site_id}`, profile: agent.url });
  const search = async (body: object) => {
    const { products, messages = [], pagination } = await call('search_catalog', '', { body });
    const titles = (products as { title: string }[]).map(({ title }) => title);
    return { titles, messages: messages.map(({ code, path }) => `${code} ${path}`), pagination };
  };
  await shop.givenProduct({
    name: 'Moor mug',
    price: '14.50',
    product_type: 'Cups',
    metadata: { material: 'Stoneware' },
  });
  await shop.givenProduct({ name: 'Camp mug', price: '32.00', product_type: 'Cups', metadata: { material: 'Steel' } });
  await shop.givenProduct({
    ...{ name: 'Glow headlamp', price: '29.00', product_type: 'Camping' },
    description: 'Hangs in a tent. With a red light.',
  });
  await shop.givenProduct({ name: 'Larch tent', price: '389.00', product_type: 'Camping' });
  return { ...shop, call, send, search };
}

test('a UCP search reports a price limit that no product meets, and still returns products', async () => {
  const { search } = await openUcp();

  const cheap = await search({ query: 'mug under 5 euros' });
  expect(cheap.titles.toSorted()).toEqual(['Camp mug', 'Moor mug']);
  expect(cheap.messages).toEqual(['price_not_met $.query']);
  const tent = await search({ query: 'red tent under 100 euros' });
  expect(tent.titles).toEqual(['Larch tent']);
  expect(tent.messages).toContain('price_not_met $.query');
  expect((await search({ query: 'mug under 20 euros' })).messages).toEqual([]);
  expect((await search({ query: 'mug' })).messages).toEqual([]);
});

test('a UCP search applies the filters of UCP and of the API, and reports a price filter in another currency', async () => {
  const { search } = await openUcp();

  expect((await search({ query: 'mug', filters: { price: { max: 2_000 } } })).titles).toEqual(['Moor mug']);
  expect((await search({ filters: { attribute: ['material:steel'] } })).titles).toEqual(['Camp mug']);
  expect((await search({ filters: { categories: ['Cups'], exclude_attribute: ['material:steel'] } })).titles).toEqual([
    'Moor mug',
  ]);
  const dollars = await search({ query: 'mug', filters: { price: { max: 2_000 } }, context: { currency: 'USD' } });
  expect(dollars.titles).toHaveLength(2);
  expect(dollars.messages).toEqual(['price_filter_not_applied $.filters.price']);
  const euros = await search({ query: 'mug', filters: { price: { max: 2_000 } }, context: { currency: 'EUR' } });
  expect(euros).toMatchObject({ titles: ['Moor mug'], messages: [] });
});

test('a price in the `intent` of a UCP search filters the results, or is reported if no product meets it', async () => {
  const { search } = await openUcp();

  expect(await search({ query: 'mug', context: { intent: 'looking for a gift under 20 euros' } })).toMatchObject({
    titles: ['Moor mug'],
    messages: [],
  });
  const unmet = await search({ query: 'mug', context: { intent: 'a gift under 5 euros' } });
  expect(unmet.titles).toHaveLength(2);
  expect(unmet.messages).toEqual(['price_not_met $.context.intent']);
});

test("a UCP product links to the shop's own page by a URL template, or to the hosted buy page", async () => {
  const { call, dashboard, baseUrl } = await openUcp();
  const urlOf = async () => {
    const { products } = await call('search_catalog', '', { body: { query: 'Larch tent' } });
    return (products as { url: string }[])[0]?.url ?? '';
  };

  const hosted = await fetch(baseUrl + new URL(await urlOf()).pathname);
  expect(hosted.status).toBe(200);
  expect(await hosted.text()).toContain('Larch tent');
  const product_url_template = 'https://shop.example/p/{slug}?from=agent';
  await dashboard.PATCH('/api/dashboard/settings', { body: { product_url_template } });
  expect(await urlOf()).toBe('https://shop.example/p/larch-tent?from=agent');
});

test('a UCP search rejects malformed filters, and reports where the request has unknown filters and words', async () => {
  const { search, send } = await openUcp();
  const refusal = async (filters: object) => {
    const answer = await send('search_catalog', '', { body: { filters } });
    return `${answer.status} ${((await answer.json()) as { content: string }).content}`;
  };

  expect(await refusal({ attribute: 'material:steel' })).toBe('400 $.filters.attribute must be array.');
  expect(await refusal({ in_stock: 'true' })).toBe('400 $.filters.in_stock must be boolean.');
  expect(await refusal({ attribute: ['steel'] })).toMatch(/^422 attribute\.0: Should be an attribute and its value/);
  expect(await refusal({ cheaper_than: randomUUID() })).toBe('422 cheaper_than: The shop has no product with this id.');
  const unknown = await search({ filters: { colour: ['red'], 'a.b c': 1, tag: [] } });
  expect(unknown.titles).toHaveLength(4);
  expect(unknown.messages).toEqual(['filter_not_applied $.filters.colour', 'filter_not_applied $.filters']);
  const { messages } = await search({ query: 'mug for a 7 year old' });
  expect(messages).toEqual(['word_not_understood $.query']);
});
