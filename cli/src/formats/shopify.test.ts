import { expect, test } from 'vitest';
import { gramsOf, weightIn } from './decimals.ts';
import { readText, refusals } from './testing.ts';

const HEADER =
  'Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,' +
  'Variant SKU,Variant Grams,Variant Weight Unit,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,' +
  'Variant Price,Variant Compare At Price,Variant Requires Shipping,Variant Barcode,Image Src,Image Position,' +
  'Image Alt Text,Variant Image,Cost per item,Status';

type Cells = Record<string, string>;

function csv(...rows: Cells[]): string {
  const columns = HEADER.split(',');
  const line = (row: Cells) => columns.map((column) => `"${(row[column] ?? '').replaceAll('"', '""')}"`).join(',');
  return [HEADER, ...rows.map(line)].join('\n');
}

const mug: Cells = {
  Handle: 'mug',
  Title: 'Mug',
  'Option1 Name': 'Title',
  'Option1 Value': 'Default Title',
  'Variant Price': '9.50',
  Status: 'active',
};

test('groups rows with the same handle into a product with variants and images', async () => {
  const { products, warnings } = await readText(
    csv(
      {
        ...{
          Handle: 'tee',
          Title: 'Tee, "the one"',
          'Body (HTML)': '<p>Soft</p><ul><li>Cotton</li></ul>',
          Vendor: 'Ada',
        },
        ...{ Type: 'Shirts', Tags: 'summer, sale', Published: 'TRUE', 'Option1 Name': 'Size', 'Option1 Value': 'S' },
        ...{ 'Option2 Name': 'Color', 'Option2 Value': 'Red', 'Variant SKU': 'T-S', 'Variant Grams': '453.59237' },
        ...{ 'Variant Weight Unit': 'lb', 'Variant Inventory Tracker': 'shopify', 'Variant Inventory Qty': '-2' },
        ...{ 'Variant Inventory Policy': 'continue', 'Variant Price': '19.90', 'Variant Compare At Price': '25' },
        ...{
          'Variant Requires Shipping': 'true',
          'Variant Barcode': '1.2E+12',
          'Image Src': 'https://i.example/2.jpg',
        },
        ...{ 'Image Position': '2', 'Image Alt Text': 'Back', 'Cost per item': '7', Status: 'active' },
      },
      {
        ...{
          Handle: 'tee',
          'Option1 Value': 'M',
          'Option2 Value': 'Red',
          'Variant SKU': 'T-M',
          'Variant Price': '19.90',
        },
        ...{ 'Variant Inventory Tracker': 'shopify', 'Variant Compare At Price': '19.90' },
        'Variant Image': 'https://i.example/1.jpg',
      },
      { Handle: 'tee', 'Image Src': 'https://i.example/1.jpg', 'Image Position': '1' },
    ),
  );
  expect(products).toEqual([
    {
      name: 'Tee, "the one"',
      slug: 'tee',
      description_html: '<p>Soft</p><ul><li>Cotton</li></ul>',
      vendor: 'Ada',
      product_type: 'Shirts',
      tags: ['summer', 'sale'],
      status: 'active',
      track_inventory: true,
      images: [
        { url: 'https://i.example/1.jpg', alt: null, position: 1 },
        { url: 'https://i.example/2.jpg', alt: 'Back', position: 2 },
      ],
      options: [
        { name: 'Size', values: ['S', 'M'] },
        { name: 'Color', values: ['Red'] },
      ],
      variants: [
        {
          ...{ option1: 'S', option2: 'Red', option3: null, sku: 'T-S', barcode: '1.2E+12', price: '19.90' },
          ...{ compare_at_price: '25', cost_per_item: '7', inventory_quantity: -2, inventory_policy: 'continue' },
          ...{ weight: '1', weight_unit: 'lb', requires_shipping: true, image_url: null },
        },
        {
          ...{ option1: 'M', option2: 'Red', option3: null, sku: 'T-M', barcode: null, price: '19.90' },
          ...{ compare_at_price: null, cost_per_item: null, weight: null, image_url: 'https://i.example/1.jpg' },
        },
      ],
    },
  ]);
  expect(warnings).toEqual([
    { line: 2, message: expect.stringContaining('a spreadsheet has shortened this number') },
    { line: 3, message: 'Variant Compare At Price 19.90 is not above the price 19.90 and is left out. (tee, SKU T-M)' },
  ]);
});

