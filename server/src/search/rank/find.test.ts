import { expect, test } from 'vitest';
import { givenMany } from '../../../test/many-products.ts';
import { testServer } from '../../../test/server.ts';
import { openShop } from '../../../test/shop.ts';
import { searchableProducts } from '../../shop/agents/find.ts';
import { inShopAsSystem } from '../../shop/in-shop.ts';
import { type FindQuery, findProducts } from './find.ts';

type Shop = Awaited<ReturnType<typeof openShop>>;

async function findIn({ site_id }: Shop, query: string, options: Partial<FindQuery> = {}) {
  const { db } = await testServer();
  return inShopAsSystem(db, site_id, (shop) => findProducts(shop, searchableProducts(shop), { query, ...options }));
}

async function mugShop(): Promise<Shop> {
  const shop = await openShop();
  await shop.givenProduct({
    name: 'Camping mug',
    product_type: 'Mugs',
    vendor: 'Alder',
    metadata: { material: 'Enamel', rating: '4.6', reviews: '210' },
    options: [{ name: 'Colour', values: ['Red', 'Blue'] }],
    variants: [
      { option1: 'Red', price: '12.00', inventory_quantity: 50 },
      { option1: 'Blue', price: '14.00', inventory_quantity: 3 },
    ],
  });
  await shop.givenProduct({
    name: 'Travel mug',
    product_type: 'Mugs',
    vendor: 'Finch',
    price: '30.00',
    metadata: { material: 'Plastic', rating: '3.9' },
    inventory_quantity: 0,
  });
  await shop.givenProduct({ name: 'Mug rack', product_type: 'Racks', price: '40.00', inventory_quantity: 8 });
  return shop;
}

test('chooses the variant with the requested value, and returns its availability and match reasons', async () => {
  const shop = await mugShop();

  const { candidates, understood } = await findIn(shop, 'a blue camping mug under 20 euros');

  expect(candidates).toHaveLength(1);
  expect(candidates[0]).toMatchObject({
    product: { name: 'Camping mug', cost_per_item: null },
    variant: { option1: 'Blue', price: '14.00' },
    availability: 'low_stock',
    score: 1,
    match_reasons: ['name: camping, mug', 'option: Blue', 'price 14.00 within the limit'],
  });
  expect(understood.map(({ kind, text, fate }) => [kind, text, fate])).toEqual([
    ['value', 'blue', 'applied'],
    ['value', 'mug', 'applied'],
    ['price', 'under 20 euros', 'applied'],
  ]);
});

test.each(['camping mug, colour blue', 'a camping mug in the color blue, material enamel'])(
  'an option or attribute name next to its value is not reported as missing: %s',
  async (query) => {
    const { candidates, understood } = await findIn(await mugShop(), query);

    expect(candidates[0]).toMatchObject({ product: { name: 'Camping mug' }, variant: { option1: 'Blue' } });
    expect(understood.filter(({ kind }) => kind === 'word')).toEqual([]);
  },
);

test.each(['coloured camping mug', 'waterproof camping mug', 'colour camping mug'])(
  'an option or attribute name without its value is reported as missing: %s',
  async (query) => {
    const shop = await openShop();
    const colours = { name: 'Colour', values: ['Black'] };
    const metadata = { waterproof: 'no', coloured: 'partly' };
    await shop.givenProduct({ name: 'Camping mug', metadata, options: [colours], variants: [{ option1: 'Black' }] });

    const { understood } = await findIn(shop, query);

    const lacked = understood.filter(({ kind, fate }) => kind === 'word' && fate === 'not_available');
    expect(lacked.map(({ text }) => text)).toEqual([query.split(' ')[0]]);
  },
);

test('returns the number of products that each constraint excludes', async () => {
  const shop = await mugShop();

  const { candidates, excluded, total } = await findIn(shop, 'mug rated over 4 stars without plastic');

  expect([candidates.map(({ product }) => product.name), total]).toEqual([['Camping mug'], 1]);
  expect(excluded).toEqual([
    { reason: 'rating', text: 'over 4 stars', count: 2 },
    { reason: 'without', text: 'without plastic', count: 1 },
  ]);
});

