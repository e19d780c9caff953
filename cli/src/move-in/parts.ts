import { basename } from 'node:path';
import { type DashboardClient, unwrap } from '@commerce-backend/sdk';
import { readCustomers } from '../formats/customers.ts';
import { readOrders } from '../formats/orders.ts';
import { readProducts } from '../formats/read.ts';
import type { Read, Warning } from '../formats/reading.ts';
import { NO_STOCK } from '../formats/shopify-metadata.ts';
import { importProducts } from '../import/products.ts';
import { sendRecords } from '../import/records.ts';
import type { SharedSkuRule } from '../import/shared-skus.ts';
import type { Exports } from './files.ts';
import { Findings } from './findings.ts';
import { readStock, type Stock, withStock } from './stock.ts';

/** Number of records of one kind, by result. */
export interface PartCounts {
  created: number;
  updated: number;
  unchanged: number;
  refused: number;
}

/** Results of all parts of the import. */
export interface Outcome {
  counts: Record<'products' | 'customers' | 'orders', PartCounts>;
  findings: Findings;
  /** Slugs of imported products by their handle in the old shop. */
  slugs: Map<string, string>;
}

export interface MoveSettings {
  client: DashboardClient;
  dry_run: boolean;
  duplicateSkus: SharedSkuRule;
  numberPrefix: string;
  /** Undefined means that the encoding is detected. */
  encoding: string | undefined;
  /** Called after each response. */
  sent: (part: keyof Outcome['counts'], counts: PartCounts) => void;
}

/**
 * Imports all parts in the order of their dependencies; with `dry_run` only checks them. Throws the error that ended
 * the import.
 */
export async function moveAll(exports: Exports, settings: MoveSettings): Promise<Outcome> {
  const outcome: Outcome = {
    counts: { products: noneYet(), customers: noneYet(), orders: noneYet() },
    findings: new Findings(),
    slugs: new Map(),
  };
  await moveProducts(exports, settings, outcome);
  for (const path of exports.customers) await moveCustomers(path, settings, outcome);
  for (const path of exports.orders) await moveOrders(path, settings, outcome, exports.products.length > 0);
  return outcome;
}

function noneYet(): PartCounts {
  return { created: 0, updated: 0, unchanged: 0, refused: 0 };
}

/** Imports all product files together, because variants in different files may have the same SKU. */
async function moveProducts(exports: Exports, settings: MoveSettings, outcome: Outcome): Promise<void> {
  const { client, dry_run, duplicateSkus, encoding, sent } = settings;
  const { findings, slugs } = outcome;
  const counts = outcome.counts.products;
  const stock: Stock = new Map();
  for (const path of exports.inventory) await readStock(path, stock, encoding);
  const fileOf = new Map<string, string>();
  let file = '';
  async function* reads(): AsyncGenerator<Read> {
    for (const path of exports.products) {
      file = basename(path);
      const onWarning = ({ line, message }: Warning) => {
        if (stock.size === 0 || !message.startsWith(NO_STOCK)) findings.warn(file, line, message);
      };
      for await (const read of readProducts(path, { onWarning, ...(encoding && { encoding }) })) {
        const slug = 'product' in read ? read.product.slug : read.slug;
        if (slug) fileOf.set(slug, file);
        if ('product' in read && read.handle) slugs.set(read.handle, read.product.slug);
        yield withStock(read, stock);
      }
    }
  }
  await importProducts(reads(), duplicateSkus, {
    client,
    settings: { dry_run, update_inventory: false },
    counts,
    sent: () => sent('products', counts),
    // When the response arrives, the import may already read another file.
    warned: ({ line, message, slug }) => findings.warn((slug && fileOf.get(slug)) || file, line, message),
    refused: ({ slug, errors }) => {
      findings.refuse((slug && fileOf.get(slug)) || file, errors, slug);
      for (const [handle, own] of slugs) if (own === slug) slugs.delete(handle);
    },
  });
}

async function moveCustomers(
  path: string,
  { client, dry_run, encoding, sent }: MoveSettings,
  outcome: Outcome,
): Promise<void> {
  const { findings } = outcome;
  const file = basename(path);
  const warned = (line: number, message: string) => findings.warn(file, line, message);
  const counts = await sendRecords(readCustomers(path, warned, encoding), {
    warned,
    refused: (errors, name) => findings.refuse(file, errors, name),
    sent: (done) => sent('customers', plus(outcome.counts.customers, done)),
    noun: 'customer',
    post: (customers) => unwrap(client.POST('/api/dashboard/customers/import', { body: { customers, dry_run } })),
  });
  outcome.counts.customers = plus(outcome.counts.customers, counts);
}

async function moveOrders(
  path: string,
  { client, dry_run, numberPrefix: prefix, encoding, sent }: MoveSettings,
  outcome: Outcome,
  withProducts: boolean,
): Promise<void> {
  const { findings } = outcome;
  const file = basename(path);
  const warn = (line: number, message: string) => findings.warn(file, line, message);
  const counts = await sendRecords(readOrders(path, { warn, prefix, encoding }), {
    warned: warn,
    refused: (errors, name) => findings.refuse(file, errors, name),
    sent: (done) => sent('orders', plus(outcome.counts.orders, done)),
    noun: 'order',
    post: (orders) => unwrap(client.POST('/api/dashboard/orders/import', { body: { orders, dry_run } })),
    // In a dry run the products are not stored, so orders cannot find their variants.
    ignores: ({ type }) => dry_run && withProducts && type === 'variant_not_found',
  });
  outcome.counts.orders = plus(outcome.counts.orders, counts);
}

function plus(one: PartCounts, { created, updated, unchanged, failed }: Parameters<Sent>[0]): PartCounts {
  return {
    created: one.created + created,
    updated: one.updated + updated,
    unchanged: one.unchanged + unchanged,
    refused: one.refused + failed,
  };
}

type Sent = NonNullable<Parameters<typeof sendRecords>[1]['sent']>;
