import type { CartStatus, InventoryPolicy, ShowStock, WithdrawalExempt } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { codeObject, type DiscountCode, refusalOf, termsOf } from '../discounts/terms.ts';
import type { ShopError } from '../errors.ts';
import { minorUnits } from '../money.ts';
import { visible } from '../products/rows.ts';
import type { Shop } from '../shop.ts';
import type { DiscountTerms, PricedLine } from '../totals.ts';

/** A line with its current price and stock. Amounts are in minor units. */
export interface CartLine extends PricedLine {
  /** For a custom line, the id of the line. */
  variant_id: string;
  /** Stays after the product is deleted. For a custom line, the id of the line. */
  product_id: string;
  /** True for a line of a draft order that has a name and a price, but no variant. */
  custom: boolean;
  /**
   * The reason why a custom line may be excluded from the right of withdrawal. Null for a variant, because its product
   * has this field.
   */
  custom_exempt: WithdrawalExempt | null;
  name: string;
  variant_name: string | null;
  sku: string | null;
  image_url: string | null;
  option1: string | null;
  option2: string | null;
  option3: string | null;
  requires_shipping: boolean;
  /** Whether a consent at the checkout ends the right of withdrawal. */
  digital: boolean;
  tax_class: string;
  /** Weight of one item; 0 if unknown. */
  weight_grams: number;
  track_inventory: boolean;
  inventory_policy: InventoryPolicy;
  low_stock_threshold: number;
  /** on_hand − reserved. */
  free: number;
  /** Stock that this cart's own checkout has reserved. This cart can buy it in addition to `free`. */
  held: number;
  /** Whether the variant exists, and its product is active and published. */
  sellable: boolean;
  /** The price when the line was last added or set. */
  price_seen: number;
}

export interface CartDiscount {
  redemption_id: string;
  discount_id: string;
  /** Spelled as the merchant entered it. */
  code: string;
  terms: DiscountTerms;
  /** Whether the cart meets the conditions of the discount code. If not, there is no discount. */
  holds: boolean;
  /** The reason why the cart does not meet the conditions of the discount code. */
  refusal: ShopError | undefined;
}

/** The fields of a draft order that affect its cart. */
export interface DraftTerms {
  id: string;
  /** Whether the stock is reserved until the draft expires. */
  reserves: boolean;
  discount_type: 'percentage' | 'fixed_amount' | null;
  /** Percentage or amount, as a decimal string. */
  discount_value: string | null;
}

export interface CartState {
  id: string;
  status: CartStatus;
  customer_id: string | null;
  /** The agent that created the cart for a customer; null for other carts. */
  agent_token_id: string | null;
  /** The profile of the guest agent that created the cart. */
  guest_profile_id: string | null;
  /** The cart that took over the lines of this one at login. */
  merged_into: string | null;
  /** The pending payment of the cart's checkout. Until it ends, the cart cannot change. */
  payment_id: string | null;
  /** The language of the cart's checkout; null if none was given. */
  locale: string | null;
  currency: string;
  currency_digits: number;
  /** How much stock detail the shopper may see. */
  show_stock: ShowStock;
  expires_at: string;
  created_at: string;
  updated_at: string;
  /** In the order in which they were first added. */
  lines: CartLine[];
  /** Quantity that the cart's checkout reserves, including lines removed meanwhile. */
  pieces_held: number;
  discount: CartDiscount | undefined;
  /** The draft order of the cart, if it has one. Shoppers cannot change such a cart. */
  draft: DraftTerms | null;
}

export type CartRow = Omit<
  CartState,
  'lines' | 'pieces_held' | 'discount' | 'draft' | 'currency' | 'currency_digits' | 'show_stock'
>;

