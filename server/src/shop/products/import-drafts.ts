/**
 * Imported products without a price. Other shop systems store them, although they cannot be bought. With
 * `drafts_without_price`, they become drafts with the price 0 and stay drafts in later imports, so that nothing is sold
 * for 0 by mistake.
 */

import type { Product, ProductImport, ValidationErrorItem } from '@commerce-backend/spec';
import { combinationOf } from './plan.ts';

/** Whether the row has no price, and so creates or keeps a draft. `before` is the existing product. */
export function isPricelessDraft({ price, variants = [] }: ProductImport, before: Product | undefined): boolean {
  if (price !== undefined) return false;
  const unpriced = variants.filter((variant) => variant.price === undefined);
  if (!before) return variants.length === 0 || unpriced.length > 0;
  if (before.status !== 'draft') return false;
  const missing = new Set(unpriced.map(combinationOf));
  return before.variants.some(
    (variant) => Number(variant.price) === 0 && (variants.length === 0 || missing.has(combinationOf(variant))),
  );
}

/** Makes a product without a price a draft. For a new product, sets missing prices to 0. */
export function draftIfPriceless(input: ProductImport, before: Product | undefined): ProductImport {
  if (!isPricelessDraft(input, before)) return input;
  const draft: ProductImport = { ...input, status: 'draft' };
  if (before) return draft;
  if (!input.variants || input.variants.length === 0) return { ...draft, price: '0' };
  return { ...draft, variants: input.variants.map((variant) => ({ ...variant, price: variant.price ?? '0' })) };
}

export function priceMissing(loc: (string | number)[]): ValidationErrorItem {
  const msg = 'The price is missing: the product is a draft at 0 until it has one.';
  return { loc: [...loc, 'price'], msg, type: 'price_missing' };
}
