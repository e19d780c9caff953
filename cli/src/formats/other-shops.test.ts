import { expect, test } from 'vitest';
import { readText, refusals } from './testing.ts';

const WOO = [
  'ID,Type,SKU,Name,Published,Visibility in catalog,Short description,Description,Tax status,In stock?,Stock,Backorders allowed?,' +
    'Weight (kg),Sale price,Regular price,Categories,Tags,Images,Parent,Attribute 1 name,Attribute 1 value(s),Meta: _fit,Purchase note',
  '1,simple,MUG,Mug &amp; Lid,1,visible,Nice,<b>Big</b> mug,taxable,1,-2,0,0.4,8,10,"Home > Mugs, Gifts","a, b",https://i.example/1.jpg,,,,slim,Thanks',
  '2,variable,TEE,Tee,1,visible,,Soft,taxable,1,,0,,,,Shirts,,,,Size,"S, M",,',
  '3,variation,TEE-S,Tee - S,1,visible,,,taxable,1,4,0,,,12,,,,TEE,Size,S,,',
  '4,variation,TEE-M,Tee - M,1,visible,,,taxable,0,,0,,,12,,,https://i.example/m.jpg,id:2,Size,M,,',
  '5,grouped,,Set,1,visible,,,taxable,1,,0,,,5,,,,,,,,',
  '6,variation,X,Lost,1,visible,,,taxable,1,,0,,,5,,,,id:99,Size,S,,',
].join('\n');

test("reads WooCommerce's product CSV with variations, and reports data that cannot be imported", async () => {
  const { reads, products, warnings } = await readText(WOO);
  expect(products).toMatchObject([
    {
      ...{ name: 'Mug & Lid', slug: 'mug-lid', description_html: '<b>Big</b> mug', price: '8', compare_at_price: '10' },
      ...{ inventory_quantity: 0, weight: '0.4', weight_unit: 'kg', product_type: 'Mugs', tags: ['a', 'b'] },
      metadata: { category: 'Home > Mugs', categories: 'Home > Mugs, Gifts', short_description: 'Nice', _fit: 'slim' },
    },
    {
      ...{ slug: 'tee', options: [{ name: 'Size', values: ['S', 'M'] }], track_inventory: true },
      variants: [
        { sku: 'TEE-S', option1: 'S', price: '12', inventory_quantity: 4 },
        { sku: 'TEE-M', option1: 'M', image_url: 'https://i.example/m.jpg' },
      ],
    },
  ]);
  expect(refusals(reads)).toEqual([
    '6 Type: Grouped and external products are not known here.',
    '7 Parent: No product of the file has the SKU or id "id:99".',
  ]);
  expect(warnings.map(({ line, message }) => `${line} ${message}`)).toEqual([
    '2 Stock -2: stock below zero becomes 0. (mug-lid, SKU MUG)',
    '2 ID: the numbers of the old shop are not kept; 3 products have one.',
    '2 Purchase note: this column is not kept; 1 rows have a value in it, this is the first.',
  ]);
});

/** Header of WooCommerce's sample file. */
const WOO_SAMPLE = [
  'ID,Type,SKU,Name,Published,"Is featured?","Visibility in catalog","Short description",Description,"Date sale price starts","Date sale price ends","Tax status","Tax class","In stock?",Stock,"Backorders allowed?","Sold individually?","Weight (lbs)","Length (in)","Width (in)","Height (in)","Allow customer reviews?","Purchase note","Sale price","Regular price",Categories,Tags,"Shipping class",Images,"Download limit","Download expiry days",Parent,"Grouped products",Upsells,Cross-sells,"External URL","Button text",Position,"Attribute 1 name","Attribute 1 value(s)","Attribute 1 visible","Attribute 1 global","Attribute 2 name","Attribute 2 value(s)","Attribute 2 visible","Attribute 2 global","Meta: _wpcom_is_markdown","Download 1 name","Download 1 URL","Download 2 name","Download 2 URL"',
  '44,variable,tee,"Neck Tee",1,1,visible,"A variable product.","Soft.",,,taxable,,1,,0,0,.5,24,1,2,1,,,,"Clothing > Tees",,,"https://i.example/a.jpg, https://i.example/b.jpg",,,,,,,,,0,Color,"Blue, Red",1,1,Size,"Large, Small",1,1,1,,,,',
  '73,"simple, downloadable, virtual",album,Album,1,0,visible,"A virtual product.",Songs,,,taxable,,1,,0,0,,,,,1,,,15,Music,,,https://i.example/c.jpg,1,1,,,,,,,0,,,,,,,,,1,"Single 1",https://i.example/s.jpg,,',
  '76,variation,tee-red,"Neck Tee - Red",1,0,visible,,Red,,,taxable,,1,5,0,0,,,,,0,,,20,,,,https://i.example/a.jpg,,,tee,,,,,,0,Color,Red,,1,Size,,,1,,,,,',
  '78,variation,tee-blue-large,"Neck Tee - Blue",1,0,visible,,Blue,,,taxable,,1,,0,0,,,,,0,,,15,,,,https://i.example/b.jpg,,,tee,,,,,,0,Color,Blue,,1,Size,Large,,1,,,,,',
  '79,variation,tee-blue,"Neck Tee - Blue",1,0,visible,,Blue,,,taxable,,1,,0,0,,,,,0,,,18,,,,https://i.example/b.jpg,,,tee,,,,,,0,Color,Blue,,1,Size,,,1,,,,,',
].join('\n');

