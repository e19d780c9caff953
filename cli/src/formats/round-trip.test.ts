import type { Product, Variant } from '@commerce-backend/spec';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { htmlOfText } from './html-text.ts';
import { writeJsonl } from './jsonl.ts';
import { TEXT_PROPERTIES } from './shopify-columns.ts';
import { writeShopify } from './shopify-export.ts';
import { allOf, readText, refusals } from './testing.ts';

const NOW = new Date('2026-06-01T00:00:00Z');

const awkward = fc.constantFrom(
  'a',
  'Z',
  '0',
  ' ',
  ',',
  ';',
  '"',
  "'",
  '=',
  '-',
  '<',
  '&',
  'é',
  'ß',
  '漢',
  '👕',
  '\u00ad',
  '\ufffd',
);
const line = fc
  .string({ unit: awkward, minLength: 1, maxLength: 12 })
  .map((text) => text.replace(/ +/g, ' ').trim() || 'x');
const lines = fc.array(line, { maxLength: 3 }).map((parts) => parts.join('\n'));
const code = fc.option(fc.oneof(line, fc.constantFrom("'0042", '1.2E+12', '007')), { nil: null });
const url = fc.stringMatching(/^[a-z0-9,"]{1,9}$/).map((path) => `https://i.example/${path}`);
const cents = fc.integer({ min: 0, max: 999_999 });
const money = (amount: number) => (amount / 100).toFixed(2);

const variant = fc
  .record({
    sku: code,
    barcode: code,
    price: cents,
    above: fc.option(fc.integer({ min: 1, max: 5000 }), { nil: null }),
    cost: fc.option(cents, { nil: null }),
    inventory_quantity: fc.integer({ min: -5, max: 100_000 }),
    inventory_policy: fc.constantFrom('deny' as const, 'continue' as const),
    weight: fc.option(
      fc.integer({ min: 0, max: 500_000 }).map((units) => String(units / 1000)),
      { nil: null },
    ),
    weight_unit: fc.constantFrom('kg' as const, 'g' as const, 'lb' as const, 'oz' as const),
    requires_shipping: fc.boolean(),
    image_url: fc.option(url, { nil: null }),
  })
  .map(({ price, above, cost, ...rest }) => ({
    ...{ ...rest, low_stock_threshold: 5, price: money(price) },
    compare_at_price: above === null ? null : money(price + above),
    cost_per_item: cost === null ? null : money(cost),
  }));

function oneOfEach<Name extends string, Value>(names: Name[], value: Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;
}

const product = fc.record({
  name: line,
  description: lines,
  texts: fc.record(oneOfEach(TEXT_PROPERTIES, fc.option(line, { nil: null }))),
  tags: fc.uniqueArray(line, { maxLength: 4 }),
  status: fc.constantFrom('draft' as const, 'active' as const, 'archived' as const),
  track_inventory: fc.boolean(),
  tax_class: fc.constantFrom('standard', 'reduced', 'zero'),
  images: fc.uniqueArray(url, { maxLength: 4 }),
  alt: fc.option(line, { nil: null }),
  optionNames: fc.uniqueArray(line, { maxLength: 3, comparator: 'IsStrictlyEqual' }),
  values: fc.uniqueArray(line, { minLength: 1, maxLength: 4 }),
  variants: fc.array(variant, { minLength: 1, maxLength: 4 }),
});

type Made = typeof product extends fc.Arbitrary<infer Value> ? Value : never;

/** A product in the server's format. Variants differ in their first option. */
function productOf(made: Made, index: number): Product {
  const { optionNames, values, variants, images, alt, status, texts, ...rest } = made;
  const has_variants = optionNames.length > 0;
  const dates = { created_at: NOW.toISOString(), updated_at: NOW.toISOString() };
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const shown = has_variants ? variants.slice(0, values.length) : variants.slice(0, 1);
  const option = (position: number, at: number) =>
    position < optionNames.length ? ((position === 0 ? values[at] : values[0]) ?? null) : null;
  const written = shown.map(
    (part, at): Variant => ({
      ...{
        ...part,
        ...dates,
        id,
        product_id: id,
        option1: option(0, at),
        option2: option(1, at),
        option3: option(2, at),
      },
      ...{
        image_url: has_variants ? part.image_url : null,
        available: true,
        is_low_stock: false,
        is_out_of_stock: false,
      },
    }),
  );
  const [first] = written as [Variant];
  return {
    ...{ ...rest, ...texts, ...dates, id, merchant_id: id, slug: `p-${index}`, currency: 'EUR', has_variants, status },
    ...{ price: first.price, compare_at_price: first.compare_at_price, cost_per_item: first.cost_per_item },
    options: optionNames.map((name, at) => ({
      ...{ id, name, position: at + 1 },
      values: at === 0 ? values.slice(0, shown.length) : values.slice(0, 1),
    })),
    description_html: null,
    images: images.map((address, at) => ({
      id,
      url: address,
      alt,
      position: at + 1,
      width: null,
      height: null,
      variant_ids: [],
    })),
    ...{ variants: written, total_inventory: 0, in_stock: true, metadata: { material: 'wool' } },
    published_at: status === 'active' ? '2026-01-01T00:00:00Z' : null,
  };
}

async function* each<Item>(items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

const catalogue = fc.array(product, { minLength: 1, maxLength: 4 }).map((made) => made.map(productOf));

test('products written as Shopify CSV and read again are unchanged, except for fields that the CSV cannot contain', async () => {
  await fc.assert(
    fc.asyncProperty(catalogue, fc.boolean(), async (written, forSpreadsheets) => {
      const text = (await allOf(writeShopify(each(written), NOW, { forSpreadsheets }))).join('');
      const { reads, products } = await readText(text);
      const cells = (parse(text) as string[][]).flat();
      if (forSpreadsheets) expect(cells.filter((cell) => /^[=+@]|^-(?!\d+$)/.test(cell))).toEqual([]);
      expect(refusals(reads)).toEqual([]);
      expect(products).toEqual(written.map((each) => withHtml(expectedFromCsv(each))));
    }),
    { numRuns: 150 },
  );
});

interface Expected {
  description: string;
  [field: string]: unknown;
}

/** Shopify's CSV has only HTML descriptions. A plain text becomes paragraphs, which the server recognizes. */
function withHtml({ description, ...rest }: Expected): object {
  return description === '' ? { description, ...rest } : { ...rest, description_html: htmlOfText(description) };
}

/**
 * The product as it is read from CSV again. A negative stock below `least` becomes `least`, unless it may be sold below
 * zero.
 */
function expectedFromCsv(product: Product, least = 0): Expected {
  const { name, slug, description, tags, status, track_inventory } = product;
  const variants = product.variants.map((variant) => {
    const { sku, barcode, price, compare_at_price, cost_per_item, inventory_policy } = variant;
    const { inventory_quantity: stock } = variant;
    const inventory_quantity = inventory_policy === 'deny' ? Math.max(least, stock) : stock;
    const { weight, weight_unit, requires_shipping } = variant;
    return {
      ...{ sku, barcode, price, compare_at_price, cost_per_item, inventory_quantity, inventory_policy },
      ...{ weight, weight_unit, requires_shipping },
    };
  });
  const images = product.images.map(({ url, alt, position }) => ({ url, alt, position }));
  // Shopify's CSV only contains whether the product is taxed.
  const taxed = { taxable: product.tax_class !== 'zero' };
  const { description_html, metadata } = product;
  const shared = {
    ...Object.fromEntries(TEXT_PROPERTIES.map((property) => [property, product[property]])),
    description_html,
    metadata,
    name,
    slug,
    description,
    tags,
    status,
    track_inventory,
    images,
    ...taxed,
  };
  if (!product.has_variants) return { ...shared, ...variants[0] };
  return {
    ...shared,
    options: product.options.map(({ name, values }) => ({ name, values })),
    variants: variants.map((variant, index) => {
      const { option1, option2, option3, image_url } = product.variants[index] as Variant;
      return { ...variant, option1, option2, option3, image_url };
    }),
  };
}

test('products written as JSON Lines and read again have every field that an import accepts', async () => {
  await fc.assert(
    fc.asyncProperty(catalogue, async (written) => {
      const text = (await allOf(writeJsonl(each(written)))).join('');
      const { reads, products } = await readText(text, { name: 'products.jsonl' });
      expect(refusals(reads)).toEqual([]);
      expect(products).toEqual(written.map(expectedFromJsonl));
    }),
    { numRuns: 50 },
  );
});

function expectedFromJsonl(product: Product): object {
  const { published_at, metadata, tax_class } = product;
  const images = product.images.map(({ url, alt, position, width, height }) => ({ url, alt, position, width, height }));
  const expected = {
    ...expectedFromCsv(product, -Infinity),
    published_at,
    metadata,
    tax_class,
    taxable: undefined,
    images,
  };
  const threshold = { low_stock_threshold: 5 };
  if (!('variants' in expected)) return { ...expected, ...threshold };
  const variants = expected.variants as object[];
  return { ...expected, variants: variants.map((variant) => ({ ...variant, ...threshold })) };
}

test('writes a product with a future publication date as unpublished', async () => {
  const [some] = fc.sample(catalogue, { numRuns: 1, seed: 1 }) as [Product[]];
  const coming = { ...(some[0] as Product), status: 'active' as const, published_at: '2026-12-24T00:00:00Z' };
  const text = (await allOf(writeShopify(each([coming]), NOW))).join('');
  const { products } = await readText(text);
  expect(products[0]).toMatchObject({ status: 'active', published_at: null });
});

test('Shopify CSV keeps HTML descriptions, metadata and weights', async () => {
  const [some] = fc.sample(catalogue, { numRuns: 1, seed: 1 }) as [Product[]];
  const [made] = some as [Product];
  const variants = made.variants.map((variant) => ({ ...variant, weight: '0.98767093', weight_unit: 'oz' as const }));
  const description_html = '<h2>Care</h2><ul><li>Wash <b>cold</b>, "30"</li></ul>';
  const metadata = {
    category: 'Apparel > Tops',
    gift_card: 'true',
    'Colour family': 'Red',
    'shopify.age-group': 'adults',
    'Google Shopping / MPN': 'M-1',
  };
  const rich = { ...made, variants, description_html, metadata };
  const text = (await allOf(writeShopify(each([rich, { ...made, slug: 'other' }]), NOW))).join('');
  const { products, warnings } = await readText(text);
  expect(text).toContain(',28,oz,');
  expect(warnings).toEqual([{ line: 2, message: expect.stringMatching(/^Gift Card: it is sold here like any other/) }]);
  expect(products[0]).toMatchObject({ description_html, metadata });
  expect(JSON.stringify(products[0])).toContain('"weight":"0.98767093","weight_unit":"oz"');
});
