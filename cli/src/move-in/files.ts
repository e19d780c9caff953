import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../errors.ts';
import { columnsOf, detectFormat } from '../formats/detect.ts';
import { headOf } from '../formats/read.ts';
import { isShopifyCustomers } from '../formats/shopify-customers.ts';
import { isShopifyOrders } from '../formats/shopify-orders.ts';
import { isInventory } from './stock.ts';

/** The exports of a shop in a folder, told apart by what is in them. */
export interface Exports {
  products: string[];
  customers: string[];
  orders: string[];
  redirects: string[];
  inventory: string[];
  /** Files that are none of these, by their names. */
  others: string[];
}

/** What a move-in before wrote there itself. */
const OURS = new Set(['redirects.csv']);

/** Finds them. A usage error when the folder has none of products, customers and orders. */
export async function findExports(folder: string): Promise<Exports> {
  const found: Exports = { products: [], customers: [], orders: [], redirects: [], inventory: [], others: [] };
  const names = (await readdir(folder)).filter((name) => /\.(?:csv|zip|jsonl)$/i.test(name)).sort(inOrder);
  for (const name of names) {
    const path = join(folder, name);
    const kind = /\.csv$/i.test(name) ? kindOf(await headOf(path), name) : 'others';
    if (kind !== 'others') found[kind].push(path);
    else if (!OURS.has(name)) found.others.push(name);
  }
  if (found.products.length + found.customers.length + found.orders.length === 0) {
    const zip = names.find((name) => /\.zip$/i.test(name));
    const what = zip
      ? `Unpack ${zip} first.`
      : 'Put products_export.csv, customers_export.csv and orders_export.csv there.';
    throw usageError(`${folder} holds no CSV export of products, customers or orders.`, what);
  }
  return found;
}

/** `products_export_2.csv` comes before `products_export_10.csv`. */
function inOrder(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

function kindOf(head: string, name: string): keyof Exports {
  const columns = columnsOf(head.replace(/^\uFEFF/, ''));
  if (isShopifyOrders(columns)) return 'orders';
  if (columns.has('redirect from') && columns.has('redirect to')) return 'redirects';
  if (isInventory(columns)) return 'inventory';
  if (detectFormat(head, name) === 'shopify') return 'products';
  return isShopifyCustomers(columns) ? 'customers' : 'others';
}
