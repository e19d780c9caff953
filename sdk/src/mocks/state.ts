import type {
  Address,
  AgentScope,
  CartStatus,
  CheckoutStatus,
  Customer,
  CustomerAddress,
  CustomerOrder,
  DiscountKind,
  Image,
  Option,
  ProductStatus,
  ShippingOption,
} from '@commerce-backend/spec';
import type { MockProduct, MockShopData } from './data.ts';
import { currencyDigits, decimal, minorUnits } from './money.ts';

/** What a mock shop remembers. Amounts are in minor units. */
export interface State {
  data: MockShopData;
  digits: number;
  baseUrl: string;
  site_id: string;
  merchant_id: string;
  started: string;
  products: StoredProduct[];
  collections: StoredCollection[];
  discounts: StoredDiscount[];
  shipping_options: ShippingOption[];
  customers: StoredCustomer[];
  /** The customers of tokens. */
  sessions: Map<string, StoredCustomer>;
  carts: Map<string, StoredCart>;
  checkouts: Map<string, StoredCheckout>;
  orders: StoredOrder[];
  /** By device_code. */
  consents: Map<string, StoredConsent>;
  /** By access_token. */
  agents: Map<string, StoredAgent>;
  /** The answers of mutations by caller, operation and Idempotency-Key. */
  replays: Map<string, { request: string; response: Response }>;
  /** An id that no other thing has. The same calls give the same ids. */
  nextId(): string;
  /** A secret of the kind that the prefix names. */
  nextToken(prefix: string): string;
}

export interface StoredProduct {
  id: string;
  input: MockProduct;
  status: ProductStatus;
  published_at: string | null;
  options: Option[];
  images: Image[];
  variants: StoredVariant[];
}

export interface StoredVariant {
  id: string;
  product: StoredProduct;
  sku: string | null;
  barcode: string | null;
  options: [string | null, string | null, string | null];
  price: number;
  compare_at_price: string | null;
  on_hand: number;
  /** What open checkouts hold. */
  reserved: number;
  inventory_policy: 'deny' | 'continue';
  low_stock_threshold: number;
  weight: string | null;
  weight_unit: 'kg' | 'g' | 'lb' | 'oz';
  requires_shipping: boolean;
  image_url: string | null;
}

export interface StoredCollection {
  id: string;
  handle: string;
  title: string;
  description: string | null;
  image_url: string | null;
  products: StoredProduct[];
}

export interface StoredDiscount {
  id: string;
  code: string;
  kind: DiscountKind;
  value: string;
  active: boolean;
  starts_at: string | null;
  ends_at: string | null;
  minimum_subtotal: string | null;
  minimum_quantity: number | null;
  usage_limit: number | null;
  usage_limit_per_customer: number | null;
  product_ids: string[];
  collection_ids: string[];
  /** The buyers of orders with it, by their e-mail. */
  redeemed: string[];
}

export interface StoredCustomer extends Customer {
  password: string;
  addresses: CustomerAddress[];
}

export interface StoredLine {
  id: string;
  variant: StoredVariant;
  quantity: number;
  price_seen: number;
}

