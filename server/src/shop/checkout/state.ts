import type {
  Address,
  BankDetails,
  CartWarning,
  CheckoutStatus,
  NextAction,
  OrderSource,
  PaymentChoice,
  ShippingChoice,
} from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { together } from '../../db/connect.ts';
import * as carts from '../carts/carts.ts';
import { paying } from '../carts/limits.ts';
import { type CartLine, type CartNow, type CartState, type DraftTerms, forSale, readCart } from '../carts/rows.ts';
import { type Credit, creditOf } from '../customers/credit.ts';
import { notFound, ShopError } from '../errors.ts';
import { later } from '../moments.ts';
import { minorUnits } from '../money.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import type { Outcome } from '../payments/provider.ts';
import {
  type ActiveOption,
  activeOptions,
  choicesAmong,
  type Destination,
  isPaidOnReceipt,
  undeliverable,
  weightOf,
} from '../shipping/choices.ts';
import type { Shop } from '../shop.ts';
import { type TaxSettings, taxTermsFor } from '../tax-rates.ts';
import { type DiscountTerms, type TaxTerms, type Totals, totalsOf } from '../totals.ts';
import { missingOf } from './missing.ts';

export interface CheckoutRow {
  id: string;
  cart_id: string;
  customer_id: string | null;
  /** The agent that created the checkout for a customer; null for other checkouts. */
  agent_token_id: string | null;
  /** The profile of the guest agent that created the checkout. */
  guest_profile_id: string | null;
  /** The browser to which the buyer data is bound, in hexadecimal; null until the hosted page is posted. */
  bound_browser: string | null;
  status: CheckoutStatus;
  source: OrderSource;
  email: string | null;
  phone: string | null;
  shipping_address: Address | null;
  billing_address: Address | null;
  shipping_option_id: string | null;
  payment_method: PaymentChoice | null;
  note: string | null;
  marketing_opt_in: boolean;
  marketing_wording: string | null;
  digital_consent_wording: string | null;
  locale: string | null;
  return_url: string | null;
  cancel_url: string | null;
  shown_total: string;
  shown_prices: Record<string, string>;
  told_prices: Record<string, string> | null;
  reserved_until: string | null;
  expires_at: string;
  /** Whether the lifetime has passed, even if the job has not recorded that yet. */
  expired: boolean;
  order_id: string | null;
  order_number: string | null;
  /** The pending payment. Until it ends, the checkout neither changes nor expires. */
  payment_id: string | null;
  payment: OpenPayment | null;
  created_at: string;
  updated_at: string;
}

export interface OpenPayment {
  id: string;
  provider: string;
  kind: 'card_token' | 'confirmation_token' | 'page';
  status: string;
  /** Encrypted, in Base64. */
  next_action: string | null;
  /** Milliseconds since 1970. */
  expires_at: number;
}

/** The end of the stock reservation after a change. */
export const reservedUntil: Sql = sql`now() + interval '15 minutes'`;
export const RESERVED_MINUTES = 15;

/** The expiry after a change. Checkouts of agents and widgets expire later, because the shopper may come later. */
export function expiresAt(source: Sql): Sql {
  return sql`now() + case when ${source} in ('agent', 'ai_widget') then interval '24 hours' else interval '60 minutes' end`;
}

/** Like `expiresAt`, counted from a given time. */
export function expiryOf(source: OrderSource, moment: string): string {
  return source === 'agent' || source === 'ai_widget' ? later(moment, 24, 'hours') : later(moment, 60, 'minutes');
}

