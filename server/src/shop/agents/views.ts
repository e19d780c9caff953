/**
 * Carts, checkouts and customers as agents see them: without addresses and notes, and with the merchant's text in a
 * separate part.
 */

import type {
  AgentBudget,
  AgentCart,
  AgentCheckout,
  AgentCustomer,
  AgentLine,
  AgentTotals,
  AgentWarning,
  Cart,
  CartItem,
  CartWarning,
  Checkout,
  Customer,
} from '@commerce-backend/spec';
import { CAPS, CONTENT_TRUST, sanitizeMerchantText } from '../merchant-text.ts';
import { nameOf } from './products.ts';

export function cartOf(cart: Cart): AgentCart {
  const { id, status, currency, subtotal, discount, total, expires_at } = cart;
  return {
    ...{ id, status, currency, subtotal, discount, total, expires_at },
    items: cart.items.map(lineOf),
    warnings: warningsOf(cart.warnings),
  };
}

export function checkoutOf(checkout: Checkout, budget: AgentBudget): AgentCheckout {
  const { id, cart_id, status, checkout_url, currency, missing, expires_at, order_id, order_number } = checkout;
  return {
    ...{ id, cart_id, status, checkout_url, continue_url: checkout_url, currency, missing, expires_at },
    ...{ order_id, order_number },
    items: checkout.items.map(lineOf),
    totals: totalsOf(checkout),
    warnings: warningsOf(checkout.warnings),
    budget,
  };
}

/**
 * The contract has no separate part for the customer's texts, so they are sanitized, and the profile is marked as
 * untrusted.
 */
export function customerOf({ first_name, last_name, phone, ...profile }: Customer): Omit<AgentCustomer, 'agent_token'> {
  const [first, last, number] = [first_name, last_name, phone].map((text) => sanitizeMerchantText(text, CAPS.name));
  const names = { first_name: first ?? null, last_name: last ?? null, phone: number ?? null };
  return { ...profile, ...names, content_trust: CONTENT_TRUST };
}

export function totalsOf({ subtotal, discount, shipping_cost, tax, tax_included, total }: AgentTotals): AgentTotals {
  return { subtotal, discount, shipping_cost, tax, tax_included, total };
}

function lineOf({ id, product_id, variant_id, quantity, price, total, available, ...line }: CartItem): AgentLine {
  const content = lineContentOf(line.name, line.variant_name);
  return { id, product_id, variant_id, quantity, price, total, available, content };
}

/** The merchant's text about a line of a cart, checkout or order. */
export function lineContentOf(name: string, variant_name: string | null): AgentLine['content'] {
  return {
    content_trust: CONTENT_TRUST,
    name: nameOf(name),
    variant_name: sanitizeMerchantText(variant_name, 3 * CAPS.name),
  };
}

/** Removes the messages, because they quote the merchant's text. */
export function warningsOf(warnings: CartWarning[]): AgentWarning[] {
  return warnings.map(({ code, line_item_id }) => ({ code, line_item_id }));
}
