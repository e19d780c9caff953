import { readFile } from 'node:fs/promises';
import type { Schemas } from '@commerce-backend/sdk';

/**
 * Converts orders from WooCommerce's REST API (`/wp-json/wc/v3/orders?per_page=100&page=1`, each page in a file) to the
 * JSONL that `commerce orders import` reads:
 *
 *   node examples/convert-woocommerce-orders.ts page-1.json page-2.json > orders.jsonl
 *
 * WooCommerce itself exports no CSV of orders, and each plugin has its own columns.
 */
interface Address {
  first_name: string;
  last_name: string;
  company: string;
  address_1: string;
  address_2: string;
  city: string;
  state: string;
  postcode: string;
  country: string;
  email?: string;
  phone?: string;
}

interface Order {
  id: number;
  number: string;
  status: string;
  currency: string;
  date_created_gmt: string;
  date_paid_gmt: string | null;
  date_completed_gmt: string | null;
  discount_total: string;
  shipping_total: string;
  total_tax: string;
  total: string;
  customer_note: string;
  payment_method: string;
  billing: Address;
  shipping: Address;
  line_items: { name: string; sku: string | null; quantity: number; subtotal: string }[];
  fee_lines: { name: string; total: string }[];
  shipping_lines: { method_title: string }[];
  refunds: { id: number; total: string }[];
}

type Imported = Schemas['OrderImport'];
type Method = NonNullable<Imported['payment_method']>;

const METHODS: { of: RegExp; method: Method }[] = [
  { of: /bacs/, method: 'bank_transfer' },
  { of: /cod|cheque/, method: 'manual' },
  { of: /stripe|card|woocommerce_payments/, method: 'card' },
];

const files = process.argv.slice(2);
if (files.length === 0) {
  process.stderr.write('Name the files: node examples/convert-woocommerce-orders.ts page-1.json\n');
  process.exit(2);
}
for (const file of files) {
  for (const order of JSON.parse(await readFile(file, 'utf8')) as Order[]) {
    // WooCommerce lists unfinished checkouts too, which are not orders.
    if (order.status !== 'checkout-draft') process.stdout.write(`${JSON.stringify(orderOf(order))}\n`);
  }
}

type Line = Imported['line_items'][number];

/** Converts an order. Amounts of WooCommerce's order lines exclude tax and have more decimals than the currency. */
function orderOf(order: Order): Imported {
  const amounts = amountsIn(order.currency);
  const { units, money } = amounts;
  const fees = order.fee_lines.filter(({ total }) => units(total) > 0);
  const lines: Line[] = [
    ...order.line_items.filter(({ quantity }) => quantity > 0).map((item) => lineOf(item, amounts)),
    ...fees.map(({ name, total }) => ({ name: name || 'Fee', quantity: 1, price: money(units(total)) })),
  ];
  const taken = order.fee_lines.reduce((sum, { total }) => sum + Math.max(0, -units(total)), 0);
  const sum = lines.reduce((total, { price, quantity }) => total + units(price) * quantity, 0);
  const before = sum + units(order.shipping_total) + units(order.total_tax) - units(order.discount_total) - taken;
  // Rounding each line can change the total by some minor units. A larger difference comes from a plugin that stores
  // amounts elsewhere.
  const rest = units(order.total) - before;
  const isRounding = Math.abs(rest) <= order.line_items.length + order.fee_lines.length + 2;
  if (!isRounding)
    process.stderr.write(`Order ${order.number}: ${money(before)} of its ${order.total} are in its lines.\n`);
  if (rest > 0) lines.push({ name: isRounding ? 'Rounding' : 'Other charges', quantity: 1, price: money(rest) });
  const payment_method = METHODS.find(({ of }) => of.test(order.payment_method))?.method ?? null;
  const refunded = order.refunds.length > 0 || order.status === 'refunded';
  return {
    order_number: order.number,
    external_reference: String(order.id),
    email: order.billing.email || null,
    phone: order.billing.phone || null,
    currency: order.currency,
    created_at: `${order.date_created_gmt}Z`,
    line_items: lines,
    discount: money(units(order.discount_total) + taken + Math.max(0, -rest)),
    shipping_cost: money(units(order.shipping_total)),
    tax: money(units(order.total_tax)),
    total: money(units(order.total)),
    payment_method,
    ...(!refunded && { payment_status: paymentOf(order, payment_method) }),
    ...(order.date_paid_gmt && { paid_at: `${order.date_paid_gmt}Z` }),
    ...(order.status === 'completed' && { fulfillment_status: 'fulfilled' as const }),
    ...(order.status === 'cancelled' && { cancelled_at: `${order.date_created_gmt}Z` }),
    ...(refunded && { refunds: refundsOf(order, amounts) }),
    billing_address: addressOf(order.billing),
    shipping_address: addressOf(order.shipping),
    shipping_method: order.shipping_lines[0]?.method_title || null,
    note: order.customer_note || null,
  };
}

/**
 * Converts an order line. If the quantity does not divide the amount evenly, the result is one line with quantity 1.
 */
function lineOf({ name, sku, quantity, subtotal }: Order['line_items'][number], { units, money }: Amounts): Line {
  const amount = units(subtotal);
  const isWhole = amount % quantity === 0;
  return {
    name: (isWhole ? name : `${quantity} × ${name}`).slice(0, 255) || 'Product',
    sku: sku || null,
    quantity: isWhole ? quantity : 1,
    price: money(isWhole ? amount / quantity : amount),
  };
}

function paymentOf({ status, date_paid_gmt }: Order, method: Method | null): Imported['payment_status'] {
  if (date_paid_gmt || ['processing', 'completed'].includes(status)) return 'paid';
  if (status === 'failed') return 'failed';
  if (status === 'cancelled') return 'voided';
  return method === 'bank_transfer' ? 'awaiting_payment' : 'pending';
}

function refundsOf(order: Order, { units, money }: Amounts): Imported['refunds'] {
  const amounts = order.refunds.map(({ total }) => money(Math.abs(units(total))));
  if (amounts.length === 0) amounts.push(money(units(order.total)));
  return amounts.map((amount) => ({ amount, created_at: `${order.date_completed_gmt ?? order.date_created_gmt}Z` }));
}

/** Copies only known fields of a postal address. Plugins add others, which the import rejects. */
function addressOf(address: Address): Imported['billing_address'] {
  const { first_name, last_name, company, address_1, address_2, city, state, postcode, country, phone } = address;
  const all = {
    ...{ first_name, last_name, company, address1: address_1, address2: address_2 },
    ...{ city, state, postal_code: postcode, country, phone },
  };
  const given = Object.entries(all).filter(([, value]) => value);
  return given.length > 0 ? Object.fromEntries(given) : null;
}

interface Amounts {
  /** Converts an amount to minor units. */
  units(amount: string): number;
  money(units: number): string;
}

function amountsIn(currency: string): Amounts {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return {
    units: (amount) => Math.round(Number(amount) * 10 ** digits),
    money: (units) => (units / 10 ** digits).toFixed(digits),
  };
}
