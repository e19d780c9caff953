/**
 * Tests every column of a format: its cell is stored in a field of the product (`path` or `path=value`), or causes a
 * warning that starts with the column's name. Ignored cells are marked with the reason.
 */

import type { ProductImport } from '@commerce-backend/spec';
import { expect, test } from 'vitest';
import { readText, refusals } from './testing.ts';

type Outcome = `kept ${string}` | 'warned' | 'refused' | `nothing: ${string}`;
/** Column (or several names separated by `|`), cell, and the expected result in each row of the example. */
type Case = [columns: string, cell: string, ...outcomes: Outcome[]];

interface Example {
  header: string[];
  rows: string[][];
  delimiter: string;
  name: string;
}

const at = (product: ProductImport | undefined, path: string): unknown => {
  let value: unknown = product;
  for (const key of path.split('/')) value = (value as Record<string, unknown> | undefined)?.[key];
  return value;
};

async function outcomeOf(example: Example, column: string, cell: string, row: number, expected: Outcome) {
  const { delimiter, name } = example;
  const known = example.header.indexOf(column);
  const header = known < 0 ? [...example.header, column] : example.header;
  const place = known < 0 ? header.length - 1 : known;
  const rows = example.rows.map((cells, i) =>
    header.map((_, j) => (i === row && j === place ? cell : (cells[j] ?? ''))),
  );
  const quote = (text: string) => (delimiter === '\t' ? text : `"${text.replaceAll('"', '""')}"`);
  const text = [header, ...rows].map((cells) => cells.map(quote).join(delimiter)).join('\n');
  const { reads, products, warnings } = await readText(text, { name, now: new Date('2026-01-15') });
  const [, path = '', value = cell] = /^kept ([^=]+)(?:=(.*))?$/.exec(expected) ?? [];
  if (path !== '' && refusals(reads).length === 0 && String(at(products[0], path)) === value) return expected;
  if (refusals(reads).length > 0) return expected === 'refused' ? expected : `refused: ${refusals(reads)[0]}`;
  const isWarned = warnings.some(({ message, line }) => message.startsWith(column) && line >= 2);
  if (isWarned) return 'warned';
  return expected.startsWith('nothing:') ? expected : `lost: ${JSON.stringify(products)}`;
}

function tellOf(format: string, example: Example, cases: Case[]): void {
  for (const [columns, cell, ...outcomes] of cases) {
    for (const column of columns.split('|')) {
      test(`${format}: imports or reports a cell in "${column}"`, async () => {
        expect(outcomes).toHaveLength(example.rows.length);
        const found = await Promise.all(outcomes.map((outcome, row) => outcomeOf(example, column, cell, row, outcome)));
        expect(found).toEqual(outcomes);
      });
    }
  }
}

