import { unwrap } from '@commerce-backend/sdk';
import { api, type Inputs } from '../../../api.ts';
import { rejection } from '../../../language/sentences.ts';
import { t } from '../../../language/texts.ts';
import { isUnread } from '../../../ui/typed-number.ts';
import type { Product } from './bulk-queries.ts';

export const TEXT_FIELDS = ['price', 'compare_at_price', 'sku', 'barcode'] as const;
export const FIELDS = [...TEXT_FIELDS, 'stock'] as const;
export type Field = (typeof FIELDS)[number];

export interface Row {
  product: Product;
  variant: Product['variants'][number];
  name: string;
}

/** Typed values by `cellOf`; cells that have the saved value are absent. */
export type Edits = ReadonlyMap<string, string>;
export type Errors = ReadonlyMap<string, string>;

export function cellOf(variant_id: string, field: Field): string {
  return `${variant_id} ${field}`;
}

export function rowsOf(products: Product[]): Row[] {
  return products.flatMap((product) =>
    product.variants.map((variant) => {
      const options = [variant.option1, variant.option2, variant.option3].filter(Boolean).join(' / ');
      return { product, variant, name: options ? `${product.name}, ${options}` : product.name };
    }),
  );
}

/** The saved value of a cell as text. */
export function savedIn({ variant }: Row, field: Field): string {
  return field === 'stock' ? String(variant.inventory_quantity) : (variant[field] ?? '');
}

export function isEditable({ product }: Row, field: Field, canCount: boolean): boolean {
  return field !== 'stock' || (canCount && product.track_inventory);
}

/** The error of a typed value; undefined if the value can be sent. */
export function mistakeIn(field: Field, value: string): string | undefined {
  if (field === 'price' && value === '') return t('Enter a price.');
  if (isUnread(value)) return t('Not an amount.');
  if (field === 'stock' && !/^-?\d{1,9}$/.test(value)) return t('Not a whole number.');
  return undefined;
}

/** Maximum number of rows per call. */
const MOST_ROWS = 500;

/** Saves the changed cells. Returns the errors of rejected cells. */
export async function save(rows: Row[], edits: Edits): Promise<Map<string, string>> {
  const errors = new Map<string, string>();
  const variants = rows.flatMap((row) => variantRow(row, edits) ?? []);
  for (let at = 0; at < variants.length; at += MOST_ROWS) {
    const some = variants.slice(at, at + MOST_ROWS);
    const { results } = await unwrap(api.POST('/api/dashboard/products/variants', { body: { variants: some } }));
    for (const [i, result] of results.entries()) {
      const { variant_id, status, field } = result;
      if (status !== 'failed') continue;
      const sent = TEXT_FIELDS.find((name) => some[i]?.[name] !== undefined);
      errors.set(cellOf(variant_id, TEXT_FIELDS.find((name) => name === field) ?? sent ?? 'price'), rejection(result));
    }
  }
  const adjustments = rows.flatMap((row) => adjustmentOf(row, edits) ?? []);
  for (let at = 0; at < adjustments.length; at += MOST_ROWS) {
    const body = { reason: 'correction' as const, adjustments: adjustments.slice(at, at + MOST_ROWS) };
    const { results } = await unwrap(api.POST('/api/dashboard/inventory/adjust', { body }));
    for (const result of results) {
      const variant_id = body.adjustments[result.index]?.variant_id;
      if (result.status === 'failed' && variant_id) errors.set(cellOf(variant_id, 'stock'), rejection(result));
    }
  }
  return errors;
}

/** The changed fields of a row with the values that the user has seen; undefined without changes. */
function variantRow(row: Row, edits: Edits): Inputs['VariantRow'] | undefined {
  const { id: variant_id } = row.variant;
  const changed = TEXT_FIELDS.filter((field) => edits.has(cellOf(variant_id, field)));
  if (changed.length === 0) return undefined;
  const values = changed.map((field) => [field, edits.get(cellOf(variant_id, field)) || null]);
  const seen = changed.map((field) => [field, row.variant[field]]);
  return { variant_id, ...Object.fromEntries(values), expected: Object.fromEntries(seen) };
}

function adjustmentOf({ variant }: Row, edits: Edits) {
  const typed = edits.get(cellOf(variant.id, 'stock'));
  if (typed === undefined) return undefined;
  return { variant_id: variant.id, set_to: Number(typed), expected_quantity: variant.inventory_quantity };
}

/** Number of products that are fetched concurrently. */
const CONCURRENT = 6;

/** Fetches the current data of the products. Leaves out those that cannot be read, such as deleted ones. */
export async function currentProducts(products: Product[]): Promise<Product[]> {
  const current: Product[] = [];
  for (let at = 0; at < products.length; at += CONCURRENT) {
    const answers = await Promise.all(
      products.slice(at, at + CONCURRENT).map(({ id }) => {
        const params = { path: { product_id: id } };
        return api.GET('/api/dashboard/products/{product_id}', { params });
      }),
    );
    current.push(...answers.flatMap(({ data }) => data ?? []));
  }
  return current;
}
