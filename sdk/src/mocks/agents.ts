/** Operations of the agent API. Those for intents, orders and consent are in the files of that name. */

import type {
  AgentBudget,
  AgentCart,
  AgentCheckout,
  AgentFacets,
  AgentTotals,
  Cart,
  Checkout,
  Facets,
} from '@commerce-backend/spec';
import { budgetOf } from './budgets.ts';
import type { Call, Caller, Handlers } from './call.ts';
import { addItem, applyDiscount, removeDiscount, updateItem } from './cart-changes.ts';
import { cartView, deliveryOf, findCart, newCart } from './carts.ts';
import { facetsOf, filtered, NO_POLICIES, paged } from './catalog.ts';
import { cancelCheckout, createCheckout, findCheckout, refuseOver, updateCheckout } from './checkouts.ts';
import { revoke, tokenView } from './consents.ts';
import { customerView } from './customers.ts';
import { checkoutView, offeredMethods, type Priced, price } from './pricing.ts';
import {
  agentProductView,
  CONTENT_TRUST,
  candidateOf,
  categoriesOf,
  isAvailable,
  isInCategories,
  visibleProducts,
} from './products.ts';
import { Invalid, notFound } from './refusal.ts';
import { isPaidOnReceipt } from './shipping.ts';
import type { State, StoredAgent, StoredCart } from './state.ts';

/** The agent that sent the call. Throws if there is none. */
export function calling({ agent }: Pick<Caller, 'agent'>): StoredAgent {
  if (!agent) throw new Error('Unreachable: no agent.');
  return agent;
}

function linesOf(items: Cart['items']): AgentCart['items'] {
  return items.map(({ id, product_id, variant_id, quantity, price: each, total, available, name, variant_name }) => ({
    ...{ id, product_id, variant_id, quantity, price: each, total, available },
    content: { content_trust: CONTENT_TRUST, name, variant_name },
  }));
}

function warningsOf(warnings: Cart['warnings']): AgentCart['warnings'] {
  return warnings.map(({ code, line_item_id }) => ({ code, line_item_id }));
}

export function agentCart(state: State, stored: StoredCart): AgentCart {
  const { id, status, currency, subtotal, discount, total, expires_at, items, warnings } = cartView(state, stored);
  return {
    ...{ id, status, currency, subtotal, discount, total, expires_at },
    ...{ items: linesOf(items), warnings: warningsOf(warnings) },
  };
}

export function agentTotals({ subtotal, discount, shipping_cost, tax, tax_included, total }: Checkout): AgentTotals {
  return { subtotal, discount, shipping_cost, tax, tax_included, total };
}

export function agentCheckout(checkout: Checkout, budget: AgentBudget): AgentCheckout {
  const { id, cart_id, status, checkout_url, currency, missing, expires_at, order_id, order_number } = checkout;
  return {
    ...{ id, cart_id, status, checkout_url, continue_url: checkout_url, currency, missing, expires_at },
    ...{ order_id, order_number, items: linesOf(checkout.items), totals: agentTotals(checkout) },
    ...{ warnings: warningsOf(checkout.warnings), budget },
  };
}

function cartChange(call: Caller, cart: StoredCart) {
  return { cart: agentCart(call.state, cart), budget: budgetOf(call.state, calling(call)) };
}

function checkoutChange(call: Caller, priced: Priced) {
  const budget = budgetOf(call.state, calling(call));
  const checkout = agentCheckout(checkoutView(call.state, priced), budget);
  return { checkout, checkout_url: checkout.checkout_url, budget };
}

export type Preparation = Omit<Call<'agent.createCheckout'>['body'], 'cart_id'>;

/**
 * Creates a checkout from a cart. If the call names no shipping option, a stored one is kept; if there is none, or the
 * call has an address, the checkout gets the cheapest option to the address.
 */