// Shopify: a row with title and first variant, a second variant, an image.
const SHOPIFY: Example = {
  header: ['Handle', 'Title', 'Option1 Name', 'Option1 Value', 'Variant Price', 'Image Src'],
  rows: [
    ['tee', 'Tee', 'Size', 'S', '5', ''],
    ['tee', '', '', 'M', '6', ''],
    ['tee', '', '', '', '', 'https://i.example/z.jpg'],
  ],
  delimiter: ',',
  name: 'products.csv',
};
const market = (column: string, cell: string): Case => [column, cell, 'warned', 'warned', 'warned'];
tellOf('Shopify', SHOPIFY, [
  ['Handle', 'tee', 'kept slug', 'kept slug', 'kept slug'],
  ['Title', 'Tea shirt', 'kept name', 'warned', 'warned'],
  ['Body (HTML)|Description', 'Words', 'kept description', 'warned', 'warned'],
  ['Vendor', 'Ada', 'kept vendor', 'warned', 'warned'],
  ['Product Category|Product category', 'A > B', 'kept metadata/category', 'warned', 'warned'],
  ['Type', 'Shirts', 'kept product_type', 'warned', 'warned'],
  ['Tags', 'red, blue', 'kept tags=red,blue', 'warned', 'warned'],
  ['Published|Published on online store', 'false', 'kept status=draft', 'warned', 'warned'],
  ['Status', 'archived', 'kept status', 'warned', 'warned'],
  ['Option1 Name', 'Width', 'kept options/0/name', 'warned', 'warned'],
  ['Option1 Value', 'XL', 'kept variants/0/option1', 'kept variants/1/option1', 'refused'],
  ['Option2 Value', 'Red', 'refused', 'refused', 'refused'],
  [
    'Option1 Linked To|Option2 Linked To|Option3 Linked To',
    'product.metafields.shopify.size',
    'warned',
    'warned',
    'warned',
  ],
  ['Variant SKU|SKU', 'A-1', 'kept variants/0/sku', 'kept variants/1/sku', 'refused'],
  ['Variant Barcode|Barcode', '4006381333931', 'kept variants/0/barcode', 'kept variants/1/barcode', 'refused'],
  ['Variant Price', '7', 'kept variants/0/price', 'kept variants/1/price', 'refused'],
  [
    'Variant Compare At Price|Compare-at price',
    '9',
    'kept variants/0/compare_at_price',
    'kept variants/1/compare_at_price',
    'warned',
  ],
  ['Cost per item', '3', 'kept variants/0/cost_per_item', 'kept variants/1/cost_per_item', 'warned'],
  ['Variant Taxable|Charge tax', 'false', 'warned', 'warned', 'warned'],
  ['Variant Tax Code|Tax code', 'P1', 'warned', 'warned', 'warned'],
  ['Variant Inventory Tracker|Inventory tracker', 'shopify', 'warned', 'warned', 'warned'],
  [
    'Variant Inventory Qty|Inventory quantity',
    '7',
    'kept variants/0/inventory_quantity',
    'kept variants/1/inventory_quantity',
    'refused',
  ],
  [
    'Variant Inventory Policy',
    'continue',
    'kept variants/0/inventory_policy',
    'kept variants/1/inventory_policy',
    'warned',
  ],
  [
    'Continue selling when out of stock',
    'TRUE',
    'kept variants/0/inventory_policy=continue',
    'kept variants/1/inventory_policy=continue',
    'warned',
  ],
  ['Variant Fulfillment Service|Fulfillment service', 'amazon', 'warned', 'warned', 'warned'],
  ['Variant Grams|Weight value (grams)', '250', 'kept variants/0/weight', 'kept variants/1/weight', 'warned'],
  [
    'Variant Weight Unit|Weight unit for display',
    'lb',
    'kept variants/0/weight_unit',
    'kept variants/1/weight_unit',
    'warned',
  ],
  [
    'Variant Requires Shipping|Requires shipping',
    'false',
    'kept variants/0/requires_shipping',
    'kept variants/1/requires_shipping',
    'warned',
  ],
  [
    'Variant Image|Variant image URL',
    'https://i.example/v.jpg',
    'kept variants/0/image_url',
    'kept variants/1/image_url',
    'warned',
  ],
  ['Image Src', 'https://i.example/a.jpg', 'kept images/0/url', 'kept images/0/url', 'kept images/0/url'],
  ['Image Position', '3', 'warned', 'warned', 'nothing: the only picture is the first'],
  ['Image Alt Text', 'Front', 'warned', 'warned', 'kept images/0/alt'],
  ['Gift Card|Gift card', 'true', 'kept metadata/gift_card', 'warned', 'warned'],
  ['SEO Title', 'S', 'kept seo_title', 'warned', 'warned'],
  ['SEO Description', 'D', 'kept seo_description', 'warned', 'warned'],
  ...[
    'Unit Price Total Measure',
    'Unit Price Total Measure Unit',
    'Unit Price Base Measure',
    'Unit Price Base Measure Unit',
  ].map((column) => market(column, '1')),
  ...[
    'Included / Germany',
    'Price / International',
    'Compare At Price / International',
    'Compare-at price / International',
  ].map((column) => market(column, '8')),
  market('Collection', 'Summer'),
  market('Template Suffix', 'wide'),
  market('Size note (variant.metafields.custom.note)', 'x'),
  market('Variant Metafield: custom.note [single_line_text_field]', 'x'),
  [
    'Fabric (product.metafields.custom.fabric)',
    'wool',
    'kept metadata/fabric',
    'kept metadata/fabric',
    'kept metadata/fabric',
  ],
  [
    'Color (product.metafields.shopify.color-pattern)',
    'red',
    'kept metadata/shopify.color-pattern',
    'kept metadata/shopify.color-pattern',
    'kept metadata/shopify.color-pattern',
  ],
  ['product.metafields.custom.care', 'Cold', 'kept metadata/care', 'kept metadata/care', 'kept metadata/care'],
]);

