import type { ProductImport, VariantInput, WeightUnit } from '@commerce-backend/spec';
import { withoutCurrency } from './amounts.ts';
import { isMore, weightIn } from './decimals.ts';
import { quoted } from './row-reader.ts';
import { codeOf, GRAMS, NO_OPTION } from './shopify-columns.ts';
import { pictureIn } from './shopify-images.ts';
import { headOf, orWarn, type ShopifyRow, type Warn } from './shopify-row.ts';

const NAMES = ['option1Name', 'option2Name', 'option3Name'] as const;
const VALUES = ['option1Value', 'option2Value', 'option3Value'] as const;
const OF_A_VARIANT = [...VALUES, 'sku', 'price', 'barcode', 'quantity'] as const;

/** Whether a row is a variant. Other rows only add images. */
export function isVariantRow(row: ShopifyRow): boolean {
  return OF_A_VARIANT.some((column) => row.text(column) !== '');
}

const OF_VARIANTS = [
  ...(['price', 'quantity', 'grams', 'weightUnit', 'tracker', 'policy', 'requiresShipping', 'taxable'] as const),
  ...(['compareAt', 'cost', 'variantImage'] as const),
];

/** Warns about variant cells in rows that are not variants. */
export function warnOfNoVariant(rows: ShopifyRow[], variantRows: ShopifyRow[], warn: Warn): void {
  const others = rows.filter((row) => !variantRows.includes(row));
  for (const column of OF_VARIANTS) {
    const row = others.find((each) => !['', variantRows[0]?.text(column)].includes(each.text(column)));
    if (!row) continue;
    const words = 'the row does not identify a variant, so this is left out.';
    warn(`${row.header(column)} ${quoted(row.text(column))}: ${words}`, row);
  }
}

/** The rows that are variants, or the row with the title if there are none. */
export function variantRowsOf(rows: ShopifyRow[]): ShopifyRow[] {
  const all = rows.filter(isVariantRow);
  const hasValue = (row: ShopifyRow) => VALUES.some((column) => row.text(column) !== '');
  // Some programs start with a row for the product, which has the lowest price and no option value.
  const isAbove = (row: ShopifyRow) =>
    row.text('title') !== '' && !hasValue(row) && row.text('sku') === '' && row.text('barcode') === '';
  const found = all.some(hasValue) ? all.filter((row) => !isAbove(row)) : all;
  return found.length > 0 ? found : [headOf(rows)];
}

/** Whether a product has no options. Shopify writes that in several ways. */
export function isDefaultOnly(variantRows: ShopifyRow[]): boolean {
  const [first] = variantRows as [ShopifyRow];
  if (variantRows.length > 1) return false;
  const [value, ...others] = VALUES.map((column) => first.text(column));
  if (others.some((other) => other !== '')) return false;
  return value === '' || (value === NO_OPTION.value && ['', NO_OPTION.name].includes(first.text('option1Name')));
}

/** The product's options. Names come from the first row that has them, and values are in order of appearance. */
export function optionsOf(
  rows: ShopifyRow[],
  variantRows: ShopifyRow[],
  warn: Warn,
): NonNullable<ProductImport['options']> {
  return VALUES.flatMap((column, index) => {
    const nameColumn = NAMES[index] ?? 'option1Name';
    const values = variantRows.map((row) => row.text(column));
    const given = rows.filter((row) => row.text(nameColumn) !== '');
    const named = given[0]?.text(nameColumn) ?? '';
    if (named === '' && values.every((value) => value === '')) return [];
    const name = named || `Option ${index + 1}`;
    if (named === '') warn(`The option has values but no name, and is called "${name}".`);
    const other = given.find((row) => row.text(nameColumn) !== named);
    if (other) warn(`${other.header(nameColumn)} differs from that above, "${named}", and is left out.`, other);
    variantRows.forEach((row, place) => {
      if (values[place] === '') row.refuse(column, `The variant has no value for the option "${name}".`);
    });
    return [{ name, values: [...new Set(values.filter((value) => value !== ''))] }];
  });
}

