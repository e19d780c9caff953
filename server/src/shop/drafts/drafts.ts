/**
 * Draft orders. A draft is a cart and a checkout that staff fill in; the customer accepts it on the hosted checkout
 * page. Changes lock cart and checkout, as everywhere, so a draft cannot be cancelled and completed at the same time.
 */

import type { DraftOrder, DraftOrderInput, DraftOrderPatch } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { refuseTooDear } from '../carts/limits.ts';
import * as checkouts from '../checkout/checkouts.ts';
import { complete as completeCheckout } from '../checkout/complete.ts';
import { holdStock } from '../checkout/hold.ts';
import { type Locked, lockCheckout, type Priced, priceLocked, refusePaying } from '../checkout/state.ts';
import { canonicalEmail } from '../emails.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import { checkoutToken } from '../links.ts';
import * as mail from '../mail.ts';
import { canonicalAmount, decimal } from '../money.ts';
import { lockCredit } from '../orders/credit-limit.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import type { Shop } from '../shop.ts';
import { hashToken } from '../tokens.ts';
import { fixPrices, writeLines } from './lines.ts';
import { type Draft, find, get } from './rows.ts';

const DEFAULT_DAYS = 30;
const MOST_DAYS = 366;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Creates an open draft. Throws `not_found` for an unknown customer, variant or shipping option,
 * `shipping_option_unavailable`, `conflict` if the total is too large to calculate, and a ValidationError.
 */
export async function create(shop: Shop, deps: CheckoutDeps, input: DraftOrderInput): Promise<DraftOrder> {
  const expires_at = expiryOf(input.expires_at) ?? new Date(Date.now() + DEFAULT_DAYS * DAY_MS).toISOString();
  const customer = input.customer_id ? await customerOf(shop, input.customer_id) : NOBODY;
  const [id, cart_id, checkout_id] = [uuidv7(), uuidv7(), uuidv7()];
  const given = <Field extends keyof Buyer>(field: Field) =>
    input[field] === undefined ? customer[field] : input[field];
  const email = given('email');
  await shop.run(
    sql`insert into carts (site_id, id, is_draft, expires_at) values (${shop.siteId}, ${cart_id}, true, ${expires_at})`,
  );
  await writeLines(shop, cart_id, input.lines);
  await shop.run(
    sql`insert into checkouts (site_id, id, cart_id, customer_id, source, email, phone, shipping_address, billing_address,
        shipping_option_id, note, locale, expires_at)
      values (${shop.siteId}, ${checkout_id}, ${cart_id}, ${input.customer_id ?? null}, 'dashboard',
        ${email ? canonicalEmail(email) : null}, ${given('phone') ?? null}, ${json(given('shipping_address'))}::jsonb,
        ${json(input.billing_address)}::jsonb, ${input.shipping_option_id ?? null}, ${input.note ?? null},
        ${given('locale') ?? null}, ${expires_at})`,
  );
  await shop.run(
    sql`insert into draft_orders (site_id, id, cart_id, checkout_id, reserve, actor_id)
      values (${shop.siteId}, ${id}, ${cart_id}, ${checkout_id}, ${input.reserve ?? false}, ${shop.actorId})`,
  );
  await writeDiscount(shop, id, input.discount);
  refuseOption(await showPrices(shop, deps, await find(shop, id)), input.shipping_option_id);
  return get(shop, deps, id);
}

