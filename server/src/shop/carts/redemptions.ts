/**
 * Uses of discount codes. A cart reserves a use. Its order redeems the use; without an order, the use is released.
 * `usage_count` of a discount is the number of uses that are not released. Counts and the statuses of uses change only
 * while the discount is locked. Discounts are locked after the cart and in order of ids, to prevent deadlocks.
 */

import sql, { type Sql } from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { codeObject, type DiscountCode, refusalOf, unknownCode } from '../discounts/terms.ts';
import { ShopError } from '../errors.ts';
import { decimal } from '../money.ts';
import type { Shop } from '../shop.ts';
import type { CartState } from './rows.ts';
import { totals } from './view.ts';

/** After this time, an abandoned cart loses its discount code but is not deleted. */
const reservationExpiry: Sql = sql`now() + interval '24 hours'`;

/** Identifies a buyer by account and by the e-mail of the order, because limits per customer apply to both. */
export type Buyer = RowOf<'discount_redemptions', 'customer_id' | 'email'>;

/**
 * Locks the discount of a code and returns it with its conditions for these products. Also locks the discount `other`,
 * which the code replaces.
 */
export async function lockCode(
  shop: Shop,
  code: string,
  other: string | null,
  product_ids: string[],
): Promise<DiscountCode | undefined> {
  const rows = await shop.rows<{ wanted: boolean; terms: DiscountCode }>(
    sql`select lower(d.code) = lower(${code}) as wanted, ${codeObject(sql`${product_ids}::uuid[]`)} as terms
      from discounts d where d.site_id = ${shop.siteId} and (lower(d.code) = lower(${code}) or d.id = ${other})
      order by d.id for update`,
  );
  return rows.find(({ wanted }) => wanted)?.terms;
}

async function lockDiscount(shop: Shop, id: string, product_ids: string[]): Promise<DiscountCode | undefined> {
  const row = await shop.one<{ terms: DiscountCode }>(
    sql`select ${codeObject(sql`${product_ids}::uuid[]`)} as terms from discounts d
      where d.site_id = ${shop.siteId} and d.id = ${id} for update`,
  );
  return row?.terms;
}

/**
 * Reserves a use of a locked discount for a cart that has no reserved use. Throws `discount_customer_limit_reached` or
 * `discount_usage_limit_reached`.
 */
export async function reserve(shop: Shop, cart: CartState, code: DiscountCode, redemption_id: string): Promise<void> {
  const customer_id = cart.customer_id ?? shop.customerId;
  await refuseBeyondLimit(shop, code, null, { customer_id, email: null });
  const reserved = await shop.run(
    sql`with counted as (
        update discounts set usage_count = usage_count + 1
        where site_id = ${shop.siteId} and id = ${code.discount_id}
          and (usage_limit is null or usage_count < usage_limit)
        returning code
      )
      insert into discount_redemptions (site_id, id, discount_id, code, cart_id, customer_id, status, amount_off, expires_at)
      select ${shop.siteId}, ${redemption_id}, ${code.discount_id}, code, ${cart.id}, ${customer_id}, 'reserved',
        ${amountOff(cart)}, ${reservationExpiry}
      from counted`,
  );
  if (reserved === 0) throw usedUp();
}

function usedUp(): ShopError {
  return new ShopError('discount_usage_limit_reached', 'This code has reached its usage limit.');
}

async function refuseBeyondLimit(shop: Shop, code: DiscountCode, own_id: string | null, buyer: Buyer): Promise<void> {
  if (code.usage_limit_per_customer === null || (!buyer.customer_id && !buyer.email)) return;
  const counted = await shop.one<{ uses: number }>(
    sql`select count(*) as uses from discount_redemptions
      where site_id = ${shop.siteId} and discount_id = ${code.discount_id} and status <> 'released'
        and id is distinct from ${own_id} and ${isOfBuyer(shop, buyer)}`,
  );
  if ((counted?.uses ?? 0) < code.usage_limit_per_customer) return;
  throw new ShopError(
    'discount_customer_limit_reached',
    'You have already used this code the maximum number of times.',
  );
}