test('a WooCommerce variation without an option value becomes a variant for each value that has no variation of its own', async () => {
  const { reads, products, warnings } = await readText(WOO_SAMPLE);
  expect(refusals(reads)).toEqual([]);
  const [tee, album] = products;
  expect(tee).toMatchObject({
    options: [
      { name: 'Color', values: ['Red', 'Blue'] },
      { name: 'Size', values: ['Large', 'Small'] },
    ],
    variants: [
      { option1: 'Red', option2: 'Large', sku: 'tee-red', price: '20', inventory_quantity: 5, weight: '0.5' },
      { option1: 'Red', option2: 'Small', sku: null, price: '20', inventory_quantity: 0 },
      { option1: 'Blue', option2: 'Large', sku: 'tee-blue-large', price: '15' },
      { option1: 'Blue', option2: 'Small', sku: 'tee-blue', price: '18' },
    ],
  });
  expect(album).toMatchObject({ requires_shipping: false, metadata: { _wpcom_is_markdown: '1' } });
  const words = warnings.map(({ line, message }) => `${line} ${message.split(/[:;]/)[0]}`);
  expect(words).toEqual(expect.arrayContaining(['4 Type', '4 Stock', '3 Download 1 URL', '2 Length (in)']));
});

const TSV = [
  'id\ttitle\tdescription\tlink\timage_link\tavailability\tprice\tsale_price\tbrand\tgtin\titem_group_id\tcolor\tshipping_weight\tgender',
  'A1\tCap\tWarm\thttps://s.example/p/wool-cap?v=1\thttps://i.example/a.jpg\tin_stock\t20.00 EUR\t15,00 EUR\tAda\t4006381333931\tG\tRed\t0.2 kg\tunisex',
  'A2\tCap\tWarm\thttps://s.example/p/wool-cap?v=2\thttps://i.example/b.jpg\tout of stock\t20.00 EUR\t\tAda\t\tG\tBlue\t0.2 kg\tunisex',
  'B\tMug\tBig\thttps://s.example/mug\thttps://i.example/c.jpg\tin stock\tfree\t\t\t\t\t\t\t',
].join('\n');

test('imports variations with shared stock without a quantity and as sellable below zero, and warns about it', async () => {
  const { reads, products, warnings } = await readText(
    [
      'Type,SKU,Name,In stock?,Stock,Regular price,Parent,Attribute 1 name,Attribute 1 value(s)',
      'variable,TEE,Tee,1,7,,,Size,"S, M"',
      'variation,TS,Tee - S,1,parent,5,TEE,Size,S',
      'variation,TM,Tee - M,1,parent,6,TEE,Size,M',
    ].join('\n'),
  );
  expect(refusals(reads)).toEqual([]);
  expect(products[0]?.variants).toMatchObject([{ inventory_policy: 'continue' }, { inventory_policy: 'continue' }]);
  expect(products[0]?.variants?.[0]).not.toHaveProperty('inventory_quantity');
  expect(warnings.map(({ message }) => message)).toEqual([
    'Stock "7" belongs to the product as a whole; only the values of its variations are kept. (tee, SKU TEE)',
  ]);
});

