import type { CustomerRecord, Deletion } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import * as agentTokens from '../agent-limits/tokens.ts';
import { forgetDetails } from '../audit/forget.ts';
import { paying } from '../carts/limits.ts';
import * as redemptions from '../carts/redemptions.ts';
import { notFound, ShopError } from '../errors.ts';
import { attachGuestOrders } from '../orders/guest-orders.ts';
import { endLinksOfCustomer, endLinksOfGuest } from '../orders/links.ts';
import { leftToPay } from '../orders/received.ts';
import { isOpenReturn } from '../returns/rows.ts';
import type { Shop } from '../shop.ts';
import * as stock from '../stock/stock.ts';
import { forgetPayloads } from '../webhooks/kept-payloads.ts';
import * as consents from './consents.ts';
import { record } from './customers.ts';
import * as sessions from './sessions.ts';

const TOLD_ORDERS = 20;

/**
 * Erases a customer's personal data, including the data in guest orders with the same e-mail address. Keeps the row and
 * the order amounts for accounting. Throws `not_found`, `payment_in_progress` or `customer_has_open_orders`. Repeating
 * the call changes nothing.
 */
export async function anonymize(shop: Shop, id: string): Promise<CustomerRecord & { documents_kept: number }> {
  const found = await lockCustomer(shop, id);
  if (!found) throw notFound('customer');
  if (!found.anonymized) {
    const guestCarts = await cartsOrderedAsGuest(shop, id, found.email);
    const held = await lockHoldings(shop, id, guestCarts);
    await attachGuestOrders(shop, { id, email: found.email });
    await refuseOpenOrders(shop, id);
    await endLinksOfCustomer(shop, id);
    await anonymizeOrders(shop, id);
    await releaseHoldings(shop, id, held);
    await shop.run(
      sql`update customers set email = ${`${id.replaceAll('-', '')}@anonymized.invalid`}, email_verified_at = null,
          password_hash = null, first_name = null, last_name = null, phone = null, marketing_opt_in = false, note = null,
          metadata = '{}', pending_email = null, anonymized_at = now(), updated_at = now()
        where site_id = ${shop.siteId} and id = ${id}`,
    );
  }
  const kept = await shop.one<{ documents: number }>(
    sql`select count(*)::int as documents from documents d join orders o on o.site_id = d.site_id and o.id = d.order_id
      where o.site_id = ${shop.siteId} and o.customer_id = ${id}`,
  );
  return { ...(await record(shop, id)), documents_kept: kept?.documents ?? 0 };
}

/**
 * Closes a customer's account and deletes the customer's data. The orders stay, without a customer. Throws
 * `invalid_token` or `payment_in_progress`.
 */
export async function remove(shop: Shop, id: string): Promise<Deletion> {
  const found = await lockCustomer(shop, id);
  if (!found) throw new ShopError('invalid_token', 'The account is already closed.');
  const held = await lockHoldings(shop, id);
  await endLinksOfCustomer(shop, id);
  await endLinksOfGuest(shop, found.email);
  await shop.run(
    sql`with own as (
        select id from orders where site_id = ${shop.siteId} and customer_id = ${id} order by id for update
      )
      update orders o set customer_id = null from own where o.site_id = ${shop.siteId} and o.id = own.id`,
  );
  await releaseHoldings(shop, id, held);
  await shop.run(sql`update tokens set customer_id = null where site_id = ${shop.siteId} and customer_id = ${id}`);
  await shop.run(sql`delete from customer_tokens where site_id = ${shop.siteId} and customer_id = ${id}`);
  await shop.run(sql`delete from customers where site_id = ${shop.siteId} and id = ${id}`);
  return { id, deleted: true };
}

/**
 * Locks the calling customer, if any, so that a concurrent erasure also erases the rows written by this transaction.
 * Call it before locking carts and checkouts. Throws `invalid_token` if the account is already erased.
 */
export async function holdActor(shop: Shop): Promise<void> {
  if (shop.customerId === null) return;
  const found = await shop.one(
    sql`select from customers where site_id = ${shop.siteId} and id = ${shop.customerId} and anonymized_at is null
      for key share`,
  );
  if (!found) throw new ShopError('invalid_token', 'The account is closed.');
}

