import type { IntentAdd, IntentFind } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { givenAgent } from '../../test/agents.ts';
import { openShop } from '../../test/shop.ts';

const search = '/api/agent/catalog/search';
const find = '/api/agent/intent/find';
const add = '/api/agent/intent/find-and-add';
const products = '/api/storefront/products';

type Filters = Omit<IntentFind, 'query' | 'facets' | 'limit' | 'sort'>;

/** Opens a shop with cups and jackets, so that each filter excludes something. */
async function openMixedShop(categories: string[] = []) {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const { agent, access_token } = await givenAgent(shop, customer, { categories });
  const mug = await shop.givenProduct({
    ...{ name: 'Moor mug', price: '18.00', product_type: 'Cups', vendor: 'Kiln', tags: ['gift', 'kitchen'] },
    metadata: { Material: 'Stoneware', care: 'Dishwasher safe, microwave safe' },
  });
  const beaker = await shop.givenProduct({
    ...{ name: 'Camp beaker', price: '9.00', compare_at_price: '12.00', product_type: 'Cups', vendor: 'Ash' },
    ...{ tags: ['camping'], metadata: { material: 'Steel, enamel' }, description: 'A beaker free of nuts.' },
  });
  const glass = await shop.givenProduct({
    ...{ name: 'Tall glass', price: '6.00', product_type: 'Glasses', vendor: 'Kiln', inventory_quantity: 0 },
    ...{ metadata: { material: 'Glass' }, description: 'Packed in a box with nuts.' },
  });
  const jacket = await shop.givenProduct({
    ...{ name: 'Rain jacket', product_type: 'Jackets', vendor: 'Ash', metadata: { material: 'Nylon', lining: 'Wool' } },
    options: [
      { name: 'Size', values: ['M', 'L'] },
      { name: 'Colour', values: ['Red', 'Blue'] },
    ],
    variants: [
      { option1: 'M', option2: 'Red', price: '40.00', inventory_quantity: 5 },
      { option1: 'L', option2: 'Red', price: '60.00', compare_at_price: '80.00', inventory_quantity: 5 },
      { option1: 'L', option2: 'Blue', price: '90.00', inventory_quantity: 5 },
    ],
  });
  const names: Record<string, string> = {
    [mug.id]: 'mug',
    [beaker.id]: 'beaker',
    [glass.id]: 'glass',
    [jacket.id]: 'jacket',
  };

  /** Returns the products that each API finds with these filters. */
  async function everywhere(filters: Filters, words?: string) {
    const query = { ...filters, ...(words && { q: words }) };
    const listed = await shop.storefront.GET(products, { params: { query } });
    const searched = await agent.GET(search, { params: { query } });
    const found = await agent.POST(find, { body: { ...filters, ...(words && { query: words }), limit: 10 } });
    const named = (ids: (string | undefined)[] | undefined) => ids?.map((id) => names[id ?? '']).sort();
    return {
      storefront: named(listed.data?.products.map(({ id }) => id)),
      search: named(searched.data?.products.map(({ id }) => id)),
      find: named(found.data?.candidates.map(({ id }) => id)),
    };
  }
  return { ...shop, shop, customer, agent, access_token, mug, beaker, glass, jacket, everywhere };
}

function same(...names: string[]) {
  return { storefront: names, search: names, find: names };
}