test("accepts the column names of Shopify's newer template", async () => {
  const header =
    'Title,URL handle,Description,Published on online store,Status,SKU,Option1 name,Option1 value,Price,' +
    'Compare-at price,Inventory tracker,Inventory quantity,Continue selling when out of stock,Weight value (grams),' +
    'Weight unit for display,Product image URL,Image alt text,Variant image URL';
  const row = 'Cap,cap,Warm,TRUE,Active,C-1,Size,L,12.00,15.00,shopify,4,DENY,80,g,https://i.example/c.png,Front,';
  const { products } = await readText(`${header}\n${row}\n`);
  expect(products).toMatchObject([
    {
      ...{ name: 'Cap', slug: 'cap', description: 'Warm', status: 'active', track_inventory: true },
      images: [{ url: 'https://i.example/c.png', alt: 'Front', position: 1 }],
      options: [{ name: 'Size', values: ['L'] }],
      variants: [{ sku: 'C-1', price: '12.00', compare_at_price: '15.00', inventory_quantity: 4, weight: '80' }],
    },
  ]);
});

test('reads "Default Title" as a product without options', async () => {
  const { products } = await readText(csv({ ...mug, 'Variant SKU': "'0042", 'Variant Inventory Qty': '3' }));
  expect(products[0]).toMatchObject({ slug: 'mug', sku: '0042', price: '9.50', inventory_quantity: 3 });
  expect(products[0]).not.toHaveProperty('variants');
  expect(products[0]).not.toHaveProperty('options');
});

test('imports a product as active, unpublished or draft, depending on Published and Status', async () => {
  const rows = [
    { ...mug, Handle: 'a', Published: 'FALSE', Status: '' },
    { ...mug, Handle: 'b', Published: 'FALSE' },
    { ...mug, Handle: 'c', Published: 'TRUE', Status: 'draft' },
    { ...mug, Handle: 'd', Published: '', Status: '' },
    { ...mug, Handle: 'e', Published: 'TRUE', Status: 'unlisted' },
  ];
  const { products } = await readText(csv(...rows));
  expect(products.map(({ status, published_at }) => [status, published_at])).toEqual([
    ['draft', undefined],
    ['active', null],
    ['draft', undefined],
    ['active', undefined],
    ['draft', undefined],
  ]);
});

test('leaves out product fields whose columns are missing', async () => {
  const { products } = await readText('Handle,Title,Variant Price\nmug,Mug,9.50\n');
  expect(products).toEqual([{ name: 'Mug', slug: 'mug', price: '9.50' }]);
});

test('rejects a product with an invalid cell by line and column, and imports the others', async () => {
  const { reads, products } = await readText(
    csv(
      { ...mug, Handle: 'a', 'Variant Price': '1,299', 'Variant Inventory Qty': 'many' },
      { ...mug, Handle: 'b', 'Option1 Name': 'Size', 'Option1 Value': 'S' },
      { Handle: 'b', 'Option1 Value': 'M', 'Variant Price': 'x12' },
      { Handle: 'b', 'Option1 Value': 'S', 'Variant Price': '5' },
      { Handle: 'b', 'Variant SKU': 'B-4', 'Variant Price': '' },
      { ...mug, Handle: 'good' },
    ),
  );
  expect(refusals(reads)).toEqual([
    '2 Variant Inventory Qty: "many" is not a whole number.',
    '2 Variant Price: 1,299 can mean 1299.00 or 1.299: enter 1299.00.',
    '4 Variant Price: "x12" is not an amount such as 1299.00.',
    '5 Option1 Value: Another variant of the product, on line 3, already has the options S.',
    '6 Option1 Value: The variant has no value for the option "Size".',
    '6 Variant Price: The price is missing.',
  ]);
  expect(products.map(({ slug }) => slug)).toEqual(['good']);
});