export const checkoutColumns: Sql = sql`k.id, k.cart_id, k.customer_id, k.agent_token_id, k.guest_profile_id,
  encode(k.bound_browser, 'hex') as bound_browser, k.status, k.source, k.email, k.phone,
  k.shipping_address, k.billing_address, k.shipping_option_id, k.payment_method, k.note, k.marketing_opt_in,
  k.marketing_wording, k.digital_consent_wording, k.locale, k.return_url,
  k.cancel_url, k.shown_total, k.shown_prices,
  k.told_prices, case when k.payment_id is not null or k.reserved_until > now() then k.reserved_until end as reserved_until,
  k.expires_at, k.status = 'expired' or (k.status not in ('completed', 'cancelled') and k.payment_id is null
    and k.expires_at <= now()) as expired, k.order_id, (
    select o.order_number from orders o where o.site_id = k.site_id and o.id = k.order_id) as order_number,
  k.payment_id, case when k.payment_id is not null then (
    select json_build_object('id', p.id, 'provider', p.provider, 'kind', p.kind, 'status', p.status,
      'next_action', encode(p.next_action, 'base64'), 'expires_at', (extract(epoch from p.expires_at) * 1000)::bigint)
    from payments p where p.site_id = k.site_id and p.id = k.payment_id) end as payment, k.created_at, k.updated_at`;

/** Returns a checkout of the customer. Throws `not_found`, even for a checkout of another customer or agent. */
export async function findCheckout(shop: Shop, id: string, customer_id: string | null): Promise<CheckoutRow> {
  const found = await shop.one<CheckoutRow>(
    sql`select ${checkoutColumns} from checkouts k where k.site_id = ${shop.siteId} and k.id = ${id}`,
  );
  return ofCaller(shop, found, customer_id);
}

/** A checkout, locked after its cart, with the data for its price. */
export interface Locked {
  row: CheckoutRow;
  cart: CartNow | undefined;
  terms: SellingTerms;
}

/** Locks and reads the cart, then the checkout. Throws the errors of `findCheckout`. */
export async function lockCheckout(shop: Shop, id: string, customer_id: string | null): Promise<Locked> {
  const { found, ...read } = await lockAndRead(shop, id, customer_id);
  return { ...read, row: ofCaller(shop, found, customer_id) };
}

/**
 * Like `lockCheckout`, for completion. Throws `human_confirmation_required` for the checkout of an agent unless the
 * logged-in customer completes it, and for that of a guest agent unless the hosted page completes it.
 */
export async function lockToComplete(shop: Shop, id: string, customer_id: string | null): Promise<Locked> {
  const { found, ...read } = await lockAndRead(shop, id, customer_id);
  if (found?.source === 'agent') requireHuman(shop, found, customer_id);
  return { ...read, row: ofCaller(shop, found, customer_id) };
}

function requireHuman(shop: Shop, { guest_profile_id }: CheckoutRow, customer_id: string | null): void {
  const isHuman = guest_profile_id ? shop.browser !== null : customer_id !== null && shop.actorType === 'customer';
  if (isHuman) return;
  const message = guest_profile_id
    ? 'An agent made this checkout, and only the buyer can confirm it, on the page at checkout_url.'
    : 'An agent made this checkout, and only its customer can confirm it.';
  throw new ShopError('human_confirmation_required', message);
}

/**
 * Locks the cart and the checkout. A second statement reads the cart, so that it sees the commits for which the first
 * one waited.
 */
async function lockAndRead(shop: Shop, id: string, customer_id: string | null) {
  const cartOf = sql`(select k.cart_id from checkouts k where k.site_id = ${shop.siteId} and k.id = ${id})`;
  const locked = shop.one<CheckoutRow>(
    sql`with cart as materialized (
        select c.id from carts c where c.site_id = ${shop.siteId} and c.id = ${cartOf} for update
      )
      select ${checkoutColumns} from cart join checkouts k on k.cart_id = cart.id
      where k.site_id = ${shop.siteId} and k.id = ${id} for update of k`,
  );
  const [found, cart, terms] = await together(locked, readCart(shop, cartOf), readTerms(shop, customer_id));
  return { found, cart, terms };
}

function ofCaller(shop: Shop, found: CheckoutRow | undefined, customer_id: string | null): CheckoutRow {
  if (shop.agent && found?.agent_token_id !== shop.agent.token_id) throw notFound('checkout');
  if (shop.guestProfile && found?.guest_profile_id !== shop.guestProfile) throw notFound('checkout');
  if (!found || (found.customer_id !== null && found.customer_id !== customer_id)) throw notFound('checkout');
  return found;
}

