/** Creates the initial state of a mock shop. Ids and secrets are always the same. */

import type { ShippingOption, VariantInput } from '@commerce-backend/spec';
import type { MockProduct, MockShopData } from './data.ts';
import { currencyDigits, decimal, minorUnits } from './money.ts';
import {
  addressOf,
  now,
  type State,
  type StoredCustomer,
  type StoredDiscount,
  type StoredProduct,
  type StoredVariant,
} from './state.ts';

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
    ...{ consents: new Map(), agents: new Map(), clients: new Map(), codes: new Map(), replays: new Map() },
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
    const { option1 = null, option2 = null, option3 = null, image_url = null }: VariantInput = variant;
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
  const { maximum_subtotal = null, active = true, position = index + 1, cash_on_delivery_fee = null } = input;
  const digits = currencyDigits(currency);
  return {
    ...{ id, name, description, kind, price: decimal(minorUnits(price, digits), digits), currency, countries, states },
    ...{ postcode_prefixes, minimum_weight_grams, maximum_weight_grams, estimated_days_min, estimated_days_max },
    ...{
      cash_on_delivery_fee,
      minimum_subtotal,
      maximum_subtotal,
      active,
      position,
      created_at: now(),
      updated_at: now(),
    },
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