export interface StoredCart {
  id: string;
  status: CartStatus;
  customer_id: string | null;
  agent: StoredAgent | null;
  merged_into: string | null;
  locale: string | null;
  lines: StoredLine[];
  discount: StoredDiscount | undefined;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

export interface StoredCheckout {
  id: string;
  cart: StoredCart;
  customer_id: string | null;
  agent: StoredAgent | null;
  status: CheckoutStatus;
  email: string | null;
  phone: string | null;
  shipping_address: Address | null;
  billing_address: Address | null;
  shipping_option_id: string | null;
  payment_method: 'bank_transfer' | 'card' | 'manual' | null;
  note: string | null;
  locale: string | null;
  return_url: string | null;
  cancel_url: string | null;
  marketing_opt_in: boolean;
  /** What was last shown to whoever fills it in. */
  shown_total: number;
  shown_prices: Record<string, number>;
  told_prices: Record<string, number> | null;
  /** Pieces by the variant that they are held of. */
  held: Map<StoredVariant, number>;
  reserved_until: string | null;
  expires_at: string;
  order: StoredOrder | null;
  created_at: string;
  updated_at: string;
}

export interface StoredOrder extends CustomerOrder {
  tax_included: boolean;
}

export interface AgentTerms {
  agent_name: string;
  scopes: AgentScope[];
  budget_cents: number;
  max_per_order_cents: number | null;
  budget_period: 'once' | 'week' | 'month';
  categories: string[];
  expires_at: string;
}

export interface StoredConsent {
  device_code: string;
  user_code: string;
  status: 'pending' | 'approved' | 'denied' | 'consumed';
  terms: AgentTerms;
  customer_id: string | null;
  requested_at: string;
  expires_at: string;
  interval: number;
  last_polled_at: number;
}

export interface StoredAgent {
  id: string;
  access_token: string;
  customer: StoredCustomer;
  terms: AgentTerms;
  used_cents: number;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  revoked_by: 'customer' | 'merchant' | 'agent' | null;
  calls: AgentCall[];
}

export interface AgentCall {
  id: string;
  action: string;
  status: number;
  created_at: string;
}

export function now(): string {
  return new Date().toISOString();
}

export function after(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

export function isOver(time: string): boolean {
  return Date.parse(time) <= Date.now();
}

/** A shop as it begins. */
export function openState(data: MockShopData, baseUrl: string): State {
  let count = 0;
  const nextId = () => {
    count += 1;
    return `0192f3a0-0000-7000-8000-${count.toString(16).padStart(12, '0')}`;
  };
  const nextToken = (prefix: string) => {
    count += 1;
    return `${prefix}_mock${String(count).padStart(34, '0')}`;
  };
  const [site_id, merchant_id] = [nextId(), nextId()];
  const products = data.products.map((input) => storedProduct(input, data, nextId));
  const bySlug = new Map(products.map((product) => [product.input.slug, product]));
  const collections = data.collections.map(({ description = null, image_url = null, product_slugs, ...one }) => {
    const listed = product_slugs.flatMap((slug) => bySlug.get(slug) ?? []);
    return { id: nextId(), ...one, description, image_url, products: listed };
  });
  return {
    ...{ data, digits: currencyDigits(data.currency), baseUrl, site_id, merchant_id, started: now() },
    ...{ products, collections, nextId, nextToken },
    discounts: data.discounts.map((input) => storedDiscount(input, nextId())),
    shipping_options: data.shipping_options.map((input, i) => storedOption(input, i, data, nextId())),
    customers: data.customers.map((input) => storedCustomer(input, nextId)),
    ...{ sessions: new Map(), carts: new Map(), checkouts: new Map(), orders: [] },
    ...{ consents: new Map(), agents: new Map(), replays: new Map() },
  };
}

function storedProduct(input: MockProduct, data: MockShopData, nextId: () => string): StoredProduct {
  const { status = 'active', published_at, options = [], images = [], variants } = input;
  const digits = currencyDigits(data.currency);
  const product: StoredProduct = {
    ...{ id: nextId(), input, status, variants: [] },
    published_at: published_at ?? (status === 'active' ? '2026-01-02T08:00:00.000Z' : null),
    options: options.map(({ name, values }, i) => ({ id: nextId(), name, position: i + 1, values })),
    images: images.map(({ url, alt = null, width = null, height = null }, i) => ({
      ...{ id: nextId(), url, alt, position: i + 1, width, height, variant_ids: [] },
    })),
  };
  product.variants = (variants ?? [input]).map((variant) => {
    const {
      option1 = null,
      option2 = null,
      option3 = null,
      image_url = null,
    } = variant as { option1?: string | null } & {
      option2?: string | null;
      option3?: string | null;
      image_url?: string | null;
    };
    const { sku = null, barcode = null, weight = null, compare_at_price = input.compare_at_price ?? null } = variant;
    return {
      ...{ id: nextId(), product, sku, barcode, options: [option1, option2, option3], image_url },
      price: minorUnits(variant.price ?? input.price ?? '0', digits),
      compare_at_price: compare_at_price && decimal(minorUnits(compare_at_price, digits), digits),
      on_hand: variant.inventory_quantity ?? 0,
      reserved: 0,
      inventory_policy: variant.inventory_policy ?? 'deny',
      low_stock_threshold: variant.low_stock_threshold ?? 5,
      ...{ weight, weight_unit: variant.weight_unit ?? 'kg', requires_shipping: variant.requires_shipping ?? true },
    } satisfies StoredVariant as StoredVariant;
  });
  return product;
}

function storedDiscount(input: MockShopData['discounts'][number], id: string): StoredDiscount {
  const { code, kind, value = '0', active = true, starts_at = null, ends_at = null } = input;
  const { minimum_subtotal = null, minimum_quantity = null, usage_limit = null } = input;
  const { usage_limit_per_customer = null, product_ids = [], collection_ids = [] } = input;
  return {
    ...{ id, code, kind, value, active, starts_at, ends_at, minimum_subtotal, minimum_quantity },
    ...{ usage_limit, usage_limit_per_customer, product_ids, collection_ids, redeemed: [] },
  };
}

function storedOption(
  input: MockShopData['shipping_options'][number],
  index: number,
  { currency }: MockShopData,
  id: string,
): ShippingOption {
  const { name, description = null, kind = 'delivery', price, countries = [], states = [] } = input;
  const { postcode_prefixes = [], minimum_weight_grams = null, maximum_weight_grams = null } = input;
  const { estimated_days_min = null, estimated_days_max = null, minimum_subtotal = null } = input;
  const { maximum_subtotal = null, active = true, position = index + 1 } = input;
  const digits = currencyDigits(currency);
  return {
    ...{ id, name, description, kind, price: decimal(minorUnits(price, digits), digits), currency, countries, states },
    ...{ postcode_prefixes, minimum_weight_grams, maximum_weight_grams, estimated_days_min, estimated_days_max },
    ...{ minimum_subtotal, maximum_subtotal, active, position, created_at: now(), updated_at: now() },
  };
}

function storedCustomer(input: MockShopData['customers'][number], nextId: () => string): StoredCustomer {
  const { email, password, first_name = null, last_name = null, address } = input;
  const made = now();
  return {
    ...{ id: nextId(), email: email.toLowerCase(), password, first_name, last_name, phone: null },
    ...{ marketing_opt_in: false, email_verified_at: made, created_at: made },
    addresses: address ? [addressOf({ is_default: true, ...address }, nextId())] : [],
  };
}

/** An address as it is kept. */
export function addressOf(given: Partial<CustomerAddress>, id: string): CustomerAddress {
  const { first_name = null, last_name = null, company = null, address1 = null, address2 = null } = given;
  const { city = null, state = null, postal_code = null, country = null, phone = null, is_default = false } = given;
  const place = { first_name, last_name, company, address1, address2, city, state, postal_code, country, phone };
  return { ...place, id, is_default, created_at: given.created_at ?? now(), updated_at: now() };
}