test('if no product meets all constraints, the least important ones are relaxed and reported as relaxed', async () => {
  const shop = await mugShop();

  const { candidates, understood } = await findIn(shop, 'plastic mug under 20 euros');

  // The plastic mug costs 30 euros, and the material is relaxed before the price.
  expect(candidates.map(({ product }) => product.name)).toEqual(['Camping mug']);
  expect(understood.map(({ text, fate }) => [text, fate])).toEqual([
    ['plastic', 'relaxed'],
    ['mug', 'applied'],
    ['under 20 euros', 'applied'],
  ]);
});

test('finds only products of the allowed categories, and counts the others as excluded', async () => {
  const shop = await mugShop();
  const { data: rack } = await shop.storefront.GET('/api/storefront/products/{id_or_slug}', {
    params: { path: { id_or_slug: 'mug-rack' } },
  });
  await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Kitchen', handle: 'kitchen', product_ids: [rack?.id ?? ''] },
  });
  const names = async (categories: string[]) =>
    (await findIn(shop, 'mug', { categories })).candidates.map(({ product }) => product.name);

  expect((await names(['MUGS'])).sort()).toEqual(['Camping mug', 'Travel mug']);
  expect(await names(['Kitchen'])).toEqual(['Mug rack']);
  expect(await names(['unknown'])).toEqual([]);
  expect(await names([])).toEqual([]);
  const { excluded } = await findIn(shop, 'mug', { categories: ['kitchen'] });
  expect(excluded).toContainEqual({ reason: 'category_not_allowed', text: null, count: 2 });
});

test('after the handle of a collection changes, only the new handle works as a category', async () => {
  const shop = await mugShop();
  const { data: collection } = await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'Mugs to go', handle: 'to-go', rules: [{ field: 'vendor', operator: 'equals', value: 'Finch' }] },
  });
  const found = async (category: string) => (await findIn(shop, 'mug', { categories: [category] })).total;

  expect([await found('to-go'), await found('travel')]).toEqual([1, 0]);
  await shop.dashboard.PATCH('/api/dashboard/collections/{collection_id}', {
    params: { path: { collection_id: collection?.id ?? '' } },
    body: { handle: 'travel' },
  });
  expect([await found('to-go'), await found('travel')]).toEqual([0, 1]);
});

test('a search by category ignores unpublished collections', async () => {
  const shop = await mugShop();
  const { data: collection } = await shop.dashboard.POST('/api/dashboard/collections', {
    body: { title: 'To go', handle: 'to-go', rules: [{ field: 'vendor', operator: 'equals', value: 'Finch' }] },
  });
  const params = { path: { collection_id: collection?.id ?? '' } };
  const found = async () => (await findIn(shop, 'mug', { categories: ['to-go'] })).total;

  const whilePublished = await found();
  await shop.dashboard.PATCH('/api/dashboard/collections/{collection_id}', { params, body: { published: false } });

  expect([whilePublished, await found()]).toEqual([1, 0]);
});

test('the availability of a product depends on the requested quantity', async () => {
  const shop = await mugShop();

  const few = await findIn(shop, 'I need 2 mugs for camping, blue');
  const many = await findIn(shop, 'I need 20 mugs for camping, blue');

  expect([few.quantity, few.candidates[0]?.availability]).toEqual([2, 'low_stock']);
  expect([many.quantity, many.candidates[0]?.availability]).toEqual([20, 'out_of_stock']);
});

test('`in stock` filters, and `cheapest` sorts by price', async () => {
  const shop = await mugShop();

  const inStock = await findIn(shop, 'mug in stock');
  const cheapest = await findIn(shop, 'cheapest mug');

  expect(inStock.candidates.map(({ product }) => product.name)).not.toContain('Travel mug');
  const prices = cheapest.candidates.map(({ product }) => Number(product.price));
  expect(prices).toEqual(prices.toSorted((a, b) => a - b));
});

