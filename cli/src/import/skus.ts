import type { ValidationErrorItem } from '@commerce-backend/sdk';
import type { Row } from './batches.ts';
import type { SkuPlaces } from './sku-places.ts';

/** SKUs of a product, normalized for comparison. */
export function skusOf({ product }: Row): string[] {
  return placesOf(product).map(({ sku }) => sku.toLowerCase());
}

export function claim(row: Row, claimed: SkuPlaces): void {
  const { line, product } = row;
  for (const sku of skusOf(row)) claimed.set(sku, { line, slug: product.slug });
}

/** Returns errors for SKUs that an earlier product in the file has, with the server's message. */
export function repeatedIn({ product }: Row, claimed: SkuPlaces): ValidationErrorItem[] {
  const { slug } = product;
  return placesOf(product).flatMap(({ sku, loc }) => {
    const other = claimed.get(sku);
    if (!other || other.slug === slug) return [];
    const msg = `The product ${JSON.stringify(other.slug)} already has the SKU ${JSON.stringify(sku)}, in line ${other.line}.`;
    return [{ loc: ['body', 'products', 0, ...loc], msg, type: 'sku_taken' }];
  });
}

/** Adds the line of the other product to the server's `sku_taken` error, if that product is in the file. */
export function withLine(mistake: ValidationErrorItem, claimed: SkuPlaces): ValidationErrorItem {
  const { type, msg, ctx } = mistake;
  const other = type === 'sku_taken' ? claimed.get(String(ctx?.sku)) : undefined;
  return other && other.slug === ctx?.slug
    ? { ...mistake, msg: msg.replace(/\.$/, `, in line ${other.line}.`) }
    : mistake;
}

function placesOf({ sku, variants = [] }: Row['product']) {
  const places = [
    { sku, loc: ['sku'] },
    ...variants.map((variant, at) => ({ sku: variant.sku, loc: ['variants', at, 'sku'] })),
  ];
  return places.flatMap(({ sku, loc }) => (typeof sku === 'string' && sku !== '' ? [{ sku, loc }] : []));
}
