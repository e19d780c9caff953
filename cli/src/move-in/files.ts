import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { usageError } from '../errors.ts';
import { columnsOf, detectFormat } from '../formats/detect.ts';
import { headOf } from '../formats/read.ts';
import { isShopifyCustomers } from '../formats/shopify-customers.ts';
import { isShopifyOrders } from '../formats/shopify-orders.ts';
import { isInventory } from './stock.ts';

/** The export files in a folder, recognized by their content. */
export interface Exports {
  products: string[];
  customers: string[];
  orders: string[];
  redirects: string[];
  inventory: string[];
  /** Names of the other CSV, ZIP and JSON Lines files. */
  others: string[];
}

/** File names for the redirects. The second is used if the old shop's own export has the first name. */
const WRITTEN = ['redirects.csv', 'new-redirects.csv'];

/** Finds the export files. Throws a usage error if there are no products, customers or orders. */
export async function findExports(folder: string): Promise<Exports> {
  const found: Exports = { products: [], customers: [], orders: [], redirects: [], inventory: [], others: [] };
  const names = (await readdir(folder)).filter((name) => /\.(?:csv|zip|jsonl)$/i.test(name)).sort(inOrder);
  for (const name of names) {
    const path = join(folder, name);
    const head = /\.csv$/i.test(name) ? await headOf(path) : '';
    const kind = head === '' ? 'others' : kindOf(head, name);
    if (kind !== 'others') found[kind].push(path);
    else if (!isOurs(head, name)) found.others.push(name);
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

/** Whether an earlier `move-in` has written the file. */
function isOurs(head: string, name: string): boolean {
  return WRITTEN.includes(name) && /^from,to\r?\n/.test(head);
}

/** Default path for the redirects. Never overwrites a file of the user. */
export function redirectsPath(folder: string, exports: Exports): string {
  const theirs = new Set([...readFiles(exports), ...exports.others.map((name) => join(folder, name))]);
  const paths = WRITTEN.map((name) => join(folder, name));
  const free = paths.find((path) => !theirs.has(path));
  if (free) return free;
  throw usageError(`${paths.join(' and ')} are in the way.`, 'Give another file with --redirects.');
}

/** Throws a usage error if an output file would overwrite an export. */
export function refuseOver(exports: Exports, ...written: (string | undefined)[]): void {
  const theirs = new Set(readFiles(exports).map((path) => resolve(path)));
  const over = written.find((path) => path !== undefined && theirs.has(resolve(path)));
  if (over) throw usageError(`${over} is one of the exports.`, 'Give another file to write to.');
}

/** The files in the order in which they are read. */
export function readFiles({ products, inventory, customers, orders, redirects }: Exports): string[] {
  return [...products, ...inventory, ...customers, ...orders, ...redirects];
}

/** Natural order: `products_export_2.csv` comes before `products_export_10.csv`. */
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
