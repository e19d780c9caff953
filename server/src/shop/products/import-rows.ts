/**
 * Writes the valid rows of an import. New products are written together, in as many statements as a single product. If
 * one is rejected, the rows are divided in halves and written again, until only the rejected rows are left out.
 */

import type { ImportResult, Product, ProductImport, ValidationErrorItem } from '@commerce-backend/spec';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { isAsPlanned } from './compare.ts';
import { draftIfPriceless } from './import-drafts.ts';
import { type ProductPlan, planProduct } from './plan.ts';
import * as products from './products.ts';
import { takenSkus } from './taken-skus.ts';
import { lockBySlug, updateProduct } from './update.ts';
import { isSkuTaken } from './write.ts';

export type RowResult = ImportResult['results'][number];

interface ImportRow {
  index: number;
  input: ProductImport;
}

interface NewRow extends ImportRow {
  plan: ProductPlan;
}

interface Settings {
  dry_run?: boolean;
  update_inventory?: boolean;
  /** Whether new products without a price become drafts and stay drafts. If not, they are rejected. */
  drafts_without_price?: boolean;
}

/**
 * Writes rows. New products are collected and written before the next update, and at the end. `known` contains the
 * existing products with the rows' slugs, locked.
 */
export async function writeRows(
  shop: Shop,
  settings: Settings,
  rows: ImportRow[],
  known: Product[],
): Promise<Map<number, RowResult>> {
  const bySlug = new Map(known.map((product) => [product.slug, product]));
  const results: RowResult[] = [];
  let fresh: NewRow[] = [];
  const createFresh = async () => {
    results.push(...(await createRows(shop, settings, fresh)));
    fresh = [];
  };
  for (const row of rows) {
    const before = bySlug.get(row.input.slug);
    const planned = planRow(shop, settings, row, before);
    if ('errors' in planned) results.push(planned);
    else if (!before) fresh.push({ ...row, plan: planned });
    else if (isAsPlanned(before, planned, settings.update_inventory ?? false)) {
      results.push({ ...resultOf(row), status: 'unchanged', product_id: before.id });
    } else {
      await createFresh();
      results.push(await writeRow(shop, settings, row, before));
    }
  }
  await createFresh();
  return new Map(results.map((result) => [result.index, result]));
}

export function refusedRow(index: number, slug: string | null, errors: ValidationErrorItem[]): RowResult {
  return { index, slug, status: 'failed', product_id: null, errors };
}

function resultOf({ index, input }: ImportRow) {
  return { index, slug: input.slug, errors: [] };
}

function planRow(
  shop: Shop,
  settings: Settings,
  { index, input }: ImportRow,
  before: Product | undefined,
): ProductPlan | RowResult {
  try {
    return planProduct(inputFor(settings, input, before), shop.currencyDigits, ['body', 'products', index], before);
  } catch (error) {
    if (error instanceof ValidationError) return refusedRow(index, input.slug, error.detail);
    throw error;
  }
}

function inputFor(
  { drafts_without_price }: Settings,
  input: ProductImport,
  before: Product | undefined,
): ProductImport {
  return drafts_without_price ? draftIfPriceless(input, before) : input;
}

/** Thrown to roll back a savepoint: in a dry run, or if nothing was written. */
class Undo<T> {
  readonly outcome: T;

  constructor(outcome: T) {
    this.outcome = outcome;
  }
}

async function createRows(shop: Shop, settings: Settings, rows: NewRow[]): Promise<RowResult[]> {
  const [first] = rows;
  if (!first) return [];
  if (rows.length === 1) return [await writeRow(shop, settings, first, undefined)];
  const ids = await createTogether(shop, settings, rows);
  if (!ids) {
    const middle = Math.ceil(rows.length / 2);
    const begun = await createRows(shop, settings, rows.slice(0, middle));
    return [...begun, ...(await createRows(shop, settings, rows.slice(middle)))];
  }
  return rows.map((row, i) => ({
    ...resultOf(row),
    status: 'created',
    product_id: settings.dry_run ? null : (ids[i] ?? null),
  }));
}