/** A stored line with its catalogue data, which is null for a deleted variant. */
type StoredLine = [
  id: string,
  variant_id: string,
  product_id: string,
  kept_name: string,
  kept_variant_name: string | null,
  quantity: number,
  price_seen: string,
  name: string | null,
  price: string | null,
  sku: string | null,
  image_url: string | null,
  option1: string | null,
  option2: string | null,
  option3: string | null,
  requires_shipping: boolean | null,
  digital: boolean | null,
  tax_class: string | null,
  weight_grams: number | null,
  track_inventory: boolean,
  inventory_policy: InventoryPolicy | null,
  low_stock_threshold: number | null,
  free: number | null,
  sellable: boolean | null,
  custom: boolean,
  custom_exempt: WithdrawalExempt | null,
];

interface Row extends CartRow {
  expired: boolean;
  lines: StoredLine[] | null;
  /** Quantity that the cart's checkout reserves, by variant id. */
  held: Record<string, number> | null;
  redemption_id: string | null;
  draft: DraftTerms | null;
}

export const cartColumns = sql`c.id, c.status, c.customer_id, c.agent_token_id, c.guest_profile_id, c.merged_into, c.payment_id, c.locale,
  c.expires_at, c.created_at, c.updated_at`;

export type CartNow = CartState & {
  expired: boolean;
};

/**
 * Reads any cart by its id or by an SQL expression for the id; undefined if there is none. Looks up reservations by the
 * id of the cart's checkout, because with a join the planner might scan all reservations of the shop.
 */
export async function readCart(shop: Shop, id: string | Sql): Promise<CartNow | undefined> {
  const row = await shop.one<Row>(
    sql`select ${cartColumns},
        c.status = 'expired' or (c.status = 'active' and c.payment_id is null and c.expires_at <= now()) as expired,
        ${linesOfCart} as lines, (
          select json_object_agg(r.variant_id, r.quantity) from stock_reservations r
          where r.site_id = c.site_id and r.checkout_id = (
            select k.id from checkouts k
            where k.site_id = c.site_id and k.cart_id = c.id and k.status not in ('expired', 'cancelled'))) as held, (
          select r.id from discount_redemptions r
          where r.site_id = c.site_id and r.cart_id = c.id and r.status <> 'released') as redemption_id,
        case when c.is_draft then (
          select json_build_object('id', d.id, 'reserves', d.reserve and d.sent_at is not null,
            'discount_type', d.discount_type, 'discount_value', d.discount_value::text)
          from draft_orders d where d.site_id = c.site_id and d.cart_id = c.id) end as draft
      from carts c where c.site_id = ${shop.siteId} and c.id = ${id}`,
  );
  if (!row) return undefined;
  const { lines: rows, held, redemption_id, expired, draft, ...cart } = row;
  const lines = rows?.map((line) => lineOf(line, held, shop.currencyDigits)) ?? [];
  const code = redemption_id ? await readCode(shop, redemption_id, lines) : undefined;
  const discount = code && discountOf(code, refusalOn(lines, code, shop.currencyDigits));
  const pieces_held = Object.values(held ?? {}).reduce((sum, quantity) => sum + quantity, 0);
  return { ...stateOf(shop, cart), lines, pieces_held, discount, draft, expired };
}

type ReservedCode = DiscountCode & { redemption_id: string };

/** A separate statement, because most carts have no discount code. */
async function readCode(shop: Shop, redemption_id: string, lines: CartLine[]): Promise<ReservedCode | undefined> {
  const productIds = sql`${lines.map(({ product_id }) => product_id)}::uuid[]`;
  const row = await shop.one<{ code: DiscountCode }>(
    sql`select ${codeObject(productIds)} as code
      from discount_redemptions r join discounts d on d.site_id = r.site_id and d.id = r.discount_id
      where r.site_id = ${shop.siteId} and r.id = ${redemption_id} and r.status <> 'released'`,
  );
  return row && { ...row.code, redemption_id };
}

export function stateOf(shop: Shop, cart: CartRow): CartState {
  const { currency, currencyDigits: currency_digits, showStock: show_stock } = shop;
  return {
    ...cart,
    currency,
    currency_digits,
    show_stock,
    lines: [],
    pieces_held: 0,
    discount: undefined,
    draft: null,
  };
}

