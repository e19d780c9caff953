import type { Product } from '@commerce-backend/spec';
import { stringify } from 'csv-stringify/sync';
import { shopifyRows } from './shopify-rows.ts';

/** Writes products as Shopify's product CSV. The header contains the metafields of all products. */
export async function* writeShopify(
  products: AsyncIterable<Product>,
  now = new Date(),
  options: { forSpreadsheets?: boolean } = {},
): AsyncGenerator<string> {
  const all: Product[] = [];
  for await (const product of products) all.push(product);
  for (const row of shopifyRows(all, now, options)) yield stringify([row]);
}
