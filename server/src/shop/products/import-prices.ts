import type { Product, ProductImport, ValidationErrorItem } from '@commerce-backend/spec';
import { combinationOf } from './plan.ts';

/** A larger change is probably a misplaced decimal point. */
const LARGE_CHANGE = 0.8;
const MOST_WARNINGS = 10;

/**
 * Warns about prices that an import changes by more than 80 %, at most ten per product. `before` is the existing
 * product.
 */
export function largePriceChanges(
  { price, variants = [] }: ProductImport,
  before: Product,
  loc: (string | number)[],
): ValidationErrorItem[] {
  const old = new Map(before.variants.map((variant) => [combinationOf(variant), variant.price]));
  const only = variants.length === 0 && before.variants.length === 1 ? before.variants[0]?.price : undefined;
  const changes = [
    { at: [...loc, 'price'], from: only, to: price },
    ...variants.map((variant, index) => ({
      at: [...loc, 'variants', index, 'price'],
      from: old.get(combinationOf(variant)),
      to: variant.price,
    })),
  ];
  return changes
    .flatMap(({ at, from, to }) => (isLargeChange(from, to) ? [warning(at, from, to)] : []))
    .slice(0, MOST_WARNINGS);
}

function isLargeChange(from: string | undefined, to: string | undefined): boolean {
  if (from === undefined || to === undefined || Number(from) === 0) return false;
  return Math.abs(Number(to) - Number(from)) > Number(from) * LARGE_CHANGE;
}

function warning(loc: (string | number)[], from = '', to = ''): ValidationErrorItem {
  const msg = `The price changes from ${from} to ${to}, by more than 80 %. Check the decimal sign.`;
  return { loc, msg, type: 'large_price_change', ctx: { from, to } };
}
