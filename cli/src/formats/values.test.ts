import openapi from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BOUNDS } from './bounds.ts';
import { isMore, plainDecimal } from './decimals.ts';
import { findColumns, RowReader } from './row-reader.ts';
import { codeCell, codeOf, tagsCell, tagsOf } from './shopify-columns.ts';
import { slugOf } from './slug.ts';
import { splitUnescaped } from './split-unescaped.ts';

test.each([
  ['1.250', 1.25],
  ['0,125', 0.125],
  ['12,5', 12.5],
  ['1,250.5', 1250.5],
  ['1.250,5', 1250.5],
  ['1,2505', 1.2505],
])('parses the weight cell %j as %d', (cell, weight) => {
  const row = new RowReader(findColumns(['Weight'], { weight: ['Weight'] }), 2, [cell]);
  expect(row.decimal('weight')).toBe(weight);
  expect(row.errors).toEqual([]);
});

test.each(['1,250', '12,500'])('rejects the ambiguous weight cell %j', (cell) => {
  const row = new RowReader(findColumns(['Weight'], { weight: ['Weight'] }), 2, [cell]);
  expect(row.decimal('weight')).toBeUndefined();
  expect(row.errors.map(({ message }) => message)).toEqual([
    expect.stringMatching(/can be read as \d+ and as [\d.]+: write it without a comma/),
  ]);
});

test.each([
  ['a,b', ['a', 'b']],
  ['a\\,b,c', ['a\\,b', 'c']],
  ['a,', ['a', '']],
  ['', ['']],
  ['a\\', ['a\\']],
])('splits %j at commas without a preceding backslash', (text, parts) => {
  expect(splitUnescaped(text, ',')).toEqual(parts);
});

test('compares amounts exactly', () => {
  expect(isMore('10', '9.999')).toBe(true);
  expect(isMore('10.00', '10')).toBe(false);
  expect(isMore('999999999999.999', '999999999999.998')).toBe(true);
});

test('formats decimals without exponents or trailing zeros', () => {
  expect([plainDecimal(1200, 4), plainDecimal(0.5, 4), plainDecimal(1 / 3, 4)]).toEqual(['1200', '0.5', '0.3333']);
});

test.each([
  ['Chaz Kangeroo Hoodie', 'chaz-kangeroo-hoodie'],
  ['Mars HeatTech™ Pullover', 'mars-heattech-pullover'],
  ["Men's Tee — Größe L", 'mens-tee-grosse-l'],
  ['Ærø Øl & Łódź', 'aero-ol-lodz'],
  ['日本茶', ''],
])('the slug of %s is %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test('derives only slugs that the contract accepts from product names', () => {
  const pattern = new RegExp(openapi.components.schemas.Slug.pattern);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 600 }), (text) => {
      const slug = slugOf(text);
      expect(slug === '' || (pattern.test(slug) && slug.length <= 255)).toBe(true);
    }),
  );
});

test('parses and formats tags with commas and quotes', () => {
  const tag = fc
    .string({ unit: fc.constantFrom('a', 'é', ' ', ',', '"', "'"), minLength: 1, maxLength: 8 })
    .map((text) => text.trim())
    .filter((text) => text !== '');
  fc.assert(
    fc.property(fc.uniqueArray(tag), (tags) => {
      expect(tagsOf(tagsCell(tags))).toEqual(tags);
    }),
  );
  expect(tagsOf('one, two words,, 15" screen,one')).toEqual(['one', 'two words', '15" screen']);
});

test("removes a spreadsheet's apostrophe before digits, and keeps it in other codes", () => {
  expect(codeOf("'0123456")).toBe('0123456');
  for (const code of ["'12", "''12", "'a", '012', '1.2E+12']) expect(codeOf(codeCell(code))).toBe(code);
});

test("the CLI's limits for product fields equal the limits of the contract", () => {
  const { ProductInput, OptionInput, ImageInput, Metadata, Name, Url } = openapi.components.schemas;
  const product = ProductInput.properties;
  const bounds = {
    tag: product.tags.items.maxLength,
    metadata: Metadata.maxProperties,
    metadata_key: Metadata.propertyNames.maxLength,
    metadata_value: Metadata.additionalProperties.maxLength,
    option_name: Name.maxLength,
    option_value: OptionInput.properties.values.items.maxLength,
    option_values: OptionInput.properties.values.maxItems,
    url: Url.maxLength,
    alt: ImageInput.properties.alt.maxLength,
  };
  for (const [name, bound] of Object.entries(BOUNDS)) {
    expect([name, name in bounds ? bounds[name as keyof typeof bounds] : boundOf(name)]).toEqual([name, bound]);
  }
});

/** The contract's maximum length or maximum number of elements of a product property. */
function boundOf(name: string): unknown {
  const { schemas } = openapi.components;
  const property = (schemas.ProductInput.properties as Record<string, Bounded>)[name];
  const named = property?.$ref?.split('/').at(-1) ?? '';
  const { maxLength, maxItems } = property?.$ref
    ? ((schemas as Record<string, Bounded>)[named] ?? {})
    : (property ?? {});
  return maxLength ?? maxItems;
}

interface Bounded {
  $ref?: string;
  maxLength?: number;
  maxItems?: number;
}
