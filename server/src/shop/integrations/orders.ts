/**
 * Orders of integrations. Each is a checkout with its own cart, so that it is priced and created like all others:
 * 1. Reserve the reference with an insert, which blocks a second order with the same one.
 * 2. Create the cart and its checkout (checkout/checkouts.ts lists the lock order).
 * 3. Compare with the amounts that the integration has shown its customer. Roll back on a difference.
 * 4. Create the order, or reserve the stock for a person who completes the checkout.
 */

import type { Address, CustomerOrder, SyncAddress, SyncOrder, SyncOrderInput } from '@commerce-backend/spec';
import sql, { empty, type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { refuseTooDear } from '../carts/limits.ts';
import { keptOfVariant } from '../carts/rows.ts';
import * as checkouts from '../checkout/checkouts.ts';
import { createOrder } from '../checkout/new-order.ts';
import { type CheckoutRow, type Priced, priceCheckout } from '../checkout/state.ts';
import { countryCode } from '../countries.ts';
import { cursorPage, idOfCursor } from '../cursors.ts';
import { canonicalEmail, foldEmail } from '../emails.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import { checkoutUrl } from '../links.ts';
import { minorUnits } from '../money.ts';
import { listForCustomer } from '../orders/rows.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import { choicesAmong, weightOf } from '../shipping/choices.ts';
import type { Shop } from '../shop.ts';
import { type FoundLine, findVariants, refuseOtherPrices } from './order-lines.ts';

/**
 * Creates an order, or a checkout for a person to complete. Throws `reference_taken`, `not_found`,
 * `insufficient_stock`, `shipping_option_unavailable`, `payment_method_unavailable`, `conflict`, or a ValidationError,
 * for example for amounts that differ from the catalogue.
 */
export async function create(shop: Shop, checkoutDeps: CheckoutDeps, input: SyncOrderInput): Promise<SyncOrder> {
  refuseOtherCurrency(shop, input.currency);
  const given = detailsOf(input);
  const id = await takeReference(shop, input);
  const line_items = await findVariants(shop, input.line_items);
  const cart_id = await fillCart(shop, line_items);
  let row = await checkouts.beginForWidget(shop, checkoutDeps, cart_id, given);
  await shop.run(sql`update sync_orders set checkout_id = ${row.id} where site_id = ${shop.siteId} and id = ${id}`);
  let priced = await priceCheckout(shop, checkoutDeps, row);
  if (input.payment === 'bank_transfer' && !row.shipping_option_id && priced.requires_shipping) {
    row = await shipCheapest(shop, priced);
    priced = await priceCheckout(shop, checkoutDeps, row);
  }
  refuseTooDear(priced.cart);
  refuseOtherPrices(shop, priced, { ...input, line_items });
  refuseOtherShipping(row, priced);
  if (input.payment === 'hosted_checkout') await checkouts.reserveStock(shop, checkoutDeps, priced);
  else await placeByTransfer(shop, priced);
  return get(shop, checkoutDeps, id);
}

function refuseOtherCurrency(shop: Shop, currency: string): void {
  if (currency === shop.currency) return;
  const msg = `The shop sells in ${shop.currency}.`;
  throw new ValidationError([bodyMistake(['currency'], 'currency_mismatch', msg, { expected: shop.currency })]);
}

function detailsOf(input: SyncOrderInput): checkouts.WidgetDetails {
  return {
    email: input.email ? canonicalEmail(input.email) : null,
    phone: input.phone ?? null,
    shipping_address: addressOf(input.shipping_address, 'shipping_address'),
    billing_address: addressOf(input.billing_address, 'billing_address'),
    shipping_option_id: input.shipping_option_id ?? null,
    payment_method: input.payment === 'bank_transfer' ? 'bank_transfer' : null,
    note: input.note ?? null,
  };
}

/** Converts the country to its code, which taxes and shipping need. */
function addressOf(address: SyncAddress | null | undefined, field: string): Address | null {
  if (!address?.country) return address ?? null;
  const country = countryCode(address.country);
  if (country) return { ...address, country };
  const msg = 'Send the ISO 3166-1 alpha-2 code of a country, or its English name.';
  throw new ValidationError([bodyMistake([field, 'country'], 'country_unknown', msg)]);
}

/**
 * Reserves a reference. Waits for a concurrent order with the same reference. Throws `reference_taken`, even if an
 * imported order has it.
 */
async function takeReference(shop: Shop, { reference, payment }: SyncOrderInput): Promise<string> {
  const id = uuidv7();
  const taken = await shop.run(
    sql`insert into sync_orders (site_id, id, reference, payment)
      select ${shop.siteId}, ${id}, ${reference}, ${payment} where not exists (
        select from orders where site_id = ${shop.siteId} and external_reference = ${reference} and source = 'import')
      on conflict (site_id, reference) do nothing`,
  );
  if (taken > 0) return id;
  const other = await shop.one<{ sync_order_id: string; order_id: string | null; order_number: string | null }>(
    sql`select s.id as sync_order_id, o.id as order_id, o.order_number
      from sync_orders s join checkouts k on k.site_id = s.site_id and k.id = s.checkout_id
      left join orders o on o.site_id = k.site_id and o.id = k.order_id
      where s.site_id = ${shop.siteId} and s.reference = ${reference}`,
  );
  throw new ShopError('reference_taken', 'Another order has this reference.', { ...other });
}

const MAX_QUANTITY = 999;

/** Creates a guest cart. Lines of the same variant become one. */
async function fillCart(shop: Shop, lines: FoundLine[]): Promise<string> {
  const quantities = new Map<string, number>();
  for (const [index, { found_variant_id, quantity }] of lines.entries()) {
    const sum = (quantities.get(found_variant_id) ?? 0) + quantity;
    if (sum > MAX_QUANTITY) {
      const msg = `An order can have at most ${MAX_QUANTITY} pieces of one variant.`;
      const at = ['line_items', index, 'quantity'];
      throw new ValidationError([bodyMistake(at, 'less_than_equal', msg, { le: MAX_QUANTITY })]);
    }
    quantities.set(found_variant_id, sum);
  }
  const cart_id = uuidv7();
  const items = [...quantities].map(([variant_id, quantity]) => ({ id: uuidv7(), variant_id, quantity }));
  await shop.run(sql`insert into carts (site_id, id) values (${shop.siteId}, ${cart_id})`);
  await shop.run(
    sql`insert into cart_items (site_id, id, cart_id, variant_id, quantity, product_id, name, variant_name, price_seen)
      select ${shop.siteId}, i.id, ${cart_id}, v.id, i.quantity, ${keptOfVariant}
      from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as i (id uuid, variant_id uuid, quantity int)
      join variants v on v.site_id = ${shop.siteId} and v.id = i.variant_id
      join products p on p.site_id = v.site_id and p.id = v.product_id`,
  );
  return cart_id;
}

/**
 * Chooses the cheapest shipping option for the delivery address. Throws `shipping_option_unavailable` if there is none.
 */
async function shipCheapest(shop: Shop, { row, totals, terms, lines }: Priced): Promise<CheckoutRow> {
  const parcel = {
    ...{ country: null, ...row.shipping_address },
    subtotal: totals.subtotal - totals.discount,
    weight_grams: weightOf(lines),
    requires_shipping: true,
  };
  const options = choicesAmong(terms.shipping_options, parcel, shop.currencyDigits);
  const costOf = ({ price }: { price: string }) => minorUnits(price, shop.currencyDigits);
  const [cheapest] = options.filter(({ kind }) => kind === 'delivery').sort((a, b) => costOf(a) - costOf(b));
  if (!cheapest) {
    const where = row.shipping_address?.country ? 'this country' : 'an address without a country';
    throw new ShopError('shipping_option_unavailable', `The shop does not deliver to ${where}.`);
  }
  await shop.run(
    sql`update checkouts set shipping_option_id = ${cheapest.id} where site_id = ${shop.siteId} and id = ${row.id}`,
  );
  return { ...row, shipping_option_id: cheapest.id };
}

function refuseOtherShipping(
  { shipping_option_id }: CheckoutRow,
  { requires_shipping, shipping_option }: Priced,
): void {
  if (!shipping_option_id || !requires_shipping || shipping_option) return;
  throw new ShopError(
    'shipping_option_unavailable',
    'This shipping option is not available for this address and these goods.',
  );
}

/** Creates the order even if customer data is missing, because the integration has accepted it. */
async function placeByTransfer(shop: Shop, priced: Priced): Promise<void> {
  if (!priced.payment_method) {
    const { payment_methods } = priced;
    throw new ShopError('payment_method_unavailable', 'The shop does not accept bank transfers.', { payment_methods });
  }
  const customer = priced.row.email === null ? undefined : await verifiedCustomer(shop, priced.row.email);
  await createOrder(shop, priced, customer?.id ?? null);
}

function verifiedCustomer(shop: Shop, email: string): Promise<{ id: string } | undefined> {
  return shop.one(
    sql`select id from customers
      where site_id = ${shop.siteId} and email = ${foldEmail(email)} and email_verified_at is not null
        and anonymized_at is null`,
  );
}

interface Row {
  id: string;
  reference: string;
  payment: SyncOrder['payment'];
  created_at: string;
  checkout_id: string;
  state: SyncOrder['status'];
  checkout_expires_at: string | null;
  order_id: string | null;
}

/** Returns an order by id. Throws `not_found`. */
export async function get(shop: Shop, checkoutDeps: CheckoutDeps, id: string): Promise<SyncOrder> {
  const [found] = await view(shop, checkoutDeps, await rowsOf(shop, sql`s.id = ${id}`));
  if (!found) throw notFound('order');
  return found;
}

export interface SyncOrdersQuery {
  cursor?: string;
  limit?: number;
  reference?: string;
}

/** Lists the orders of all integrations, newest first, or the one with the given reference. */
export async function list(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  { cursor, limit = 20, reference }: SyncOrdersQuery,
): Promise<{ orders: SyncOrder[]; next_cursor: string | null }> {
  const before = cursor ? sql`and s.id < ${idOfCursor(cursor)}` : empty;
  const named = reference === undefined ? empty : sql`and s.reference = ${reference}`;
  const rows = await rowsOf(shop, sql`true ${before} ${named} order by s.id desc limit ${limit + 1}`);
  const { page, next_cursor } = cursorPage(rows, limit);
  return { orders: await view(shop, checkoutDeps, page), next_cursor };
}

function rowsOf(shop: Shop, which: Sql): Promise<Row[]> {
  return shop.rows<Row>(
    sql`select s.id, s.reference, s.payment, s.created_at, k.id as checkout_id, k.order_id,
        case
          when k.order_id is not null then 'placed'
          when k.status = 'cancelled' then 'checkout_cancelled'
          when k.status = 'expired' or k.expires_at <= now() then 'checkout_expired'
          else 'awaiting_checkout'
        end as state, k.expires_at as checkout_expires_at
      from sync_orders s join checkouts k on k.site_id = s.site_id and k.id = s.checkout_id
      where s.site_id = ${shop.siteId} and ${which}`,
  );
}

async function view(shop: Shop, checkoutDeps: CheckoutDeps, rows: Row[]): Promise<SyncOrder[]> {
  const ids = rows.flatMap(({ order_id }) => order_id ?? []);
  const made = ids.length === 0 ? [] : await listForCustomer(shop, ids);
  const orders = new Map(made.map((order) => [order.id, order]));
  return rows.map((row) => {
    const { checkout_id, state: status, order_id, checkout_expires_at, ...told } = row;
    const waits = status === 'awaiting_checkout';
    return {
      ...told,
      status,
      checkout_url: waits ? checkoutUrl(shop, checkoutDeps, checkout_id) : null,
      checkout_expires_at: waits ? checkout_expires_at : null,
      ...orderOf(order_id === null ? undefined : orders.get(order_id)),
    };
  });
}

function orderOf(made: CustomerOrder | undefined): Pick<SyncOrder, 'order' | 'payment_instructions'> {
  if (!made) return { order: null, payment_instructions: null };
  const { payment, fulfillments: _, ...order } = made;
  return { order, payment_instructions: payment.instructions };
}
