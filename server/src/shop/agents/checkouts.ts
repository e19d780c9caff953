import type { AddressInput, AgentCheckoutChange, Checkout } from '@commerce-backend/spec';
import { budgetOf } from '../agent-limits/budgets.ts';
import type { Wishes } from '../checkout/begin.ts';
import * as checkouts from '../checkout/checkouts.ts';
import { findCheckout } from '../checkout/state.ts';
import type { CheckoutDeps } from '../payments/deps.ts';
import { choicesForCart, type Destination } from '../shipping/choices.ts';
import type { Shop } from '../shop.ts';
import { checkoutOf } from './views.ts';

/** The fields that an agent may set on a checkout. */
export interface Preparation extends Pick<Wishes, 'locale' | 'return_url' | 'cancel_url'> {
  shipping_address?: AddressInput | null;
  shipping_option_id?: string | null;
  note?: string | null;
}

/**
 * Creates the checkout of a cart, or updates the open one. Without an address in the request, the checkout keeps its
 * address, which is initially the customer's. Without a shipping option in the request, the checkout gets the cheapest
 * one if it has none or the address is new. Throws the errors of checkouts.
 */
export async function prepare(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  cart_id: string,
  { shipping_address, shipping_option_id, note, locale, return_url, cancel_url }: Preparation,
): Promise<Checkout> {
  const created = await checkouts.create(shop, checkoutDeps, cart_id, { locale, return_url, cancel_url });
  // The shipping option must fit the customer's address even if the agent may not read the address.
  const address = shipping_address ?? (await findCheckout(shop, created.id, shop.customerId)).shipping_address;
  const isChosen = created.shipping_option !== null && !shipping_address;
  const option =
    shipping_option_id ??
    (created.requires_shipping && !isChosen && address?.country
      ? await cheapestOption(shop, cart_id, address)
      : undefined);
  return checkouts.update(shop, checkoutDeps, created.id, {
    ...(shipping_address && { shipping_address }),
    ...(option && { shipping_option_id: option }),
    ...(note !== undefined && { note }),
  });
}

/** Finds the cheapest delivery to the destination, or the cheapest pickup if there is no delivery. */
async function cheapestOption(shop: Shop, cart_id: string, destination: Destination): Promise<string | undefined> {
  const { shipping_options: choices } = await choicesForCart(shop, cart_id, destination);
  const delivered = choices.filter(({ kind }) => kind === 'delivery');
  const [first] = (delivered.length > 0 ? delivered : choices).toSorted((a, b) => Number(a.price) - Number(b.price));
  return first?.id;
}

export async function create(
  shop: Shop,
  checkoutDeps: CheckoutDeps,
  { cart_id, ...preparation }: Preparation & { cart_id: string },
): Promise<AgentCheckoutChange> {
  return changed(shop, await prepare(shop, checkoutDeps, cart_id, preparation));
}

/** Cancels a checkout that the agent created, and keeps its cart. */
export async function cancel(shop: Shop, checkoutDeps: CheckoutDeps, id: string): Promise<AgentCheckoutChange> {
  return changed(shop, await checkouts.cancel(shop, checkoutDeps, id));
}

async function changed(shop: Shop, checkout: Checkout): Promise<AgentCheckoutChange> {
  const budget = await budgetOf(shop, shop.actorId);
  const shown = checkoutOf(checkout, budget);
  return { checkout: shown, checkout_url: shown.checkout_url, budget };
}