for (const name of [
  ...['Google Product Category', 'Gender', 'Age Group', 'MPN', 'AdWords Grouping', 'AdWords Labels', 'Condition'],
  ...['Manufacturer part number (MPN)', 'Ad group name', 'Ads labels', 'Custom Product'],
  ...['Custom Label 0', 'Custom Label 1', 'Custom Label 2', 'Custom Label 3', 'Custom Label 4'],
]) {
  test(`Shopify: stores "Google Shopping / ${name}" in the metadata under its title`, async () => {
    const { products } = await readText(`Handle,Title,Variant Price,"Google Shopping / ${name}"\nmug,Mug,5,x\n`);
    expect(products[0]?.metadata).toEqual({ [`Google Shopping / ${name}`]: 'x' });
  });
}

// WooCommerce: its exporter's columns in a variable product and two variations.
const WOOCOMMERCE: Example = {
  header: [
    'ID',
    'Type',
    'SKU',
    'Name',
    'In stock?',
    'Regular price',
    'Parent',
    'Attribute 1 name',
    'Attribute 1 value(s)',
  ],
  rows: [
    ['', 'variable', 'TEE', 'Tee', '1', '', '', 'Size', 'S, M'],
    ['', 'variation', 'TS', 'Tee - S', '1', '5', 'TEE', 'Size', 'S'],
    ['', 'variation', 'TM', 'Tee - M', '1', '6', 'TEE', 'Size', 'M'],
  ],
  delimiter: ',',
  name: 'products.csv',
};
const onlyWarned = (column: string, cell: string): Case => [column, cell, 'warned', 'warned', 'warned'];
const ofVariant = (column: string, cell: string, path: string, value = cell): Case =>
  [...[column, cell, 'warned', `kept variants/0/${path}=${value}`, `kept variants/1/${path}=${value}`]] as Case;
const ofProduct = (column: string, cell: string, path: string, value = cell): Case =>
  [...[column, cell, `kept ${path}=${value}`, 'warned', 'warned']] as Case;

