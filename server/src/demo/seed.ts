import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProductImport } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { type Connection, query } from '../db/connect.ts';
import type { RowOf } from '../db/row-of.ts';
import { inTransaction, queryAlone } from '../db/transaction.ts';
import * as collections from '../shop/catalog/collections.ts';
import * as discountCodes from '../shop/discounts/codes.ts';
import * as settings from '../shop/merchant/settings.ts';
import { createSite, mintPassword } from '../shop/merchant/sites.ts';
import { importProducts } from '../shop/products/import.ts';
import * as shippingOptions from '../shop/shipping/options.ts';
import type { Shop } from '../shop/shop.ts';
import { demoProducts } from './catalog.ts';
import { demoCollections } from './collections.ts';
import { demoLegal } from './legal.ts';
import { giveAccounts } from './people.ts';
import { type DemoActors, sellAll, sellByCard } from './sell.ts';
import { demoDiscounts, demoSettings, demoShippingOptions } from './terms.ts';

/** The content of `demo.json`: everything needed to try the demo shop. Generated at random for each installation. */
export interface DemoCredentials {
  base_url: string;
  site_id: string;
  merchant_id: string;
  storefront_token: string;
  api_key: string;
  sync_secret: string;
  staff: { email: string; password: string };
  customers: { email: string; password: string }[];
}

export interface SeedOptions {
  db: Pool;
  dataDir: string;
  baseUrl: string;
  secretKey: string;
}

const SHOP_NAME = 'Alder & Finch';
const CURRENCY = 'EUR';
const STAFF_NAME = 'Mina Alder';
const STAFF_EMAIL = 'demo@alder-finch.example';

/**
 * Creates the demo shop on the first call, and afterwards returns the credentials from `demo.json` in the data directory. That
 * file decides: it is written just before the commit, so a crash leaves either no shop, or a shop whose credentials are known.
 * Orders paid by card are placed after that, so a crash may leave some of them out.
 */
export async function seedDemo(options: SeedOptions): Promise<{ demo: DemoCredentials; seeded: boolean }> {
  const kept = await storedDemo(options);
  if (kept) return { demo: await moveAddresses(options, kept), seeded: false };
  const staffPassword = await mintPassword();
  const { demo, actors } = await inTransaction(options.db, async (connection) => {
    const { shop, credentials } = await createSite(connection, {
      name: SHOP_NAME,
      currency: CURRENCY,
      staff: { email: await freeEmail(connection), name: STAFF_NAME },
      password: staffPassword,
      // `commerce login --demo` uses this key, and may try everything.
      key_scopes: ['read', 'write', 'payments:write', 'keys:write'],
      // The write operations of docs/sync.md are tried with its sync key.
      sync_scopes: ['read', 'write'],
    });
    await importCatalogue(shop, options.baseUrl);
    await configure(shop, options.baseUrl);
    const accounts = await giveAccounts(shop);
    const actors = { ...(await actorsOf(shop)), accounts };
    await sellAll(options.db, connection, actors, options);
    const { sync_key_id: _, staff, ...secrets } = credentials;
    const { email, password } = staff;
    if (password === null) throw new Error('Another process is creating a demo shop in this database. Try again.');
    const customers = accounts.map(({ email, password }) => ({ email, password }));
    const demo = { base_url: options.baseUrl, ...secrets, staff: { email, password }, customers };
    await store(options, demo);
    return { demo, actors };
  });
  await sellByCard(options.db, actors, options);
  return { demo, seeded: true };
}

/** Whether the database has shops, but not the demo shop of this data directory. */
export async function holdsOnlyOthers(options: Pick<SeedOptions, 'db' | 'dataDir'>): Promise<boolean> {
  if (await storedDemo(options)) return false;
  const { rowCount } = await queryAlone(options.db, sql`select from sites limit 1`);
  return rowCount === 1;
}

/** Sets up the shop for selling: settings, shipping options and discount codes. */
async function configure(shop: Shop, baseUrl: string): Promise<void> {
  await settings.update(shop, { ...demoSettings, legal: demoLegal(baseUrl, shop.siteId) }, baseUrl);
  for (const option of demoShippingOptions) await shippingOptions.create(shop, option);
  for (const discount of demoDiscounts) await discountCodes.create(shop, discount);
}

