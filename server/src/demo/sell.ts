import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { Connection } from '../db/connect.ts';
import * as carts from '../shop/carts/carts.ts';
import * as cartDiscounts from '../shop/carts/discounts.ts';
import { charge } from '../shop/checkout/charge.ts';
import * as checkouts from '../shop/checkout/checkouts.ts';
import { complete } from '../shop/checkout/complete.ts';
import { ShopError } from '../shop/errors.ts';
import { inShop, inShopAsSystem } from '../shop/in-shop.ts';
import { expireUnpaid } from '../shop/orders/expiry.ts';
import * as orders from '../shop/orders/orders.ts';
import type { CheckoutDeps } from '../shop/payments/deps.ts';
import { settlePayments } from '../shop/payments/settle.ts';
import { testCard } from '../shop/payments/test-card.ts';
import { type Actor, Shop, type Tenant } from '../shop/shop.ts';
import { type DemoOrder, demoCardOrders, demoOrders } from './orders.ts';
import type { Account } from './people.ts';

/** Who is who in the demo shop. */
export interface Cast {
  tenant: Tenant;
  staff: Actor;
  /** Whoever calls with the storefront's token alone. */
  guest: Actor;
  accounts: Account[];
}

export interface TillSettings {
  baseUrl: string;
  secretKey: string;
}

function tillOf({ baseUrl, secretKey }: TillSettings): CheckoutDeps {
  return { baseUrl, secretKey, card: testCard };
}

/** Has everyone order, and the merchant do the rest, in the transaction of the connection. */
export async function sellAll(connection: Connection, cast: Cast, settings: TillSettings): Promise<void> {
  const checkoutDeps = tillOf(settings);
  for (const order of demoOrders) {
    const buyer = new Shop(cast.tenant, actorOf(cast, order), connection);
    const checkout_id = await fillCheckout(buyer, checkoutDeps, order);
    const completion = { expected_total: undefined, card_token: undefined };
    const made = await complete(buyer, checkoutDeps, checkout_id, completion, undefined);
    await attend(new Shop(cast.tenant, cast.staff, connection), made.order.id, order);
  }
}

/**
 * The orders that need transactions of their own, since a card provider is called between them. Then the server does at
 * once what it would do within minutes: it lets overdue orders expire, and asks for late answers.
 */
export async function sellByCard(db: Pool, cast: Cast, settings: TillSettings): Promise<void> {
  const checkoutDeps = tillOf(settings);
  for (const order of demoCardOrders) {
    const actor = actorOf(cast, order);
    const checkout_id = await inShop(db, cast.tenant, actor, (shop) => fillCheckout(shop, checkoutDeps, order));
    const completion = { expected_total: undefined, card_token: order.card };
    const charged = await charge(db, cast.tenant, actor, { checkoutDeps, checkout_id, completion });
    const made = await inShop(db, cast.tenant, actor, (shop) =>
      complete(shop, checkoutDeps, checkout_id, completion, charged),
    );
    await inShop(db, cast.tenant, cast.staff, (shop) => attend(shop, made.order.id, order));
  }
  await expireUnpaid(db, cast.tenant);
  await settlePayments(db, cast.tenant, checkoutDeps.card);
}

function actorOf({ accounts, guest }: Cast, { buyer }: DemoOrder): Actor {
  const account = accounts.find(({ email }) => email === buyer.email);
  return account ? { type: 'customer', id: account.id, customer_id: account.id } : guest;
}

/** From an empty cart to a checkout that can be completed. */
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
    const variant = await shop.one<{ id: string }>(
      sql`select id from variants where site_id = ${shop.siteId} and sku = ${sku}`,
    );
    if (!variant) throw new ShopError('not_found', `There is no ${sku} in the demo shop.`);
    await carts.addItem(shop, cart_id, { variant_id: variant.id, quantity });
  }
}

async function optionNamed(shop: Shop, name: string): Promise<string | null> {
  const option = await shop.one<{ id: string }>(
    sql`select id from shipping_options where site_id = ${shop.siteId} and name = ${name}`,
  );
  return option?.id ?? null;
}

async function attend(shop: Shop, order_id: string, { operations }: DemoOrder): Promise<void> {
  const order = await orders.get(shop, order_id);
  for (const work of operations) await work(shop, order);
}

const ON_TRIAL = { 'KH-MUG-OAT': 2, 'LT-TOWEL3': 1 };

/**
 * The address of a checkout to try, of a cart filled anew. Its goods are held for 15 minutes; nothing when the shop sells
 * them no longer.
 */
export async function openCheckout(db: Pool, site_id: string, settings: TillSettings): Promise<string | undefined> {
  try {
    return await inShopAsSystem(db, site_id, async (shop) => {
      const { id: cart_id } = await carts.create(shop);
      await fillCart(shop, cart_id, ON_TRIAL);
      const { checkout_url } = await checkouts.create(shop, tillOf(settings), cart_id);
      return checkout_url ?? undefined;
    });
  } catch (error) {
    // Whoever tries the shop out may sell, delete or rename what is in it.
    if (error instanceof ShopError) return undefined;
    throw error;
  }
}