tellOf('WooCommerce', WOOCOMMERCE, [
  ['ID', '77', 'warned', 'nothing: a variation has no address', 'nothing: a variation has no address'],
  ['SKU', 'TEE', 'kept metadata/parent_sku', 'kept variants/0/sku', 'kept variants/1/sku'],
  ofVariant('GTIN, UPC, EAN, or ISBN', '4006381333931', 'barcode'),
  ofProduct('Name', 'Tea', 'name'),
  ['Published', '0', 'kept status=draft', 'warned', 'warned'],
  ofProduct('Visibility in catalog', 'hidden', 'published_at', 'null'),
  ['Visibility in catalog', 'search', 'warned', 'warned', 'warned'],
  ofProduct('Short description', 'Brief', 'description'),
  ofProduct('Description', 'Words', 'description'),
  ...['Date sale price starts', 'Date sale price ends'].map((column) => onlyWarned(column, '2026-02-01')),
  ...['Is featured?', 'Sold individually?', 'Allow customer reviews?'].map((column) => onlyWarned(column, '1')),
  ...['Tax class', 'Length (cm)', 'Width (cm)', 'Height (cm)', 'Purchase note', 'Shipping class'].map((column) =>
    onlyWarned(column, '3'),
  ),
  ...['Download limit', 'Download expiry days', 'Grouped products', 'Upsells', 'Cross-sells'].map((column) =>
    onlyWarned(column, '3'),
  ),
  ...['External URL', 'Button text', 'Download 1 ID', 'Download 1 name', 'Download 1 URL', 'Swatches Attributes'].map(
    (column) => onlyWarned(column, 'x'),
  ),
  ['Tax status', 'none', 'warned', 'warned', 'warned'],
  ['In stock?', '0', 'kept track_inventory=true', 'kept track_inventory=true', 'kept track_inventory=true'],
  ofVariant('Stock', '7', 'inventory_quantity'),
  ofVariant('Low stock amount', '2', 'low_stock_threshold'),
  ofVariant('Backorders allowed?', 'notify', 'inventory_policy', 'continue'),
  ['Weight (kg)', '0.4', 'kept variants/0/weight', 'kept variants/0/weight', 'kept variants/1/weight'],
  ofVariant('Sale price', '4', 'price'),
  ofVariant('Regular price', '8', 'price'),
  [
    'Cost of goods|Meta: _wc_cog_cost',
    '2',
    'kept variants/1/cost_per_item',
    'kept variants/0/cost_per_item',
    'kept variants/1/cost_per_item',
  ],
  ofProduct('Categories', 'Clothes > Shirts', 'product_type', 'Shirts'),
  ofProduct('Tags', 'red', 'tags'),
  ofProduct('Brands', 'Ada', 'vendor'),
  ['Images', 'https://i.example/a.jpg', 'kept images/0/url', 'kept variants/0/image_url', 'kept variants/1/image_url'],
  ['Position', '3', 'warned', 'kept variants/1/sku=TS', 'kept variants/1/sku=TM'],
  onlyWarned('Attribute 1 visible', '0'),
  [
    'Attribute 1 global',
    '1',
    'nothing: values are the same',
    'nothing: values are the same',
    'nothing: values are the same',
  ],
  onlyWarned('Attribute 1 default', 'S'),
  ...['Meta: fit', 'Meta: _hidden'].map((column): Case => {
    const kept: Outcome = `kept metadata/${column.slice(6)}`;
    return [column, 'slim', kept, kept, kept];
  }),
]);

test('WooCommerce: warns if the "Meta:" value of a variation differs from that of the product', async () => {
  const { products, warnings } = await readText(
    'Type,SKU,Name,In stock?,Regular price,Parent,Attribute 1 name,Attribute 1 value(s),Meta: fit\n' +
      'variable,TEE,Tee,1,,,Size,"S, M",\nvariation,TS,Tee - S,1,5,TEE,Size,S,slim\nvariation,TM,Tee - M,1,5,TEE,Size,M,wide\n',
  );
  expect(products[0]?.metadata).toEqual({ parent_sku: 'TEE', fit: 'slim' });
  expect(warnings).toEqual([
    {
      line: 4,
      message:
        'Meta: fit: metadata belongs to the whole product here; this value differs and is left out. (tee-m, SKU TM)',
    },
  ]);
});

// Google: every attribute of the product data specification, in two items of one group.
const FEED: Example = {
  header: ['id', 'title', 'availability', 'price', 'item_group_id', 'color'],
  rows: [
    ['A', 'Cap', 'in stock', '5 EUR', 'G', 'Red'],
    ['B', 'Cap', 'in stock', '6 EUR', 'G', 'Blue'],
  ],
  delimiter: '\t',
  name: 'feed.tsv',
};
const ATTRIBUTES = (
  'mobile_link virtual_model_link video_link lifestyle_image_link availability_date expiration_date unit_pricing_measure ' +
  'unit_pricing_base_measure installment subscription_cost loyalty_points loyalty_program auto_pricing_min_price maximum_retail_price ' +
  'mpn identifier_exists condition adult multipack is_bundle certification energy_efficiency_class min_energy_efficiency_class ' +
  'max_energy_efficiency_class age_group gender size_type size_system product_length product_width product_height product_weight ' +
  'product_detail product_highlight ads_redirect custom_label_0 custom_label_1 custom_label_2 custom_label_3 custom_label_4 promotion_id ' +
  'external_seller_id excluded_destination included_destination shopping_ads_excluded_country pause shipping carrier_shipping ' +
  'shipping_label shipping_length shipping_width shipping_height ships_from_country minimum_order_value max_handling_time ' +
  'min_handling_time transit_time_label free_shipping_threshold tax tax_category structured_title structured_description short_title ' +
  'material size pattern sell_on_google_quantity return_policy_label canonical_link'
).split(' ');