test('each filter returns exactly the matching products, in the storefront and for agents', async () => {
  const { everywhere, mug } = await openMixedShop();

  expect(await everywhere({ attribute: ['material:stoneware'] })).toEqual(same('mug'));
  expect(await everywhere({ attribute: ['MATERIAL:Steel, Enamel'] })).toEqual(same('beaker'));
  expect(await everywhere({ attribute: ['material:enamel'] })).toEqual(same('beaker'));
  expect(await everywhere({ attribute: ['material:steel', 'material:glass'] })).toEqual(same('beaker', 'glass'));
  expect(await everywhere({ attribute: ['material:nylon', 'lining:wool'] })).toEqual(same('jacket'));
  expect(await everywhere({ attribute: ['material:wool'] })).toEqual(same());
  expect(await everywhere({ exclude_attribute: ['lining:wool', 'material:glass'] })).toEqual(same('beaker', 'mug'));
  expect(await everywhere({ exclude_tag: ['GIFT'] })).toEqual(same('beaker', 'glass', 'jacket'));
  expect(await everywhere({ exclude_type: ['cups', 'jackets'] })).toEqual(same('glass'));
  expect(await everywhere({ exclude_text: ['nuts'] })).toEqual(same('beaker', 'jacket', 'mug'));
  expect(await everywhere({ exclude_text: ['camp', 'microwave'] })).toEqual(same('glass', 'jacket'));
  expect(await everywhere({ on_sale: true })).toEqual(same('beaker', 'jacket'));
  expect(await everywhere({ on_sale: false })).toEqual(same('glass', 'mug'));
  expect(await everywhere({ cheaper_than: mug.id })).toEqual(same('beaker', 'glass'));
  expect(await everywhere({ in_stock: false })).toEqual(same('glass'));
  expect(await everywhere({ vendor: ['kiln'], product_type: ['cups'], tag: ['kitchen'] })).toEqual(same('mug'));
  expect(await everywhere({ price_min: '9', price_max: '18.00' }, 'mug')).toEqual(same('mug'));
});

test('products on backorder meet the in_stock filter, and the words `in stock` in a sentence are relaxed to find them', async () => {
  const { shop, agent } = await openMixedShop();
  await shop.givenProduct({ name: 'Fire bowl', inventory_quantity: 0, inventory_policy: 'continue' });
  const outcome = async (body: IntentFind) => {
    const { data } = await agent.POST(find, { body });
    return {
      found: data?.candidates.map(({ content, availability }) => [content.name, availability]),
      fate: data?.understood.find(({ kind }) => kind === 'in_stock')?.fate,
    };
  };

  const backorder = [['Fire bowl', 'backorder']];
  expect(await outcome({ query: 'fire bowl', in_stock: true })).toEqual({ found: backorder, fate: 'applied' });
  expect(await outcome({ query: 'a fire bowl that is in stock' })).toEqual({ found: backorder, fate: 'relaxed' });
  expect((await outcome({ in_stock: false })).found).toEqual([['Tall glass', 'out_of_stock']]);
});

test('the field `quantity` takes precedence over a quantity in the sentence', async () => {
  const { agent } = await openMixedShop();
  const quantities = async (body: IntentAdd) => {
    const { data } = await agent.POST(add, { body: { ...body, dry_run: true } });
    return [data?.status, data?.needs.map(({ quantity }) => quantity)];
  };

  expect(await quantities({ query: 'moor mug', quantity: 2 })).toEqual(['added', [2]]);
  expect(await quantities({ query: 'three moor mugs', quantity: 2 })).toEqual(['added', [2]]);
  expect(await quantities({ query: 'three moor mugs' })).toEqual(['added', [3]]);
});

test('a product matches only if one of its variants meets all filters, and the response contains that variant', async () => {
  const { agent, everywhere, jacket } = await openMixedShop();
  const [cheap, reduced] = jacket.variants;

  expect(await everywhere({ option: ['Size:L', 'Colour:Red'] })).toEqual(same('jacket'));
  expect(await everywhere({ option: ['Size:M', 'Colour:Blue'] })).toEqual(same());
  expect(await everywhere({ option: ['size:l'], price_max: '50' })).toEqual(same());
  expect(await everywhere({ option: ['Colour:Blue'], on_sale: true })).toEqual(same());
  expect(await everywhere({ on_sale: true, price_max: '50', product_type: ['Jackets'] })).toEqual(same());
  expect(await everywhere({ option: ['Colour:Blue'], exclude_text: ['blue'] })).toEqual(same());
  for (const [filters, variant] of [
    [{ option: ['Size:L'] }, reduced],
    [{ on_sale: true, product_type: ['Jackets'] }, reduced],
    [{ price_min: '35', price_max: '50' }, cheap],
    [{ price_min: '50' }, reduced],
  ] as const) {
    const body = { ...filters, ...('option' in filters && { option: [...filters.option] }) } as IntentFind;
    const { data: found } = await agent.POST(find, { body });
    const { data: listed } = await agent.GET(search, { params: { query: body } });
    expect(found?.candidates, JSON.stringify(filters)).toMatchObject([
      { variant_id: variant?.id, price: variant?.price },
    ]);
    expect(listed?.products, JSON.stringify(filters)).toMatchObject([
      { variant_id: variant?.id, price: variant?.price },
    ]);
  }
});