async function lockCustomer(shop: Shop, id: string) {
  return shop.one<RowOf<'customers', 'email'> & { anonymized: boolean }>(
    sql`select email, anonymized_at is not null as anonymized from customers
      where site_id = ${shop.siteId} and id = ${id} for update`,
  );
}

interface Holdings {
  cart_ids: string[];
  open_checkout_ids: string[];
}

/** The carts of the customer's orders, and of guest orders with this e-mail address. */
async function cartsOrderedAsGuest(shop: Shop, id: string, email: string): Promise<string[]> {
  const carts = await shop.rows<{ id: string }>(
    sql`select c.cart_id as id from orders o join checkouts c on c.site_id = o.site_id and c.id = o.checkout_id
      where o.site_id = ${shop.siteId} and (o.customer_id = ${id}
        or (o.customer_id is null and lower(o.email) = lower(${email})))`,
  );
  return carts.map(({ id }) => id);
}

/** Waits for orders in progress from the customer's carts and blocks new ones. Throws `payment_in_progress`. */
async function lockHoldings(shop: Shop, id: string, guestCarts: string[] = []): Promise<Holdings> {
  const carts = await shop.rows<RowOf<'carts', 'id' | 'payment_id'>>(
    sql`select id, payment_id from carts where site_id = ${shop.siteId} and (customer_id = ${id} or id = any(${guestCarts}::uuid[]) or id in (
          select cart_id from checkouts where site_id = ${shop.siteId} and customer_id = ${id} and order_id is null))
      order by id for update`,
  );
  const payment_id = carts.find((cart) => cart.payment_id)?.payment_id;
  if (payment_id) throw paying({ payment_id });
  const checkouts = await shop.rows<RowOf<'checkouts', 'id' | 'order_id'>>(
    sql`select id, order_id from checkouts
      where site_id = ${shop.siteId} and (customer_id = ${id} or cart_id = any(${carts.map((cart) => cart.id)}::uuid[]))
      order by id for update`,
  );
  const open = checkouts.filter(({ order_id }) => order_id === null);
  return { cart_ids: carts.map((cart) => cart.id), open_checkout_ids: open.map((checkout) => checkout.id) };
}

/**
 * Throws `customer_has_open_orders` if an order is open. A fully returned order never becomes completed; it counts as
 * closed once nothing is due and no return is open.
 */
async function refuseOpenOrders(shop: Shop, id: string): Promise<void> {
  const open = await shop.rows<RowOf<'orders', 'order_number'>>(
    sql`select o.order_number from orders o
      where o.site_id = ${shop.siteId} and o.customer_id = ${id} and o.status not in ('completed', 'cancelled')
        and (o.fulfillment_status <> 'returned' or ${leftToPay} > 0 or exists (
          select from returns r where r.site_id = o.site_id and r.order_id = o.id and ${isOpenReturn}))
      order by o.created_at, o.id limit ${TOLD_ORDERS}`,
  );
  if (open.length === 0) return;
  const order_numbers = open.map(({ order_number }) => order_number);
  const message = `The customer has unfinished orders: ${order_numbers.join(', ')}.`;
  throw new ShopError('customer_has_open_orders', message, { order_numbers });
}

async function anonymizeOrders(shop: Shop, id: string): Promise<void> {
  await shop.run(
    sql`with own as (
        select id from orders where site_id = ${shop.siteId} and customer_id = ${id} order by id for update
      )
      update orders o set email = null, phone = null,
        billing_address = ${countryOf(sql`o.billing_address`)}, shipping_address = ${countryOf(sql`o.shipping_address`)},
        note = null, staff_note = null, metadata = '{}', attribution = null
      from own where o.site_id = ${shop.siteId} and o.id = own.id`,
  );
  await shop.run(
    sql`select erase_payment_references(${shop.siteId}, coalesce(array_agg(id), '{}')) from orders
      where site_id = ${shop.siteId} and customer_id = ${id}`,
  );
  await shop.run(
    sql`update returns r set customer_note = null, staff_note = null, label_url = null, tracking_number = null
      from orders o where o.site_id = ${shop.siteId} and o.customer_id = ${id} and r.site_id = o.site_id and r.order_id = o.id`,
  );
  await shop.run(
    sql`update return_lines i set note = null from returns r join orders o on o.site_id = r.site_id and o.id = r.order_id
      where o.site_id = ${shop.siteId} and o.customer_id = ${id} and i.site_id = r.site_id and i.return_id = r.id`,
  );
  await forgetPayloads(
    shop,
    sql`select id from orders where site_id = ${shop.siteId} and customer_id = ${id}
      union all
      select r.id from returns r join orders o on o.site_id = r.site_id and o.id = r.order_id
      where o.site_id = ${shop.siteId} and o.customer_id = ${id}
      union all
      select d.id from documents d join orders o on o.site_id = d.site_id and o.id = d.order_id
      where o.site_id = ${shop.siteId} and o.customer_id = ${id}`,
  );
}