/** Creates products, some of whose variants differ in the requested values. */
async function mixedShop(): Promise<Shop> {
  const shop = await openShop();
  await shop.givenProduct({
    name: 'Quokka carafe',
    options: [{ name: 'Colour', values: ['Red', 'Sea Salt'] }],
    variants: [
      { option1: 'Red', price: '80.00', inventory_quantity: 9 },
      { option1: 'Sea Salt', price: '10.00', inventory_quantity: 9 },
    ],
  });
  await shop.givenProduct({
    name: 'Rubber boots',
    tags: ['boots'],
    options: [{ name: 'Size', values: ['36–39', '40–43', 'L'] }],
    variants: ['36–39', '40–43', 'L'].map((option1) => ({ option1, price: '79.00', inventory_quantity: 9 })),
  });
  await shop.givenProduct({
    name: 'Wool blanket',
    options: [{ name: 'Size', values: ['130 × 180 cm', '200 × 220 cm'] }],
    variants: ['130 × 180 cm', '200 × 220 cm'].map((option1) => ({ option1, inventory_quantity: 9 })),
  });
  await shop.givenProduct({
    name: 'Basket',
    options: [{ name: 'Size', values: ['Large'] }],
    variants: [{ option1: 'Large' }],
  });
  await shop.givenProduct({ name: 'Merino socks', tags: ['wool'] });
  await shop.givenProduct({ name: 'Trekking poles', metadata: { sold_as: 'Pair' } });
  await shop.givenProduct({ name: 'Bird house', tags: ['bird'] });
  await shop.givenProduct({ name: 'Cast-iron casserole' });
  return shop;
}

const variants = ({ candidates }: Awaited<ReturnType<typeof findIn>>) =>
  candidates.map(({ variant }) => variant.option1);
const fates = ({ understood }: Awaited<ReturnType<typeof findIn>>) =>
  Object.fromEntries(understood.map(({ kind, text, fate }) => [text, `${kind} ${fate}`]));

test.each([
  ['quokka carafe under 15 euros', 'Sea Salt'],
  ['quokka carafe, not sea salt', 'Red'],
  ['cheapest quokka carafe', 'Sea Salt'],
  ['rubber boots size 42', '40–43'],
  ['rubber boots 38', '36–39'],
  ['large rubber boots', 'L'],
  ['wool blanket 200 x 220 cm', '200 × 220 cm'],
  ['wool blanket 200x220', '200 × 220 cm'],
])('ranks a variant that matches the query first: %s', async (sentence, value) => {
  expect(variants(await findIn(await mixedShop(), sentence))[0]).toBe(value);
});

test('relaxes a value that no variant within the price limit has, and keeps the limit', async () => {
  const found = await findIn(await mixedShop(), 'red quokka carafe under 15 euros');

  expect(variants(found)).toEqual(['Sea Salt']);
  expect(fates(found)).toMatchObject({ red: 'value relaxed', 'under 15 euros': 'price applied' });
});

test('a price range matches a product only if one of its variants is within the range', async () => {
  expect(fates(await findIn(await mixedShop(), 'quokka carafe between 20 and 40 euros'))).toMatchObject({
    'between 20 and 40 euros': 'price relaxed',
  });
});

test('a size (`size 42`, `38`) is applied if a variant has it, and relaxed otherwise', async () => {
  const shop = await mixedShop();

  expect(fates(await findIn(shop, 'rubber boots size 42'))).toMatchObject({ 'size 42': 'value applied' });
  expect(fates(await findIn(shop, 'rubber boots 38'))).toMatchObject({ '38': 'value applied' });
  expect(fates(await findIn(shop, 'rubber boots size 47'))).toMatchObject({ 'size 47': 'value relaxed' });
});

