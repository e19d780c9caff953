import { expect, test } from 'vitest';
import { pairsOf } from './magento-text.ts';
import { readText, refusals } from './testing.ts';

type Cells = Record<string, string>;

function csv(...rows: Cells[]): string {
  const columns = [...new Set(['sku', 'product_type', 'name', 'price', ...rows.flatMap(Object.keys)])];
  const line = (row: Cells) => columns.map((column) => `"${(row[column] ?? '').replaceAll('"', '""')}"`).join(',');
  return [columns.join(','), ...rows.map(line)].join('\n');
}

const child = (sku: string, more: Cells = {}): Cells => ({
  ...{ sku, product_type: 'simple', name: `Jacket ${sku}`, price: '52.000000', weight: '1.000000', qty: '100.0000' },
  ...{ visibility: 'Not Visible Individually', product_online: '1', is_in_stock: '1', base_image: `/j/${sku}.jpg` },
  ...{ url_key: `jacket-${sku.toLowerCase()}`, ...more },
});

const jacket: Cells = {
  ...{ sku: 'J', product_type: 'configurable', name: 'Peak&trade; Jacket', price: '52', visibility: 'Catalog, Search' },
  ...{ description: '<p>Warm.</p><p>&bull; Dry<br />&bull; Light</p>', product_online: '1', base_image: '/j/main.jpg' },
  categories: 'Root Category/Men/Coats & Jackets,Root Category/Sale,Root Category',
  additional_attributes: 'has_options=1,material=Wool|Fleece,style=Rain, wind,color_family=&frac14; blue,empty=',
  configurable_variations: 'sku=J-S,size=S,shoe_color=Red|sku=J-M,size=M,shoe_color=Red',
  configurable_variation_labels: 'size=Grösse',
};

test('converts a configurable product and its children to a product with variants', async () => {
  const { products } = await readText(csv(child('J-S'), child('J-M', { is_in_stock: '0' }), jacket));
  const shared = { option2: 'Red', option3: null, price: '52', compare_at_price: null, inventory_policy: 'deny' };
  const weight = { weight: '1', weight_unit: 'lb', requires_shipping: true };
  expect(products).toEqual([
    {
      name: 'Peak™ Jacket',
      slug: 'peak-jacket',
      vendor: null,
      description: 'Warm.\n\n• Dry\n• Light',
      tags: ['Coats & Jackets', 'Sale'],
      product_type: 'Coats & Jackets',
      metadata: { material: 'Wool, Fleece', style: 'Rain, wind', color_family: '¼ blue' },
      status: 'active',
      track_inventory: true,
      options: [
        { name: 'Grösse', values: ['S', 'M'] },
        { name: 'Shoe color', values: ['Red'] },
      ],
      variants: [
        { option1: 'S', sku: 'J-S', inventory_quantity: 100, ...shared, ...weight },
        { option1: 'M', sku: 'J-M', inventory_quantity: 0, ...shared, ...weight },
      ],
    },
  ]);
});

test('accepts a configurable product before or between its children', async () => {
  for (const rows of [
    [jacket, child('J-S'), child('J-M')],
    [child('J-M'), jacket, child('J-S')],
  ]) {
    const { products } = await readText(csv(...rows));
    expect(products.map(({ variants }) => variants?.map(({ sku }) => sku))).toEqual([['J-S', 'J-M']]);
  }
});

test('imports simple products that belong to no configurable product, and hidden ones as drafts', async () => {
  const bag = { ...child('BAG'), name: 'Bag', visibility: 'Catalog, Search', url_key: 'bag' };
  const { products, warnings } = await readText(
    csv(bag, child('LOST'), { ...bag, sku: 'PDF', product_type: 'virtual', url_key: 'pdf' }),
  );
  expect(products.map(({ slug, sku, status, requires_shipping }) => [slug, sku, status, requires_shipping])).toEqual([
    ['bag', 'BAG', 'active', true],
    ['jacket-lost', 'LOST', 'draft', true],
    ['pdf', 'PDF', 'active', false],
  ]);
  expect(warnings.filter(({ message }) => message.includes('draft'))).toHaveLength(1);
});