function countryOf(address: ReturnType<typeof sql>) {
  return sql`case when ${address} is not null then jsonb_build_object('country', ${address} -> 'country') end`;
}

/**
 * Releases the customer's discount codes and reserved stock, and removes personal data from carts and checkouts. Also
 * deletes the customer's addresses, consents and codes, and ends sessions and agents.
 */
async function releaseHoldings(shop: Shop, id: string, { cart_ids, open_checkout_ids }: Holdings): Promise<void> {
  const active = await shop.rows<RowOf<'carts', 'id'>>(
    sql`update carts set status = 'expired', updated_at = now()
      where site_id = ${shop.siteId} and id = any(${cart_ids}::uuid[]) and status = 'active' returning id`,
  );
  await shop.run(
    sql`update carts set customer_id = null, attribution = null where site_id = ${shop.siteId} and id = any(${cart_ids}::uuid[])`,
  );
  await shop.run(
    sql`delete from cart_items where site_id = ${shop.siteId} and cart_id = any(${active.map((cart) => cart.id)}::uuid[])`,
  );
  await shop.run(
    sql`update draft_orders d set discount_reason = null from checkouts k
      where d.site_id = ${shop.siteId} and k.site_id = d.site_id and k.id = d.checkout_id
        and (k.customer_id = ${id} or k.cart_id = any(${cart_ids}::uuid[]))`,
  );
  await shop.run(
    sql`update checkouts set customer_id = null, email = null, phone = null, shipping_address = null,
        billing_address = null, note = null, attribution = null,
        status = case when order_id is null and status not in ('expired', 'cancelled') then 'cancelled' else status end
      where site_id = ${shop.siteId}
        and (customer_id = ${id} or cart_id = any(${cart_ids}::uuid[]))`,
  );
  await redemptions.releaseAll(
    shop,
    active.map((cart) => cart.id),
  );
  for (const checkout_id of open_checkout_ids) await stock.release(shop, checkout_id);
  await shop.run(
    sql`update discount_redemptions set email = null
      where site_id = ${shop.siteId} and (customer_id = ${id} or cart_id = any(${cart_ids}::uuid[]))`,
  );
  // Registrations and their codes have no customer id, only the e-mail address.
  await shop.run(
    sql`with own as (
        select r.id from customer_registrations r join customers c on c.site_id = r.site_id and lower(c.email) = r.email
        where r.site_id = ${shop.siteId} and c.id = ${id} order by r.id for update of r
      )
      delete from customer_registrations r using own where r.site_id = ${shop.siteId} and r.id = own.id`,
  );
  await shop.run(
    sql`delete from customer_codes where site_id = ${shop.siteId} and (customer_id = ${id}
      or email = (select lower(email) from customers where site_id = ${shop.siteId} and id = ${id}))`,
  );
  await shop.run(sql`delete from customer_addresses where site_id = ${shop.siteId} and customer_id = ${id}`);
  await consents.forget(shop, id);
  await forgetDetails(shop, id);
  await forgetPayloads(shop, sql`select ${id}::uuid`);
  await shop.run(sql`delete from agent_consents where site_id = ${shop.siteId} and customer_id = ${id}`);
  await agentTokens.revokeAll(shop, id, 'system');
  await sessions.endAllSessions(shop, id);
}