/** Throws `checkout_expired`, or `checkout_not_open` for a completed or cancelled checkout. */
export function refuseOver({ status, expired, cart_id, order_id }: CheckoutRow): void {
  if (expired) throw new ShopError('checkout_expired', 'The checkout has expired.', { cart_id });
  if (status !== 'completed' && status !== 'cancelled') return;
  throw new ShopError('checkout_not_open', `The checkout is ${status}.`, { status, ...(order_id && { order_id }) });
}

/** Throws `payment_in_progress` if a payment is pending. */
export function refusePaying({ id, payment_id }: Pick<CheckoutRow, 'id' | 'payment_id'>): void {
  if (payment_id) throw paying({ checkout_id: id, payment_id });
}

export interface SellingTerms extends TaxSettings {
  shipping_options: ActiveOption[];
  bank_details: BankDetails | null;
  payment_deadline_hours: number;
  /** The shop's website, to which shoppers may return. */
  storefront_url: string | null;
  allowed_origins: string[];
  has_payment_account: boolean;
  payment_capture: 'automatic' | 'manual';
  default_locale: string;
  /** The payment terms of the logged-in customer; null without any, and for agents. */
  credit: Credit | null;
  /** Whether customers are reminded of overdue invoices. */
  reminds_overdue: boolean;
  /** Whether the shop gets mails about new orders. */
  tells_shop: boolean;
}

/** A checkout with its totals in minor units, and the data from which they are calculated. */
export interface Priced {
  row: CheckoutRow;
  cart: CartState;
  terms: SellingTerms;
  /** The lines that are for sale. Only these are priced and ordered. */
  lines: CartLine[];
  requires_shipping: boolean;
  shipping_option: ShippingChoice | null;
  payment_methods: (PaymentChoice | 'free')[];
  /** The chosen or default method if the shop offers it; `free` if there is nothing to pay. */
  payment_method: PaymentChoice | 'free' | null;
  tax: TaxTerms;
  totals: Totals;
  missing: string[];
  /** Warnings in addition to those of the cart. */
  warnings: CartWarning[];
}

/** Prices a checkout with the current state of its cart. Throws the errors of `carts.readForCustomer`. */
export async function priceCheckout(shop: Shop, checkoutDeps: CheckoutDeps, row: CheckoutRow): Promise<Priced> {
  const [cart, terms] = await together(readCart(shop, row.cart_id), readTerms(shop));
  return priceLocked(shop, checkoutDeps, { row, cart, terms });
}

/** Like `priceCheckout`, for a checkout that the caller has read with its cart. */
export function priceLocked(shop: Shop, checkoutDeps: CheckoutDeps, { row, cart, terms }: Locked): Priced {
  const owned = carts.ofCustomerGiven(shop, cart, row.customer_id ?? shop.customerId);
  return priceCart(shop, checkoutDeps, row, owned, terms);
}

export function priceCart(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  row: CheckoutRow,
  cart: CartState,
  given: SellingTerms,
): Priced {
  const digits = shop.currencyDigits;
  // Anyone may have the mailed link of a draft. Only staff and the logged-in customer may use the customer's credit.
  const terms = cart.draft && shop.actorType === 'storefront' ? { ...given, credit: null } : given;
  const lines = forSale(cart.lines);
  const requires_shipping = lines.some((line) => line.requires_shipping);
  const tax = taxTermsFor(terms, row.shipping_address?.country ? row.shipping_address : row.billing_address);
  const discount = cart.draft ? discountOf(cart.draft) : cart.discount?.holds ? cart.discount.terms : undefined;
  const goods = totalsOf({ lines, discount, shipping: 0, tax, digits });

  const free_shipping = discount?.kind === 'free_shipping';
  const parcel = {
    ...destinationOf(row),
    subtotal: goods.subtotal - goods.discount,
    weight_grams: weightOf(lines),
    requires_shipping,
    free_shipping,
  };
  const choices = choicesAmong(terms.shipping_options, parcel, digits);
  const shipping_option = choices.find(({ id }) => id === row.shipping_option_id) ?? null;
  const withShipping = (shipping: number) =>
    shipping === 0 ? goods : totalsOf({ lines, discount, shipping, tax, digits });
  const shipping = minorUnits(shipping_option?.price ?? '0', digits);

  const offered = offeredMethods(terms, checkoutDeps, shipping_option);
  const free = withShipping(shipping).total === 0;
  const chosen = offered.find((method) => method === (row.payment_method ?? methodOf(shipping_option))) ?? null;
  const onDelivery = !free && chosen === 'manual' ? shipping_option?.cash_on_delivery_fee : null;
  const totals = withShipping(shipping + minorUnits(onDelivery ?? '0', digits));
  const payment_method: Priced['payment_method'] = free ? 'free' : chosen;
  const isPickedUp = shipping_option?.kind === 'pickup';
  const warnings = isPickedUp ? [] : undeliverable(terms.shipping_options, choices, parcel);
  const priced = { row, cart, terms, lines, requires_shipping, shipping_option, tax, totals, payment_method, warnings };
  return { ...priced, payment_methods: free ? ['free'] : offered, missing: missingOf(priced) };
}

