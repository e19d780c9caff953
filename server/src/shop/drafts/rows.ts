import type { DraftOrder, DraftOrderPage, DraftOrderStatus, DraftOrderSummary } from '@commerce-backend/spec';
import sql, { join, type Sql } from 'sql-template-tag';
import { together } from '../../db/connect.ts';
import { selectList } from '../../db/fields.ts';
import type { OrNulls } from '../../db/nulls.ts';
import { readCart } from '../carts/rows.ts';
import { availableOf } from '../carts/view.ts';
import { type CheckoutRow, checkoutColumns, priceCart, readTerms } from '../checkout/state.ts';
import { view, viewOf } from '../checkout/view.ts';
import { notFound } from '../errors.ts';
import { decimal } from '../money.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import type { Shop } from '../shop.ts';

/** A row of draft_orders with the status that follows from its checkout. */
export interface Draft {
  id: string;
  cart_id: string;
  checkout_id: string;
  customer_id: string | null;
  status: DraftOrderStatus;
  discount_type: 'percentage' | 'fixed_amount' | null;
  discount_value: string | null;
  discount_reason: string | null;
  reserve: boolean;
  actor_id: string;
  sent_at: string | null;
  created_at: string;
}

/** The status of `draft_orders d` with its checkout `k`. */
const status: Sql = sql`case
    when k.status in ('completed', 'cancelled', 'expired') then k.status
    when k.expires_at <= now() and k.payment_id is null then 'expired'
    when d.sent_at is null then 'open' else 'sent' end`;

const columns = selectList<Draft>({
  id: sql`d.id`,
  cart_id: sql`d.cart_id`,
  checkout_id: sql`d.checkout_id`,
  customer_id: sql`k.customer_id`,
  status,
  discount_type: sql`d.discount_type`,
  discount_value: sql`d.discount_value::text`,
  discount_reason: sql`d.discount_reason`,
  reserve: sql`d.reserve`,
  actor_id: sql`d.actor_id`,
  sent_at: sql`d.sent_at`,
  created_at: sql`d.created_at`,
});

const tables = sql`draft_orders d join checkouts k on k.site_id = d.site_id and k.id = d.checkout_id`;

/** Finds a draft. Throws `not_found`. */
export async function find(shop: Shop, id: string): Promise<Draft> {
  const found = await shop.one<Draft>(
    sql`select ${columns} from ${tables} where d.site_id = ${shop.siteId} and d.id = ${id}`,
  );
  if (!found) throw notFound('draft order');
  return found;
}

/**
 * Returns a draft with its lines, and with the totals of its order if there is one, otherwise current totals. Throws
 * `not_found`.
 */
export async function get(shop: Shop, deps: CheckoutDeps, id: string): Promise<DraftOrder> {
  const draft = await find(shop, id);
  const [row, cart, terms, fixed] = await together(
    shop.one<CheckoutRow>(
      sql`select ${checkoutColumns} from checkouts k where k.site_id = ${shop.siteId} and k.id = ${draft.checkout_id}`,
    ),
    readCart(shop, draft.cart_id),
    readTerms(shop, draft.customer_id),
    shop.rows<{ id: string }>(
      sql`select i.id from cart_items i
        where i.site_id = ${shop.siteId} and i.cart_id = ${draft.cart_id} and i.fixed_price is not null`,
    ),
  );
  if (!row || !cart) throw notFound('draft order');
  const checkout = row.order_id
    ? await view(shop, deps, row)
    : viewOf(shop, deps, priceCart(shop, deps, row, cart, terms));
  const own = new Set(fixed.map((line) => line.id));
  const { discount_type: type, discount_value: value, discount_reason: reason } = draft;
  const { customer_id, email, phone, shipping_address, billing_address, note, locale, total, currency } = checkout;
  return {
    ...{ id, status: draft.status, customer_id, email, phone },
    lines: cart.lines.map((line) => ({
      ...{ id: line.id, name: line.name, tax_class: line.tax_class, requires_shipping: line.requires_shipping },
      withdrawal_exempt: line.custom_exempt,
      ...{ variant_id: line.custom ? null : line.variant_id, product_id: line.custom ? null : line.product_id },
      ...{ variant_name: line.variant_name, sku: line.sku, image_url: line.image_url, quantity: line.quantity },
      price: decimal(line.price, shop.currencyDigits),
      has_own_price: own.has(line.id),
      total: decimal(line.price * line.quantity, shop.currencyDigits),
      available: line.sellable && availableOf(line) >= line.quantity,
    })),
    discount: type && value ? { type, value, reason } : null,
    ...{ shipping_address, billing_address, shipping_option_id: row.shipping_option_id, note, locale },
    ...{ reserve: draft.reserve, expires_at: row.expires_at, currency },
    ...{ subtotal: checkout.subtotal, discount_amount: checkout.discount, shipping_cost: checkout.shipping_cost },
    ...{ tax: checkout.tax, tax_included: checkout.tax_included, total, missing: checkout.missing },
    checkout_url: draft.status === 'sent' ? checkout.checkout_url : null,
    ...{ order_id: row.order_id, order_number: row.order_number, actor_id: draft.actor_id },
    ...{ sent_at: draft.sent_at, created_at: draft.created_at, updated_at: row.updated_at },
  };
}

const summary = (shop: Shop) =>
  selectList<DraftOrderSummary>({
    id: sql`d.id`,
    status,
    customer_id: sql`k.customer_id`,
    email: sql`k.email`,
    total: sql`coalesce(o.total, k.shown_total)`,
    currency: sql`${shop.currency}::text`,
    order_id: sql`k.order_id`,
    order_number: sql`o.order_number`,
    expires_at: sql`k.expires_at`,
    sent_at: sql`d.sent_at`,
    created_at: sql`d.created_at`,
  });

export interface DraftQuery extends PageQuery {
  status?: DraftOrderStatus;
}

/** Returns one page of drafts, newest first. */
export async function list(shop: Shop, query: DraftQuery): Promise<DraftOrderPage> {
  const { page, limit, offset } = pageOf(query);
  const conditions = [sql`d.site_id = ${shop.siteId}`];
  if (query.status) conditions.push(sql`${status} = ${query.status}`);
  const wanted = join(conditions, ' and ');
  const found = await shop.rows<{ counted: number } & OrNulls<DraftOrderSummary>>(
    sql`select counted.counted, chosen.* from (select count(*) as counted from ${tables} where ${wanted}) counted
      left join lateral (
        select ${summary(shop)} from ${tables} left join orders o on o.site_id = k.site_id and o.id = k.order_id
        where ${wanted} order by d.id desc limit ${limit} offset ${offset}
      ) chosen on true`,
  );
  const total = found[0]?.counted ?? 0;
  const draft_orders = found.flatMap(({ counted: _, ...one }) => (one.id === null ? [] : [one]));
  return { draft_orders, total, page, limit, pages: Math.ceil(total / limit) };
}