test('a query with "not red" excludes red variants, and products with only red variants or with "red" in the name', async () => {
  const shop = await mixedShop();
  await shop.givenProduct({
    name: 'Red quokka carafe stand',
    options: [{ name: 'Colour', values: ['Oak'] }],
    variants: [{ option1: 'Oak' }],
  });
  await shop.givenProduct({
    name: 'Quokka carafe lid',
    options: [{ name: 'Colour', values: ['Red'] }],
    variants: [{ option1: 'Red' }],
  });

  const found = await findIn(shop, 'quokka carafe, not red');

  expect(found.candidates.map(({ product, variant }) => [product.name, variant.option1])).toEqual([
    ['Quokka carafe', 'Sea Salt'],
  ]);
  expect(found.excluded).toContainEqual({ reason: 'without', text: 'not red', count: 2 });
});

test('reports words that the best product lacks, and does not find a product with none of the words', async () => {
  const shop = await mixedShop();
  const cage = await findIn(shop, 'a bird cage');
  const phone = await findIn(shop, 'iphone case');

  expect(fates(cage)).toMatchObject({ bird: 'value applied', cage: 'word not_available' });
  expect([phone.candidates, fates(phone)]).toEqual([[], { iphone: 'word not_available', case: 'word not_available' }]);
  expect((await findIn(shop, 'running shoes size 42 under 5 euros')).candidates).toEqual([]);
});

test('the head noun has a higher weight than attributes and the purpose', async () => {
  const shop = await mixedShop();

  expect((await findIn(shop, 'a pair of socks')).candidates.map(({ product }) => product.name)).toEqual([
    'Merino socks',
  ]);
  const found = await findIn(shop, 'wool poles');
  expect(found.candidates.map(({ product }) => product.name)).toEqual(['Trekking poles']);
  expect(fates(found)).toMatchObject({ wool: 'value relaxed', poles: 'word applied' });

  await shop.givenProduct({ name: 'Fisherman sweater', tags: ['sweater'] });
  await shop.givenProduct({ name: 'Stove', tags: ['hiking'] });
  const both = await findIn(shop, 'a sweater for hiking');
  expect(both.candidates.map(({ product }) => product.name)).toEqual(['Fisherman sweater']);
  expect(fates(both)).toMatchObject({ sweater: 'value applied', hiking: 'value relaxed' });
});

test('each candidate has match reasons, even if it matches only by a synonym', async () => {
  const shop = await mixedShop();
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: { search_synonyms: [{ term: 'throw', synonyms: ['blanket'] }] },
  });

  const { candidates, understood } = await findIn(shop, 'a throw');

  expect(candidates.map(({ product, match_reasons }) => [product.name, match_reasons])).toEqual([
    ['Wool blanket', ['like: throw']],
  ]);
  expect(understood).toEqual([]);
});

test('a constraint on data that no matching product has is reported as not available', async () => {
  const shop = await mugShop();
  const rack = await findIn(shop, 'rack rated over 4 stars');
  const mug = await findIn(shop, 'mug rated over 4.9 stars');

  expect(fates(rack)).toMatchObject({ 'over 4 stars': 'rating not_available' });
  expect(fates(mug)).toMatchObject({ 'over 4.9 stars': 'rating relaxed' });
  expect(fates(await findIn(shop, 'highly rated rack'))).toMatchObject({ 'highly rated': 'wish not_available' });
});

test('does not parse words of a product name as constraints', async () => {
  const shop = await mixedShop();
  await shop.givenProduct({ name: 'No-show socks' });
  await shop.givenProduct({ name: 'Seven seas tins' });

  expect(fates(await findIn(shop, 'no show socks'))).not.toHaveProperty('no show');
  expect(fates(await findIn(shop, 'no bird socks'))).toMatchObject({ 'no bird': 'without applied' });
  expect((await findIn(shop, 'seven seas tins')).quantity).toBe(1);
  expect((await findIn(shop, 'seven wool tins')).quantity).toBe(7);
});

