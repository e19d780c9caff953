import type { ProductImport } from '@commerce-backend/spec';
import type { Read, Warning } from '../formats/reading.ts';

/** What becomes of a SKU that an earlier variant of the file has. */
export type SharedSkuRule = 'keep-first' | 'suffix' | 'refuse';

const LONGEST_SKU = 255;

/**
 * The products of a file, of which no two variants share a SKU, whatever its case: the first in the file keeps it. By the rule
 * later ones have none, or `-2`, `-3` … appended, with a warning for each; with `refuse` all stay as they are, and the import refuses.
 */
export async function* withoutSharedSkus(
  reads: AsyncIterable<Read>,
  rule: SharedSkuRule,
  warned: (warning: Warning) => void,
): AsyncGenerator<Read> {
  const firsts = new Map<string, { line: number; slug: string }>();
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
      const first = firsts.get(sku.toLowerCase());
      if (!first) {
        firsts.set(sku.toLowerCase(), { line: at.line, slug: product.slug });
        return part;
      }
      const other = first.slug === product.slug ? 'another variant of it' : `the product ${JSON.stringify(first.slug)}`;
      const kept = rule === 'suffix' ? freeSku(sku, firsts) : null;
      if (kept) firsts.set(kept.toLowerCase(), { line: at.line, slug: product.slug });
      const becomes = kept ? `it becomes ${JSON.stringify(kept)}` : 'this variant comes in without a SKU';
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

function freeSku(sku: string, taken: Map<string, unknown>): string {
  for (let number = 2; ; number++) {
    const end = `-${number}`;
    const next = sku.slice(0, LONGEST_SKU - end.length) + end;
    if (!taken.has(next.toLowerCase())) return next;
  }
}
