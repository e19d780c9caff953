/**
 * Each change of a cart's lines runs these steps in one transaction:
 * 1. Lock the cart with an update of its expiry, so that changes of one cart run one after another.
 * 2. Write the line. Adding a line does this in the same statement as the lock.
 * 3. Read the cart. If a quantity rises, reject a line above the stock or a limit.
 * 4. Update the reservation of the discount code.
 * 5. If a quantity rises, check the categories and the budget of an agent.
 * Lock order: cart, then discount. A cart does not reserve stock; its checkout does.
 */

import type { Attribution, Cart } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { together } from '../../db/connect.ts';
import { newId } from '../../db/new-id.ts';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import { later } from '../moments.ts';
import { visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import { requireAgentLimits } from './agent-limits.ts';
import { expire } from './expiry.ts';
import { paying, refuseShort, refuseTooDear } from './limits.ts';
import * as redemptions from './redemptions.ts';
import { type CartNow, type CartRow, type CartState, cartColumns, keptOfVariant, readCart, stateOf } from './rows.ts';
import { view } from './view.ts';

export const MAX_LINES = 100;
const MAX_QUANTITY = 999;
/** Time from the last change to the expiry. A customer's cart lives longer, because it is used on several devices. */
export const CART_LIFE = {
  guest: sql`interval '30 days'`,
  customer: sql`interval '90 days'`,
  /** The lifetime of a guest's new cart without lines. */
  unfilled: sql`interval '7 days'`,
};
/** The same lifetimes in days, to return `expires_at` of a new cart without reading it back. */
const GUEST_DAYS = 30;
const UNFILLED_DAYS = 7;

export interface CartWishes {
  locale?: string | undefined;
  attribution?: Attribution | undefined;
}

/** Creates a cart for a guest or an agent. For a customer, returns the active cart, or creates one. */
export async function create(shop: Shop, wishes: CartWishes = {}): Promise<Cart> {
  if (shop.agent) return view(await createForAgent(shop, wishes));
  if (!shop.customerId) return view(stateOf(shop, await make(shop, null, null, wishes)));
  const cart = await ofCustomer(shop, shop.customerId, wishes);
  const isNew = (wishes.locale ?? cart.locale) !== cart.locale || wishes.attribution !== undefined;
  return view(isNew ? await takeOver(shop, cart, wishes) : cart);
}

/** Sets the given fields of an existing cart. */
async function takeOver(shop: Shop, cart: CartState, { locale, attribution }: CartWishes): Promise<CartState> {
  await shop.run(
    sql`update carts set locale = coalesce(${locale ?? null}, locale),
        attribution = coalesce(${json(attribution)}::jsonb, attribution)
      where site_id = ${shop.siteId} and id = ${cart.id}`,
  );
  return { ...cart, locale: locale ?? cart.locale };
}

function json(attribution: Attribution | undefined): string | null {
  return attribution === undefined ? null : JSON.stringify(attribution);
}

/** Creates a cart that an agent fills for its customer, separate from the customer's own cart. */
export async function createForAgent(shop: Shop, wishes: CartWishes = {}): Promise<CartState> {
  if (!shop.agent) throw new Error('Unreachable: agent token without a spending limit.');
  return stateOf(shop, await make(shop, shop.customerId, shop.agent.token_id, wishes));
}

/**
 * Creates a guest's cart whose id is derived from the request, so that a retry creates no second one. Returns false if
 * the cart exists. Waits for a concurrent request with the same id.
 */
export async function createOnce(shop: Shop, id: string, wishes: CartWishes): Promise<boolean> {
  const made = await shop.run(sql`${insertion(shop, id, null, null, wishes)} on conflict (site_id, id) do nothing`);
  return made > 0;
}

/** Inserts a cart and builds its state from the input, without waiting for the insert. */
async function make(
  shop: Shop,
  customer_id: string | null,
  agent_token_id: string | null,
  wishes: CartWishes,
): Promise<CartRow> {
  const [id, now] = [newId(), await shop.moment()];
  shop.write(insertion(shop, id, customer_id, agent_token_id, wishes));
  return {
    ...{ id, status: 'active', customer_id, agent_token_id, merged_into: null, payment_id: null },
    guest_profile_id: shop.guestProfile,
    locale: wishes.locale ?? null,
    expires_at: later(now, customer_id === null ? UNFILLED_DAYS : GUEST_DAYS, 'days'),
    created_at: now,
    updated_at: now,
  };
}

/** Returns the customer's active cart, or creates one. */
export async function ofCustomer(shop: Shop, customer_id: string, wishes: CartWishes = {}): Promise<CartState> {
  await expire(shop, sql`c.customer_id = ${customer_id}`);
  // A concurrent request waits here for the first one, then uses its cart.
  const created = await insert(shop, customer_id, wishes);
  if (created) return stateOf(shop, created);
  const active = await shop.one<RowOf<'carts', 'id'>>(
    sql`select id from carts where site_id = ${shop.siteId} and customer_id = ${customer_id} and status = 'active'
      and agent_token_id is null`,
  );
  const cart = active && (await readCart(shop, active.id));
  if (!cart) throw new ShopError('conflict', 'The cart became an order. Retry the request.');
  return cart;
}

function insert(shop: Shop, customer_id: string, wishes: CartWishes): Promise<CartRow | undefined> {
  return shop.one<CartRow>(
    sql`${insertion(shop, newId(), customer_id, null, wishes)}
      on conflict (site_id, customer_id) where status = 'active' and agent_token_id is null do nothing
      returning ${cartColumns}`,
  );
}

function insertion(
  shop: Shop,
  id: string,
  customer_id: string | null,
  agent_token_id: string | null,
  { locale, attribution }: CartWishes,
): Sql {
  const life = customer_id === null ? CART_LIFE.unfilled : agent_token_id ? CART_LIFE.guest : CART_LIFE.customer;
  return sql`insert into carts as c (site_id, id, customer_id, agent_token_id, guest_profile_id, locale, attribution, expires_at)
      values (${shop.siteId}, ${id}, ${customer_id}, ${agent_token_id}, ${shop.guestProfile}, ${locale ?? null}, ${json(attribution)}::jsonb,
        now() + ${life})`;
}

/**
 * Reads a cart for a customer (null for a guest), with or without locking it. Also returns carts that became an order
 * or were merged. Throws `cart_expired`, and `not_found` for a cart of another customer or agent.
 */
export async function readForCustomer(
  shop: Shop,
  id: string,
  customer_id: string | null,
  locked: boolean,
): Promise<CartState> {
  const [, cart] = await together(locked && lock(shop, id), readCart(shop, id));
  return ofCustomerGiven(shop, cart, customer_id);
}

export async function lock(shop: Shop, id: string): Promise<void> {
  await shop.run(sql`select from carts where site_id = ${shop.siteId} and id = ${id} for update`);
}

/** Returns the cart if the customer may access it. Throws the errors of `readForCustomer`. */
export function ofCustomerGiven(shop: Shop, cart: CartNow | undefined, customer_id: string | null): CartState {
  if (!cart || (cart.customer_id !== null && cart.customer_id !== customer_id)) throw notFound('cart');
  if (shop.agent && cart.agent_token_id !== shop.agent.token_id) throw notFound('cart');
  if (shop.guestProfile && cart.guest_profile_id !== shop.guestProfile) throw notFound('cart');
  if (cart.expired) throw new ShopError('cart_expired', 'The cart has expired.');
  return cart;
}

/** Throws `cart_not_active` for a cart that became an order or was merged. */
export function refuseInactive({ status, merged_into }: CartState): void {
  if (status === 'active') return;
  const cart_id = merged_into ?? undefined;
  throw new ShopError('cart_not_active', `The cart is ${status} and cannot be changed.`, { status, cart_id });
}

/** The error for a change of a draft order's cart. */
export function ofDraft({ status }: CartState): ShopError {
  return new ShopError('cart_not_active', 'The cart belongs to a draft order and cannot be changed.', { status });
}

/** Returns a cart if the caller is its customer, guest or agent. Throws the errors of `readForCustomer`. */
export async function get(shop: Shop, id: string): Promise<Cart> {
  return view(await readForCustomer(shop, id, shop.customerId, false));
}

/** Locks a cart for a change by the caller and extends its lifetime. Throws the errors of `refuseChange`. */
async function extendLifetime(shop: Shop, id: string): Promise<void> {
  if ((await shop.run(extendLifetimeSql(shop, id))) === 0) await refuseChange(shop, id);
}

/** Matches only carts that the caller may change. */
function extendLifetimeSql(shop: Shop, id: string): Sql {
  return sql`update carts set updated_at = now(), expires_at = now() + case
        when customer_id is not null and agent_token_id is null then ${CART_LIFE.customer} else ${CART_LIFE.guest} end
      where site_id = ${shop.siteId} and id = ${id} and status = 'active' and expires_at > now() and payment_id is null and not is_draft
        and (customer_id is null or customer_id = ${shop.customerId})
        and (${shop.agent === null} or agent_token_id = ${shop.agent?.token_id ?? null})
        and (${shop.guestProfile === null} or guest_profile_id = ${shop.guestProfile})`;
}

/**
 * Throws the reason why a cart cannot be changed: an error of `readForCustomer`, `cart_not_active`,
 * `payment_in_progress` or `conflict`.
 */
async function refuseChange(shop: Shop, id: string): Promise<never> {
  const cart = await readForCustomer(shop, id, shop.customerId, false);
  refuseInactive(cart);
  if (cart.draft) throw ofDraft(cart);
  if (cart.payment_id) throw paying({ payment_id: cart.payment_id });
  throw new ShopError('conflict', 'The cart was changed by another request. Retry the request.');
}

/**
 * Locks a cart for a change and reads it. Throws the errors of `readForCustomer`, `cart_not_active`,
 * `payment_in_progress` or `conflict`.
 */
export async function lockForChange(shop: Shop, id: string): Promise<CartState> {
  const [, cart] = await together(extendLifetime(shop, id), readForCustomer(shop, id, shop.customerId, false));
  return cart;
}

async function withDiscountUpdated(shop: Shop, cart: CartState): Promise<Cart> {
  await redemptions.updateReservation(shop, cart);
  return view(cart);
}

/**
 * Adds a quantity of a variant to the cart. Throws `not_found` if the variant is not for sale, `insufficient_stock`,
 * `cart_limit`, `conflict` if the total is too large to calculate, and the errors of `lockForChange` and
 * `requireAgentLimits`.
 */
export async function addItem(
  shop: Shop,
  id: string,
  { variant_id, quantity }: { variant_id: string; quantity: number },
): Promise<Cart> {
  const [, cart] = await together(
    put(shop, id, variant_id, quantity),
    readForCustomer(shop, id, shop.customerId, false),
  );
  if (cart.lines.length > MAX_LINES) {
    throw new ShopError('cart_limit', `A cart has at most ${MAX_LINES} lines.`, { limit: MAX_LINES });
  }
  refuseShort(
    shop,
    cart.lines.filter((line) => line.variant_id === variant_id),
  );
  refuseTooDear(cart);
  const after = await withDiscountUpdated(shop, cart);
  await requireAgentLimits(shop, after);
  return after;
}

/** Locks the cart and writes the line in one statement, so that no line is written to an unlocked cart. */
async function put(shop: Shop, cart_id: string, variant_id: string, quantity: number): Promise<void> {
  const wanted = sql`variants v join products p on p.site_id = v.site_id and p.id = v.product_id
        where v.site_id = ${shop.siteId} and v.id = ${variant_id} and ${visible}`;
  const written = await shop.run(
    sql`with touched as (${extendLifetimeSql(shop, cart_id)} returning id)
      insert into cart_items as i (site_id, id, cart_id, variant_id, product_id, name, variant_name, price_seen, quantity)
      select ${shop.siteId}, ${newId()}, touched.id, v.id, ${keptOfVariant}, ${quantity} from touched, ${wanted}
      on conflict on constraint one_line_per_variant do update
        set quantity = i.quantity + excluded.quantity, price_seen = excluded.price_seen
        where i.quantity + excluded.quantity <= ${MAX_QUANTITY}`,
  );
  if (written > 0) return;
  // No line was written. Throws the first reason that applies: the cart cannot be changed, the variant is not for sale,
  // or the quantity exceeds the limit.
  await extendLifetime(shop, cart_id);
  if (!(await shop.one(sql`select from ${wanted}`))) throw notFound('variant');
  throw new ShopError('cart_limit', `A cart can have at most ${MAX_QUANTITY} pieces of one variant.`, {
    limit: MAX_QUANTITY,
  });
}

/**
 * Sets the quantity of a line; 0 removes it. Accepts any lower quantity, even above the stock. Throws `not_found`,
 * `insufficient_stock`, `conflict` if the total is too large to calculate, and the errors of `lockForChange` and
 * `requireAgentLimits`.
 */
export async function updateItem(shop: Shop, id: string, line_id: string, quantity: number): Promise<Cart> {
  if (quantity === 0) return removeItem(shop, id, line_id);
  const extended = extendLifetime(shop, id);
  const changed = shop.one<{ before: number }>(
    sql`with line as (
        select id, quantity, variant_id from cart_items
        where site_id = ${shop.siteId} and cart_id = ${id} and id = ${line_id}
      )
      update cart_items i set quantity = ${quantity}, price_seen = coalesce((
          select v.price from variants v where v.site_id = ${shop.siteId} and v.id = line.variant_id), i.price_seen)
      from line where i.site_id = ${shop.siteId} and i.id = line.id
      returning line.quantity as before`,
  );
  const [, line, cart] = await together(extended, changed, readForCustomer(shop, id, shop.customerId, false));
  if (!line) throw notFound('line');
  if (quantity <= line.before) return withDiscountUpdated(shop, cart);
  refuseShort(
    shop,
    cart.lines.filter((one) => one.id === line_id),
  );
  refuseTooDear(cart);
  const after = await withDiscountUpdated(shop, cart);
  await requireAgentLimits(shop, after);
  return after;
}

/** Removes a line. Throws `not_found`, and the errors of `lockForChange`. */
export async function removeItem(shop: Shop, id: string, line_id: string): Promise<Cart> {
  const [, removed, cart] = await together(
    extendLifetime(shop, id),
    shop.run(sql`delete from cart_items where site_id = ${shop.siteId} and cart_id = ${id} and id = ${line_id}`),
    readForCustomer(shop, id, shop.customerId, false),
  );
  if (removed === 0) throw notFound('line');
  return withDiscountUpdated(shop, cart);
}