test('a filter takes precedence over conflicting words in the sentence, which the response marks as relaxed', async () => {
  const { agent, storefront } = await openMixedShop();
  const outcome = async (body: IntentFind) => {
    const { data } = await agent.POST(find, { body });
    const fates = data?.understood.map(({ kind, text, fate }) => `${kind} ${text}: ${fate}`);
    return { found: data?.candidates.map(({ content }) => content.name), fates };
  };

  const priced = await outcome({ query: 'mug under 10 euros', price_min: '15' });
  expect(priced.found).toEqual(['Moor mug']);
  expect(priced.fates?.slice(-2)).toEqual(['price under 10 euros: relaxed', 'price price_min=15: applied']);
  const red = await outcome({ query: 'a jacket, not red', option: ['Colour:Red'] });
  expect(red.found).toEqual(['Rain jacket']);
  expect(red.fates).toEqual(expect.arrayContaining([expect.stringMatching(/^without .*red: relaxed$/)]));
  const size = await outcome({ query: 'jacket size L', option: ['Size:M'] });
  expect(size.found).toEqual(['Rain jacket']);
  expect(size.fates).toEqual(expect.arrayContaining([expect.stringMatching(/^value size L: relaxed$/)]));
  const order = await outcome({ query: 'the cheapest cup', product_type: ['Cups'], sort: 'price_desc' });
  expect(order.found).toEqual(['Moor mug', 'Camp beaker']);
  expect(order.fates).toContain('sort cheapest: relaxed');

  const query = { q: 'mug under 10 euros', price_min: '15' };
  const { data } = await storefront.GET(products, { params: { query } });
  expect(data?.products).toMatchObject([{ name: 'Moor mug' }]);
  expect(data?.understood).toMatchObject([{ kind: 'price', text: 'under 10 euros', fate: 'relaxed' }]);
});

test('find-and-add without a sentence adds the only variant that meets the filters', async () => {
  const { agent, jacket, mug } = await openMixedShop();
  const [, reduced] = jacket.variants;

  const { data: added } = await agent.POST(add, {
    body: { option: ['Size:L', 'Colour:Red'], attribute: ['lining:wool'] },
  });
  expect(added).toMatchObject({ status: 'added', cart: { items: [{ variant_id: reduced?.id, quantity: 1 }] } });
  const { data: named } = await agent.POST(add, { body: { product_id: jacket.id, price_max: '50' } });
  expect(named).toMatchObject({ status: 'added', cart: { items: [{ price: '40.00' }] } });
  const { data: other } = await agent.POST(add, {
    body: { product_id: mug.id, exclude_attribute: ['material:stoneware'] },
  });
  expect(other).toMatchObject({ status: 'not_found', cart: null });
  const { error } = await agent.POST(add, { body: { limit: 3 } });
  expect(error).toMatchObject({ error: 'validation_error', detail: [{ loc: ['body', 'query'] }] });
});