test('groups separated rows with one handle into one product, and warns about them', async () => {
  const size = { 'Option1 Name': 'Size', 'Variant Price': '5' };
  const { reads, products, warnings } = await readText(
    csv(
      { ...mug, Handle: 'tee', Title: 'Tee', ...size, 'Option1 Value': 'S' },
      { ...mug, Handle: 'cup' },
      { Handle: 'TEE', 'Option1 Value': 'M', 'Variant Price': '6', 'Image Src': 'https://i.example/m.jpg' },
      { 'Option1 Value': 'L', 'Variant Price': '7' },
      mug,
      { Handle: 'tee', 'Option1 Value': 'XL', 'Variant Price': '8' },
    ),
  );
  expect(refusals(reads)).toEqual([]);
  expect(products).toMatchObject([
    { slug: 'tee', images: [{ url: 'https://i.example/m.jpg' }], options: [{ values: ['S', 'M', 'L', 'XL'] }] },
    { slug: 'cup' },
    { slug: 'mug' },
  ]);
  const apart =
    'Handle: the rows of "tee" are not consecutive, on line 2 and line 4 and 1 more; they are one product. (tee)';
  expect(warnings).toEqual([{ line: 2, message: apart }]);
});

test('accepts a variant before the row with the title', async () => {
  const { products } = await readText(
    csv({ Handle: 'tee', 'Option1 Value': 'M', 'Variant Price': '6' }, mug, {
      ...mug,
      Handle: 'tee',
      Title: 'Tee',
      'Option1 Name': 'Size',
      'Option1 Value': 'S',
    }),
  );
  expect(products).toMatchObject([{ name: 'Tee', options: [{ name: 'Size', values: ['M', 'S'] }] }, { slug: 'mug' }]);
});

test('ignores rows that are repeated by a second export, and rejects a product whose repeated rows differ', async () => {
  const { reads, products, warnings } = await readText(
    csv(mug, { ...mug, Handle: 'cup' }, mug, { ...mug, Handle: 'cup', 'Variant Price': '8' }, { ...mug, Title: 'Pot' }),
  );
  expect(products).toEqual([]);
  expect(refusals(reads)).toEqual([
    '6 Title: "Pot" is not that of the product on line 2, which has the same handle: give one of them another handle.',
    '6 Option1 Value: Another variant of the product, on line 2, already has the options Default Title.',
    '5 Option1 Value: Another variant of the product, on line 3, already has the options Default Title.',
  ]);
  expect(warnings.map(({ line, message }) => `${line} ${message}`)).toContain(
    '4 Handle: 1 rows repeat one above and are left out. (mug)',
  );
});

test('rejects a handle that occurs again after its product was completed, and names the line', async () => {
  const text = csv(mug, { ...mug, Handle: 'cup' }, { ...mug, Handle: 'pot' }, mug);
  const { reads, products } = await readText(text, { mostHeld: 20 });
  expect(products).toHaveLength(3);
  expect(refusals(reads)).toEqual([
    '5 Handle: "mug" was already read on line 2, too far above to be taken together: sort the file by the handle.',
  ]);
});

test('rejects a product with more than 2,048 variants, and explains what to do', async () => {
  for (const count of [2049, 3000]) {
    const variants = Array.from({ length: count }, (_, i) => ({
      ...{ Handle: 'big', 'Option1 Value': `V${i}`, 'Variant Price': '5', 'Variant SKU': `B-${i}` },
      ...(i === 0 && { Title: 'Big', 'Option1 Name': 'No', Status: 'active' }),
    }));
    const { reads, products } = await readText(csv(mug, ...variants));
    expect(products.map(({ slug }) => slug)).toEqual(['mug']);
    expect(refusals(reads)).toEqual([
      `3 Option1 Value: The product has ${count} variants, and one takes at most 2048: nothing of it is imported. Divide ` +
        'it into products of at most 2048 variants each, or delete variants that are not sold any more.',
    ]);
  }
});

test('accepts unambiguous numbers in any format', async () => {
  const { products, warnings } = await readText(
    csv(
      { ...mug, Handle: 'a', 'Variant Price': '1,299.00', 'Cost per item': '1.000,50', 'Variant Grams': '1,250.5' },
      { ...mug, Handle: 'b', 'Variant Price': '19,90 €', 'Variant Grams': '0.5 kg' },
      {
        ...mug,
        Handle: 'c',
        'Variant Price': '5',
        'Variant Compare At Price': 'USD 1,499.00',
        'Variant Grams': '500 g',
      },
    ),
  );
  expect(products).toMatchObject([
    { price: '1299.00', cost_per_item: '1000.50', weight: '1250.5', weight_unit: 'g' },
    { price: '19.90', weight: '0.5', weight_unit: 'kg' },
    { price: '5', compare_at_price: '1499.00', weight: '500', weight_unit: 'g' },
  ]);
  expect(warnings).toEqual([
    { line: 3, message: `Variant Price "19,90 €": 19,90 is taken as an amount of the shop's currency. (b)` },
    {
      line: 4,
      message: `Variant Compare At Price "USD 1,499.00": 1,499.00 is taken as an amount of the shop's currency. (c)`,
    },
  ]);
});