export function prepare(call: Caller, cart_id: string, preparation: Preparation): Priced {
  const { shipping_address, shipping_option_id, note, ...wishes } = preparation;
  const { checkout, shipping_option, parcel } = createCheckout(call, cart_id, wishes);
  const address = shipping_address ?? checkout.shipping_address;
  const isChosen = shipping_option !== null && !shipping_address;
  const isOpen = parcel.requires_shipping && !isChosen && address?.country;
  const option = shipping_option_id ?? (isOpen ? cheapestOption(call, cart_id, address) : undefined);
  return updateCheckout(call, checkout.id, {
    ...(shipping_address && { shipping_address }),
    ...(option && { shipping_option_id: option }),
    ...(note !== undefined && { note }),
  });
}

function cheapestOption(call: Caller, cart_id: string, to: Parameters<typeof deliveryOf>[2]): string | undefined {
  const { shipping_options: choices } = deliveryOf(call, cart_id, to);
  const delivered = choices.filter(({ kind }) => kind === 'delivery');
  const [first] = [...(delivered.length > 0 ? delivered : choices)].sort((a, b) => Number(a.price) - Number(b.price));
  return first?.id;
}

function shippingChoices(call: Call<'agent.listCartShippingOptions'>) {
  const own = calling(call).customer.addresses.find(({ is_default }) => is_default);
  const to = call.query.country ? call.query : own;
  if (!to?.country) {
    const msg = 'The customer has no default address. Send a country.';
    throw new Invalid([{ loc: ['query', 'country'], msg, type: 'missing' }]);
  }
  const { shipping_options, warnings } = deliveryOf(call, call.path.cart_id, to);
  return {
    ...{ currency: call.state.data.currency, country: to.country, warnings: warningsOf(warnings) },
    shipping_options: shipping_options.map(({ name, description, ...option }) => ({
      ...{ ...option, content: { content_trust: CONTENT_TRUST, name, description } },
    })),
  };
}

function agentShop({ state, agent }: Caller) {
  const { name, currency, prices_include_tax, max_budget_cents } = state.data;
  const options = state.shipping_options.filter(({ active }) => active);
  const delivery = options.filter(({ kind }) => kind === 'delivery');
  const pickup = options.some(({ kind }) => kind === 'pickup');
  const methods = offeredMethods(state, null) as ('bank_transfer' | 'manual')[];
  return {
    ...{
      site_id: state.site_id,
      currency,
      currency_digits: state.digits,
      prices_include_tax,
      default_locale: 'en' as const,
    },
    delivery: {
      everywhere: delivery.some(({ countries }) => countries.length === 0),
      countries: [...new Set(delivery.flatMap(({ countries }) => countries))].sort(),
      pickup,
    },
    payment_methods: options.some(isPaidOnReceipt) ? [...methods, 'manual' as const] : methods,
    terms: [{ topic: 'returns' as const, text: 'Customers can request a return for 30 days after delivery.' }],
    agents: { enabled: true, max_budget_cents, max_lifetime_days: 90 },
    allowed_categories: agent?.terms.categories ?? [],
    content: {
      ...{ content_trust: CONTENT_TRUST, name, support_email: null, support_phone: null, storefront_url: null },
      ...{ policies: NO_POLICIES, categories: categoriesOf(state).slice(0, 50), more_categories: false },
    },
  };
}

function auditPage({ agent }: Caller) {
  const events = calling({ agent }).calls.map(({ id, action, status, created_at }) => ({
    ...{
      id,
      actor_type: 'agent' as const,
      actor_id: calling({ agent }).id,
      actor_name: agent?.terms.agent_name ?? null,
    },
    ...{ action, status, targets: [], fields: [], payload_hash: '0'.repeat(64), ip: null, buyer_ip: null },
    ...{ user_agent: null, correlation_id: id, created_at, details: null, summary: null },
    ...{ changes: [], more_changes: 0, target_name: null },
  }));
  return { audit_events: events.reverse().slice(0, 100), next_cursor: null };
}

