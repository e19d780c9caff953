/**
 * Imports products. Each row creates or updates the product with its slug. A rejected row changes nothing and does not
 * affect the others. Rows are validated here by `mistakesInRow`, not by the contract (x-validate-rows).
 */

import type { ImportResult, ProductImport, ValidationErrorItem } from '@commerce-backend/spec';
import { indexNewProducts, indexProducts } from '../../search/index/index-products.ts';
import { cleanRow } from '../hidden-characters.ts';
import { insecurePictures, withSecurePictures } from '../picture-addresses.ts';
import { sanitizeHtml } from '../rich-text.ts';
import type { Shop } from '../shop.ts';
import { isPricelessDraft, priceMissing } from './import-drafts.ts';
import { largePriceChanges } from './import-prices.ts';
import { type RowResult, refusedRow, writeRows } from './import-rows.ts';
import { lockSlugs } from './update.ts';

export interface ImportCall {
  products: unknown[];
  dry_run?: boolean;
  /** Origins of the server and of the shop's hosts. Other image URLs need https, unless the shop already uses them. */
  own_origins?: string[];
  /**
   * Whether to overwrite the stock of existing variants, which would bring back stock that was sold since the export.
   */
  update_inventory?: boolean;
  /** Whether new products without a price become drafts and stay drafts. If not, they are rejected. */
  drafts_without_price?: boolean;
}

type Place = (string | number)[];
export type RowCheck = (row: unknown, loc: Place) => ValidationErrorItem[];

export async function importProducts(shop: Shop, call: ImportCall, mistakesInRow: RowCheck): Promise<ImportResult> {
  const slugs = call.products.map(slugIn);
  const known = await lockSlugs(
    shop,
    slugs.filter((slug) => slug !== null),
  );
  const firsts = new Map<string, number>();
  const { own_origins: own } = call;
  const insecure = own ? await insecurePictures(shop, own, call.products) : new Set<string>();
  const checked = call.products.map((row, index) => {
    const slug = slugs[index] ?? null;
    if (slug !== null && !firsts.has(slug)) firsts.set(slug, index);
    const loc = ['body', 'products', index];
    const { cleaned, warnings } = cleanRow(row, loc, 'slug');
    const pictures = withSecurePictures(insecure, cleaned, loc);
    warnings.push(...removedElements(cleaned, loc), ...pictures.warnings);
    const mistakes = mistakesInRow(pictures.row, loc);
    const input = pictures.row as ProductImport;
    return {
      index,
      slug,
      warnings,
      input,
      mistakes: mistakes.length > 0 ? mistakes : repetitionIn(firsts, input, loc),
    };
  });
  const outcomes = await writeRows(
    shop,
    call,
    checked.filter(({ mistakes }) => mistakes.length === 0),
    known,
  );
  const bySlug = new Map(known.map((product) => [product.slug, product]));
  const isDraft = ({ status }: RowResult, input: ProductImport) => {
    const before = bySlug.get(input.slug);
    const isWritten = status === 'created' || (before !== undefined && status !== 'failed');
    return call.drafts_without_price && isWritten && isPricelessDraft(input, before);
  };
  const results = checked.map(({ index, slug, warnings, mistakes, input }): RowResult => {
    const result = outcomes.get(index) ?? refusedRow(index, slug, mistakes);
    const loc = ['body', 'products', index];
    if (isDraft(result, input)) warnings.push(priceMissing(loc));
    const before = bySlug.get(input.slug);
    if (before && result.status === 'updated') warnings.push(...largePriceChanges(input, before, loc));
    return warnings.length > 0 ? { ...result, warnings: warnings.slice(0, MAX_WARNINGS) } : result;
  });
  if (!call.dry_run) await indexRows(shop, results);
  const count = (status: RowResult['status']) => results.filter((result) => result.status === status).length;
  return {
    dry_run: call.dry_run ?? false,
    counts: {
      created: count('created'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      failed: count('failed'),
    },
    results,
  };
}

/** Updates the search index for all rows together, which is faster than one by one. */
async function indexRows(shop: Shop, results: RowResult[]): Promise<void> {
  const idsOf = (wanted: RowResult['status']) =>
    results.flatMap(({ status, product_id }) => (status === wanted && product_id ? [product_id] : []));
  await indexNewProducts(shop, idsOf('created'));
  await indexProducts(shop, idsOf('updated'));
}

function slugIn(row: unknown): string | null {
  const slug = (row as { slug?: unknown } | null)?.slug;
  return typeof slug === 'string' ? slug.slice(0, 255) : null;
}

/** Reports a slug that an earlier row has. `firsts` maps each slug to the index of its first row. */
function repetitionIn(firsts: Map<string, number>, { slug }: ProductImport, loc: Place): ValidationErrorItem[] {
  const first = firsts.get(slug);
  if (first === loc.at(-1)) return [];
  const msg = `Row ${first} of this call already has this slug.`;
  return [{ loc: [...loc, 'slug'], msg, type: 'duplicate', ctx: { first } }];
}

/** Warns about elements and attributes that sanitizing removes from a formatted description. */
function removedElements(row: unknown, loc: Place): ValidationErrorItem[] {
  const html = (row as { description_html?: unknown } | null)?.description_html;
  if (typeof html !== 'string') return [];
  const found = sanitizeHtml(html.slice(0, MAX_HTML));
  const [removed, attributes] = [found.removed.slice(0, MOST_NAMES), found.attributes.slice(0, MOST_NAMES)];
  const at = [...loc, 'description_html'];
  const warnings: ValidationErrorItem[] = [];
  if (removed.length > 0) {
    const msg = `${removed.map((name) => `<${name.slice(0, 40)}>`).join(', ')} is not supported and was removed.`;
    warnings.push({ loc: at, msg, type: 'html_removed', ctx: { removed } });
  }
  if (attributes.length > 0) {
    const msg = `These attributes are not supported and were removed: ${attributes.map((name) => name.slice(0, 40)).join(', ')}.`;
    warnings.push({ loc: at, msg, type: 'html_attributes_removed', ctx: { attributes } });
  }
  return warnings;
}

/** The contract's limit per row. */
const MAX_WARNINGS = 50;

const MOST_NAMES = 20;

const MAX_HTML = 131_072;
