/** Changes many variants in one call, for an editor of several products. */

import type { VariantRow, VariantRowsResult } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { indexProducts } from '../../search/index/index-products.ts';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import { canonicalAmount } from '../money.ts';
import type { Shop } from '../shop.ts';
import { updateVariantRow } from './products.ts';
import { summarize } from './write.ts';

type Result = VariantRowsResult['results'][number];
type Field = NonNullable<Result['field']>;
type Variant = RowOf<'variants', 'id' | 'product_id' | Field>;

const FIELDS = ['price', 'compare_at_price', 'sku', 'barcode'] as const satisfies Field[];
const NAMES: Record<Field, string> = {
  price: 'price',
  compare_at_price: 'compare-at price',
  sku: 'SKU',
  barcode: 'barcode',
};

/**
 * Changes each row by the rules of a single variant. A rejected row does not stop the others. Locks the products, then
 * the variants, in order of ids, as an import does.
 */
export async function updateRows(shop: Shop, rows: VariantRow[]): Promise<VariantRowsResult> {
  refuseRepeated(rows);
  const found = new Map((await lock(shop, rows)).map((variant) => [variant.id, variant]));
  const results: Result[] = [];
  const changed = new Set<string>();
  for (const [index, row] of rows.entries()) {
    const variant = found.get(row.variant_id.toLowerCase());
    const result = variant
      ? await changeOf(shop, variant, row, index)
      : ({ status: 'failed', field: null, reason: 'not_found', message: 'There is no such variant.' } as const);
    if (variant && result.status === 'changed') changed.add(variant.product_id);
    results.push({ variant_id: row.variant_id, ...result });
  }
  if (changed.size > 0) {
    await summarize(shop, ...changed);
    await indexProducts(shop, [...changed]);
  }
  const count = (status: Result['status']) => results.filter((result) => result.status === status).length;
  return { counts: { changed: count('changed'), unchanged: count('unchanged'), failed: count('failed') }, results };
}

function refuseRepeated(rows: VariantRow[]): void {
  const ids = rows.map(({ variant_id }) => variant_id.toLowerCase());
  const mistakes = ids.flatMap((id, i) =>
    ids.indexOf(id) < i
      ? [bodyMistake(['variants', i, 'variant_id'], 'value_error', 'An earlier row has this variant.')]
      : [],
  );
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

async function lock(shop: Shop, rows: VariantRow[]): Promise<Variant[]> {
  const ids = rows.map(({ variant_id }) => variant_id);
  await shop.run(
    sql`select from products where site_id = ${shop.siteId} and id in (
        select product_id from variants where site_id = ${shop.siteId} and id = any(${ids}::uuid[]))
      order by id for update`,
  );
  return shop.rows<Variant>(
    sql`select id, product_id, price, compare_at_price, sku, barcode from variants
      where site_id = ${shop.siteId} and id = any(${ids}::uuid[]) order by id for update`,
  );
}

async function changeOf(
  shop: Shop,
  variant: Variant,
  { variant_id: _, expected = {}, ...patch }: VariantRow,
  index: number,
): Promise<Omit<Result, 'variant_id'>> {
  const stale = FIELDS.find((field) => {
    const value = expected[field];
    return value !== undefined && canonical(shop, field, value, index) !== variant[field];
  });
  if (stale) {
    const now = variant[stale] === null ? 'empty' : variant[stale];
    const message = `The ${NAMES[stale]} is now ${now}. Check it and retry.`;
    return { status: 'failed', field: stale, reason: 'value_changed', message };
  }
  try {
    const changed = await shop.savepoint(() => updateVariantRow(shop, variant.id, patch));
    return { status: changed ? 'changed' : 'unchanged', field: null, reason: null, message: null };
  } catch (error) {
    if (error instanceof ValidationError) return { ...invalid(error), status: 'failed', reason: 'invalid' };
    if (!(error instanceof ShopError) || error.code !== 'sku_taken') throw error;
    return { status: 'failed', field: 'sku', reason: 'sku_taken', message: error.message };
  }
}

function canonical(shop: Shop, field: Field, value: string | null, index: number): string | null {
  if (value === null || field === 'sku' || field === 'barcode') return value;
  return canonicalAmount(value, shop.currencyDigits, ['body', 'variants', index, 'expected', field]);
}

function invalid({ detail: [mistake] }: ValidationError): { field: Field; message: string } {
  const field = FIELDS.find((name) => name === mistake?.loc.at(-1)) ?? 'price';
  return { field, message: mistake?.msg ?? 'The value is invalid.' };
}