test('rejects an invalid filter (unknown product, missing name, value or word) and names the field (422)', async () => {
  const { agent, storefront } = await openMixedShop();
  const unknown = '01a223d6-1d61-70f6-bd63-2c8e51d6ad97';
  const mistakes: [Filters, string][] = [
    [{ cheaper_than: unknown }, 'cheaper_than'],
    [{ attribute: ['stoneware'] }, 'attribute'],
    [{ attribute: [' :stoneware'] }, 'attribute'],
    [{ exclude_attribute: ['material: '] }, 'exclude_attribute'],
    [{ option: ['Size'] }, 'option'],
    [{ exclude_text: ['…'] }, 'exclude_text'],
    [{ price_max: '1.234' }, 'price_max'],
  ];
  for (const [filters, field] of mistakes) {
    const answers = [
      await storefront.GET(products, { params: { query: filters } }),
      await agent.GET(search, { params: { query: filters } }),
      await agent.POST(find, { body: { query: 'mug', ...filters } }),
      await agent.POST(add, { body: { query: 'mug', ...filters } }),
    ];
    expect(
      answers.map(({ response }) => response.status),
      field,
    ).toEqual([422, 422, 422, 422]);
    for (const { error } of answers) {
      expect((error as { detail: { loc: unknown[] }[] }).detail[0]?.loc, field).toContain(field);
    }
  }
});

test("attribute filters reflect changes of a product's attributes immediately", async () => {
  const { dashboard, everywhere, mug } = await openMixedShop();
  const params = { path: { product_id: mug.id } };

  await dashboard.PATCH('/api/dashboard/products/{product_id}', { params, body: { metadata: { glaze: 'Matt' } } });

  expect(await everywhere({ attribute: ['material:stoneware'] })).toEqual(same());
  expect(await everywhere({ attribute: ['Glaze:matt'] })).toEqual(same('mug'));
});

test('an attribute filter does not find products of another shop, and cheaper_than rejects the id of one', async () => {
  const { agent, everywhere } = await openMixedShop();
  const other = await openShop();
  const theirs = await other.givenProduct({ price: '100.00', metadata: { material: 'Stoneware' } });

  expect(await everywhere({ attribute: ['material:stoneware'] })).toEqual(same('mug'));
  const { error } = await agent.POST(find, { body: { cheaper_than: theirs.id } });
  expect(error).toMatchObject({ detail: [{ loc: ['body', 'cheaper_than'] }] });
});

test('empty filter lists and a sort order exclude no product, and do not affect find-and-buy with a cart', async () => {
  const { agent, shop, mug } = await openMixedShop();
  await shop.givenTerms();
  const lists = ['vendor', 'product_type', 'tag', 'option', 'attribute', 'exclude_tag', 'exclude_type', 'exclude_text'];
  const body: IntentFind = { ...Object.fromEntries(lists.map((name) => [name, []])), sort: 'price_asc' };

  const { data: found } = await agent.POST(find, { body: { query: 'mug', ...body } });
  expect(found?.candidates).toMatchObject([{ id: mug.id }]);
  const { error } = await agent.POST(find, { body });
  expect(error).toMatchObject({ detail: [{ loc: ['body', 'query'] }] });
  const { data: added } = await agent.POST(add, { body: { product_id: mug.id, ...body } });
  const { data: bought } = await agent.POST('/api/agent/intent/find-and-buy', {
    body: { cart_id: added?.cart?.id ?? '', ...body, dry_run: true },
  });
  expect(bought).toMatchObject({ status: 'requires_escalation', candidates: [], totals: { subtotal: '18.00' } });
});

test("neither cheaper_than nor a sentence can derive a price limit from a product outside the agent's categories", async () => {
  const { agent, jacket, mug } = await openMixedShop(['Cups']);

  for (const request of [
    agent.GET(search, { params: { query: { cheaper_than: jacket.id } } }),
    agent.POST(find, { body: { cheaper_than: jacket.id } }),
    agent.POST(add, { body: { cheaper_than: jacket.id } }),
  ]) {
    const { error } = await request;
    expect((error as { detail: unknown })?.detail).toMatchObject([{ msg: 'The shop has no product with this id.' }]);
  }
  const { data } = await agent.POST(find, { body: { query: 'a mug cheaper than the Rain jacket' } });
  expect(data?.understood).toContainEqual({
    kind: 'price',
    text: 'cheaper than the Rain jacket',
    fate: 'not_understood',
  });
  expect((await agent.POST(find, { body: { cheaper_than: mug.id } })).data?.candidates).toHaveLength(1);
});

