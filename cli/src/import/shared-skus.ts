import type { ProductImport } from '@commerce-backend/spec';
import type { Read, Warning } from '../formats/reading.ts';
import type { SkuPlaces } from './sku-places.ts';

/** The rule for a SKU that an earlier variant in the file already has. */
export type SharedSkuRule = 'keep-first' | 'suffix' | 'refuse';

const LONGEST_SKU = 255;

/**
 * Resolves SKUs that occur more than once in the file, ignoring case. The first variant keeps its SKU. With
 * `keep-first`, later variants lose it; with `suffix`, they get `-2`, `-3` and so on; each with a warning. With
 * `refuse` nothing changes here, and the import rejects later variants. Kept SKUs are recorded in `places`, except with
 * `refuse`.
 */
export async function* withoutSharedSkus(
  reads: AsyncIterable<Read>,
  rule: SharedSkuRule,
  warned: (warning: Warning) => void,
  places: SkuPlaces,
): AsyncGenerator<Read> {
  for await (const read of reads) {
    if (rule === 'refuse' || 'errors' in read) {
      yield read;
      continue;
    }
    const { product, line, placeOf } = read;
    const change = <Part extends { sku?: string | null }>(part: Part, loc: (string | number)[]): Part => {
      const { sku } = part;
      if (typeof sku !== 'string' || sku === '') return part;
      const at = placeOf?.(loc) ?? { line, field: loc.join('.') };
      const first = places.get(sku);
      if (!first) {
        places.set(sku, { line: at.line, slug: product.slug });
        return part;
      }
      const other = first.slug === product.slug ? 'another variant of it' : `the product ${JSON.stringify(first.slug)}`;
      const kept = rule === 'suffix' ? freeSku(sku, places) : null;
      if (kept) places.set(kept, { line: at.line, slug: product.slug });
      const becomes = kept ? `it becomes ${JSON.stringify(kept)}` : 'this variant is imported without a SKU';
      const message = `${at.field}: ${other} has the SKU ${JSON.stringify(sku)} already, in line ${first.line}: ${becomes}. (${product.slug})`;
      warned({ line: at.line, message });
      return { ...part, sku: kept };
    };
    yield { ...read, product: changed(product, change) };
  }
}

function changed(
  product: ProductImport,
  change: <Part extends { sku?: string | null }>(part: Part, loc: (string | number)[]) => Part,
): ProductImport {
  const own = change(product, ['sku']);
  if (!Array.isArray(own.variants)) return own;
  const isVariant = (one: unknown) => typeof one === 'object' && one !== null;
  return {
    ...own,
    variants: own.variants.map((one, i) => (isVariant(one) ? change(one, ['variants', i, 'sku']) : one)),
  };
}

function freeSku(sku: string, taken: SkuPlaces): string {
  for (let number = 2; ; number++) {
    const end = `-${number}`;
    const next = sku.slice(0, LONGEST_SKU - end.length) + end;
    if (!taken.has(next)) return next;
  }
}
