import { decodeEntities } from './html-text.ts';
import { splitUnescaped } from './split-unescaped.ts';

/** An attribute of a product: `code=value`. */
export type Pair = { code: string; value: string };

/**
 * Parses a cell such as `size=XS,color=Black`. A comma separates attributes only before another `code=`, so values may
 * contain commas. Quotes around values are removed, and entities decoded.
 */
export function pairsOf(cell: string): Pair[] {
  return cell
    .split(/,(?=\s*[a-z_][a-z0-9_]*=)/i)
    .filter((pair) => pair.includes('='))
    .map((pair) => {
      const cut = pair.indexOf('=');
      const value = pair.slice(cut + 1).trim();
      const bare = /^".*"$/s.test(value) ? value.slice(1, -1).replaceAll('""', '"') : value;
      return { code: pair.slice(0, cut).trim(), value: decodeEntities(bare) };
    });
}

/** An entry of `configurable_variations`: a child's SKU and its value for each option. */
export type Variation = { sku: string; values: Pair[] };

/** Parses the variations of a configurable product: `sku=…,size=…,color=…|sku=…`. Entries without a SKU are ignored. */
export function variationsOf(cell: string): Variation[] {
  return cell.split('|').flatMap((entry) => {
    const pairs = pairsOf(entry);
    const sku = pairs.find(({ code }) => code === 'sku')?.value;
    return sku ? [{ sku, values: pairs.filter(({ code }) => code !== 'sku') }] : [];
  });
}

/** Magento's internal attributes, which do not interest shoppers. */
const BOOKKEEPING = new Set(['has_options', 'required_options', 'gift_message_available', 'shipment_type']);

/** Attributes to keep as facts. Several values of one attribute (`Wool|Fleece`) are joined by commas. */
export function factsOf(pairs: Pair[], optionCodes: Set<string>): Pair[] {
  const kept = pairs.filter(({ code, value }) => value !== '' && !BOOKKEEPING.has(code) && !optionCodes.has(code));
  return [...new Map(kept.map(({ code, value }) => [code, { code, value: value.split('|').join(', ') }])).values()];
}

/**
 * Parses a cell with category paths (`Root/Men/Tees,Root/Sale`). The last name of each path becomes a tag, and the last
 * name of the first path also becomes the product type. The root category contains every product, so it is ignored.
 */
export function categoriesOf(cell: string): { tags: string[]; product_type: string | null } {
  const leaves = cell.split(',').flatMap((path) => {
    // A slash within a name is written as `\/`.
    const names = splitUnescaped(path, '/').map((name) => decodeEntities(name.replaceAll('\\/', '/').trim()));
    const leaf = names.length > 1 ? names.at(-1) : undefined;
    return leaf ? [leaf] : [];
  });
  return { tags: [...new Set(leaves)], product_type: leaves[0] ?? null };
}

/**
 * Names of options by attribute code: Magento's labels (`size=Size,color=Colour`), otherwise the code in readable form.
 */
export function optionNames(codes: string[], labels: string): string[] {
  const named = new Map(pairsOf(labels).map(({ code, value }) => [code, value]));
  return codes.map((code) => {
    const words = code.replaceAll('_', ' ').trim();
    return named.get(code) || words.charAt(0).toUpperCase() + words.slice(1);
  });
}

/**
 * The URL of an image in the file. Undefined for an empty cell, for Magento's `no_selection`, and for a relative path
 * without a base URL.
 */
export function imageUrlOf(name: string, baseImageUrl: string | undefined): string | undefined {
  if (/^https?:\/\//i.test(name)) return name;
  if (name === '' || name === 'no_selection' || baseImageUrl === undefined) return undefined;
  return `${baseImageUrl.replace(/\/+$/, '')}/${encodeURI(name.replace(/^\/+/, ''))}`;
}
