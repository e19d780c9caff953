import { decodeEntities } from './html-text.ts';
import { splitUnescaped } from './split-unescaped.ts';

/** One attribute of a product, `code=value`. */
export type Pair = { code: string; value: string };

/**
 * The pairs of a cell such as `size=XS,color=Black`. A comma separates two pairs only where another `code=` follows it, so
 * values may contain commas; a quoted value loses its quotes. Entities in values are decoded.
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

/** One entry of `configurable_variations`: a child's SKU and its value for each option's attribute code. */
export type Variation = { sku: string; values: Pair[] };

/** The variations of a configurable product, `sku=…,size=…,color=…|sku=…`; those without a SKU are left out. */
export function variationsOf(cell: string): Variation[] {
  return cell.split('|').flatMap((entry) => {
    const pairs = pairsOf(entry);
    const sku = pairs.find(({ code }) => code === 'sku')?.value;
    return sku ? [{ sku, values: pairs.filter(({ code }) => code !== 'sku') }] : [];
  });
}

/** Magento's internal attributes, of no use to a buyer. */
const BOOKKEEPING = new Set(['has_options', 'required_options', 'gift_message_available', 'shipment_type']);

/** The attributes to keep: several values of one attribute (`Wool|Fleece`) joined by commas. */
export function factsOf(pairs: Pair[], optionCodes: Set<string>): Pair[] {
  const kept = pairs.filter(({ code, value }) => value !== '' && !BOOKKEEPING.has(code) && !optionCodes.has(code));
  return [...new Map(kept.map(({ code, value }) => [code, { code, value: value.split('|').join(', ') }])).values()];
}

/**
 * The content of a cell of category paths (`Root/Men/Tees,Root/Sale`): the last name of each path as tags, without duplicates,
 * and that of the first path as the product's type. The root is above every product and means nothing.
 */
export function categoriesOf(cell: string): { tags: string[]; product_type: string | null } {
  const leaves = cell.split(',').flatMap((path) => {
    // A slash within a name is written `\/`.
    const names = splitUnescaped(path, '/').map((name) => decodeEntities(name.replaceAll('\\/', '/').trim()));
    const leaf = names.length > 1 ? names.at(-1) : undefined;
    return leaf ? [leaf] : [];
  });
  return { tags: [...new Set(leaves)], product_type: leaves[0] ?? null };
}

/** The options' names by their attribute codes: Magento's labels (`size=Size,color=Colour`), else the code made readable. */
export function optionNames(codes: string[], labels: string): string[] {
  const named = new Map(pairsOf(labels).map(({ code, value }) => [code, value]));
  return codes.map((code) => {
    const words = code.replaceAll('_', ' ').trim();
    return named.get(code) || words.charAt(0).toUpperCase() + words.slice(1);
  });
}

/** The URL of an image named in the file; undefined for none, for Magento's `no_selection`, and for a name without a base URL. */
export function imageUrlOf(name: string, baseImageUrl: string | undefined): string | undefined {
  if (/^https?:\/\//i.test(name)) return name;
  if (name === '' || name === 'no_selection' || baseImageUrl === undefined) return undefined;
  return `${baseImageUrl.replace(/\/+$/, '')}/${encodeURI(name.replace(/^\/+/, ''))}`;
}
