import { expect, test } from 'vitest';
import { readText } from './testing.ts';

/** The first product of a file. */
async function productOf(text: string, name = 'products.csv') {
  const { products } = await readText(text, { name });
  return products[0];
}

const SHOPIFY = 'Handle,Title,Variant Price,Variant Taxable,Vendor,Variant Barcode,Variant Grams,Cost per item';
const WOO = 'ID,Type,SKU,Name,Published,Regular price,Tax status,Weight (kg),Cost of goods,In stock?';
const MAGENTO = 'sku,product_type,name,price,url_key,additional_attributes,weight,base_image,attribute_set_code';
const GOOGLE = 'id\ttitle\tprice\tlink\tavailability\tshipping_weight\tcost_of_goods_sold';

test.each([
  [
    'Shopify',
    SHOPIFY,
    'a,Mug,5,true,,,,',
    { taxable: true, vendor: null, barcode: null, weight: null, cost_per_item: null },
  ],
  ['WooCommerce', WOO, '1,simple,A,Mug,1,5,taxable,,,1', { taxable: true, weight: null, requires_shipping: true }],
  ['Magento', MAGENTO, 'A,simple,Mug,5,mug,,,,Default', { vendor: null, weight: null, images: [] }],
])('an empty cell of %s clears a stored value', async (_shop, header, cells, unset) => {
  expect(await productOf(`${header}\n${cells}\n`)).toMatchObject(unset);
});

test('a feed item without an attribute clears the stored value if the feed has the attribute for other items', async () => {
  const link = 'https://old.example/mug';
  const items = [`1\tTea\t5 EUR\t${link}-1\tin_stock\t1 kg\t2 EUR`, `2\tMug\t5 EUR\t${link}-2\tin_stock\t\t`];
  const { products } = await readText([GOOGLE, ...items].join('\n'), { name: 'feed.tsv' });
  expect(products[1]).toMatchObject({ weight: null, cost_per_item: null });
});

test.each([
  ['Shopify', 'Handle,Title,Variant Price\na,Mug,5\n', 'products.csv'],
  ['WooCommerce', 'ID,SKU,Name,Published,Regular price,In stock?\n1,A,Mug,1,5,1\n', 'products.csv'],
  ['Magento', 'sku,name,price,url_key,product_type\nA,Mug,5,mug,simple\n', 'products.csv'],
  ['Google', `id\ttitle\tprice\tlink\tavailability\n1\tTea\t5 EUR\thttps://old.example/mug\tin_stock\n`, 'feed.tsv'],
])(
  'importing a %s file without a column does not change the stored values of that field',
  async (_shop, text, name) => {
    const product = await productOf(text, name);
    expect(product).toBeDefined();
    for (const field of ['taxable', 'weight', 'cost_per_item']) expect(product).not.toHaveProperty(field);
  },
);

test('reads true and false in the column Variant Taxable, and ignores an empty cell', async () => {
  const taxable = async (cells: string[]) =>
    (await productOf([SHOPIFY, ...cells.map((cell, i) => `a,${i === 0 ? 'Mug' : ''},5,${cell},,,,`)].join('\n')))
      ?.taxable;
  expect(await taxable(['false'])).toBe(false);
  expect(await taxable(['true'])).toBe(true);
  expect(await taxable([''])).toBeUndefined();
});
