import { randomBytes } from 'node:crypto';
import type { ProductImport } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { type Connection, query } from '../db/connect.ts';
import type { RowOf } from '../db/row-of.ts';
import { inTransaction } from '../db/transaction.ts';
import * as collections from '../shop/catalog/collections.ts';
import * as discountCodes from '../shop/discounts/codes.ts';
import * as settings from '../shop/merchant/settings.ts';
import { createSite, mintPassword } from '../shop/merchant/sites.ts';
import { importProducts } from '../shop/products/import.ts';
import * as shippingOptions from '../shop/shipping/options.ts';
import type { Shop } from '../shop/shop.ts';
import { demoProducts } from './catalog.ts';
import { demoCollections } from './collections.ts';
import { offerDraft } from './draft.ts';
import { demoLegal } from './legal.ts';
import { giveAccounts } from './people.ts';
import { type DemoActors, sellAll, sellByCard } from './sell.ts';
import { type DemoCredentials, type DemoOptions, reopenDemo, storeDemo } from './stored.ts';
import { demoDiscounts, demoSettings, demoShippingOptions } from './terms.ts';

const SHOP_NAME = 'Alder & Finch';
const CURRENCY = 'EUR';
const STAFF_NAME = 'Mina Alder';
const STAFF_EMAIL = 'demo@alder-finch.example';

/**
 * Creates the demo shop on the first call. Later calls return the credentials in `demo.json` in the data directory. The
 * file is written just before the commit, so that after a crash there is either no shop or a shop with known
 * credentials. Orders paid by card are created after the commit, so a crash may leave some of them out.
 */
export async function seedDemo(options: DemoOptions): Promise<{ demo: DemoCredentials; seeded: boolean }> {
  const stored = await reopenDemo(options);
  if (stored) return { demo: stored, seeded: false };
  const staffPassword = await mintPassword();
  const { demo, actors } = await inTransaction(options.db, async (connection) => {
    const { shop, credentials } = await createSite(connection, {
      name: SHOP_NAME,
      currency: CURRENCY,
      staff: { email: await freeEmail(connection), name: STAFF_NAME },
      password: staffPassword,
      // The key of `commerce login --demo`, with scopes that `write` does not include.
      key_scopes: ['read', 'write', 'orders:payments', 'payments:write', 'keys:write'],
      // The sync key for the write operations in docs/sync.md.
      sync_scopes: ['read', 'write'],
    });
    await importCatalogue(shop, options.baseUrl);
    await configure(shop, options.baseUrl);
    const accounts = await giveAccounts(shop);
    const actors = { ...(await actorsOf(shop)), accounts };
    await sellAll(options.db, connection, actors, options);
    await offerDraft(options.db, connection, actors, options);
    const { sync_key_id: _, staff, ...secrets } = credentials;
    const { email, password } = staff;
    if (password === null) throw new Error('Another process is creating a demo shop in this database. Try again.');
    const customers = accounts.map(({ email, password }) => ({ email, password }));
    const demo = { base_url: options.baseUrl, ...secrets, staff: { email, password }, customers };
    await storeDemo(options, demo);
    return { demo, actors };
  });
  await sellByCard(options.db, actors, options);
  return { demo, seeded: true };
}

/** Configures settings, shipping options and discount codes. */
async function configure(shop: Shop, baseUrl: string): Promise<void> {
  await settings.update(shop, { ...demoSettings, legal: demoLegal(baseUrl, shop.siteId) }, baseUrl);
  for (const option of demoShippingOptions) await shippingOptions.create(shop, option);
  for (const discount of demoDiscounts) await discountCodes.create(shop, discount);
}

/** The tenant of a new shop, and the staff member and guest who act in it. */
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

/** An e-mail address without a login. Another installation may have created its demo shop in the same database. */
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
