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

/**
 * Carts. A change of the lines takes these steps in one transaction:
 * 1. lock the cart by extending its lifetime: an update that matches only an active cart of the caller. Changes of one
 * cart therefore run one after the other.
 * 2. write the line; when adding, in the same statement as the lock.
 * 3. read the cart again, and reject lines above the stock or a limit.
 * 4. update the reservation of its discount code, which locks the discount.
 * 5. for an agent, check its categories and its budget.
 * Lock order: cart, discount. Stock is only read here; a checkout reserves it.
 */

export const MAX_LINES = 100;
const MAX_QUANTITY = 999;
/** Lifetime after the last change. A customer's cart lives longer, because it follows the account to other devices. */
export const CART_LIFE = {
  guest: sql`interval '30 days'`,
  customer: sql`interval '90 days'`,
  /** Lifetime of a new cart without lines. */
  unfilled: sql`interval '7 days'`,
};
/** The lifetime of a guest's cart in days, to predict `expires_at` of a new cart. */
const GUEST_DAYS = 30;
const UNFILLED_DAYS = 7;

/** Fields that a storefront sets when it creates a cart. */
export interface CartWishes {
  locale?: string | undefined;
  attribution?: Attribution | undefined;
}

/** Creates a cart for a guest or an agent. A customer gets their active cart if there is one. */
export async function create(shop: Shop, wishes: CartWishes = {}): Promise<Cart> {
  if (shop.agent) return view(await createForAgent(shop, wishes));
  if (!shop.customerId) return view(stateOf(shop, await make(shop, null, null, wishes)));
  const cart = await ofCustomer(shop, shop.customerId, wishes);
  const isNew = (wishes.locale ?? cart.locale) !== cart.locale || wishes.attribution !== undefined;
  return view(isNew ? await takeOver(shop, cart, wishes) : cart);
}

/** Updates an existing cart with the requested fields. */
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

/** Creates a cart that the calling agent fills for its customer, separate from the customer's own. */
export async function createForAgent(shop: Shop, wishes: CartWishes = {}): Promise<CartState> {
  if (!shop.agent) throw new Error('Unreachable: agent token without a spending limit.');
  return stateOf(shop, await make(shop, shop.customerId, shop.agent.token_id, wishes));
}

/**
 * Creates a guest's cart with an id derived from the request, so that a repeated request creates no second cart.
 * Returns whether it is new. A concurrent request waits for the first.
 */
export async function createOnce(shop: Shop, id: string, wishes: CartWishes): Promise<boolean> {
  const made = await shop.run(sql`${insertion(shop, id, null, null, wishes)} on conflict (site_id, id) do nothing`);
  return made > 0;
}

/** Creates a separate cart. Builds the result from the input, without waiting for the insert. */
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

/** Returns the customer's active cart; creates one if there is none. */
export async function ofCustomer(shop: Shop, customer_id: string, wishes: CartWishes = {}): Promise<CartState> {
  await expire(shop, sql`c.customer_id = ${customer_id}`);
  // A concurrent call waits here for the first and then finds its cart.
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

/** Creates the customer's cart. Returns undefined if they already have an active one. */
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
 * Reads a cart of the given customer (null for a guest), optionally locked until the transaction ends. Throws
 * `not_found`, even for a cart of another customer or one created by another agent or profile, and `cart_expired`.
 * Returns converted and merged carts.
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

/** Locks a cart of any owner until the transaction ends. */
export async function lock(shop: Shop, id: string): Promise<void> {
  await shop.run(sql`select from carts where site_id = ${shop.siteId} and id = ${id} for update`);
}

/** Checks the access of the given customer to a cart. Throws what `readForCustomer` throws. */
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

/** A cart as its shopper sees it. Throws what `readForCustomer` throws. */
export async function get(shop: Shop, id: string): Promise<Cart> {
  return view(await readForCustomer(shop, id, shop.customerId, false));
}

/**
 * Locks a cart for a change by the caller and extends its lifetime. Throws what `readForCustomer` throws, or
 * `cart_not_active`.
 */
async function extendLifetime(shop: Shop, id: string): Promise<void> {
  if ((await shop.run(extendLifetimeSql(shop, id))) === 0) await refuseChange(shop, id);
}

/** The statement of `extendLifetime`. It matches only carts that the caller may change. */
function extendLifetimeSql(shop: Shop, id: string): Sql {
  return sql`update carts set updated_at = now(), expires_at = now() + case
        when customer_id is not null and agent_token_id is null then ${CART_LIFE.customer} else ${CART_LIFE.guest} end
      where site_id = ${shop.siteId} and id = ${id} and status = 'active' and expires_at > now() and payment_id is null
        and (customer_id is null or customer_id = ${shop.customerId})
        and (${shop.agent === null} or agent_token_id = ${shop.agent?.token_id ?? null})
        and (${shop.guestProfile === null} or guest_profile_id = ${shop.guestProfile})`;
}

/**
 * Throws the reason that a cart could not be locked: what `readForCustomer` throws, `cart_not_active`, or
 * `payment_in_progress`.
 */
async function refuseChange(shop: Shop, id: string): Promise<never> {
  const cart = await readForCustomer(shop, id, shop.customerId, false);
  refuseInactive(cart);
  if (cart.payment_id) throw paying({ payment_id: cart.payment_id });
  throw new ShopError('conflict', 'The cart was changed by another request. Retry the request.');
}

/** Locks a cart for a change and reads it. Throws what `extendLifetime` throws. */
export async function lockForChange(shop: Shop, id: string): Promise<CartState> {
  const [, cart] = await together(extendLifetime(shop, id), readForCustomer(shop, id, shop.customerId, false));
  return cart;
}

/** Updates the discount reservation after a change of the lines. */
async function withDiscountUpdated(shop: Shop, cart: CartState): Promise<Cart> {
  await redemptions.updateReservation(shop, cart);
  return view(cart);
}

/**
 * Adds a quantity of a variant to its line. Throws `not_found` for a variant that is not for sale,
 * `insufficient_stock`, `cart_limit`, `conflict` for a total too large to calculate, and what `extendLifetime` and
 * `requireAgentLimits` throw.
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

/**
 * Locks the cart as `extendLifetime` does and writes the line in one statement, so that no line is written to an
 * unlocked cart.
 */
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
  // No line was written. Find the reason, in order of priority: first whether the cart may be changed.
  await extendLifetime(shop, cart_id);
  if (!(await shop.one(sql`select from ${wanted}`))) throw notFound('variant');
  throw new ShopError('cart_limit', `A cart can have at most ${MAX_QUANTITY} pieces of one variant.`, {
    limit: MAX_QUANTITY,
  });
}

/**
 * Sets the quantity of a line; 0 removes it. A lower quantity is always accepted. Throws `not_found`,
 * `insufficient_stock`, and what `extendLifetime` and `requireAgentLimits` throw.
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

/** Removes a line. Throws `not_found`, and what `extendLifetime` throws. */
export async function removeItem(shop: Shop, id: string, line_id: string): Promise<Cart> {
  const [, removed, cart] = await together(
    extendLifetime(shop, id),
    shop.run(sql`delete from cart_items where site_id = ${shop.siteId} and cart_id = ${id} and id = ${line_id}`),
    readForCustomer(shop, id, shop.customerId, false),
  );
  if (removed === 0) throw notFound('line');
  return withDiscountUpdated(shop, cart);
}