/** Changes an open draft. Throws `invalid_transition`, and the errors of `create`. */
export async function update(shop: Shop, deps: CheckoutDeps, id: string, patch: DraftOrderPatch): Promise<DraftOrder> {
  const { draft } = await lock(shop, id);
  if (draft.status !== 'open') throw over(draft, 'open');
  const expires_at = expiryOf(patch.expires_at);
  if (patch.lines) await writeLines(shop, draft.cart_id, patch.lines);
  if (patch.discount !== undefined) await writeDiscount(shop, id, patch.discount);
  const { email, shipping_address, billing_address, ...plain } = patch;
  const fields = {
    ...{ email: email ? canonicalEmail(email) : email, phone: plain.phone, note: plain.note, locale: plain.locale },
    shipping_option_id: plain.shipping_option_id,
  };
  const has = (value: unknown) => value !== undefined;
  await shop.run(
    sql`update checkouts set email = ${kept(fields.email, sql`email`)}, phone = ${kept(fields.phone, sql`phone`)},
        note = ${kept(fields.note, sql`note`)}, locale = ${kept(fields.locale, sql`locale`)},
        shipping_option_id = ${kept(fields.shipping_option_id, sql`shipping_option_id`)},
        shipping_address = case when ${has(shipping_address)} then ${json(shipping_address)}::jsonb else shipping_address end,
        billing_address = case when ${has(billing_address)} then ${json(billing_address)}::jsonb else billing_address end,
        expires_at = coalesce(${expires_at ?? null}::timestamptz, expires_at)
      where site_id = ${shop.siteId} and id = ${draft.checkout_id}`,
  );
  await shop.run(
    sql`update draft_orders set reserve = coalesce(${plain.reserve ?? null}, reserve)
      where site_id = ${shop.siteId} and id = ${id}`,
  );
  await shop.run(
    sql`update carts set expires_at = coalesce(${expires_at ?? null}::timestamptz, expires_at)
      where site_id = ${shop.siteId} and id = ${draft.cart_id}`,
  );
  refuseOption(await showPrices(shop, deps, draft), patch.shipping_option_id);
  return get(shop, deps, id);
}

/**
 * Mails the link to the customer. Throws `invalid_transition`, `payment_in_progress`, `checkout_incomplete` without an
 * e-mail address, `conflict` if the total is too large to calculate, and `insufficient_stock`.
 */
export async function send(shop: Shop, deps: CheckoutDeps, id: string): Promise<DraftOrder> {
  const { draft, locked } = await lock(shop, id);
  if (draft.status !== 'open' && draft.status !== 'sent') throw over(draft, 'sent');
  refusePaying(locked.row);
  if (!locked.row.email) throw incomplete(['email']);
  const { checkout_id } = draft;
  await shop.run(
    sql`insert into checkout_links (site_id, checkout_id, token_hash)
      values (${shop.siteId}, ${checkout_id}, ${hashToken(checkoutToken(shop, deps, checkout_id))})
      on conflict (token_hash) do nothing`,
  );
  await shop.run(
    sql`update draft_orders set sent_at = coalesce(sent_at, now()) where site_id = ${shop.siteId} and id = ${id}`,
  );
  await fixPrices(shop, draft.cart_id);
  const priced = await showPrices(shop, deps, draft);
  if (priced.cart.draft?.reserves) await holdStock(shop, checkout_id, priced.cart);
  const { subtotal, discount, shipping_cost, tax, total } = priced.totals;
  const text = (minor: number) => decimal(minor, shop.currencyDigits);
  const amounts = {
    ...{ subtotal: text(subtotal), discount: text(discount), shipping_cost: text(shipping_cost) },
    ...{ tax: text(tax), tax_included: priced.tax.included, total: text(total) },
  };
  await mail.enqueue(shop, 'draft_sent', { draft_order_id: id, amounts });
  return get(shop, deps, id);
}

/** Ends an open or sent draft. Throws `invalid_transition` or `payment_in_progress`. */
export async function cancel(shop: Shop, deps: CheckoutDeps, id: string): Promise<DraftOrder> {
  const { draft, locked } = await lock(shop, id);
  if (draft.status !== 'open' && draft.status !== 'sent') throw over(draft, 'cancelled');
  refusePaying(locked.row);
  await checkouts.end(shop, draft.checkout_id, 'cancelled');
  return get(shop, deps, id);
}

/**
 * Creates the order of a draft without the customer's acceptance. Throws `invalid_transition`,
 * `payment_method_unavailable`, and the errors of completing a checkout.
 */
export async function complete(
  shop: Shop,
  deps: CheckoutDeps,
  id: string,
  payment_method: 'bank_transfer' | 'manual' | 'invoice',
): Promise<DraftOrder> {
  const { customer_id } = await find(shop, id);
  // Customers are locked before carts.
  await lockCredit(shop, customer_id);
  const { draft, locked } = await lock(shop, id);
  if (draft.status !== 'open' && draft.status !== 'sent') throw over(draft, 'completed');
  const { checkout_id } = draft;
  const isFree = priceLocked(shop, deps, locked).payment_method === 'free';
  const { total } = await checkouts.update(shop, deps, checkout_id, isFree ? {} : { payment_method }, customer_id);
  const completion = { expected_total: total, payment: undefined };
  await completeCheckout(shop, deps, checkout_id, completion, undefined, customer_id);
  return get(shop, deps, id);
}