test('reads the product name and options from a row above the variants that is not a variant', async () => {
  const { reads, products, warnings } = await readText(
    csv(
      { Handle: 'tee', Title: 'Tee', 'Option1 Name': 'Size', 'Variant Price': '5' },
      { Handle: 'tee', 'Option1 Value': 'S', 'Variant Price': '6' },
      { Handle: 'tee', 'Option1 Value': 'M', 'Variant Price': '6' },
    ),
  );
  expect(refusals(reads)).toEqual([]);
  expect(products).toMatchObject([{ name: 'Tee', options: [{ name: 'Size', values: ['S', 'M'] }] }]);
  expect(warnings.map(({ message }) => message)).toEqual([
    'Variant Price "5": the row does not identify a variant, so this is left out. (tee)',
  ]);
});

test('reads several URLs in a cell as several images', async () => {
  const { products } = await readText(
    csv({ ...mug, 'Image Src': 'https://i.example/a,b.jpg, https://i.example/b 2.jpg;//cdn.shopify.com/c.jpg' }),
  );
  expect(products[0]?.images?.map(({ url }) => url)).toEqual([
    'https://i.example/a,b.jpg',
    'https://i.example/b%202.jpg',
    'https://cdn.shopify.com/c.jpg',
  ]);
});

test('rejects a product with an unreadable row', async () => {
  const text = 'Handle,Title,Option1 Name,Option1 Value,Variant Price\na,A,Size,S,1\na,,"M" x,,1\na,,,L,1\nb,B,,,2\n';
  const { reads, products } = await readText(text);
  expect(products.map(({ slug }) => slug)).toEqual(['b']);
  expect(reads.map((read) => 'errors' in read && read.errors.map(({ line }) => line))).toEqual([[3], [3], false]);
});

test('a row with a title but no handle starts a product, and a row without both belongs to the product above', async () => {
  const { products, reads } = await readText(
    'Handle,Title,Option1 Name,Option1 Value,Variant Price\n,Red Tea,Size,S,1\n,,,M,2\n,緑茶,,,3\nÉté,Summer,,,4\n',
  );
  expect(products.map(({ slug, variants }) => [slug, variants?.length])).toEqual([
    ['red-tea', 2],
    [expect.stringMatching(/^product-[a-z0-9]+$/), undefined],
    ['ete', undefined],
  ]);
  expect(refusals(reads)).toEqual([]);
});

test('stores metafields as metadata, and reports those that cannot be imported', async () => {
  const long = 'x'.repeat(501);
  const { products, warnings } = await readText(
    'Handle,Title,Variant Price,Variant Inventory Qty,Product Category,Gift Card,Fabric (product.metafields.custom.fabric),' +
      'Group (product.metafields.shopify.age-group),Long (product.metafields.custom.long),Variant Tax Code\n' +
      `mug,Mug,5,-3,Home > Mugs,false,wool,adults,${long},P1\nmug2,Mug,5,,,,,,,P1\n`,
  );
  expect(products[0]).toMatchObject({
    inventory_quantity: 0,
    metadata: { category: 'Home > Mugs', fabric: 'wool', 'shopify.age-group': 'adults' },
  });
  expect(warnings).toEqual([
    {
      line: 2,
      message: expect.stringContaining('Long (product.metafields.custom.long): the value has 501 characters'),
    },
    { line: 2, message: 'Variant Inventory Qty -3: stock below zero becomes 0. (mug)' },
    { line: 2, message: 'Variant Tax Code: this column is not kept; 2 rows have "P1" in it, this is the first.' },
  ]);
});

