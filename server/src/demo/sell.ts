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
import { inShop } from '../shop/in-shop.ts';
import { expireUnpaid } from '../shop/orders/expiry.ts';
import * as orders from '../shop/orders/orders.ts';
import type { CheckoutDeps } from '../shop/payments/deps.ts';
import { type Actor, Shop, type Tenant } from '../shop/shop.ts';
import { store } from '../shop/withdrawals/statements.ts';
import { type CheckoutSettings, checkoutDepsOf, fillCart } from './example-checkout.ts';
import { type DemoOrder, demoCardOrders, demoOrders, demoWithdrawal } from './orders.ts';
import type { Account } from './people.ts';

/** Tenant and callers for actions in the demo shop. */
export interface DemoActors {
  tenant: Tenant;
  staff: Actor;
  /** A caller with only a storefront token. */
  guest: Actor;
  accounts: Account[];
}

/** Creates all orders that are not paid by card, and handles them as the merchant would, in one transaction. */
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
  const guest = new Shop(actors.tenant, actors.guest, connection);
  await store(guest, demoWithdrawal(), { ip: undefined, secretKey: settings.secretKey });
}

/**
 * Creates the orders that are paid by card. Each needs its own transactions, because the card provider is called in
 * between. Then runs the jobs that would run in the next minutes: expire overdue orders, poll pending payments.
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

/** Creates a checkout that is ready to be completed. */
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
