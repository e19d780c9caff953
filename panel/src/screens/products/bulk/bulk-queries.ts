import { unwrap } from '@commerce-backend/sdk';
import { api, type Inputs, readAgain, type Schemas } from '../../../api.ts';
import type { productQuery } from '../filters.tsx';

export type Product = Schemas['Product'];
export type BulkChange = Inputs['ProductBulkChange'];
export type BulkResult = Schemas['ProductBulkResult']['results'][number];

/** A dialog that composes a change of the selected products. */
export interface BulkDialogProps {
  products: Product[];
  busy: boolean;
  onClose: () => void;
  onChange: (change: BulkChange) => void;
}

/** Maximum number of products per call. */
const MOST_PER_CALL = 500;

/** Maximum number of products that can be selected or exported. */
export const MOST_SELECTED = 5_000;

/** Makes a change to the products, one call after another. `onProgress` gets the number of products done. */
export async function bulkUpdate(
  product_ids: string[],
  change: BulkChange,
  { dry_run = false, onProgress = () => {} }: { dry_run?: boolean; onProgress?: (done: number) => void } = {},
): Promise<BulkResult[]> {
  const results: BulkResult[] = [];
  for (let at = 0; at < product_ids.length; at += MOST_PER_CALL) {
    const body = { product_ids: product_ids.slice(at, at + MOST_PER_CALL), change, dry_run };
    results.push(...(await unwrap(api.POST('/api/dashboard/products/bulk', { body }))).results);
    onProgress(results.length);
  }
  return results;
}

/** Refetches the data that depends on products. */
export function productsChanged(): Promise<void> {
  return readAgain('products', 'collections', 'inventory', 'overview');
}

/** Fetches the products that match the filters page by page, at most `most`. */
export async function allProducts(query: ReturnType<typeof productQuery>, most = MOST_SELECTED): Promise<Product[]> {
  const products: Product[] = [];
  for (let page = 1; products.length < most; page += 1) {
    const params = { query: { ...query, page, limit: 100 } };
    const answer = await unwrap(api.GET('/api/dashboard/products', { params }));
    products.push(...answer.products);
    if (page >= answer.pages) break;
  }
  return products.slice(0, most);
}
