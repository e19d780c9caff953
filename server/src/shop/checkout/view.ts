import type { CartItem, Checkout, DiscountAllocation, ShippingChoice } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { jsonObject, selectList } from '../../db/fields.ts';
import * as cartView from '../carts/view.ts';
import { checkoutUrl } from '../links.ts';
import { decimal } from '../money.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import { openAction } from '../payments/next-action.ts';
import type { Shop } from '../shop.ts';
import { totalsOnTheWire } from '../totals.ts';
import { mayReadBuyer, shownBuyer } from './binding.ts';
import { reviewToken } from './review-token.ts';
import { type CheckoutRow, type Priced, priceCheckout } from './state.ts';

/** A checkout as the API returns it: with the data of its order if there is one, otherwise with current data. */
export async function view(shop: Shop, checkoutDeps: CheckoutDeps, row: CheckoutRow): Promise<Checkout> {
  return row.order_id
    ? viewOfOrdered(shop, row, row.order_id)
    : viewOf(shop, checkoutDeps, await priceCheckout(shop, checkoutDeps, row));
}

/** A priced checkout without an order, as the API returns it. */
export function viewOf(shop: Shop, checkoutDeps: CheckoutDeps, priced: Priced): Checkout {
  const { row, cart, totals, missing, tax } = priced;
  const over = row.status === 'cancelled' || row.expired;
  const status = row.status === 'open' || row.status === 'ready' ? statusOf(missing) : row.status;
  return {
    ...partsOf(shop, row),
    status,
    checkout_url: over ? null : checkoutUrl(shop, checkoutDeps, row.id),
    requires_shipping: priced.requires_shipping,
    has_digital_goods: priced.lines.some(({ digital }) => digital),
    shipping_option: priced.shipping_option,
    payment_method: priced.payment_method,
    payment_methods: priced.payment_methods,
    items: cartView.items(cart),
    currency: shop.currency,
    ...totalsOnTheWire(totals, shop.currencyDigits),
    review_token: over || !mayReadBuyer(shop, row) ? null : reviewToken(shop, checkoutDeps, priced),
    discount_code: cart.discount?.code ?? null,
    discount_allocations: totals.allocations.map(({ id, amount }) => ({
      line_item_id: id,
      amount_off: decimal(amount, shop.currencyDigits),
    })),
    tax_included: tax.included,
    warnings: over ? [] : [...cartView.warnings(cart), ...priced.warnings],
    missing: over ? [] : missing,
    payment: paymentOf(checkoutDeps, row),
  };
}

function paymentOf({ secretKey }: CheckoutDeps, { payment }: CheckoutRow): Checkout['payment'] {
  if (!payment) return null;
  const { id, provider, kind, status, next_action, expires_at } = payment;
  return {
    ...{ id, provider, kind },
    status: status === 'requires_action' ? 'requires_action' : 'processing',
    next_action: next_action === null ? null : openAction(secretKey, id, Buffer.from(next_action, 'base64')),
    expires_at: new Date(expires_at).toISOString(),
  };
}

export function statusOf(missing: string[]): 'open' | 'ready' {
  return missing.length === 0 ? 'ready' : 'open';
}

function partsOf(shop: Shop, row: CheckoutRow) {
  const { id, cart_id, customer_id } = row;
  const { locale, return_url, cancel_url, marketing_opt_in, digital_consent_wording } = row;
  const { reserved_until, expires_at, order_id, order_number, created_at, updated_at } = row;
  return {
    ...{ id, cart_id, customer_id, ...shownBuyer(shop, row) },
    ...{ locale, return_url, cancel_url, marketing_opt_in, digital_consent_wording },
    ...{ reserved_until, expires_at, order_id, order_number, created_at, updated_at },
  };
}

type Ordered = Pick<
  Checkout,
  | 'payment_method'
  | 'currency'
  | 'subtotal'
  | 'discount'
  | 'discount_code'
  | 'discount_allocations'
  | 'shipping_cost'
  | 'tax'
  | 'tax_included'
  | 'total'
> & {
  items: CartItem[];
  shipping_method: string | null;
  shipping_kind: ShippingChoice['kind'];
  requires_shipping: boolean;
  has_digital_goods: boolean;
};

const allocation = jsonObject<DiscountAllocation>({ line_item_id: sql`l.id`, amount_off: sql`l.discount::text` });
/** A custom line has the same ids as in the cart. */
const item = jsonObject<CartItem>({
  id: sql`l.id`,
  variant_id: sql`coalesce(l.variant_id, l.id)`,
  product_id: sql`coalesce(l.product_id, l.id)`,
  name: sql`l.name`,
  variant_name: sql`l.variant_name`,
  sku: sql`l.sku`,
  image_url: sql`l.image_url`,
  quantity: sql`l.quantity`,
  price: sql`l.price::text`,
  total: sql`l.total::text`,
  available: sql`true`,
});

const orderedColumns = selectList<Ordered>({
  payment_method: sql`case when o.payment_terms_days is null then o.payment_method else 'invoice' end`,
  currency: sql`o.currency`,
  subtotal: sql`o.subtotal`,
  discount: sql`o.discount`,
  discount_code: sql`o.discount_code`,
  shipping_cost: sql`o.shipping_cost`,
  tax: sql`o.tax`,
  tax_included: sql`o.tax_included`,
  total: sql`o.total`,
  shipping_method: sql`o.shipping_method`,
  shipping_kind: sql`coalesce(o.shipping_kind, 'delivery')`,
  requires_shipping: sql`o.shipping_method is not null`,
  has_digital_goods: sql`exists (
    select from order_lines l left join products p on p.site_id = l.site_id and p.id = l.product_id
    where l.site_id = o.site_id and l.order_id = o.id and coalesce(l.custom_exempt, p.withdrawal_exempt) = 'digital')`,
  discount_allocations: sql`(
    select coalesce(json_agg(${allocation} order by l.position), '[]')
    from order_lines l where l.site_id = o.site_id and l.order_id = o.id and l.discount > 0)`,
  items: sql`(
    select json_agg(${item} order by l.position)
    from order_lines l where l.site_id = o.site_id and l.order_id = o.id and l.quantity > 0)`,
});

async function viewOfOrdered(shop: Shop, row: CheckoutRow, order_id: string): Promise<Checkout> {
  const ordered = await shop.one<Ordered>(
    sql`select ${orderedColumns}
      from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}`,
  );
  if (!ordered) throw new Error(`Checkout ${row.id} has no order.`);
  const { shipping_method, shipping_kind, ...order } = ordered;
  return {
    ...partsOf(shop, row),
    ...order,
    status: row.status,
    review_token: null,
    checkout_url: null,
    shipping_option:
      shipping_method === null || row.shipping_option_id === null
        ? null
        : {
            id: row.shipping_option_id,
            name: shipping_method,
            description: null,
            kind: shipping_kind,
            price: order.shipping_cost,
            cash_on_delivery_fee: null,
            estimated_days_min: null,
            estimated_days_max: null,
          },
    payment_methods: order.payment_method ? [order.payment_method] : [],
    warnings: [],
    missing: [],
    payment: null,
  };
}

/** The displayed price of each line, by line id. */
export function pricesOf({ lines }: Priced, digits: number): Record<string, string> {
  return Object.fromEntries(lines.map(({ id, price }) => [id, decimal(price, digits)]));
}
