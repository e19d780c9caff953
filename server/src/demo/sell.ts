import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { Connection } from '../db/connect.ts';
import type { RowOf } from '../db/row-of.ts';
import * as carts from '../shop/carts/carts.ts';
import * as cartDiscounts from '../shop/carts/discounts.ts';
import * as checkouts from '../shop/checkout/checkouts.ts';
import { complete } from '../shop/checkout/complete.ts';
import { pay } from '../shop/checkout/pay.ts';
import { settlePayments } from '../shop/checkout/settle-all.ts';
import { ShopError } from '../shop/errors.ts';
import { inShop, inShopAsSystem } from '../shop/in-shop.ts';
import { withoutHosts } from '../shop/links.ts';
import { expireUnpaid } from '../shop/orders/expiry.ts';
import * as orders from '../shop/orders/orders.ts';
import type { CheckoutDeps } from '../shop/payments/deps.ts';
import { createTestProvider } from '../shop/payments/test-provider.ts';
import { type Actor, Shop, type Tenant } from '../shop/shop.ts';
import { type DemoOrder, demoCardOrders, demoOrders } from './orders.ts';
import type { Account } from './people.ts';

/** The people who act in the demo shop. */
export interface DemoActors {
  tenant: Tenant;
  staff: Actor;
  /** A caller with only the storefront's token. */
  guest: Actor;
  accounts: Account[];
}

export interface CheckoutSettings {
  baseUrl: string;
  secretKey: string;
}

function checkoutDepsOf(db: Pool, { baseUrl, secretKey }: CheckoutSettings): CheckoutDeps {
  return { baseUrl, hosts: withoutHosts(baseUrl), secretKey, card: createTestProvider({ db, baseUrl }) };
}

/** Places all orders and handles them as the merchant would, in the transaction of the connection. */
export async function sellAll(
  db: Pool,
  connection: Connection,
  actors: DemoActors,
  settings: CheckoutSettings,
): Promise<void> {
  const checkoutDeps = checkoutDepsOf(db, settings);
  for (const order of demoOrders) {
    const buyer = new Shop(actors.tenant, actorOf(actors, order), connection);
    const checkout_id = await fillCheckout(buyer, checkoutDeps, order);
    const completion = { expected_total: undefined, payment: undefined };
    const made = await complete(buyer, checkoutDeps, checkout_id, completion, undefined);
    await runOperations(new Shop(actors.tenant, actors.staff, connection), made.order.id, order);
  }
}

/**
 * Places the orders that are paid by card; they need transactions of their own, because the card provider is called in between.
 * Then does the background jobs' work of the next minutes: expires overdue orders, and polls late results.
 */
export async function sellByCard(db: Pool, actors: DemoActors, settings: CheckoutSettings): Promise<void> {
  const checkoutDeps = checkoutDepsOf(db, settings);
  for (const order of demoCardOrders) {
    const actor = actorOf(actors, order);
    const checkout_id = await inShop(db, actors.tenant, actor, (shop) => fillCheckout(shop, checkoutDeps, order));
    const completion = { expected_total: undefined, payment: { card_token: order.card } };
    const paid = await pay(db, actors.tenant, actor, { checkoutDeps, checkout_id, completion });
    const made = await inShop(db, actors.tenant, actor, (shop) =>
      complete(shop, checkoutDeps, checkout_id, completion, paid),
    );
    await inShop(db, actors.tenant, actors.staff, (shop) => runOperations(shop, made.order.id, order));
  }
  await expireUnpaid(db, actors.tenant);
  await settlePayments(db, actors.tenant, checkoutDeps);
}

function actorOf({ accounts, guest }: DemoActors, { buyer }: DemoOrder): Actor {
  const account = accounts.find(({ email }) => email === buyer.email);
  return account ? { type: 'customer', id: account.id, customer_id: account.id } : guest;
}

/** Creates a checkout that can be completed. */
async function fillCheckout(shop: Shop, checkoutDeps: CheckoutDeps, order: DemoOrder): Promise<string> {
  const { id: cart_id } = await carts.create(shop);
  await fillCart(shop, cart_id, order.items);
  if (order.code) await cartDiscounts.apply(shop, cart_id, order.code);
  const { id } = await checkouts.create(shop, checkoutDeps, cart_id);
  await checkouts.update(shop, checkoutDeps, id, {
    email: order.buyer.email,
    shipping_address: order.buyer.address,
    shipping_option_id: await optionNamed(shop, order.shipping),
    payment_method: order.payment,
    note: order.note ?? null,
  });
  return id;
}

async function fillCart(shop: Shop, cart_id: string, items: Record<string, number>): Promise<void> {
  for (const [sku, quantity] of Object.entries(items)) {
    const variant = await shop.one<RowOf<'variants', 'id'>>(
      sql`select id from variants where site_id = ${shop.siteId} and sku = ${sku}`,
    );
    if (!variant) throw new ShopError('not_found', `There is no ${sku} in the demo shop.`);
    await carts.addItem(shop, cart_id, { variant_id: variant.id, quantity });
  }
}

async function optionNamed(shop: Shop, name: string): Promise<string | null> {
  const option = await shop.one<RowOf<'shipping_options', 'id'>>(
    sql`select id from shipping_options where site_id = ${shop.siteId} and name = ${name}`,
  );
  return option?.id ?? null;
}

async function runOperations(shop: Shop, order_id: string, { operations }: DemoOrder): Promise<void> {
  const order = await orders.get(shop, order_id);
  for (const work of operations) await work(shop, order);
}

const EXAMPLE_ITEMS = { 'KH-MUG-OAT': 2, 'LT-TOWEL3': 1 };

/**
 * The address of a checkout to try, made from a new cart. Its stock is reserved for 15 minutes. Undefined if the shop no longer
 * sells its items.
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
    // People who try out the shop may sell, delete or rename its products.
    if (error instanceof ShopError) return undefined;
    throw error;
  }
}
