import type { ImportResult, Product, ProductImport, ValidationErrorItem } from '@commerce-backend/spec';
import { indexProducts } from '../../search/index/index-products.ts';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import { hiddenCharacterIn, mapTexts, withoutHidden } from '../hidden-characters.ts';
import type { Shop } from '../shop.ts';
import { isAsPlanned } from './compare.ts';
import { planProduct } from './plan.ts';
import * as products from './products.ts';
import { lockBySlug, lockSlugs, updateProduct } from './update.ts';

/**
 * Import: each row creates or updates the product of its slug, behind a savepoint of its own, so that a refused row
 * leaves its product as it was and stops no other. Rows arrive unchecked (the contract marks them x-validate-rows);
 * `mistakesIn` holds a row against the contract's ProductImport.
 */
export interface ImportCall {
  products: unknown[];
  dry_run?: boolean;
  /** Also set the stock of variants that exist already; without it, stock sold since is never put back. */
  update_inventory?: boolean;
}

type Place = (string | number)[];
export type RowCheck = (row: unknown, loc: Place) => ValidationErrorItem[];

type RowResult = ImportResult['results'][number];

export async function importProducts(shop: Shop, call: ImportCall, mistakesIn: RowCheck): Promise<ImportResult> {
  const results: RowResult[] = [];
  const firsts = new Map<string, number>();
  const check: RowCheck = (row, loc) => {
    const mistakes = mistakesIn(row, loc);
    return mistakes.length > 0 ? mistakes : repetitionIn(firsts, row as ProductImport, loc);
  };
  await lockSlugs(
    shop,
    call.products.map(slugIn).filter((slug) => slug !== null),
  );
  for (const [index, row] of call.products.entries()) {
    const slug = slugIn(row);
    if (slug !== null && !firsts.has(slug)) firsts.set(slug, index);
    const { cleaned, warnings } = cleanRow(row, ['body', 'products', index]);
    const result = await importRow(shop, call, check, index, cleaned);
    results.push(warnings.length > 0 ? { ...result, warnings } : result);
  }
  await indexProducts(shop, changedBy(results, call));
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

/** The products that a call has written: all at once is cheaper than each by itself. */
function changedBy(results: RowResult[], { dry_run }: ImportCall): string[] {
  if (dry_run) return [];
  return results.flatMap(({ status, product_id }) =>
    product_id && (status === 'created' || status === 'updated') ? [product_id] : [],
  );
}

function slugIn(row: unknown): string | null {
  const slug = (row as { slug?: unknown } | null)?.slug;
  return typeof slug === 'string' ? slug.slice(0, 255) : null;
}

/** A slug that an earlier row has, too. `firsts` tells for each slug the first row with it. */
function repetitionIn(firsts: Map<string, number>, { slug }: ProductImport, loc: Place): ValidationErrorItem[] {
  const first = firsts.get(slug);
  if (first === loc.at(-1)) return [];
  const msg = `Row ${first} of this call already has this slug.`;
  return [{ loc: [...loc, 'slug'], msg, type: 'duplicate', ctx: { first } }];
}

const MAX_WARNINGS = 50;

/** A row without the characters that nobody sees, such as a byte order mark that a spreadsheet left; the slug stays as sent. */
function cleanRow(row: unknown, loc: Place): { cleaned: unknown; warnings: ValidationErrorItem[] } {
  const warnings: ValidationErrorItem[] = [];
  const cleaned = mapTexts(row, (text, place, lines) => {
    const code_point = place.at(-1) === 'slug' ? undefined : hiddenCharacterIn(text, { lines });
    if (!code_point) return text;
    const msg = `${code_point}, a control or invisible character, was removed.`;
    if (warnings.length < MAX_WARNINGS) {
      warnings.push({ loc: [...loc, ...place], msg, type: 'hidden_character', ctx: { code_point } });
    }
    return withoutHidden(text, { lines });
  });
  return { cleaned, warnings };
}

/** Thrown to undo a row that was only tried. */
class Undo {
  readonly outcome: RowResult;

  constructor(outcome: RowResult) {
    this.outcome = outcome;
  }
}

async function importRow(shop: Shop, call: ImportCall, mistakesIn: RowCheck, index: number, row: unknown) {
  const failed = (errors: ValidationErrorItem[]): RowResult => ({
    index,
    slug: slugIn(row),
    status: 'failed',
    product_id: null,
    errors,
  });
  const mistakes = mistakesIn(row, ['body', 'products', index]);
  if (mistakes.length > 0) return failed(mistakes);
  try {
    return await shop.savepoint(async () => {
      const outcome = await writeRow(shop, row as ProductImport, index, call.update_inventory ?? false);
      if (outcome.status === 'unchanged') throw new Undo(outcome);
      if (call.dry_run)
        throw new Undo({ ...outcome, product_id: outcome.status === 'created' ? null : outcome.product_id });
      return outcome;
    });
  } catch (error) {
    if (error instanceof Undo) return error.outcome;
    if (error instanceof ValidationError) return failed(error.detail);
    return failed([refusalOf(error, index)]);
  }
}

const REFUSALS: Partial<Record<string, { field: string[]; msg: string }>> = {
  sku_taken: { field: [], msg: 'A SKU of this row belongs to a variant of another product.' },
  option_name_taken: { field: ['options'], msg: 'Two options have the same name.' },
  variant_options_taken: { field: ['variants'], msg: 'Two variants have the same option values.' },
  insufficient_stock: { field: [], msg: 'Stock below zero requires inventory_policy continue.' },
};

/** What a rule or a constraint of the database refused, said of the row. Throws on what is no refusal. */
function refusalOf(error: unknown, index: number): ValidationErrorItem {
  const { constraint = '' } = error as { constraint?: string };
  const { code, message, context } =
    error instanceof ShopError ? error : { code: constraint, message: '', context: {} };
  const { field, msg } = REFUSALS[code] ?? { field: [], msg: message };
  if (!msg) throw error;
  return bodyMistake(['products', index, ...field], code, msg, context);
}

async function writeRow(shop: Shop, row: ProductImport, index: number, update_inventory: boolean): Promise<RowResult> {
  const result = { index, slug: row.slug, errors: [] };
  const loc = ['body', 'products', index];
  for (;;) {
    const before = await lockBySlug(shop, row.slug);
    if (before) {
      const plan = planProduct(row, shop.currencyDigits, loc, before);
      if (isAsPlanned(before, plan, update_inventory)) return { ...result, status: 'unchanged', product_id: before.id };
      await updateProduct(shop, before, plan, update_inventory);
      const after = await products.get(shop, before.id);
      const status = comparable(before) === comparable(after) ? 'unchanged' : 'updated';
      return { ...result, status, product_id: before.id };
    }
    const product_id = await products.insert(shop, planProduct(row, shop.currencyDigits, loc));
    if (product_id) return { ...result, status: 'created', product_id };
    // Another call has made the product in between: now it can be read and updated.
  }
}

/** What counts as a change: everything but ids of replaced parts and times. */
function comparable(product: Product): string {
  return JSON.stringify(product, (key, value: unknown) => (key === 'updated_at' || key === 'id' ? undefined : value));
}
