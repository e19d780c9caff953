import { expect, test } from 'vitest';
import { readText, refusals } from './testing.ts';

const LONG = 'é'.repeat(501);
const FULL = '😀'.repeat(500);
/** 52 facts, of which the second is too long and the last does not fit. */
const FACTS = Array.from({ length: 52 }, (_, i): [string, string] => [
  `fact_${i}`,
  i === 1 ? LONG : i === 2 ? FULL : `v${i}`,
]);
const KEPT = Object.fromEntries(FACTS.filter(([key]) => key !== 'fact_1' && key !== 'fact_51'));
const TOO_LONG = 'the value has 501 characters, at most 500 are kept; this value is left out.';
const TOO_MANY = 'a product has at most 50 facts; this value is left out.';

const columns = (name: (key: string) => string) => FACTS.map(([key]) => name(key)).join(',');
const values = FACTS.map(([, value]) => value).join(',');

const FILES = {
  "Shopify's": {
    text: `Handle,Title,Variant SKU,Variant Price,${columns((key) => `${key} (product.metafields.custom.${key})`)}\nmug,Mug,M1,5,${values}\n`,
    column: (key: string) => `${key} (product.metafields.custom.${key})`,
  },
  "WooCommerce's": {
    text: `ID,Type,SKU,Name,In stock?,Regular price,${columns((key) => `Meta: ${key}`)}\n1,simple,M1,Mug,1,5,${values}\n`,
    column: (key: string) => `Meta: ${key}`,
  },
  "Magento's": {
    text: `sku,product_type,name,price,additional_attributes\nM1,simple,Mug,5,"${FACTS.map(([key, value]) => `${key}=${value}`).join(',')}"\n`,
    column: (key: string) => `additional_attributes, ${key}`,
  },
  "Google Merchant's": {
    name: 'feed.tsv',
    text: `id\ttitle\tlink\tavailability\tprice\t${columns((key) => key).replaceAll(',', '\t')}\nM1\tMug\thttps://s.example/mug\tin stock\t5 EUR\t${values.replaceAll(',', '\t')}\n`,
    column: (key: string) => key,
  },
};

for (const [format, { text, column, ...file }] of Object.entries(FILES)) {
  test(`imports up to fifty product facts of a ${format} file within the limits, and reports each other fact with the reason`, async () => {
    const { reads, products, warnings } = await readText(text, file);
    expect(refusals(reads)).toEqual([]);
    expect(products.map(({ metadata }) => metadata)).toEqual([KEPT]);
    const about = warnings.filter(({ message }) => message.includes('this value'));
    expect(about).toEqual([
      { line: 2, message: `${column('fact_1')}: ${TOO_LONG} (mug, SKU M1)` },
      { line: 2, message: `${column('fact_51')}: ${TOO_MANY} (mug, SKU M1)` },
    ]);
  });
}

test('reports WooCommerce attributes and feed categories beyond the limits by column', async () => {
  const woo = await readText(
    'ID,Type,SKU,Name,In stock?,Regular price,Attribute 1 name,Attribute 1 value(s)\n' +
      `1,simple,,Mug,1,5,Care,${LONG}\n`,
  );
  expect(woo.warnings).toContainEqual({ line: 2, message: `Attribute 1 value(s): ${TOO_LONG} (mug)` });
  const path = 'x'.repeat(501);
  const feed = await readText(
    `id\ttitle\tavailability\tprice\tgoogle_product_category\tproduct_type\nM1\tMug\tin stock\t5 EUR\t${path}\t${path}\n`,
    { name: 'feed.tsv' },
  );
  expect(refusals(feed.reads)).toEqual([]);
  expect(feed.products).toMatchObject([{ product_type: 'x'.repeat(255), metadata: {} }]);
  expect(feed.warnings.map(({ message }) => message)).toEqual([
    `google_product_category: ${TOO_LONG} (mug, SKU M1)`,
    `product_type: ${TOO_LONG} (mug, SKU M1)`,
  ]);
});

test('imports product facts that are probably internal, and warns once that shoppers can read metadata', async () => {
  const warningOf = (column: string, rows: number) =>
    `${column}: shoppers can read metadata, and this looks like internal data of the shop; ${rows} rows have a ` +
    'value in it, this is the first. Delete the column if it is not for them.';
  const shopify = await readText(
    'Handle,Title,Variant Price,Supplier (product.metafields.custom.supplier),Costume (product.metafields.custom.costume)\n' +
      'a,A,5,,Elf\nb,B,5,Ada,\nc,C,5,Bo,\n',
  );
  expect(shopify.products.map(({ metadata }) => metadata)).toEqual([
    { costume: 'Elf' },
    { supplier: 'Ada' },
    { supplier: 'Bo' },
  ]);
  expect(shopify.warnings).toEqual([
    { line: 3, message: warningOf('Supplier (product.metafields.custom.supplier)', 2) },
  ]);
  const woo = await readText('Type,SKU,Name,In stock?,Regular price,Meta: _purchase_price\nsimple,M,Mug,1,5,3\n');
  expect(woo.warnings).toEqual([{ line: 2, message: warningOf('Meta: _purchase_price', 1) }]);
});
