/**
 * Reads the stock of a shop with several locations. Its product export contains no stock, and its inventory export has
 * a row per location.
 */

import type { ProductImport, VariantInput } from '@commerce-backend/spec';
import type { Read } from '../formats/reading.ts';
import { openTable, readText } from '../formats/text-file.ts';

/** Stock of each variant, summed over all locations, by `keyOf`. */
export type Stock = Map<string, number>;

const QUANTITIES = ['available (not editable)', 'available', 'on hand (current)', 'on hand'];

/** Whether these column names in lower case are those of Shopify's inventory CSV. */
export function isInventory(names: ReadonlySet<string>): boolean {
  return names.has('handle') && names.has('location') && QUANTITIES.some((name) => names.has(name));
}

/** Adds the rows of an inventory CSV to the stock. A location without the variant has no number and counts as zero. */
export async function readStock(path: string, stock: Stock, encoding?: string): Promise<void> {
  const { header, rows } = await openTable(path, (await readText(path, encoding)).replace(/^\uFEFF/, ''));
  const names = header.map((name) => name.trim().toLowerCase());
  const at = (name: string) => names.indexOf(name);
  const quantity = QUANTITIES.map(at).find((index) => index >= 0) ?? -1;
  const options = ['option1 value', 'option2 value', 'option3 value'].map(at);
  for await (const { cells } of rows) {
    const text = cells[quantity]?.trim() ?? '';
    if (!/^-?\d{1,9}$/.test(text)) continue;
    const key = keyOf(
      cells[at('handle')] ?? '',
      options.map((index) => cells[index]),
    );
    stock.set(key, (stock.get(key) ?? 0) + Number(text));
  }
}

function keyOf(handle: string, values: (string | null | undefined)[]): string {
  const options = values
    .map((value) => value?.trim() ?? '')
    .filter((value) => value !== '' && value !== 'Default Title');
  return [handle.trim(), ...options].join('\n').toLowerCase();
}

/**
 * Adds stock to a product's variants if the product file has none. Negative stock is kept only for variants that may be
 * sold without stock.
 */
export function withStock(read: Read, stock: Stock): Read {
  if (stock.size === 0 || !('product' in read) || !read.handle) return read;
  const { handle } = read;
  const stocked = <Part extends VariantInput | ProductImport>(
    part: Part,
    values: (string | null | undefined)[],
  ): Part => {
    const found = stock.get(keyOf(handle, values));
    if (found === undefined || part.inventory_quantity !== undefined) return part;
    return { ...part, inventory_quantity: part.inventory_policy === 'continue' ? found : Math.max(0, found) };
  };
  const { product } = read;
  if (!product.variants) return { ...read, product: stocked(product, []) };
  const variants = product.variants.map((each) => stocked(each, [each.option1, each.option2, each.option3]));
  return { ...read, product: { ...product, variants } };
}
