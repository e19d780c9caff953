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

/** The state of a mock shop. Amounts that are numbers are in minor units. */
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
  /** Customers by token. */
  sessions: Map<string, StoredCustomer>;
  carts: Map<string, StoredCart>;
  checkouts: Map<string, StoredCheckout>;
  orders: StoredOrder[];
  /** Consent requests by device_code. */
  consents: Map<string, StoredConsent>;
  /** Agents by access_token. */
  agents: Map<string, StoredAgent>;
  /** Registered OAuth clients by client_id. */
  clients: Map<string, StoredClient>;
  /** Authorization codes by their value. */
  codes: Map<string, StoredCode>;
  /** Stored responses of mutations, by caller, operation and Idempotency-Key. */
  replays: Map<string, { request: string; response: Response }>;
  /** Returns a new id. The same sequence of calls gives the same ids. */
  nextId(): string;
  /** Returns a new secret with this prefix. */
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
  /** Quantity that open checkouts reserve. */
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
  /** E-mail addresses of buyers who used the discount code. */
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
  digital_consent_wording: string | null;
  /** The values that were last shown to the shopper. */
  shown_total: number;
  shown_prices: Record<string, number>;
  reported_prices: Record<string, number> | null;
  /** The reserved quantity of each variant. */
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
  /** Whether the agent requested a budget and an expiry. The customer chooses a missing one. */
  budget_named: boolean;
  lifetime_named: boolean;
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

/** An agent that registered for the authorization code flow. */
export interface StoredClient {
  client_id: string;
  client_name: string;
  redirect_uris: string[];
}

/** An authorization code that a customer's approval created. */
export interface StoredCode {
  client_id: string;
  redirect_uri: string;
  code_challenge: string;
  customer: StoredCustomer;
  terms: AgentTerms;
  expires_at: string;
  /** The agent that got a token for the code, if it was exchanged. */
  agent: StoredAgent | null;
}

export interface AgentCall {
  id: string;
  action: string;
  status: number;
  created_at: string;
}

export const DAY = 24 * 3_600_000;

export function now(): string {
  return new Date().toISOString();
}

export function after(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

export function isOver(time: string): boolean {
  return Date.parse(time) <= Date.now();
}

/** Normalizes a postal address for storage. */
export function addressOf(given: Partial<CustomerAddress>, id: string): CustomerAddress {
  const { first_name = null, last_name = null, company = null, address1 = null, address2 = null } = given;
  const { city = null, state = null, postal_code = null, country = null, phone = null, is_default = false } = given;
  const place = { first_name, last_name, company, address1, address2, city, state, postal_code, country, phone };
  return { ...place, id, is_default, created_at: given.created_at ?? now(), updated_at: now() };
}
