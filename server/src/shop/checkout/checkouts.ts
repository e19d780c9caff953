/**
 * Creates and changes checkouts. They end by completion (complete.ts), payment (pay.ts), expiry (expiry.ts) or
 * cancellation (`cancel`). Changes lock the cart and then the checkout, so that they run one after another.
 * complete.ts lists the order of all locks.
 */

import type { Address, Checkout, PaymentChoice } from '@commerce-backend/spec';
import sql, { empty, type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { together } from '../../db/connect.ts';
import type { RowOf } from '../../db/row-of.ts';
import * as carts from '../carts/carts.ts';
import { refuseTooDear } from '../carts/limits.ts';
import type { DraftTerms } from '../carts/rows.ts';
import { refuseCredit } from '../customers/credit.ts';
import { holdActor } from '../customers/erasure.ts';
import { canonicalEmail } from '../emails.ts';
import { ShopError } from '../errors.ts';
import { checkoutToken } from '../links.ts';
import { later } from '../moments.ts';
import { decimal } from '../money.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import { judgeReturnUrls } from '../return-urls.ts';
import type { Destination } from '../shipping/choices.ts';
import type { Shop } from '../shop.ts';
import * as stock from '../stock/stock.ts';
import { hashToken } from '../tokens.ts';
import { requireAgentLimits } from './agent-limits.ts';
import { begin, begunAs, draftOf, type Wishes } from './begin.ts';
import { bind, boundPatch, customerOf, requireBuyer } from './binding.ts';
import { holdStock } from './hold.ts';
import {
  type CheckoutRow,
  checkoutColumns,
  expiresAt,
  expiryOf,
  findCheckout,
  lockCheckout,
  offeredMethods,
  type Priced,
  priceCart,
  priceCheckout,
  priceLocked,
  RESERVED_MINUTES,
  readTerms,
  refuseOver,
  refusePaying,
  reservedUntil,
} from './state.ts';
import { pricesOf, statusOf, view, viewOf } from './view.ts';

/**
 * Creates the checkout of a cart or renews the open one, and reserves the stock. Throws `cart_not_active`,
 * `cart_empty`, `payment_in_progress`, `insufficient_stock`, `conflict` if the total is too large to calculate, and the
 * errors of `carts.readForCustomer` and `requireAgentLimits`.
 */
export async function create(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  cart_id: string,
  wishes: Wishes = {},
): Promise<Checkout> {
  const wished = await judgeReturnUrls(shop, checkoutDeps, wishes);
  await holdActor(shop);
  const [, open, read, terms] = await together(
    carts.lock(shop, cart_id),
    openOf(shop, cart_id),
    carts.readForCustomer(shop, cart_id, shop.customerId, false),
    readTerms(shop),
  );
  // If `openOf` ended an expired checkout, its stock is available again.
  const ended = open === undefined && read.pieces_held > 0;
  const cart = ended ? await carts.readForCustomer(shop, cart_id, shop.customerId, false) : read;
  carts.refuseInactive(cart);
  // A draft order has exactly one checkout. If the checkout is not open, it was cancelled or has expired.
  if (cart.draft && !open) throw carts.ofDraft(cart);
  if (open) refusePaying(open);
  if (cart.lines.length === 0) throw new ShopError('cart_empty', 'The cart is empty.');
  refuseTooDear(cart);
  if (open) {
    const row = { ...open, ...settingsIn(wished) };
    return renew(shop, checkoutDeps, priceCart(shop, checkoutDeps, row, cart, terms), wishesOf(wished));
  }
  const draft = await draftOf(shop, cart, wished);
  const priced = priceCart(shop, checkoutDeps, draft, cart, terms);
  const [, , row] = await together(
    begin(shop, checkoutDeps, priced, wished),
    holdStock(shop, draft.id, cart, cart.lines, { isNew: true }),
    begunAs(shop, priced),
  );
  if (shop.agent) await requireAgentLimits(shop, priced);
  return viewOf(shop, checkoutDeps, { ...priced, row });
}

async function renew(shop: Shop, checkoutDeps: CheckoutDeps, priced: Priced, filledIn: Sql): Promise<Checkout> {
  await holdStock(shop, priced.row.id, priced.cart);
  if (shop.agent) await requireAgentLimits(shop, priced);
  return viewOf(shop, checkoutDeps, { ...priced, row: await show(shop, priced, filledIn) });
}

function wishesOf(wishes: Wishes): Sql {
  const { locale, return_url, cancel_url } = settingsIn(wishes);
  const given = (value: string | null | undefined, column: Sql) =>
    value === undefined ? empty : sql`${column} = ${value},`;
  const { attribution } = wishes;
  const from = attribution ? sql`attribution = ${JSON.stringify(attribution)}::jsonb,` : empty;
  return sql`${given(locale, sql`locale`)} ${given(return_url, sql`return_url`)} ${given(cancel_url, sql`cancel_url`)} ${from}`;
}

/** Returns only the settings that the request contains. */
function settingsIn({
  locale,
  return_url,
  cancel_url,
}: Wishes): Partial<Pick<CheckoutRow, 'locale' | 'return_url' | 'cancel_url'>> {
  return {
    ...(locale !== undefined && { locale }),
    ...(return_url !== undefined && { return_url }),
    ...(cancel_url !== undefined && { cancel_url }),
  };
}

/** Returns and locks the open checkout of a locked cart. Ends it first if it has expired. */
export async function openOf(shop: Shop, cart_id: string): Promise<CheckoutRow | undefined> {
  const found = await shop.one<CheckoutRow>(
    sql`select ${checkoutColumns} from checkouts k
      where k.site_id = ${shop.siteId} and k.cart_id = ${cart_id} and k.status in ('open', 'ready', 'requires_escalation')
      for update of k`,
  );
  if (!found?.expired) return found;
  await end(shop, found.id, 'expired');
  return undefined;
}

/** Returns the id of a cart's latest checkout in any status. */
export async function newestOf(shop: Shop, cart_id: string): Promise<string | undefined> {
  const found = await shop.one<RowOf<'checkouts', 'id'>>(
    sql`select id from checkouts where site_id = ${shop.siteId} and cart_id = ${cart_id} order by created_at desc, id desc limit 1`,
  );
  return found?.id;
}

export type WidgetDetails = Omit<
  Required<CheckoutPatch>,
  keyof Wishes | 'marketing_opt_in' | 'marketing_wording' | 'digital_consent_wording'
>;

/**
 * Creates the checkout of an integration's order. The caller then reserves the stock (`reserveStock`) or sells it
 * (`createOrder`).
 */
export async function beginForWidget(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  cart_id: string,
  given: WidgetDetails,
): Promise<CheckoutRow> {
  const id = uuidv7();
  await shop.run(
    sql`with begun as (
        insert into checkouts as k (site_id, id, cart_id, source, email, phone, shipping_address, billing_address,
          shipping_option_id, payment_method, note, expires_at)
        values (${shop.siteId}, ${id}, ${cart_id}, 'ai_widget', ${given.email}, ${given.phone},
          ${json(given.shipping_address)}::jsonb, ${json(given.billing_address)}::jsonb, ${given.shipping_option_id},
          ${given.payment_method}, ${given.note}, now() + interval '24 hours')
        returning site_id, id
      )
      insert into checkout_links (site_id, checkout_id, token_hash)
      select site_id, id, ${hashToken(checkoutToken(shop, checkoutDeps, id))} from begun`,
  );
  return findRow(shop, id);
}

/** Reserves the stock for the shopper who will open the checkout page. Throws `insufficient_stock`. */
export async function reserveStock(shop: Shop, checkoutDeps: CheckoutDeps, priced: Priced): Promise<Checkout> {
  await holdStock(shop, priced.row.id, priced.cart);
  return viewOf(shop, checkoutDeps, { ...priced, row: await show(shop, priced) });
}

async function findRow(shop: Shop, id: string): Promise<CheckoutRow> {
  const row = await shop.one<CheckoutRow>(
    sql`select ${checkoutColumns} from checkouts k where k.site_id = ${shop.siteId} and k.id = ${id}`,
  );
  if (!row) throw new Error(`Locked checkout ${id} was not found.`);
  return row;
}

/**
 * Stores the changed fields and the prices shown to the caller, and extends the checkout's lifetime. The checkout of a
 * draft order keeps its lifetime and, if the draft reserves stock, its reservation.
 */
export async function show(shop: Shop, priced: Priced, filledIn: Sql = empty): Promise<CheckoutRow> {
  const { row, missing, totals } = priced;
  const draft = priced.cart.draft;
  const now = await shop.moment();
  const digits = shop.currencyDigits;
  const customer_id = customerOf(shop, row);
  const status = row.status === 'requires_escalation' ? row.status : statusOf(missing);
  shop.write(
    sql`update checkouts k set ${filledIn}
        status = ${status}, customer_id = ${customer_id},
        shown_total = ${decimal(totals.total, digits)},
        shown_prices = ${JSON.stringify(pricesOf(priced, digits))}::jsonb, told_prices = null, payment_failure = null,
        reserved_until = ${reservation(shop, draft)}, expires_at = ${draft ? sql`k.expires_at` : expiresAt(sql`k.source`)}, updated_at = now()
      where k.site_id = ${shop.siteId} and k.id = ${row.id}`,
  );
  return {
    ...row,
    status,
    customer_id,
    reserved_until:
      (shop.actorType === 'guest_agent' && row.reserved_until) ||
      (draft?.reserves && row.expires_at) ||
      later(now, RESERVED_MINUTES, 'minutes'),
    expires_at: draft ? row.expires_at : expiryOf(row.source, now),
    updated_at: now,
  };
}

function reservation(shop: Shop, draft: DraftTerms | null): Sql {
  if (shop.actorType === 'guest_agent') return sql`k.reserved_until`;
  return draft?.reserves ? sql`k.expires_at` : reservedUntil;
}

/** Returns a checkout. Throws `not_found` or `checkout_expired`. */
export async function get(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  id: string,
  customer_id: string | null = shop.customerId,
): Promise<Checkout> {
  const row = await findCheckout(shop, id, customer_id);
  if (row.expired) refuseOver(row);
  return view(shop, checkoutDeps, row);
}

export interface CheckoutPatch {
  email?: string | null;
  phone?: string | null;
  shipping_address?: Address | null;
  billing_address?: Address | null;
  shipping_option_id?: string | null;
  payment_method?: PaymentChoice | null;
  note?: string | null;
  marketing_opt_in?: boolean;
  marketing_wording?: string | null;
  digital_consent_wording?: string | null;
  locale?: string | null;
  return_url?: string | null;
  cancel_url?: string | null;
}

/**
 * Changes the given fields and reserves the stock for another 15 minutes. Removes a shipping option or payment method
 * that is no longer available. Throws the errors that the contract lists for updateCheckout, and those of
 * `requireAgentLimits`.
 */
export async function update(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  id: string,
  asked: CheckoutPatch,
  customer_id: string | null = shop.customerId,
): Promise<Checkout> {
  if (shop.agent && asked.marketing_opt_in) {
    throw new ShopError('human_confirmation_required', 'Only the customer can consent to marketing mails.');
  }
  if (shop.agent && asked.digital_consent_wording) {
    throw new ShopError('human_confirmation_required', 'Only the customer can give up the right of withdrawal.');
  }
  const judged = await judgeReturnUrls(shop, checkoutDeps, asked);
  await holdActor(shop);
  const locked = await lockCheckout(shop, id, customer_id);
  refuseOver(locked.row);
  refusePaying(locked.row);
  const patch = boundPatch(shop, locked.row, asked);
  // A new decision about marketing mails also replaces the stored wording.
  const wording = patch.marketing_opt_in === undefined ? {} : { marketing_wording: patch.marketing_wording ?? null };
  const email = patch.email ? { email: canonicalEmail(patch.email) } : {};
  const wanted = { ...locked.row, ...patch, ...wording, ...judged, ...email } as CheckoutRow;
  const priced = priceLocked(shop, checkoutDeps, { ...locked, row: wanted });
  carts.refuseInactive(priced.cart);
  refuseTooDear(priced.cart);
  refuseUnavailable(priced, patch, checkoutDeps);
  const { credit } = priced.terms;
  if (patch.payment_method === 'invoice' && credit) refuseCredit(shop, credit, priced.totals.total);
  if (shop.agent) await requireAgentLimits(shop, priced);
  const filledIn = assignments({
    ...wanted,
    shipping_option_id: priced.shipping_option?.id ?? null,
    // A free order keeps the chosen method in case the total rises again.
    payment_method: priced.payment_method === 'free' ? wanted.payment_method : priced.payment_method,
  });
  await holdStock(shop, id, priced.cart);
  const row = await show(shop, priced, filledIn);
  return viewOf(shop, checkoutDeps, { ...priced, row: { ...row, bound_browser: await bind(shop, row, patch) } });
}

/**
 * Returns the fields that would be missing after a change, without applying it. Throws `not_found`, `checkout_expired`
 * or `checkout_not_open`.
 */
export async function missingAfter(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  id: string,
  patch: CheckoutPatch,
): Promise<string[]> {
  const row = await findCheckout(shop, id, shop.customerId);
  refuseOver(row);
  return (await priceCheckout(shop, checkoutDeps, { ...row, ...patch })).missing;
}

/**
 * Returns an open checkout as it would be with this destination, shipping option and payment method, without applying
 * them. An option or a method that is not available is ignored.
 */
export async function preview(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  id: string,
  { destination, shipping_option_id, payment_method }: Preview,
): Promise<Checkout> {
  const row = await findCheckout(shop, id, shop.customerId);
  refuseOver(row);
  const shipping_address = destination.country ? { ...row.shipping_address, ...destination } : row.shipping_address;
  const wanted = { ...row, shipping_address, shipping_option_id, payment_method } as CheckoutRow;
  return viewOf(shop, checkoutDeps, await priceCheckout(shop, checkoutDeps, wanted));
}

interface Preview {
  destination: Destination;
  shipping_option_id: string | null;
  payment_method: string | null;
}

/** Stores the language of the page on a checkout that has none, so that its mails use the same language. */
export async function keepLocale(shop: Shop, id: string, locale: string): Promise<void> {
  await shop.run(
    sql`update checkouts set locale = ${locale} where site_id = ${shop.siteId} and id = ${id} and locale is null`,
  );
}

function refuseUnavailable(
  priced: Priced,
  { shipping_option_id, payment_method }: CheckoutPatch,
  checkoutDeps: CheckoutDeps,
): void {
  if (shipping_option_id && !priced.shipping_option) {
    throw new ShopError(
      'shipping_option_unavailable',
      'This shipping option is not available for this address and this cart.',
    );
  }
  const payment_methods = offeredMethods(priced.terms, checkoutDeps, priced.shipping_option);
  if (payment_method && !payment_methods.includes(payment_method)) {
    throw new ShopError('payment_method_unavailable', 'This payment method is not available for this checkout.', {
      payment_methods,
    });
  }
}

function assignments(row: CheckoutRow): Sql {
  return sql`email = ${row.email}, phone = ${row.phone}, shipping_address = ${json(row.shipping_address)}::jsonb,
        billing_address = ${json(row.billing_address)}::jsonb, shipping_option_id = ${row.shipping_option_id},
        payment_method = ${row.payment_method}, note = ${row.note}, locale = ${row.locale},
        marketing_opt_in = ${row.marketing_opt_in}, marketing_wording = ${row.marketing_wording},
        digital_consent_wording = ${row.digital_consent_wording},
        return_url = ${row.return_url}, cancel_url = ${row.cancel_url},`;
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/**
 * Cancels a checkout, releases its stock and keeps its cart. Throws `not_found`, `checkout_expired`,
 * `buyer_data_locked`, `payment_in_progress`, or `checkout_not_open` if it is completed.
 */
export async function cancel(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  id: string,
  customer_id: string | null = shop.customerId,
): Promise<Checkout> {
  const { row } = await lockCheckout(shop, id, customer_id);
  if (row.status !== 'cancelled') {
    refuseOver(row);
    requireBuyer(shop, row);
    refusePaying(row);
    await end(shop, id, 'cancelled');
  }
  return view(shop, checkoutDeps, await findRow(shop, id));
}

/** Ends a locked open checkout and releases its stock. */
export async function end(shop: Shop, id: string, status: 'cancelled' | 'expired'): Promise<void> {
  await stock.release(shop, id);
  await shop.run(
    sql`update checkouts set status = ${status}, reserved_until = null, updated_at = now()
      where site_id = ${shop.siteId} and id = ${id}`,
  );
}