test('applies at most 20 constraints of a sentence, and still finds the product', async () => {
  const shop = await openShop();
  const tags = Array.from({ length: 40 }, (_, i) => `tone${String.fromCharCode(97 + (i % 26))}${i > 25 ? 'x' : ''}`);
  await shop.givenProduct({ name: 'Cup', tags });
  await shop.givenProduct({ name: 'Cup saucer' });

  const many = await findIn(shop, `cup ${tags.join(' ')}`);
  const often = await findIn(shop, 'cup not tin '.repeat(40));

  expect(many.understood.filter(({ kind, fate }) => kind === 'value' && fate === 'applied')).toHaveLength(20);
  expect(many.candidates[0]?.product.name).toBe('Cup');
  expect(often.understood.filter(({ kind }) => kind === 'without')).toHaveLength(1);
});

test('excludes products that match little more than the head noun if 200 others match more of the words and all limits', async () => {
  const shop = await openShop();
  await givenMany(shop, 100, { name: 'White shirt', price: '9.00' });
  await givenMany(shop, 5, { name: 'Linen jeans', price: '9.00' });
  await givenMany(shop, 199, { name: 'Denim jeans', price: '9.00' });
  await givenMany(shop, 4, { name: 'Denim jeans', slug: 'dear-jeans', price: '11.00' });
  const counts = async () => {
    const { total, excluded } = await findIn(shop, 'white denim jeans under 10 euros');
    return [total, excluded.map(({ count }) => count)];
  };

  expect(await counts()).toEqual([204, [4]]);
  await shop.givenProduct({ name: 'Denim jeans', price: '9.00' });
  expect(await counts()).toEqual([200, [4]]);
});

test('finds products without the head noun of the query only if no allowed product has that noun', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Denim jeans', product_type: 'Clothes' });
  await shop.givenProduct({ name: 'White bowl', product_type: 'Kitchen' });
  const found = async (categories?: string[]) =>
    (await findIn(shop, 'white denim jeans', { ...(categories && { categories }) })).candidates.map(
      ({ product }) => product.name,
    );

  expect(await found()).toEqual(['Denim jeans']);
  expect(await found(['Kitchen'])).toEqual(['White bowl']);
});

test('does not search for words that only introduce a size or a material', async () => {
  const shop = await openShop();
  const size = { name: 'Fit', values: ['M', 'L'] };
  await shop.givenProduct({ name: 'Made to measure stool', description: 'Any size.' });
  await shop.givenProduct({
    name: 'Hoodie',
    metadata: { material: 'wool' },
    options: [size],
    variants: [{ option1: 'M' }, { option1: 'L' }],
  });

  const { candidates, understood } = await findIn(shop, 'a hoodie made of wool in size M');

  expect(candidates.map(({ product, variant }) => [product.name, variant.option1])).toEqual([['Hoodie', 'M']]);
  expect(candidates[0]?.match_reasons).toEqual(['name: hoodie', 'attributes: wool', 'option: M']);
  expect(understood.filter(({ fate }) => fate !== 'applied')).toEqual([]);
});

test('recognizes a head noun in a tag of several words, and in a misspelt word with only one correction', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Camping mug', tags: ['blue mug'] });
  await shop.givenProduct({ name: 'Blue plate' });
  await shop.givenProduct({ name: 'Bookcase' });
  await shop.givenProduct({ name: 'Narrow tall mirror', description: 'For the hallway.' });

  const mug = await findIn(shop, 'blue mug');
  const bookcase = await findIn(shop, 'a narrow tall bokcase for the hallway');

  expect([mug.candidates.map(({ product }) => product.name), mug.excluded]).toEqual([['Camping mug'], []]);
  expect(bookcase.candidates.map(({ product }) => product.name)).toEqual(['Bookcase']);
  expect(fates(bookcase)).toMatchObject({ bokcase: 'word applied', narrow: 'word not_available' });
});

test('a misspelt value selects the intended variant', async () => {
  const shop = await openShop();
  await shop.givenProduct({
    name: 'Shirt',
    options: [{ name: 'Colour', values: ['White', 'Burgundy'] }],
    variants: [{ option1: 'White' }, { option1: 'Burgundy' }],
  });

  const { candidates, understood } = await findIn(shop, 'a burgandy shirt');

  expect(candidates[0]?.variant.option1).toBe('Burgundy');
  expect(understood.map(({ kind, text, value }) => [kind, text, value])).toEqual([
    ['value', 'burgandy', 'burgundy'],
    ['word', 'shirt', 'shirt'],
  ]);
});