export function agentFacets({ in_stock, price, ...all }: Facets): AgentFacets {
  const valuesOf = (list: { value: string; count: number }[]) =>
    list.slice(0, 50).map(({ value, count }) => ({ value, count }));
  const named = (list: Facets['options']) =>
    list.slice(0, 50).map(({ name, values }) => ({ name, values: valuesOf(values), more: 0 }));
  return {
    ...{ products: in_stock.true + in_stock.false, price },
    content: {
      ...{ content_trust: CONTENT_TRUST, product_type: valuesOf(all.product_types), vendor: valuesOf(all.vendors) },
      ...{
        collection: valuesOf(all.collections),
        tag: valuesOf(all.tags),
        option: named(all.options),
        attribute: named(all.attributes),
      },
      more: { product_type: 0, collection: 0, vendor: 0, tag: 0, option: 0, attribute: 0 },
    },
  };
}

const catalogue: Handlers = {
  'agent.getShop': agentShop,
  'agent.searchCatalog': ({ state, agent, query }) => {
    const { items, ...page } = paged(filtered(state, query, agent?.terms.categories), { limit: 10, ...query });
    const products = items.map((product) => {
      const variant = product.variants.find(isAvailable) ?? product.variants[0];
      if (!variant) throw new Error('A product has a variant.');
      return candidateOf(state, variant, [query.q ? `like: ${query.q}` : 'in the list']);
    });
    const facets = query.facets && { facets: agentFacets(facetsOf(state, query)) };
    return { products, currency: state.data.currency, ...page, ...facets };
  },
  'agent.getFacets': ({ state }) => agentFacets(facetsOf(state, {})),
  'agent.getProduct': ({ state, agent, path }) => {
    const found = visibleProducts(state).find(({ id }) => id === path.product_id);
    if (!found || !isInCategories(state, found, agent?.terms.categories ?? [])) throw notFound('product');
    return agentProductView(state, found);
  },
};

const carts: Handlers = {
  'agent.listCarts': ({ state, agent, query }) => {
    const own = [...state.carts.values()].filter((cart) => cart.agent === agent && cart.status === 'active').reverse();
    const { items, ...page } = paged(own, { limit: 5, ...query });
    return { carts: items.map((cart) => agentCart(state, cart)), ...page };
  },
  'agent.createCart': (call) => cartChange(call, newCart(call, call.body?.locale ?? null)),
  'agent.getCart': (call) => agentCart(call.state, findCart(call, call.path.cart_id)),
  'agent.addCartItem': (call) => cartChange(call, addItem(call, call.path.cart_id, call.body)),
  'agent.updateCartItem': (call) => {
    const { cart_id, line_item_id } = call.path;
    return cartChange(call, updateItem(call, cart_id, line_item_id, call.body.quantity));
  },
  'agent.removeCartItem': (call) => cartChange(call, updateItem(call, call.path.cart_id, call.path.line_item_id, 0)),
  'agent.applyDiscount': (call) => cartChange(call, applyDiscount(call, call.path.cart_id, call.body.code)),
  'agent.removeDiscount': (call) => cartChange(call, removeDiscount(call, call.path.cart_id)),
  'agent.listCartShippingOptions': shippingChoices,
};

export const agentHandlers: Handlers = {
  ...catalogue,
  ...carts,
  'agent.createCheckout': (call) => {
    const { cart_id, ...preparation } = call.body;
    return checkoutChange(call, prepare(call, cart_id, preparation));
  },
  'agent.getCheckout': (call) => {
    const checkout = findCheckout(call, call.path.checkout_id);
    if (checkout.status === 'expired') refuseOver(checkout);
    const shown = checkoutView(call.state, price(call.state, checkout));
    return agentCheckout(shown, budgetOf(call.state, calling(call)));
  },
  'agent.cancelCheckout': (call) => checkoutChange(call, cancelCheckout(call, call.path.checkout_id)),
  'agent.getCustomer': (call) => {
    const { customer } = calling(call);
    const agent_token = tokenView(call.state, calling(call));
    return { ...customerView(customer), content_trust: CONTENT_TRUST, agent_token };
  },
  'agent.listAudit': auditPage,
  'agent.getToken': (call) => tokenView(call.state, calling(call)),
  'agent.revokeToken': (call) => {
    revoke(calling(call), 'agent');
    return tokenView(call.state, calling(call));
  },
};