test('exclude_text matches words with ß, œ or an umlaut, and words at the end of long texts', async () => {
  const { everywhere, shop } = await openMixedShop();
  const long = 'a word '.repeat(700);
  const notes = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`note ${i}`, 'a word '.repeat(70)]));
  await shop.givenProduct({ name: 'Kanne', description: 'Aus Weißblech.' });
  await shop.givenProduct({ name: 'Pâté', metadata: { zutat: 'Bœuf' } });
  await shop.givenProduct({
    name: 'Stift',
    options: [{ name: 'Farbe', values: ['Grün', 'Rot'] }],
    variants: [
      { option1: 'Grün', price: '5.00' },
      { option1: 'Rot', price: '15.00' },
    ],
  });
  await shop.givenProduct({ name: 'Bar', description: `${long} hazelnuts`, metadata: { ...notes, zest: 'almonds' } });
  const found = async (text: string, filters: Filters = {}) => {
    const { storefront, search: listed, find: candidates } = await everywhere({ exclude_text: [text], ...filters });
    return [storefront, listed, candidates].map((names) => names?.filter((name) => name === undefined).length);
  };

  expect(await found('nothing')).toEqual([4, 4, 4]);
  for (const text of ['Weißblech', 'BŒUF', 'hazelnuts', 'almonds', 'word hazelnuts']) {
    expect(await found(text), text).toEqual([3, 3, 3]);
  }
  expect(await found('grün')).toEqual([4, 4, 4]);
  expect(await found('grün', { price_max: '7' })).toEqual([0, 0, 0]);
});

test('a price limit in another currency is reported as not_available, even if the request also has a price filter', async () => {
  const { agent } = await openMixedShop();

  const { data } = await agent.POST(find, { body: { query: 'mug under 10 dollars', price_min: '15' } });

  expect(data?.understood).toContainEqual(expect.objectContaining({ text: 'under 10 dollars', fate: 'not_available' }));
});

test('a cached list shows a change of metadata, price or stock immediately', async () => {
  const { dashboard, everywhere, mug, beaker } = await openMixedShop();
  const [variant] = beaker.variants;
  const twice = async (filters: Filters) => [await everywhere(filters), await everywhere(filters)].at(1)?.storefront;

  expect(await twice({ attribute: ['material:stoneware'] })).toEqual(['mug']);
  expect(await twice({ exclude_text: ['dishwasher'], product_type: ['Cups'] })).toEqual(['beaker']);
  expect(await twice({ cheaper_than: mug.id })).toEqual(['beaker', 'glass']);
  expect(await twice({ in_stock: true, product_type: ['Cups'] })).toEqual(['beaker', 'mug']);
  const params = { path: { product_id: mug.id } };
  await dashboard.PATCH('/api/dashboard/products/{product_id}', {
    params,
    body: { metadata: { material: 'Clay' }, price: '8.00' },
  });
  await dashboard.POST('/api/dashboard/inventory/{variant_id}/adjust', {
    params: { path: { variant_id: variant?.id ?? '' } },
    body: { delta: -10, reason: 'lost' },
  });
  expect(await twice({ attribute: ['material:stoneware'] })).toEqual([]);
  expect(await twice({ exclude_text: ['dishwasher'], product_type: ['Cups'] })).toEqual(['beaker', 'mug']);
  expect(await twice({ cheaper_than: mug.id })).toEqual(['glass']);
  expect(await twice({ in_stock: true, product_type: ['Cups'] })).toEqual(['mug']);
});