/** Builds a cart line. A line of a deleted variant has only the data stored with it. */
function lineOf(line: StoredLine, allHeld: Row['held'], digits: number): CartLine {
  const [id, variant_id, product_id, kept_name, kept_variant_name, quantity, price_seen, name, price, ...about] = line;
  const [sku, image_url, option1, option2, option3, requires_shipping, digital, tax_class, weight_grams, ...stock] =
    about;
  const [track_inventory, inventory_policy, low_stock_threshold, free, sellable, custom, custom_exempt] = stock;
  const options = [option1, option2, option3].filter((option) => option !== null);
  return {
    ...{ id, variant_id, product_id, custom, quantity, sku, image_url, option1, option2, option3 },
    custom_exempt: custom ? (custom_exempt ?? 'none') : null,
    name: name ?? kept_name,
    variant_name: name === null ? kept_variant_name : options.join(' / ') || null,
    requires_shipping: requires_shipping ?? false,
    digital: digital ?? false,
    tax_class: tax_class ?? 'standard',
    weight_grams: weight_grams ?? 0,
    track_inventory,
    inventory_policy: inventory_policy ?? 'deny',
    low_stock_threshold: low_stock_threshold ?? 0,
    free: free ?? 0,
    held: allHeld?.[variant_id] ?? 0,
    sellable: sellable ?? false,
    price: minorUnits(price ?? price_seen, digits),
    price_seen: minorUnits(price_seen, digits),
  };
}

/** The lines whose product is still for sale. Only these count for totals and for the conditions of discount codes. */
export function forSale(lines: CartLine[]): CartLine[] {
  return lines.filter(({ sellable }) => sellable);
}

/** Returns the error if these lines do not meet the conditions of the discount code, otherwise undefined. */
export function refusalOn(lines: CartLine[], code: DiscountCode, digits: number): ShopError | undefined {
  return refusalOf(code, forSale(lines), digits);
}

export function discountOf(
  code: DiscountCode & { redemption_id: string },
  refusal: ShopError | undefined,
): CartDiscount {
  const { redemption_id, discount_id } = code;
  return { redemption_id, discount_id, code: code.code, terms: termsOf(code), holds: !refusal, refusal };
}

const variantName = sql`nullif(concat_ws(' / ', v.option1, v.option2, v.option3), '')`;

/** The columns of `variants v` and `products p` that a cart line stores in case the variant is deleted. */
export const keptOfVariant = sql`v.product_id, p.name, ${variantName} as variant_name, v.price`;

/** Builds arrays, because for an object PostgreSQL looks up a type for each key and value in each row. */
const linesOfCart: Sql = sql`(
  select json_agg(json_build_array(i.id, i.variant_id, i.product_id, i.name, i.variant_name, i.quantity, coalesce(i.fixed_price, i.price_seen)::text,
    p.name, coalesce(i.fixed_price, v.price)::text, v.sku, coalesce(v.image_url, (
      select g.url from product_images g where g.site_id = p.site_id and g.product_id = p.id
      order by g.position, g.id limit 1)),
    v.option1, v.option2, v.option3, coalesce(v.requires_shipping, i.custom_shipped), coalesce(p.withdrawal_exempt, i.custom_exempt) = 'digital',
    coalesce(p.tax_class, i.custom_tax_class),
    round(v.weight * case v.weight_unit
      when 'kg' then 1000 when 'g' then 1 when 'lb' then 453.59237 else 28.349523125 end),
    coalesce(v.track_inventory, i.custom_tax_class is null), v.inventory_policy, v.low_stock_threshold, v.on_hand - v.reserved,
    i.custom_tax_class is not null or ${visible}, i.custom_tax_class is not null, i.custom_exempt)
    order by i.created_at, i.id)
  from cart_items i
  left join variants v on v.site_id = i.site_id and v.id = i.variant_id
  left join products p on p.site_id = v.site_id and p.id = v.product_id
  where i.site_id = c.site_id and i.cart_id = c.id)`;