test('imports two handles with the same slug as two products', async () => {
  const { products } = await readText('Handle,Title,Variant Price\na_b,One,1\na-b,Two,2\n');
  expect(products.map(({ name }) => name)).toEqual(['One', 'Two']);
  expect(products[0]?.slug).toBe('a-b');
  expect(products[1]?.slug).toMatch(/^a-b-[a-z0-9]+$/);
});

test('reports every cell that cannot be imported, and still imports the product', async () => {
  const header =
    `${HEADER},Variant Taxable,Gift Card,Google Shopping / MPN,product.metafields.custom.care,Metafield: custom.fit [single_line_text_field],` +
    'Variant Tax Code,Price / United States,Option1 Linked To';
  const columns = header.split(',');
  const line = (row: Cells) => columns.map((column) => `"${(row[column] ?? '').replaceAll('"', '""')}"`).join(',');
  const tee = {
    ...mug,
    Handle: 'tee',
    Title: 'Tee',
    'Option1 Name': 'Size',
    'Option1 Value': 'S',
    'Variant Taxable': 'true',
  };
  const rows: Cells[] = [
    { ...tee, 'Body (HTML)': '<b>a</b>', 'Image Src': 'https://i.example/a 1.jpg' },
    {
      Handle: 'tee',
      'Option1 Value': 'M',
      'Variant Price': '9',
      'Variant Taxable': 'FALSE',
      'Body (HTML)': 'b',
      'Image Src': 'n/a',
    },
    { ...mug, 'Gift Card': 'WAHR', 'Variant Barcode': '4.00638E+12', 'Variant Image': 'https://i.example/v.jpg' },
    {
      ...{ ...mug, Handle: 'facts', 'Google Shopping / MPN': 'M-1', 'product.metafields.custom.care': 'Cold' },
      ...{ 'Metafield: custom.fit [single_line_text_field]': 'Slim', 'Variant Price': '12,50' },
      ...{ 'Variant Tax Code': 'P1', 'Price / United States': '11', 'Option1 Linked To': 'x' },
    },
  ];
  const { products, warnings, reads } = await readText([header, ...rows.map(line)].join('\r\n'));
  expect(refusals(reads)).toEqual([]);
  expect(products).toMatchObject([
    { slug: 'tee', images: [{ url: 'https://i.example/a%201.jpg' }] },
    { slug: 'mug', images: [{ url: 'https://i.example/v.jpg' }], metadata: { gift_card: 'true' } },
    { slug: 'facts', price: '12.50', metadata: { 'Google Shopping / MPN': 'M-1', care: 'Cold', fit: 'Slim' } },
  ]);
  expect(warnings.map(({ line: at, message }) => `${at} ${message}`)).toEqual([
    expect.stringMatching(/^3 Image Src: "n\/a" is no http or https address/),
    expect.stringMatching(/^3 Body \(HTML\) differs from that of the product itself/),
    expect.stringMatching(/^3 Variant Taxable: 1 of 2 variants are not taxed/),
    expect.stringMatching(/^4 Gift Card: it is sold here like any other product/),
    expect.stringMatching(/^4 Variant Barcode "4\.00638E\+12": a spreadsheet has shortened/),
    expect.stringMatching(/^5 Variant Tax Code: this column is not kept; 1 rows/),
    expect.stringMatching(/^5 Price \/ United States: this column is not kept/),
    expect.stringMatching(/^5 Option1 Linked To: this column is not kept/),
  ]);
});

test('converts rounded grams back to the weight in its original unit, and any weight to grams and back without loss', () => {
  const unit = { oz: 28.349523125, lb: 453.59237, kg: 1000, g: 1 };
  const read = [
    [793.8, unit.oz, '28'],
    [794, unit.oz, '28'],
    [454, unit.lb, '1'],
    [450, unit.oz, '15.87'],
    [1234, unit.kg, '1.234'],
    [80, unit.g, '80'],
    [28, unit.oz, '0.98767093'],
    [0, unit.lb, '0'],
    [0.5, unit.g, '0.5'],
  ] as const;
  expect(read.map(([grams, of]) => weightIn(grams, of))).toEqual(read.map(([, , weight]) => weight));
  for (const weight of ['28', '28.000824', '0.1', '15.87', '1234.5678']) {
    for (const of of Object.values(unit)) expect(weightIn(Number(gramsOf(weight, of)), of)).toBe(weight);
  }
});
