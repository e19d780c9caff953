import type { VariantInput, WeightUnit } from '@commerce-backend/spec';
import { isMore, plainDecimal } from './decimals.ts';
import type { WooColumn, WooRow, WooWarn } from './woocommerce-columns.ts';

const BACKORDERS = { '1': true, '0': false, notify: true, yes: true, no: false } as const;

/**
 * SKU, barcode, prices, stock and shipping of a row. A missing cost or weight of a variation is taken from its product
 * `parent`.
 */
export function soldOf(row: WooRow, parent: WooRow, isTracked: boolean, now: Date, warn: WooWarn): VariantInput {
  // "parent" is the default for a variation whose stock is counted with its product. Its own quantity is unknown.
  const quantity = row.text('stock') === 'parent' ? undefined : row.whole('stock');
  const isCounted = quantity !== undefined || row.text('inStock') === '0';
  const beyond = row.word('backorders', BACKORDERS) ?? false;
  const policy = beyond || (isTracked && !isCounted) ? 'continue' : 'deny';
  if (quantity !== undefined && quantity < 0 && policy === 'deny') {
    warn(row, `${row.header('stock')} ${quantity}: stock below zero becomes 0.`);
  }
  return {
    sku: row.text('sku') || null,
    barcode: row.text('barcode') || null,
    ...pricesOf(row, now, warn),
    ...costOf(row, parent),
    ...(quantity !== undefined && { inventory_quantity: policy === 'deny' ? Math.max(0, quantity) : quantity }),
    inventory_policy: policy,
    ...(row.text('lowStock') !== '' && { low_stock_threshold: Math.max(0, row.whole('lowStock') ?? 0) }),
    ...weightOf(row, parent),
    ...(row.has('type') && { requires_shipping: !/virtual|downloadable/i.test(row.text('type')) }),
  };
}

function pricesOf(row: WooRow, now: Date, warn: WooWarn): VariantInput {
  const price = row.money('price');
  const sale = row.money('salePrice');
  if (price === undefined || sale === undefined) {
    for (const column of ['saleStarts', 'saleEnds'] as const) {
      if (row.text(column) !== '')
        warn(row, `${row.header(column)}: there is no sale price, and the date is left out.`);
    }
    return { ...(price && { price }), compare_at_price: null };
  }
  const starts = Date.parse(row.text('saleStarts'));
  const ends = Date.parse(row.text('saleEnds'));
  if (starts > now.getTime() || ends < now.getTime()) {
    warn(row, `${row.header('salePrice')}: ${sale} does not hold now and is left out.`);
    return { price, compare_at_price: null };
  }
  const end = row.text('saleEnds');
  if (isMore(price, sale)) {
    if (end !== '') warn(row, `${row.header('saleEnds')} ${end}: the sale price ${sale} holds until you change it.`);
    return { price: sale, compare_at_price: price };
  }
  warn(row, `${row.header('salePrice')}: ${sale} is not below the price ${price} and is left out.`);
  return { price, compare_at_price: null };
}

const UNITS = ['kg', 'g', 'lb', 'oz'] as const satisfies (WeightUnit & WooColumn)[];

/**
 * The weight of the row, otherwise of its parent. It is null if the file has a weight column but both have no weight,
 * and omitted if the file has no such column.
 */
function weightOf(row: WooRow, parent: WooRow): VariantInput {
  for (const each of [row, parent]) {
    const weight_unit = UNITS.find((name) => each.text(name) !== '');
    const number = weight_unit && each.decimal(weight_unit);
    if (number !== undefined) return { weight: plainDecimal(number, 8), weight_unit };
  }
  return UNITS.some((name) => row.has(name)) ? { weight: null } : {};
}

function costOf(row: WooRow, parent: WooRow): VariantInput {
  const cost = row.money('cost') ?? (row === parent ? undefined : parent.money('cost'));
  return row.has('cost') ? { cost_per_item: cost ?? null } : {};
}