test('applies an excluded word to attributes and descriptions, and reports the word if no product has it', async () => {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Plain tee', metadata: { material: 'Organic Cotton, Spandex' } });
  await shop.givenProduct({ name: 'Camp tee', description: 'A tee of soft cotton.' });
  await shop.givenProduct({ name: 'Trail tee', description: 'Contains no cotton.', metadata: { free_of: 'Cotton' } });
  await shop.givenProduct({ name: 'Lake tee', description: 'Not itchy at all: a tee made of cotton.' });
  await shop.givenProduct({ name: 'Bay tee', description: 'Cotton-free.', metadata: { material: 'Cotton, no wool' } });

  const found = await findIn(shop, 'a tee without cotton');
  const unknown = await findIn(shop, 'a tee without glitter');

  expect(found.candidates.map(({ product }) => product.name)).toEqual(['Trail tee']);
  expect(fates(found)).toMatchObject({ 'without cotton': 'without applied' });
  expect(fates(unknown)).toMatchObject({ 'without glitter': 'without not_available' });
});

test('splits a German compound word in a query into words of the products', async () => {
  const shop = await openShop();
  const { owner, site_id } = shop;
  await owner.query("update commerce.site_settings set default_locale = 'de-DE' where site_id = $1", [site_id]);
  await shop.givenProduct({ name: 'Regenjacke', tags: ['Damen'] });
  await shop.givenProduct({ name: 'Strickjacke', tags: ['Herren'] });
  await shop.givenProduct({ name: 'Taschenmesser' });

  const names = async (query: string) => (await findIn(shop, query)).candidates.map(({ product }) => product.name);

  expect(await names('Jagdtaschenmesser')).toEqual(['Taschenmesser']);
  const { understood } = await findIn(shop, 'Jagdtaschenmesser');
  expect(understood).toContainEqual(expect.objectContaining({ text: 'Jagdtaschenmesser', fate: 'not_available' }));
  expect(await names('Damenregenjacken')).toEqual(['Regenjacke']);
});

test.each(['travel mug in stock', 'Travel mug, sofort lieferbar', 'is the travel mug available right away?'])(
  '`in stock` is not reported as applied if a result is out of stock: %s',
  async (query) => {
    const { candidates, understood } = await findIn(await mugShop(), query);
    const fate = understood.find(({ kind }) => kind === 'in_stock')?.fate;
    const isOut = candidates.some(({ availability }) => !['in_stock', 'low_stock'].includes(availability));
    expect([fate !== undefined, fate === 'applied' && isOut]).toEqual([true, false]);
  },
);

async function giftShop(): Promise<Shop> {
  const shop = await openShop();
  await shop.givenProduct({ name: 'Hot Dog Apron', product_type: 'Aprons', description: 'A warm gift.' });
  await shop.givenProduct({ name: 'Dog Bone', product_type: 'Toys', tags: ['pet'] });
  await shop.givenProduct({ name: 'Wool Beanie', product_type: 'Accessories', tags: ['winter'] });
  await shop.givenProduct({
    name: 'Wool Blanket',
    product_type: 'Textiles',
    tags: ['winter'],
    description: 'So warm.',
  });
  await shop.givenProduct({ name: 'Walking Socks', product_type: 'Accessories' });
  await shop.givenProduct({ name: 'Carnival Balloons', product_type: 'Decoration', tags: ['carnival'] });
  await shop.givenProduct({ name: 'Witch Costume', product_type: 'Clothing', tags: ['carnival'] });
  return shop;
}

test('a sentence that names a product finds it first, even if the sentence also mentions a purpose', async () => {
  const shop = await giftShop();

  const { candidates } = await findIn(shop, 'a wool blanket for my feet');

  expect(candidates[0]).toMatchObject({ product: { name: 'Wool Blanket' } });
  expect(candidates.map(({ product }) => product.name)).not.toContain('Walking Socks');
});