/** The discount of a draft order covers all lines. */
function discountOf({ discount_type: kind, discount_value: value }: DraftTerms): DiscountTerms | undefined {
  return kind && value ? { kind, value, covers: () => true } : undefined;
}

export async function readTerms(shop: Shop, customer_id = shop.customerId): Promise<SellingTerms> {
  const found = await shop.one<SellingTerms>(
    sql`select prices_include_tax, trim_scale(default_tax_rate)::text as default_tax_rate, tax_rates, shipping_tax,
        bank_details, payment_deadline_hours, default_locale, storefront_url,
        mail_new_orders as tells_shop, ${activeOptions(shop)} as shipping_options, (
          select s.allowed_origins from sites s where s.site_id = ${shop.siteId}) as allowed_origins, payment_capture,
        exists (select from payment_accounts a where a.site_id = ${shop.siteId}) as has_payment_account,
        mail_overdue_invoices as reminds_overdue, ${creditOfBuyer(shop, customer_id)} as credit
      from site_settings where site_id = ${shop.siteId}`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found;
}

/** Agents cannot pay by invoice. */
function creditOfBuyer(shop: Shop, customer_id: string | null): Sql {
  return customer_id === null || shop.agent ? sql`null::json` : creditOf(shop, customer_id);
}

function destinationOf({ shipping_address }: CheckoutRow): Destination {
  const { country = null, state = null, postal_code = null } = shipping_address ?? {};
  return { country, state, postal_code };
}

/** The default payment method: on site for pickup, otherwise none. */
function methodOf(shipping_option: ShippingChoice | null): 'manual' | null {
  return shipping_option?.kind === 'pickup' ? 'manual' : null;
}

/**
 * The available payment methods. Payment on receipt is offered only for pickup and for delivery that allows it, and
 * invoices only to customers with payment terms.
 */
export function offeredMethods(
  {
    bank_details,
    has_payment_account,
    credit,
  }: Pick<SellingTerms, 'bank_details' | 'has_payment_account'> & Partial<Pick<SellingTerms, 'credit'>>,
  { card }: CheckoutDeps,
  shipping_option: ShippingChoice | null,
): PaymentChoice[] {
  const offered: PaymentChoice[] = [];
  if (bank_details) offered.push('bank_transfer');
  if (card || has_payment_account) offered.push('card');
  if (shipping_option && isPaidOnReceipt(shipping_option)) offered.push('manual');
  if (credit) offered.push('invoice');
  return offered;
}

/** The payment of a new order through a provider. */
export interface Charged {
  payment_id: string;
  /** Decimal string. */
  amount: string;
  status: Outcome['status'];
  paid_by: Outcome['paid_by'];
}

/** The state of a payment, or why none began. */
export interface Paid {
  /** The reason why no payment could begin or continue. */
  refusal?: ShopError;
  payment_id?: string;
  status?: string;
  /** Reason code of a failed payment. */
  reason?: string | null;
  next_action?: NextAction | null;
  expires_at?: string | null;
}