/**
 * Selects the uses that count for this buyer: those with the buyer's account or e-mail address, with the account that
 * has this e-mail address, or with the e-mail address of this account.
 */
function isOfBuyer(shop: Shop, { customer_id, email }: Buyer): Sql {
  return sql`(customer_id = ${customer_id} or lower(email) = lower(${email})
    or lower(email) = (
      select lower(c.email) from customers c where c.site_id = ${shop.siteId} and c.id = ${customer_id})
    or customer_id = (
      select c.id from customers c where c.site_id = ${shop.siteId} and c.email = lower(${email})))`;
}

/** Stores the cart's current discount amount, and extends the reservation of the discount code. */
export async function updateReservation(shop: Shop, cart: CartState): Promise<void> {
  if (!cart.discount) return;
  await shop.run(
    sql`update discount_redemptions set amount_off = ${amountOff(cart)}, expires_at = ${reservationExpiry}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${cart.discount.redemption_id} and status = 'reserved'`,
  );
}

function amountOff(cart: CartState): string {
  return decimal(totals(cart).discount, cart.currency_digits);
}

/**
 * Redeems the discount code of a locked cart for its order, or releases it if the cart does not meet its conditions.
 * Checks the current conditions and the limit per customer. Throws `discount_*`.
 */
export async function redeem(shop: Shop, cart: CartState, order_id: string, buyer: Buyer): Promise<void> {
  if (!cart.discount) return;
  if (!cart.discount.holds) return release(shop, cart.id);
  await requireUse(shop, cart, buyer);
  await writeUse(shop, cart, order_id, buyer);
}

/**
 * Checks the discount code when a payment begins, and counts it as used by the buyer from then on. Throws `discount_*`.
 */
export async function reserveForPayment(shop: Shop, cart: CartState, buyer: Buyer): Promise<void> {
  if (!cart.discount?.holds) return;
  await requireUse(shop, cart, buyer);
  await writeUse(shop, cart, null, buyer);
}

/**
 * Redeems the discount code after a successful payment without checking its limits again. Releases it if the cart does
 * not meet its conditions.
 */
export async function redeemPaid(shop: Shop, { id, discount }: CartState, order_id: string): Promise<void> {
  if (!discount) return;
  if (!discount.holds) return release(shop, id);
  await lockDiscount(shop, discount.discount_id, []);
  await shop.run(
    sql`update discount_redemptions set status = 'redeemed', order_id = ${order_id}, updated_at = now()
      where site_id = ${shop.siteId} and id = ${discount.redemption_id}`,
  );
}

async function requireUse(shop: Shop, { discount, lines, currency_digits }: CartState, buyer: Buyer): Promise<void> {
  const product_ids = lines.map(({ product_id }) => product_id);
  const code = discount && (await lockDiscount(shop, discount.discount_id, product_ids));
  if (!code) throw unknownCode();
  const refusal = refusalOf(code, lines, currency_digits);
  if (refusal) throw refusal;
  await refuseBeyondLimit(shop, code, discount.redemption_id, buyer);
}

/** Stores the buyer of a use. With an order the use is redeemed, otherwise it stays reserved. */
async function writeUse(shop: Shop, cart: CartState, order_id: string | null, buyer: Buyer): Promise<void> {
  await shop.run(
    sql`update discount_redemptions set status = case when ${order_id}::uuid is null then 'reserved' else 'redeemed' end,
        order_id = ${order_id}, customer_id = ${buyer.customer_id}, email = ${buyer.email}, amount_off = ${amountOff(cart)},
        updated_at = now()
      where site_id = ${shop.siteId} and id = ${cart.discount?.redemption_id}`,
  );
}

