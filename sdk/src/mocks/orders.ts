/** Orders as customers and agents see them. */

import type { AgentOrder, LineItem, Order, Payment } from '@commerce-backend/spec';
import type { Handlers } from './call.ts';
import { forSale } from './carts.ts';
import { paged } from './catalog.ts';
import { decimal, onTheWire } from './money.ts';
import type { Priced } from './pricing.ts';
import { CONTENT_TRUST, imageOf, variantName } from './products.ts';
import { notFound } from './refusal.ts';
import { after, now, type State, type StoredCustomer, type StoredOrder } from './state.ts';

const FIRST_NUMBER = 1001;
const HOUR = 3_600_000;

const STATES = {
  bank_transfer: { status: 'pending', payment_status: 'awaiting_payment' },
  card: { status: 'pending', payment_status: 'pending' },
  online: { status: 'pending', payment_status: 'pending' },
  manual: { status: 'confirmed', payment_status: 'pending' },
  free: { status: 'confirmed', payment_status: 'paid' },
} as const;

/** Creates the order of a completed checkout. */
export function writeOrder(state: State, priced: Priced): StoredOrder {
  const { checkout, totals, tax, payment_method, shipping_option } = priced;
  const { customer_id, email, phone, billing_address, shipping_address, note } = checkout;
  const method = payment_method ?? 'bank_transfer';
  const amounts = onTheWire(totals, state.digits);
  const order: Order = {
    ...{ id: state.nextId(), merchant_id: state.merchant_id, order_number: String(FIRST_NUMBER + state.orders.length) },
    ...{ customer_id, email, phone, line_items: lineItems(state, priced), ...amounts, currency: state.data.currency },
    ...{ ...STATES[method], fulfillment_status: 'unfulfilled', payment_method: method },
    ...{ billing_address, shipping_address, shipping_method: shipping_option?.name ?? null },
    shipping_kind: shipping_option?.kind ?? null,
    ...{ tracking_number: null, tracking_url: null, source: checkout.agent ? 'agent' : 'storefront', note },
    ...{ staff_note: null, created_at: now(), updated_at: now(), shipped_at: null, delivered_at: null },
    cancelled_at: null,
  };
  const stored = { ...order, payment: paymentOf(state, order), fulfillments: [], tax_included: tax.included };
  state.orders.unshift(stored);
  return stored;
}

function lineItems(state: State, { checkout }: Priced): LineItem[] {
  return forSale(checkout.cart).map(({ id, variant, quantity }) => {
    const [option1, option2, option3] = variant.options;
    return {
      ...{ id, variant_id: variant.id, product_id: variant.product.id, name: variant.product.input.name },
      ...{ sku: variant.sku, option1, option2, option3, variant_name: variantName(variant), quantity },
      ...{ price: decimal(variant.price, state.digits), total: decimal(variant.price * quantity, state.digits) },
      image_url: imageOf(variant),
    };
  });
}

function paymentOf({ data }: State, order: Order): Payment {
  const { payment_method: method = null, payment_status: status, total: amount, currency } = order;
  const due_at = status === 'awaiting_payment' ? after(data.payment_deadline_hours * HOUR) : null;
  const { account_holder = '', iban = '', bic = null, bank_name = null, instructions = null } = data.bank_details ?? {};
  const bank = { account_holder, iban, bic, bank_name, instructions };
  return {
    ...{ method, status, amount, currency, due_at, failure_reason: null },
    instructions: due_at ? { ...bank, reference: order.order_number, amount, currency, due_at } : null,
  };
}

export function ordersOf({ orders }: State, customer: StoredCustomer | null): StoredOrder[] {
  return customer ? orders.filter(({ customer_id }) => customer_id === customer.id) : [];
}

function findOrder(state: State, customer: StoredCustomer | null, order_id: string): StoredOrder {
  const found = ordersOf(state, customer).find(({ id }) => id === order_id);
  if (!found) throw notFound('order');
  return found;
}

function agentView(order: StoredOrder): AgentOrder {
  const { id, order_number, status, payment_status, fulfillment_status, source, currency, line_items } = order;
  const { subtotal, discount, shipping_cost, tax, tax_included, total } = order;
  return {
    ...{ id, order_number, status, payment_status, fulfillment_status, source, currency },
    totals: { subtotal, discount, shipping_cost, tax, tax_included, total },
    items: line_items.map((line) => ({
      ...{ id: line.id ?? '', product_id: line.product_id ?? null, variant_id: line.variant_id ?? null },
      ...{ quantity: line.quantity, price: line.price, total: line.total, available: true },
      content: { content_trust: CONTENT_TRUST, name: line.name, variant_name: line.variant_name ?? null },
    })),
    line_states: line_items.map(({ id, quantity }) => ({
      ...{ line_item_id: id ?? '', fulfilled: 0, refunded: 0, removed: 0, returned: 0, to_fulfill: quantity },
    })),
    content: { content_trust: CONTENT_TRUST, tracking_number: order.tracking_number ?? null },
    ...{ created_at: order.created_at, shipped_at: null, delivered_at: null, cancelled_at: null },
  };
}

export const orderHandlers: Handlers = {
  'storefront.listCustomerOrders': ({ state, customer, query }) => {
    const { items, ...page } = paged(ordersOf(state, customer), query);
    return { orders: items.map(({ payment: _, fulfillments, tax_included, ...order }) => order), ...page };
  },
  'storefront.getCustomerOrder': ({ state, customer, path }) => {
    const { tax_included: _, ...order } = findOrder(state, customer, path.order_id);
    return order;
  },
  'agent.listOrders': ({ state, customer, query }) => {
    const { items, ...page } = paged(ordersOf(state, customer), query);
    return { orders: items.map(agentView), ...page };
  },
  'agent.getOrder': ({ state, customer, path }) => agentView(findOrder(state, customer, path.order_id)),
};
