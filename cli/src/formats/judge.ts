import type { ProductImport } from '@commerce-backend/spec';
import { outOfBounds } from './bounds.ts';
import type { KeyTable } from './key-table.ts';
import type { PlaceOf, Read } from './reading.ts';
import type { FieldError } from './row-reader.ts';
import { firstUseOf, shortName, slugOf } from './slug.ts';

/** A parsed product, and the lines of its parts. */
export interface Made {
  line: number;
  product: ProductImport;
  errors: FieldError[];
  placeOf: PlaceOf;
  /** A text that distinguishes the product from others with the same name, such as its SKU. */
  distinct: string;
}

/**
 * Validates a product against the contract. Returns the product, or all reasons for its rejection. `slugs` contains the
 * slugs of earlier products.
 */
export function judged({ line, product: made, errors, placeOf, distinct }: Made, slugs: KeyTable): Read {
  // A name without Latin letters gets a slug with a hash of the name.
  const own = made.slug || (made.name ? `product-${shortName(made.name)}` : '');
  const slug = slugs.has(own) ? slugOf(`${own} ${distinct}`) : own;
  const product = { ...made, slug };
  const found = [...errors];
  const add = (loc: (string | number)[], message: string) => found.push({ ...placeOf(loc), message });
  for (const { field, variant, message } of outOfBounds(product)) {
    if (field === 'slug' && slug === '') continue;
    add(variant === undefined ? [field] : ['variants', variant, field], message);
  }
  if (slug === '') add(['name'], 'There is neither a name nor an address.');
  const earlier = slug === '' ? undefined : firstUseOf(slug, line, slugs);
  if (earlier !== undefined) add(['slug'], `"${slug}" is already the address of the product on line ${earlier}.`);
  found.sort((one, other) => one.line - other.line);
  return found.length > 0 ? { line, slug, errors: found } : { line, product, placeOf };
}