/** Converts the rows to variants, in order. */
export function variantsOf(variantRows: ShopifyRow[], warn: Warn): VariantInput[] {
  refuseMissingPrices(variantRows);
  const someTracked = variantRows.some((row) => row.text('tracker') !== '');
  return variantRows.map((row) => {
    const [option1 = '', option2 = '', option3 = ''] = VALUES.map((column) => row.text(column));
    const untracked = someTracked && row.text('tracker') === '' && row.has('tracker');
    if (untracked) {
      warn(`${row.header('tracker')}: Shopify does not count this variant; it may be sold below zero instead.`, row);
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

/** If no variant has a price, the product becomes a draft. If only some have none, that is an error. */
function refuseMissingPrices(variantRows: ShopifyRow[]): void {
  const unpriced = variantRows.filter((row) => row.text('price') === '');
  if (unpriced.length === variantRows.length) return;
  for (const row of unpriced) row.refuse('price', 'The price is missing.');
}

const POLICIES = { deny: 'deny', continue: 'continue', false: 'deny', true: 'continue' } as const;

/** Spreadsheets write a long number in exponential form, which loses its last digits. */
const SHORTENED = /^\d(?:[.,]\d+)?E\+?\d{1,2}$/i;

function codeIn(row: ShopifyRow, column: 'sku' | 'barcode', warn: Warn): string | null {
  const code = codeOf(row.text(column));
  if (SHORTENED.test(code)) {
    const words = 'a spreadsheet has shortened this number; take it from the old shop.';
    warn(`${row.header(column)} "${code}": ${words}`, row);
  }
  return code || null;
}

/** SKU, barcode, prices, stock and shipping of a row. Fields without a column are omitted. */
export function soldOf(row: ShopifyRow, warn: Warn): VariantInput {
  const quantity = row.whole('quantity');
  const policy = orWarn(row, warn, () => row.word('policy', POLICIES));
  warnOfOtherTracker(row, warn);
  const isShort = quantity !== undefined && quantity < 0 && policy !== 'continue';
  if (isShort) warn(`${row.header('quantity')} ${quantity}: stock below zero becomes 0.`, row);
  const requiresShipping = orWarn(row, warn, () => row.flag('requiresShipping'));
  return {
    ...(row.has('sku') && { sku: codeIn(row, 'sku', warn) }),
    ...(row.has('barcode') && { barcode: codeIn(row, 'barcode', warn) }),
    ...pricesOf(row, warn),
    ...(quantity !== undefined && { inventory_quantity: isShort ? 0 : quantity }),
    ...(policy !== undefined && { inventory_policy: policy }),
    ...weightOf(row, warn),
    ...(requiresShipping !== undefined && { requires_shipping: requiresShipping }),
  };
}

/** Warns that the stock may come from another inventory service than Shopify's. */
function warnOfOtherTracker(row: ShopifyRow, warn: Warn): void {
  const tracker = row.text('tracker');
  if (!['', 'shopify'].includes(tracker.toLowerCase())) {
    warn(`${row.header('tracker')} "${tracker}": the stock is counted here instead.`, row);
  }
}

function pricesOf(row: ShopifyRow, warn: Warn): VariantInput {
  const price = amountIn(row, 'price', warn);
  const compareAt = orWarn(row, warn, () => amountIn(row, 'compareAt', warn));
  const onSale = price !== undefined && compareAt !== undefined && isMore(compareAt, price);
  // Shops often fill this column with zero or the price.
  if (price !== undefined && compareAt !== undefined && !onSale) {
    warn(`${row.header('compareAt')} ${compareAt} is not above the price ${price} and is left out.`, row);
  }
  const cost = orWarn(row, warn, () => amountIn(row, 'cost', warn));
  return {
    ...(price !== undefined && { price }),
    ...(row.has('compareAt') && { compare_at_price: onSale ? compareAt : null }),
    ...(row.has('cost') && { cost_per_item: cost ?? null }),
  };
}

/** Parses an amount in the shop's currency. The cell's own currency is ignored with a warning. */
function amountIn(row: ShopifyRow, column: 'price' | 'compareAt' | 'cost', warn: Warn): string | undefined {
  const cell = row.text(column);
  const number = withoutCurrency(cell);
  const amount = row.money(column, number);
  if (amount !== undefined && number !== cell) {
    warn(`${row.header(column)} ${quoted(cell)}: ${number} is taken as an amount of the shop's currency.`, row);
  }
  return amount;
}

const UNITS: Record<string, WeightUnit> = { g: 'g', kg: 'kg', lb: 'lb', oz: 'oz', lbs: 'lb' };

/** Reads the weight, which Shopify writes in grams. The unit column is only for display. */
function weightOf(row: ShopifyRow, warn: Warn): VariantInput {
  const [, number, name = ''] = /^([\d.,]+)\s*([a-z]+)$/i.exec(row.text('grams')) ?? [];
  const own = UNITS[name.toLowerCase()];
  const read = orWarn(row, warn, () => row.decimal('grams', own ? number : undefined));
  const grams = own && read !== undefined ? read * GRAMS[own] : read;
  const unit = orWarn(row, warn, () => row.word('weightUnit', UNITS)) ?? own;
  const weight = grams === undefined ? null : weightIn(grams, GRAMS[unit ?? 'g']);
  return {
    ...(row.has('grams') && { weight }),
    ...((unit !== undefined || weight !== null) && { weight_unit: unit ?? 'g' }),
  };
}
