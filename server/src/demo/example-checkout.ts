import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { RowOf } from '../db/row-of.ts';
import * as carts from '../shop/carts/carts.ts';
import * as checkouts from '../shop/checkout/checkouts.ts';
import { ShopError } from '../shop/errors.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { withoutHosts } from '../shop/links.ts';
import type { CheckoutDeps } from '../shop/payments/deps.ts';
import { createTestProvider } from '../shop/payments/test-provider.ts';
import type { Shop } from '../shop/shop.ts';

export interface CheckoutSettings {
  baseUrl: string;
  secretKey: string;
}

export function checkoutDepsOf(db: Pool, { baseUrl, secretKey }: CheckoutSettings): CheckoutDeps {
  return { baseUrl, hosts: withoutHosts(baseUrl), secretKey, card: createTestProvider({ db, baseUrl }) };
}

const EXAMPLE_ITEMS = { 'KH-MUG-OAT': 2, 'LT-TOWEL3': 1 };

/**
 * Creates a cart and a checkout to try out, and returns the checkout's URL. The stock is reserved for 15 minutes.
 * Returns undefined if the shop no longer sells the products.
 */
export async function openCheckout(db: Pool, site_id: string, settings: CheckoutSettings): Promise<string | undefined> {
  try {
    return await inShopAsSystem(db, site_id, async (shop) => {
      const { id: cart_id } = await carts.create(shop);
      await fillCart(shop, cart_id, EXAMPLE_ITEMS);
      const { checkout_url } = await checkouts.create(shop, checkoutDepsOf(db, settings), cart_id);
      return checkout_url ?? undefined;
    });
  } catch (error) {
    // Users of the demo shop may have deleted, renamed or sold the products.
    if (error instanceof ShopError) return undefined;
    throw error;
  }
}

export async function fillCart(shop: Shop, cart_id: string, items: Record<string, number>): Promise<void> {
  for (const [sku, quantity] of Object.entries(items)) {
    const variant = await shop.one<RowOf<'variants', 'id'>>(
      sql`select id from variants where site_id = ${shop.siteId} and sku = ${sku}`,
    );
    if (!variant) throw new ShopError('not_found', `There is no ${sku} in the demo shop.`);
    await carts.addItem(shop, cart_id, { variant_id: variant.id, quantity });
  }
}