/**
 * Creates the products of several rows and returns their ids. If any is rejected, writes nothing and returns undefined.
 * A dry run rolls the products back.
 */
async function createTogether(shop: Shop, { dry_run }: Settings, rows: NewRow[]): Promise<string[] | undefined> {
  const plans = rows.map(({ plan, input }) => ({ ...plan, slug: input.slug }));
  try {
    return await shop.savepoint(async () => {
      const ids = await products.insertAll(shop, plans, 'import');
      if (!ids || dry_run) throw new Undo(ids);
      return ids;
    });
  } catch (error) {
    if (error instanceof Undo) return error.outcome;
    if (refusalIn(error)) return undefined;
    throw error;
  }
}

/** Writes a row in a savepoint. */
async function writeRow(shop: Shop, settings: Settings, row: ImportRow, before: Product | undefined) {
  const { index, input } = row;
  try {
    return await shop.savepoint(async () => {
      const outcome = await write(shop, settings, row, before);
      if (outcome.status === 'unchanged') throw new Undo(outcome);
      if (settings.dry_run)
        throw new Undo({ ...outcome, product_id: outcome.status === 'created' ? null : outcome.product_id });
      return outcome;
    });
  } catch (error) {
    if (error instanceof Undo) return error.outcome;
    if (error instanceof ValidationError) return refusedRow(index, input.slug, error.detail);
    const refusal = refusalIn(error);
    if (!refusal) throw error;
    const { field, code, msg, context } = refusal;
    const taken = code === 'sku_taken' ? await takenSkus(shop, input, ['body', 'products', index]) : [];
    if (taken.length > 0) return refusedRow(index, input.slug, taken);
    return refusedRow(index, input.slug, [bodyMistake(['products', index, ...field], code, msg, context)]);
  }
}

const REFUSALS: Partial<Record<string, { field: string[]; msg: string }>> = {
  sku_taken: { field: [], msg: 'A SKU of this row belongs to a variant of another product.' },
  option_name_taken: { field: ['options'], msg: 'Two options have the same name.' },
  variant_options_taken: { field: ['variants'], msg: 'Two variants have the same option values.' },
  insufficient_stock: { field: [], msg: 'Stock below zero requires inventory_policy continue.' },
};

/** Converts a ShopError or a violated constraint to the result of the row; undefined for any other error. */
function refusalIn(error: unknown) {
  const { code, message, context } =
    error instanceof ShopError ? error : { code: codeOf(error), message: '', context: {} };
  const { field, msg } = REFUSALS[code] ?? { field: [], msg: message };
  return msg ? { field, code, msg, context } : undefined;
}

function codeOf(error: unknown): string {
  const { constraint = '' } = error as { constraint?: string };
  return isSkuTaken({ constraint }) ? 'sku_taken' : constraint;
}

async function write(shop: Shop, settings: Settings, row: ImportRow, known: Product | undefined): Promise<RowResult> {
  const { index, input } = row;
  const { update_inventory = false } = settings;
  const loc = ['body', 'products', index];
  for (let before = known; ; before = await lockBySlug(shop, input.slug)) {
    const plan = planProduct(inputFor(settings, input, before), shop.currencyDigits, loc, before);
    if (before) {
      const { id: product_id } = before;
      if (isAsPlanned(before, plan, update_inventory)) return { ...resultOf(row), status: 'unchanged', product_id };
      await updateProduct(shop, before, plan, { update_inventory, from: 'import' });
      const after = await products.get(shop, product_id);
      const status = comparable(before) === comparable(after) ? 'unchanged' : 'updated';
      return { ...resultOf(row), status, product_id };
    }
    const [product_id] = (await products.insertAll(shop, [{ ...plan, slug: input.slug }], 'import')) ?? [];
    if (product_id) return { ...resultOf(row), status: 'created', product_id };
    // A concurrent request has created the product, so it can be updated now.
  }
}

/** The product as text without `updated_at` and ids, which do not count as changes. */
function comparable(product: Product): string {
  return JSON.stringify(product, (key, value: unknown) => (key === 'updated_at' || key === 'id' ? undefined : value));
}
