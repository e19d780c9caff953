import type { ProductImport, VariantInput, WeightUnit } from '@commerce-backend/spec';
import { isMore, plainDecimal } from './decimals.ts';
import { codeOf, GRAMS, NO_OPTION } from './shopify-columns.ts';
import { pictureIn } from './shopify-images.ts';
import type { ShopifyRow } from './shopify-row.ts';

const NAMES = ['option1Name', 'option2Name', 'option3Name'] as const;
const VALUES = ['option1Value', 'option2Value', 'option3Value'] as const;
const OF_A_VARIANT = [...VALUES, 'sku', 'price', 'barcode', 'quantity'] as const;

/** The rows that stand for variants; the others only add images. The first row always counts. */
export function variantRowsOf(rows: ShopifyRow[]): ShopifyRow[] {
  return rows.filter((row, index) => index === 0 || OF_A_VARIANT.some((column) => row.text(column) !== ''));
}

/** Whether a product has no options, whichever way Shopify or a person says so. */
export function isDefaultOnly(variantRows: ShopifyRow[]): boolean {
  const [first] = variantRows as [ShopifyRow];
  if (variantRows.length > 1) return false;
  const [value, ...others] = VALUES.map((column) => first.text(column));
  if (others.some((other) => other !== '')) return false;
  return value === '' || (value === NO_OPTION.value && ['', NO_OPTION.name].includes(first.text('option1Name')));
}

/** The options by the names of the first row and the values in the order in which they come. */
export function optionsOf(variantRows: ShopifyRow[]): NonNullable<ProductImport['options']> {
  const [first] = variantRows as [ShopifyRow];
  return VALUES.flatMap((column, index) => {
    const nameColumn = NAMES[index] ?? 'option1Name';
    const values = variantRows.map((row) => row.text(column));
    const name = variantRows.map((row) => row.text(nameColumn)).find((text) => text !== '') ?? '';
    if (name === '' && values.every((value) => value === '')) return [];
    if (name === '') first.refuse(nameColumn, 'The option has values but no name.');
    variantRows.forEach((row, place) => {
      if (values[place] === '') row.refuse(column, `The variant has no value for the option "${name}".`);
    });
    return [{ name, values: [...new Set(values.filter((value) => value !== ''))] }];
  });
}

/** The variants in the order of their rows. */
export function variantsOf(variantRows: ShopifyRow[], warn: (message: string) => void): VariantInput[] {
  const someTracked = variantRows.some((row) => row.text('tracker') !== '');
  return variantRows.map((row) => {
    const [option1 = '', option2 = '', option3 = ''] = VALUES.map((column) => row.text(column));
    const untracked = someTracked && row.text('tracker') === '' && row.has('tracker');
    if (untracked) {
      warn(`Line ${row.line}: Shopify does not track this variant's stock; it may be sold below zero instead.`);
    }
    return {
      option1: option1 || null,
      option2: option2 || null,
      option3: option3 || null,
      ...soldOf(row, warn),
      ...(row.has('variantImage') && { image_url: pictureIn(row, 'variantImage', warn) || null }),
      ...(untracked && { inventory_policy: 'continue' as const }),
    };
  });
}

const POLICIES = { deny: 'deny', continue: 'continue', false: 'deny', true: 'continue' } as const;

/** A spreadsheet shows a long number so, and saves it so: its last digits are gone. */
const SHORTENED = /^\d(?:[.,]\d+)?E\+?\d{1,2}$/i;

function codeIn(row: ShopifyRow, column: 'sku' | 'barcode', warn: (message: string) => void): string | null {
  const code = codeOf(row.text(column));
  if (SHORTENED.test(code)) {
    warn(
      `Line ${row.line}: ${row.header(column)} "${code}": a spreadsheet has shortened this number; take it from the old shop.`,
    );
  }
  return code || null;
}

/** Codes, prices, stock and shipping of one row. Fields without a column in the file are left out. */
export function soldOf(row: ShopifyRow, warn: (message: string) => void): VariantInput {
  const quantity = row.whole('quantity');
  const policy = row.word('policy', POLICIES);
  const isShort = quantity !== undefined && quantity < 0 && policy !== 'continue';
  if (isShort) warn(`Line ${row.line}: ${row.header('quantity')} ${quantity}: stock below zero becomes 0.`);
  const requiresShipping = row.flag('requiresShipping');
  return {
    ...(row.has('sku') && { sku: codeIn(row, 'sku', warn) }),
    ...(row.has('barcode') && { barcode: codeIn(row, 'barcode', warn) }),
    ...pricesOf(row, warn),
    ...(quantity !== undefined && { inventory_quantity: isShort ? 0 : quantity }),
    ...(policy !== undefined && { inventory_policy: policy }),
    ...weightOf(row),
    ...(requiresShipping !== undefined && { requires_shipping: requiresShipping }),
  };
}

function pricesOf(row: ShopifyRow, warn: (message: string) => void): VariantInput {
  const price = row.money('price');
  if (row.has('price') && row.text('price') === '') row.refuse('price', 'The price is missing.');
  const compareAt = row.money('compareAt');
  const onSale = price !== undefined && compareAt !== undefined && isMore(compareAt, price);
  // Shopify shops often fill this column with zeros or with the price itself.
  if (price !== undefined && compareAt !== undefined && !onSale && Number(compareAt) !== 0) {
    warn(`Line ${row.line}: the compare-at price ${compareAt} is not above the price ${price} and is left out.`);
  }
  const cost = row.money('cost');
  return {
    ...(price !== undefined && { price }),
    ...(row.has('compareAt') && { compare_at_price: onSale ? compareAt : null }),
    ...(row.has('cost') && { cost_per_item: cost ?? null }),
  };
}

const UNITS: Record<string, WeightUnit> = { g: 'g', kg: 'kg', lb: 'lb', oz: 'oz', lbs: 'lb' };

/** Shopify's weight is in grams whatever the unit; the unit says how to show it. */
function weightOf(row: ShopifyRow): VariantInput {
  const grams = row.decimal('grams');
  const unit = row.word('weightUnit', UNITS);
  const weight = grams === undefined ? null : plainDecimal(grams / GRAMS[unit ?? 'g'], 8);
  return {
    ...(row.has('grams') && { weight }),
    ...((unit !== undefined || weight !== null) && { weight_unit: unit ?? 'g' }),
  };
}