test('imports a special price that applies now as the price, and the regular price as the compare-at price', async () => {
  const bag = (sku: string, more: Cells) => ({ ...child(sku), visibility: 'Catalog', special_price: '40', ...more });
  const { products } = await readText(
    csv(
      bag('A', {}),
      bag('B', { special_price_to_date: '2020-01-31' }),
      bag('C', { special_price_from_date: '2030-01-01' }),
      bag('D', { special_price: '60' }),
      bag('E', { special_price_from_date: '2026-01-01', special_price_to_date: '2026-06-15' }),
    ),
    { now: new Date('2026-06-15T12:00:00Z') },
  );
  expect(products.map(({ price, compare_at_price }) => [price, compare_at_price])).toEqual([
    ['40', '52'],
    ['52', null],
    ['52', null],
    ['52', null],
    ['40', '52'],
  ]);
});

test('adds the base URL to image names, or counts the images if no base URL is given', async () => {
  const rows = csv(child('J-S'), child('J-M'), { ...jacket, additional_images: '/j/back side.jpg' });
  const { products } = await readText(rows, { baseImageUrl: 'https://i.example/media/' });
  expect(products[0]?.images?.map(({ url }) => url)).toEqual([
    'https://i.example/media/j/main.jpg',
    'https://i.example/media/j/back%20side.jpg',
    'https://i.example/media/j/J-S.jpg',
    'https://i.example/media/j/J-M.jpg',
  ]);
  expect(products[0]?.variants?.[0]?.image_url).toBe('https://i.example/media/j/J-S.jpg');
  const { warnings } = await readText(rows);
  expect(warnings).toEqual([{ line: 4, message: expect.stringContaining('Images left out: 4.') }]);
});

test('rejects an invalid product by line and column', async () => {
  const { reads, products } = await readText(
    csv(
      child('J-S', { price: '52,000' }),
      child('J-M'),
      jacket,
      { ...jacket, sku: 'K', name: 'Other', configurable_variations: 'sku=J-M,size=M|sku=GONE,size=L' },
      { sku: 'B', product_type: 'bundle', name: 'Set' },
      { product_type: 'simple', name: 'No code' },
      child('OK', { visibility: 'Catalog' }),
      child('OK', { visibility: 'Catalog' }),
    ),
  );
  expect(products.map(({ sku }) => sku)).toEqual(['OK']);
  expect(refusals(reads).map((text) => text.slice(0, 60))).toEqual([
    expect.stringMatching(/^2 price: 52,000 can mean 52000.00 or 52.00/),
    expect.stringMatching(/^6 product_type: "bundle"/),
    expect.stringMatching(/^7 sku: The SKU is missing/),
    expect.stringMatching(/^9 sku: The SKU OK is already/),
    expect.stringMatching(/^5 configurable_variations: The variation J-M already belongs/),
    expect.stringMatching(/^5 configurable_variations: Variations without a row/),
  ]);
});

test('ignores disabled variations and rows of store views, and warns about them', async () => {
  const { products, warnings } = await readText(
    csv(child('J-S'), child('J-M', { product_online: '2' }), jacket, {
      ...jacket,
      store_view_code: 'de',
      name: 'Jacke',
    }),
  );
  expect(products.map(({ name, variants }) => [name, variants?.map(({ sku }) => sku)])).toEqual([
    ['Peak™ Jacket', ['J-S']],
  ]);
  expect(warnings.map(({ line }) => line).sort()).toEqual([3, 4, 5]);
});

test('gives two products with the same name different slugs', async () => {
  const bag = (sku: string) => ({ ...child(sku), name: 'Bag', visibility: 'Catalog', url_key: '' });
  const { products } = await readText(csv(bag('B1'), bag('B2')));
  expect(products.map(({ slug }) => slug)).toEqual(['bag', 'bag-b2']);
});

test('parses attributes whose values contain commas and quotes', () => {
  expect(pairsOf('size=S, M or L,color="Red, ""deep""",note=a=b')).toEqual([
    { code: 'size', value: 'S, M or L' },
    { code: 'color', value: 'Red, "deep"' },
    { code: 'note', value: 'a=b' },
  ]);
});