test('groups the items of a Google Merchant feed in TSV by product, even in UTF-16', async () => {
  for (const text of [TSV, Buffer.from(`\uFEFF${TSV}`, 'utf16le')]) {
    const { reads, products, warnings } = await readText(text, { name: 'feed.tsv' });
    expect(products).toMatchObject([
      {
        ...{ name: 'Cap', slug: 'wool-cap', vendor: 'Ada', track_inventory: true, metadata: { gender: 'unisex' } },
        options: [{ name: 'Colour', values: ['Red', 'Blue'] }],
        variants: [
          { sku: 'A1', price: '15.00', compare_at_price: '20.00', inventory_policy: 'continue', weight: '0.2' },
          { sku: 'A2', price: '20.00', compare_at_price: null, inventory_policy: 'deny', barcode: null },
        ],
      },
    ]);
    expect(refusals(reads)).toEqual(['4 price: "free" is not an amount such as 1299.00.']);
    expect(warnings).toEqual([
      { line: 2, message: expect.stringMatching(/^link: .*; 3 items have one, this is the first/) },
    ]);
  }
});

test('reads a Google Merchant feed in RSS or Atom, with line numbers', async () => {
  const item = (tag: string, price: string) =>
    `<${tag}>\n<g:id>A</g:id><title>Mug &amp; lid</title><g:price>${price}</g:price>\n` +
    `<g:description><![CDATA[<p>Big <b>mug</b></p>]]></g:description><g:shipping><g:country>DE</g:country></g:shipping></${tag}>`;
  const open = '<?xml version="1.0"?>\n<rss xmlns:g="http://base.google.com/ns/1.0"><channel>\n<title>Shop</title>\n';
  for (const tag of ['item', 'entry']) {
    const { reads, products } = await readText(`${open}${item(tag, '5 EUR')}\n${item(tag, 'x')}\n</channel></rss>`, {
      name: 'feed.xml',
    });
    expect(products).toMatchObject([
      {
        ...{
          name: 'Mug & lid',
          price: '5',
          sku: 'A',
          description_html: '<p>Big <b>mug</b></p>',
          track_inventory: false,
        },
        metadata: { 'shipping.country': 'DE' },
      },
    ]);
    expect(refusals(reads)).toEqual(['7 price: "x" is not an amount such as 1299.00.']);
  }
});

test('gives a product whose name has no Latin letters a unique, stable slug', async () => {
  const woo =
    'ID,Type,SKU,Name,In stock?,Regular price\n1,simple,A,緑茶,1,5\n2,simple,B,Чай,1,6\n3,simple,C,緑茶,1,7\n';
  const first = await readText(woo);
  expect(refusals(first.reads)).toEqual([]);
  const slugs = first.products.map(({ slug }) => slug);
  expect(new Set(slugs).size).toBe(3);
  expect(slugs).toEqual(slugs.map(() => expect.stringMatching(/^product-[a-z0-9-]+$/)));
  expect((await readText(woo)).products.map(({ slug }) => slug)).toEqual(slugs);
});

test('uses the last part of a long product type, and stores the whole type in the metadata', async () => {
  const path = ['Women', 'Dresses', 'x'.repeat(240), 'Mini dress'].join(' > ');
  const feed = `id\ttitle\tlink\tavailability\tprice\tproduct_type\nA\tMini\thttps://s.example/mini.html\tin stock\t5 EUR\t${path}\n`;
  const { products } = await readText(feed, { name: 'feed.tsv' });
  expect(products).toMatchObject([{ slug: 'mini', product_type: 'Mini dress', metadata: { product_type: path } }]);
});

test('rejects an item whose currency differs from that of the earlier items', async () => {
  const feed =
    'id\ttitle\tlink\tavailability\tprice\nA\tCap\thttps://s.example/cap\tin stock\t5 EUR\n' +
    'B\tHat\thttps://s.example/hat\tin stock\tUSD 6.00\nC\tBag\thttps://s.example/bag\tin stock\t7\n';

  const { reads, products } = await readText(feed, { name: 'feed.tsv' });

  expect(refusals(reads)).toEqual([
    '3 price: It is in USD, and the prices before it in EUR: make a feed of one currency.',
  ]);
  expect(products.map(({ price }) => price)).toEqual(['5', '7']);
});