/** The actors of a new shop. */
async function actorsOf(shop: Shop): Promise<Pick<DemoActors, 'tenant' | 'staff' | 'guest'>> {
  const token = await shop.one<RowOf<'tokens', 'id'>>(
    sql`select id from tokens where site_id = ${shop.siteId} and kind = 'storefront'`,
  );
  return {
    tenant: {
      site_id: shop.siteId,
      merchant_id: shop.merchantId,
      currency: shop.currency,
      currency_digits: shop.currencyDigits,
      show_stock: shop.showStock,
      catalog_version: shop.catalogVersion,
    },
    staff: { type: shop.actorType, id: shop.actorId, customer_id: null },
    guest: { type: 'storefront', id: token?.id ?? shop.siteId, customer_id: null },
  };
}

/** The demo shop of an earlier start, if this database has it. */
async function storedDemo({ db, dataDir }: Pick<SeedOptions, 'db' | 'dataDir'>): Promise<DemoCredentials | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const demo = JSON.parse(text) as DemoCredentials;
  const { rowCount } = await queryAlone(db, sql`select from sites where site_id = ${demo.site_id}`);
  return rowCount ? demo : undefined;
}

/** Changes the addresses of the images and the legal pages if the server's address has changed. */
async function moveAddresses(options: SeedOptions, demo: DemoCredentials): Promise<DemoCredentials> {
  const { db, baseUrl } = options;
  if (demo.base_url === baseUrl) return demo;
  const [from, to] = [imagesAt(demo.base_url), imagesAt(baseUrl)];
  const { site_id } = demo;
  await inTransaction(db, async (connection) => {
    await query(connection, sql`select set_config('app.site_id', ${site_id}, true)`);
    await query(
      connection,
      sql`update product_images set url = replace(url, ${from}, ${to})
        where site_id = ${site_id} and starts_with(url, ${from})`,
    );
    await query(
      connection,
      sql`update variants set image_url = replace(image_url, ${from}, ${to})
        where site_id = ${site_id} and starts_with(image_url, ${from})`,
    );
    await query(
      connection,
      sql`update order_lines set image_url = replace(image_url, ${from}, ${to})
        where site_id = ${site_id} and starts_with(image_url, ${from})`,
    );
    await query(
      connection,
      sql`update collections set image_url = replace(image_url, ${from}, ${to})
        where site_id = ${site_id} and starts_with(image_url, ${from})`,
    );
    await query(
      connection,
      sql`update site_settings
        set legal = replace(legal::text, ${`"${demo.base_url}/demo-shop/`}, ${`"${baseUrl}/demo-shop/`})::jsonb
        where site_id = ${site_id}`,
    );
  });
  const moved = { ...demo, base_url: baseUrl };
  await store(options, moved);
  return moved;
}

/** An unused login: another installation may have created its demo shop in the same database. */
async function freeEmail(connection: Connection): Promise<string> {
  const { rowCount } = await query(connection, sql`select from staff where lower(email) = ${STAFF_EMAIL}`);
  return rowCount ? STAFF_EMAIL.replace('@', `-${randomBytes(3).toString('hex')}@`) : STAFF_EMAIL;
}

async function importCatalogue(shop: Shop, baseUrl: string): Promise<void> {
  const products = demoProducts.map((product) => withImages(product, baseUrl));
  const { results } = await importProducts(shop, { products }, () => []);
  const failed = results.filter(({ status }) => status === 'failed');
  if (failed.length > 0) throw new Error(`The demo catalogue is invalid: ${JSON.stringify(failed[0])}`);
  const idOf = new Map(results.map(({ slug, product_id }) => [slug, product_id ?? '']));
  for (const { product_slugs, ...collection } of demoCollections) {
    await collections.create(shop, {
      ...collection,
      image_url: absolute(collection.image_url, baseUrl),
      ...(product_slugs && { product_ids: product_slugs.map((slug) => idOf.get(slug) ?? '') }),
    });
  }
}

function withImages(product: ProductImport, baseUrl: string): ProductImport {
  return {
    ...product,
    images: product.images?.map((image) => ({ ...image, url: absolute(image.url, baseUrl) ?? '' })),
    variants: product.variants?.map((variant) => ({ ...variant, image_url: absolute(variant.image_url, baseUrl) })),
  };
}

function absolute(path: string | null | undefined, baseUrl: string): string | null {
  return path ? `${baseUrl}${path}` : null;
}

function imagesAt(baseUrl: string): string {
  return `${baseUrl}/demo-images/`;
}

/** Written to a temporary file and renamed: nobody reads half of it, and only the owner may read it. */
async function store({ dataDir }: SeedOptions, demo: DemoCredentials): Promise<void> {
  const draft = `${fileIn(dataDir)}.new`;
  await writeFile(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, fileIn(dataDir));
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'demo.json');
}