/**
 * Locks the cart and the checkout of a draft, then reads the draft, because its status may have changed before the
 * lock.
 */
async function lock(shop: Shop, id: string): Promise<{ draft: Draft; locked: Locked }> {
  const { checkout_id, customer_id } = await find(shop, id);
  const locked = await lockCheckout(shop, checkout_id, customer_id);
  return { draft: await find(shop, id), locked };
}

function over({ status }: Draft, to: string): ShopError {
  const allowed = status === 'open' || status === 'sent' ? ['sent', 'completed', 'cancelled'] : [];
  const message =
    to === 'open'
      ? `A draft order with status ${status} cannot be changed.`
      : `A draft order with status ${status} cannot become ${to}.`;
  return new ShopError('invalid_transition', message, { field: 'status', from: status, to, allowed });
}

function incomplete(missing: string[]): ShopError {
  return new ShopError('checkout_incomplete', `Missing: ${missing.join(', ')}.`, { missing });
}

/**
 * Throws `not_found` for an unknown shipping option, and `shipping_option_unavailable` for one that does not fit the
 * address and lines.
 */
function refuseOption({ row, terms, shipping_option }: Priced, given: string | null | undefined): void {
  if (!given || shipping_option?.id === given) return;
  if (!terms.shipping_options.some(({ id }) => id === given)) throw notFound('shipping option');
  if (!row.shipping_address?.country) return;
  const message = 'This shipping option is not available for this address and these lines.';
  throw new ShopError('shipping_option_unavailable', message);
}

/** Stores the current prices as the prices shown to the customer. Throws `conflict` if the total is too large. */
async function showPrices(shop: Shop, deps: CheckoutDeps, { checkout_id, customer_id }: Draft): Promise<Priced> {
  const priced = priceLocked(shop, deps, await lockCheckout(shop, checkout_id, customer_id));
  refuseTooDear(priced.cart);
  await checkouts.show(shop, priced);
  return priced;
}

async function writeDiscount(shop: Shop, id: string, discount: DraftOrderInput['discount']): Promise<void> {
  await shop.run(
    sql`update draft_orders set discount_type = ${discount?.type ?? null}, discount_value = ${discount ? discountValue(shop, discount) : null},
        discount_reason = ${discount?.reason ?? null}
      where site_id = ${shop.siteId} and id = ${id}`,
  );
}

const PERCENTAGE_DIGITS = 2;

function discountValue(shop: Shop, { type, value: given }: NonNullable<DraftOrderInput['discount']>): string {
  const digits = type === 'percentage' ? PERCENTAGE_DIGITS : shop.currencyDigits;
  const value = canonicalAmount(given, digits, ['body', 'discount', 'value']);
  const isRight = Number(value) > 0 && (type === 'fixed_amount' || Number(value) <= 100);
  if (isRight) return value;
  const words = type === 'percentage' ? 'Must be above 0 and at most 100.' : 'Must be above 0.';
  throw new ValidationError([bodyMistake(['discount', 'value'], 'value_error', words)]);
}

/** Returns a valid time of expiry. Throws a ValidationError unless it is in the future and at most a year ahead. */
function expiryOf(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const left = Date.parse(given) - Date.now();
  if (left > 0 && left <= MOST_DAYS * DAY_MS) return given;
  throw new ValidationError([bodyMistake(['expires_at'], 'value_error', 'Must be in the future, within a year.')]);
}

type Buyer = Pick<DraftOrderInput, 'email' | 'phone' | 'shipping_address' | 'locale'>;

const NOBODY: Buyer = { email: null, phone: null, shipping_address: null, locale: null };

/** Locks the customer, so that an erasure waits for the draft and includes it. */
async function customerOf(shop: Shop, id: string): Promise<Buyer> {
  const found = await shop.one<Buyer>(
    sql`select c.email, c.phone, c.locale, (
          select a.address from customer_addresses a
          where a.site_id = c.site_id and a.customer_id = c.id and a.is_default order by a.id limit 1) as shipping_address
      from customers c where c.site_id = ${shop.siteId} and c.id = ${id} and c.anonymized_at is null for key share of c`,
  );
  if (!found) throw notFound('customer');
  return found;
}

/** The new value of a column; the column itself if nothing was given. */
function kept(value: string | null | undefined, column: Sql): Sql {
  return value === undefined ? column : sql`${value}`;
}

function json(value: object | null | undefined): string | null {
  return value ? JSON.stringify(value) : null;
}
