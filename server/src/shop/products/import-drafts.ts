import type { ProductImport, ValidationErrorItem } from '@commerce-backend/spec';

/** New products of an import that have no price: other shops keep some that nobody can buy. They become drafts at 0. */

export function lacksPrice({ price, variants }: ProductImport): boolean {
  if (price !== undefined) return false;
  return variants === undefined || variants.length === 0 || variants.some((variant) => variant.price === undefined);
}

/** The product as a draft whose missing prices are 0; any other as it is. */
export function draftIfPriceless(input: ProductImport): ProductImport {
  if (!lacksPrice(input)) return input;
  const draft: ProductImport = { ...input, status: 'draft' };
  if (!input.variants || input.variants.length === 0) return { ...draft, price: '0' };
  return { ...draft, variants: input.variants.map((variant) => ({ ...variant, price: variant.price ?? '0' })) };
}

export function priceMissing(loc: (string | number)[]): ValidationErrorItem {
  const msg = 'The price is missing. The product comes in as a draft at 0.';
  return { loc: [...loc, 'price'], msg, type: 'price_missing' };
}