/** Releases the cart's discount code, reserved or redeemed. Does nothing if the cart has none. */
export function release(shop: Shop, cart_id: string): Promise<void> {
  return releaseAll(shop, [cart_id]);
}

/** Releases the discount codes of several carts, reserved or redeemed. */
export async function releaseAll(shop: Shop, cart_ids: string[]): Promise<void> {
  if ((await lockCodesOf(shop, cart_ids)) === 0) return;
  await shop.run(
    sql`with released as (
        update discount_redemptions set status = 'released', updated_at = now()
        where site_id = ${shop.siteId} and cart_id = any(${cart_ids}) and status <> 'released'
        returning discount_id
      ), counted as (
        select discount_id, count(*) as uses from released group by discount_id
      )
      update discounts d set usage_count = d.usage_count - counted.uses from counted
      where d.site_id = ${shop.siteId} and d.id = counted.discount_id`,
  );
}

/**
 * Redeems the discount code of a reinstated order again. Checks only its limits, since its conditions were met when the
 * order was placed. Throws `discount_customer_limit_reached` or `discount_usage_limit_reached`.
 */
export async function redeemAgain(shop: Shop, cart_id: string, order_id: string): Promise<void> {
  const released = await shop.one<Buyer & RowOf<'discount_redemptions', 'id' | 'discount_id'>>(
    sql`select id, discount_id, customer_id, email from discount_redemptions
      where site_id = ${shop.siteId} and cart_id = ${cart_id} and order_id = ${order_id} and status = 'released'`,
  );
  if (!released) return;
  const code = await lockDiscount(shop, released.discount_id, []);
  if (!code) throw unknownCode();
  await refuseBeyondLimit(shop, code, released.id, released);
  const redeemed = await shop.run(
    sql`with counted as (
        update discounts set usage_count = usage_count + 1
        where site_id = ${shop.siteId} and id = ${released.discount_id} and (usage_limit is null or usage_count < usage_limit)
        returning id
      )
      update discount_redemptions r set status = 'redeemed', updated_at = now() from counted
      where r.site_id = ${shop.siteId} and r.id = ${released.id}`,
  );
  if (redeemed === 0) throw usedUp();
}

/** Locks the discounts of these carts. Returns the number of locked discounts. */
function lockCodesOf(shop: Shop, cart_ids: string[]): Promise<number> {
  return shop.run(
    sql`select from discounts where site_id = ${shop.siteId} and id in (
        select discount_id from discount_redemptions
        where site_id = ${shop.siteId} and cart_id = any(${cart_ids}) and status <> 'released')
      order by id for update`,
  );
}

/**
 * At login, moves the guest's discount code to the customer's cart, where it replaces any other code. If the customer
 * has reached the limit per customer, the guest's code is released too. Both carts must be locked.
 */
export async function moveToCart(shop: Shop, from_cart: string, to_cart: string, customer_id: string): Promise<void> {
  await lockCodesOf(shop, [from_cart, to_cart]);
  const has = await shop.one(
    sql`select from discount_redemptions
      where site_id = ${shop.siteId} and cart_id = ${from_cart} and status = 'reserved'`,
  );
  if (!has) return;
  await release(shop, to_cart);
  const moved = await shop.run(
    sql`update discount_redemptions r set cart_id = ${to_cart}, customer_id = ${customer_id}, updated_at = now()
      from discounts d
      where r.site_id = ${shop.siteId} and r.cart_id = ${from_cart} and r.status = 'reserved'
        and d.site_id = r.site_id and d.id = r.discount_id
        and (d.usage_limit_per_customer is null or d.usage_limit_per_customer > (
          select count(*) from discount_redemptions o
          where o.site_id = r.site_id and o.discount_id = r.discount_id and o.status <> 'released'
            and ${isOfBuyer(shop, { customer_id, email: null })}))`,
  );
  if (moved === 0) await release(shop, from_cart);
}