tellOf("Google's feed", FEED, [
  ['id', 'Z', 'kept variants/0/sku', 'kept variants/1/sku'],
  ['title', 'Hat', 'kept name', 'warned'],
  ['description', 'Words', 'kept description', 'warned'],
  ['link', 'https://s.example/hat', 'kept slug=hat', 'warned'],
  ['image_link', 'https://i.example/a.jpg', 'kept variants/0/image_url', 'kept variants/1/image_url'],
  ['additional_image_link', 'https://i.example/b.jpg', 'kept images/0/url', 'kept images/0/url'],
  ['availability', 'out of stock', 'kept variants/0/inventory_policy=deny', 'kept variants/1/inventory_policy=deny'],
  ['availability', 'backorder', 'kept variants/0/inventory_policy=deny', 'kept variants/1/inventory_policy=deny'],
  ['price', '7.00 EUR', 'kept variants/0/price=7.00', 'kept variants/1/price=7.00'],
  ['sale_price', '4.00 EUR', 'kept variants/0/price=4.00', 'kept variants/1/price=4.00'],
  ['sale_price_effective_date', '2026-01-01/2026-02-01', 'warned', 'warned'],
  ['cost_of_goods_sold', '2.00 EUR', 'kept variants/0/cost_per_item=2.00', 'kept variants/1/cost_per_item=2.00'],
  ['google_product_category', 'A > B', 'kept metadata/category', 'warned'],
  ['product_type', 'Caps', 'kept product_type', 'warned'],
  ['brand', 'Ada', 'kept vendor', 'warned'],
  ['gtin', '4006381333931', 'kept variants/0/barcode', 'kept variants/1/barcode'],
  ['item_group_id', 'G', 'kept metadata/item_group_id', 'kept metadata/item_group_id'],
  ['color', 'Green', 'kept variants/0/option1', 'kept variants/1/option1'],
  ['shipping_weight', '0.5 kg', 'kept variants/0/weight=0.5', 'kept variants/1/weight=0.5'],
  ...ATTRIBUTES.map((name): Case => [name, 'x', `kept metadata/${name}`, 'warned']),
]);

test('WooCommerce: uses one of several cost columns, and does not store the others as metadata', async () => {
  const csv = 'Type,SKU,Name,Regular price,Cost of goods,Meta: _wc_cog_cost\nsimple,TEA,Tea,5,2,3\n';
  const { products, warnings } = await readText(csv, { name: 'woo.csv' });
  expect(products[0]?.cost_per_item).toBe('2');
  expect(JSON.stringify(products)).not.toContain('"3"');
  expect(warnings.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('Meta: _wc_cog_cost: this column is not kept'),
  );
});

test("Google's feed: applies a sale price only within its dates, and warns about one outside of them", async () => {
  const feed = (dates: string) =>
    readText(
      `id\ttitle\tavailability\tprice\tsale_price\tsale_price_effective_date\nA\tCap\tin stock\t5 EUR\t4 EUR\t${dates}\n`,
      { name: 'feed.tsv', now: new Date('2026-01-15') },
    );
  const past = await feed('2025-01-01T00:00+0100/2025-02-01T00:00+0100');
  expect(past.products).toMatchObject([{ price: '5', compare_at_price: null }]);
  expect(past.warnings[0]?.message).toContain('4 does not hold now and is left out.');
  expect((await feed('2025-01-01/2027-01-01')).products).toMatchObject([{ price: '4', compare_at_price: '5' }]);
});
