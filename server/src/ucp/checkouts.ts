/**
 * Checkouts. An agent fills them in, and the buyer confirms them on the shop's page. So no function here completes a
 * checkout: an open one is incomplete or requires escalation.
 */

import type { Address, Checkout, ShippingChoice } from '@commerce-backend/spec';
import { isUuid } from '../http/callers/claims.ts';
import { namePlatform } from '../shop/agents/profiles.ts';
import { cents, totalsInCents } from '../shop/agents/ucp-orders.ts';
import { accountLink } from '../shop/links.ts';
import { legalUrls } from '../shop/merchant/legal-texts.ts';
import { CONTENT_TRUST } from '../shop/merchant-text.ts';
import { messageOf, noResource, Refused, type UcpCall } from './call.ts';
import { attributionOf, discountsOf, fill, findCart, localeIn, makeCart, unique } from './carts.ts';
import { type Message, ProtocolError, unrecoverable } from './protocol.ts';
import type { CheckoutWish, PostalAddress } from './requests.ts';
import { lineOf, messageOfWarning, optionOf, said } from './views.ts';

export async function makeCheckout(call: UcpCall, wish: CheckoutWish): Promise<Checkout> {
  const { cart_id } = wish;
  if (cart_id === undefined && !wish.line_items) {
    throw new ProtocolError(400, 'invalid_request', '$.line_items or $.cart_id is required.');
  }
  if (cart_id === undefined) await call.requireAccess('storefront.createCheckout').catch(noResource);
  const cart = cart_id === undefined ? await makeCart(call, wish) : await findCart(call, cart_id);
  const body = { cart_id: cart.id, ...localeIn(wish), attribution: attributionOf(call, wish) };
  const { return_url, cancel_url } = wish;
  const back = { ...(return_url && { return_url }), ...(cancel_url && { cancel_url }) };
  const begun = await begin(call, body, back);
  await nameForEvents(call, begun.id);
  return change(call, begun, { ...wish, return_url: undefined, cancel_url: undefined });
}

/** Stores the platform that receives the order events of the checkout. Adds a warning if it receives none. */
async function nameForEvents(call: UcpCall, checkout_id: string): Promise<void> {
  const { profile, isSigned } = call.opened;
  const named = await call.inShop((shop) => namePlatform(shop, checkout_id, { platform_id: profile.id, isSigned }));
  const warn = (code: string, why: string) =>
    call.messages.push({ type: 'warning', code, content: `No order events are sent: ${why}` });
  if (profile.webhook_refused) warn('webhook_url_refused', profile.webhook_refused);
  else if (profile.webhook_url && !named) {
    warn(
      'signature_missing',
      'sign this request with a key in your profile (RFC 9421), so that nobody else can name it.',
    );
  }
}

/** Creates the checkout. Ignores a return URL that the shop does not allow. */
async function begin(call: UcpCall, body: object, back: object): Promise<Checkout> {
  const plain = () => call.ask<Checkout>('storefront.createCheckout', { body }).catch(noResource);
  if (Object.keys(back).length === 0) return plain();
  try {
    return await call.ask<Checkout>('storefront.createCheckout', {
      body: { ...body, ...back },
      step: 'begin with return',
    });
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 422) return noResource(error);
    const { content } = messageOf(error);
    call.messages.push({ type: 'warning', code: 'return_url_refused', content, path: '$.return_url' });
    return plain();
  }
}

export async function findCheckout(call: UcpCall, checkout_id: string): Promise<Checkout> {
  if (!isUuid(checkout_id)) throw unrecoverable('not_found', 'There is no such checkout.');
  return call.ask<Checkout>('storefront.getCheckout', { path: { checkout_id } }).catch(noResource);
}

export async function changeCheckout(call: UcpCall, checkout_id: string, wish: CheckoutWish): Promise<Checkout> {
  const before = await findCheckout(call, checkout_id);
  if (!isOpen(before)) return ended(call, before);
  await fill(call, before.cart_id, wish);
  return change(call, before, wish);
}

function ended(call: UcpCall, checkout: Checkout): Checkout {
  const content = 'This checkout has ended. Begin another one.';
  call.messages.push({ type: 'error', code: 'checkout_not_open', content, severity: 'unrecoverable' });
  return checkout;
}

/** Only a person can complete a checkout, so this returns it unchanged. */
export async function completeCheckout(call: UcpCall, checkout_id: string): Promise<Checkout> {
  const checkout = await findCheckout(call, checkout_id);
  return isOpen(checkout) || checkout.status === 'completed' ? checkout : ended(call, checkout);
}

export function isOpen({ status }: Checkout): boolean {
  return ['open', 'ready', 'requires_escalation'].includes(status);
}

/** Sets the buyer and delivery data. */
async function change(call: UcpCall, before: Checkout, wish: CheckoutWish): Promise<Checkout> {
  const path = { checkout_id: before.id };
  refuseConsent(call, wish);
  const parts: [object, string][] = [
    [contactOf(wish, before), '$.buyer'],
    [
      call.has('dev.ucp.shopping.fulfillment') ? addressOf(wish, before) : {},
      '$.fulfillment.methods[0].destinations[0]',
    ],
    [
      call.has('dev.ucp.shopping.fulfillment') ? optionIn(wish) : {},
      '$.fulfillment.methods[0].groups[0].selected_option_id',
    ],
    [backOf(wish), '$.return_url'],
  ];
  const given = parts.filter(([body]) => Object.keys(body).length > 0);
  const whole = Object.assign({}, ...given.map(([body]) => body)) as object;
  if (given.length > 0) {
    const all = call.ask('storefront.updateCheckout', { path, body: whole, step: 'fill in' });
    const refused = await all.then(
      () => undefined,
      (error: unknown) => error,
    );
    // Sends each part separately, so that a rejected one does not block the others.
    if (refused !== undefined && given.length === 1) call.messages.push(messageOf(refused, given[0]?.[1]));
    if (refused !== undefined && given.length > 1) {
      for (const [body, at] of given) {
        const one = call.ask('storefront.updateCheckout', { path, body, step: `fill in ${at}` });
        await one.catch((error: unknown) => call.messages.push(messageOf(error, at)));
      }
    }
  }
  return findCheckout(call, before.id);
}

const MARKETING = 'dev.ucp.consent.marketing';

/** Only the buyer can agree to marketing mails, on the checkout page. An agent's consent is ignored. */
function refuseConsent(call: UcpCall, { buyer }: CheckoutWish): void {
  if (!call.has('dev.ucp.shopping.buyer_consent') || !buyer?.consent?.[MARKETING]?.granted) return;
  const content = 'Only the buyer can agree to mails about offers, on the page of the checkout.';
  call.messages.push({
    type: 'warning',
    code: 'consent_not_recorded',
    content,
    path: `$.buyer.consent['${MARKETING}']`,
  });
}

/** A value that is sent back as displayed is not a change: it may be a shortened form of the buyer's input. */
function contactOf({ buyer }: CheckoutWish, before: Checkout): object {
  const phone = buyer?.phone_number === said(before.phone) ? undefined : buyer?.phone_number;
  return { ...(buyer?.email && { email: buyer.email }), ...(phone && { phone }) };
}

function backOf({ return_url, cancel_url }: CheckoutWish): object {
  return { ...(return_url && { return_url }), ...(cancel_url && { cancel_url }) };
}

function methodIn({ fulfillment }: CheckoutWish) {
  return fulfillment?.methods?.find(({ type = 'shipping' }) => type === 'shipping');
}

function addressOf(wish: CheckoutWish, before: Checkout): object {
  const [destination] = methodIn(wish)?.destinations ?? [];
  if (!destination || isAsShown(destination, before)) return {};
  const shipping_address: Address = {
    first_name: destination.first_name ?? null,
    last_name: destination.last_name ?? null,
    address1: destination.street_address ?? null,
    address2: destination.extended_address ?? null,
    city: destination.address_locality ?? null,
    state: destination.address_region ?? null,
    postal_code: destination.postal_code ?? null,
    country: destination.address_country?.toUpperCase() ?? null,
    phone: destination.phone_number ?? null,
  };
  return { shipping_address };
}

function isAsShown(destination: PostalAddress, { shipping_address }: Checkout): boolean {
  if (!shipping_address) return false;
  const shown = postalOf(shipping_address);
  return POSTAL.every((field) => (destination[field] || undefined) === shown[field]);
}

function optionIn(wish: CheckoutWish): object {
  const option = methodIn(wish)?.groups?.find(({ selected_option_id }) => selected_option_id !== undefined);
  return option ? { shipping_option_id: option.selected_option_id } : {};
}

export async function cancelCheckout(call: UcpCall, checkout_id: string): Promise<Checkout> {
  const before = await findCheckout(call, checkout_id);
  if (!isOpen(before)) return ended(call, before);
  try {
    return await call.ask<Checkout>('storefront.cancelCheckout', { path: { checkout_id } });
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) return noResource(error);
    call.messages.push(messageOf(error));
    return findCheckout(call, checkout_id);
  }
}

export async function viewOfCheckout(call: UcpCall, checkout: Checkout) {
  const { id, currency, items, discount_allocations, checkout_url, expires_at } = checkout;
  const off = (line: string) =>
    discount_allocations
      .filter((one) => one.line_item_id === line)
      .reduce((sum, one) => sum + cents(one.amount_off, currency), 0);
  const onLines = items.reduce((sum, item) => sum + off(item.id), 0);
  const told = [...call.messages, ...checkout.warnings.map((one) => messageOfWarning(one, items))];
  const messages = unique([...told, ...(isOpen(checkout) ? [handOff(checkout)] : [])]);
  return {
    ...{ id, status: statusOf(checkout, told), currency, links: linksOf(call) },
    line_items: items.map((item) => lineOf(item, currency, off(item.id))),
    totals: totalsInCents(checkout, onLines),
    ...buyerOf(call, checkout),
    ...(call.has('dev.ucp.shopping.discount') && { discounts: discountsOf(checkout) }),
    ...(call.has('dev.ucp.shopping.fulfillment') &&
      checkout.requires_shipping && { fulfillment: await deliveryOf(call, checkout) }),
    ...(messages.length > 0 && { messages }),
    ...(isOpen(checkout) && { expires_at }),
    ...(checkout_url && { continue_url: checkout_url }),
    ...orderOf(call, checkout),
  };
}

/** The status in UCP. Problems that the agent can resolve take precedence over those for the buyer. */
function statusOf(checkout: Checkout, told: Message[]): string {
  if (checkout.status === 'completed') return 'completed';
  if (!isOpen(checkout)) return 'canceled';
  return told.some((one) => one.type === 'error' && one.severity === 'recoverable')
    ? 'incomplete'
    : 'requires_escalation';
}

function handOff({ missing }: Checkout): Message {
  const complete = missing.length === 0;
  return {
    type: 'error',
    code: 'human_confirmation_required',
    content: complete
      ? 'Only the buyer can confirm this purchase. Open continue_url for them.'
      : `The buyer confirms this purchase on the shop's page, where what is missing can be filled in: ${missing.join(', ')}. Open continue_url for them.`,
    severity: complete ? 'requires_buyer_review' : 'requires_buyer_input',
  };
}

function linksOf({ opened: { front, origin } }: UcpCall) {
  const { terms_url, privacy_url, withdrawal_url, imprint_url } = legalUrls(front, origin);
  const links = [
    { type: 'terms_of_service', url: terms_url },
    { type: 'privacy_policy', url: privacy_url },
    { type: 'refund_policy', url: withdrawal_url },
    { type: 'imprint', title: 'Imprint', url: imprint_url },
  ];
  return links.filter(({ url }) => url !== null && URL.canParse(url));
}

function buyerOf(call: UcpCall, { email, phone, marketing_opt_in }: Checkout) {
  const description = 'Mails about offers of this shop.';
  const consent = { [MARKETING]: { granted: marketing_opt_in, source: 'business', description } };
  const buyer = {
    ...(email && { email }),
    ...(said(phone) && { phone_number: said(phone), content_trust: CONTENT_TRUST }),
    ...(call.has('dev.ucp.shopping.buyer_consent') && call.opened.front.ask_for_marketing && { consent }),
  };
  return Object.keys(buyer).length > 0 ? { buyer } : {};
}

async function deliveryOf(call: UcpCall, checkout: Checkout) {
  const { shipping_address: address, shipping_option, currency } = checkout;
  const line_item_ids = checkout.items.map(({ id }) => id);
  const options = address?.country && isOpen(checkout) ? await optionsFor(call, checkout, address) : [];
  const shown = options.length === 0 && shipping_option ? [shipping_option] : options;
  const group = { id: 'all', line_item_ids, options: shown.map((one) => optionOf(one, currency)) };
  const chosen = shown.find(({ id }) => id === shipping_option?.id);
  const destination = address && {
    ...{ id: 'address', type: 'shipping_address', ...postalOf(address), content_trust: CONTENT_TRUST },
  };
  const method = {
    ...{ id: 'shipping', type: 'shipping', line_item_ids },
    ...(destination && { destinations: [destination], selected_destination_id: 'address' }),
    groups: [{ ...group, selected_option_id: chosen?.id ?? null }],
  };
  return { methods: [method] };
}

async function optionsFor(call: UcpCall, { cart_id }: Checkout, address: Address): Promise<ShippingChoice[]> {
  const { country, state, postal_code } = address;
  const query = { ...(country && { country }), ...(state && { state }), ...(postal_code && { postal_code }) };
  try {
    const ask = call.ask<{ shipping_options: ShippingChoice[] }>('storefront.listCartShippingOptions', {
      path: { cart_id },
      query,
    });
    return (await ask).shipping_options.filter(({ kind }) => kind === 'delivery');
  } catch (error) {
    messageOf(error);
    return [];
  }
}

const POSTAL = [
  ...(['first_name', 'last_name', 'street_address', 'extended_address', 'address_locality'] as const),
  ...(['address_region', 'postal_code', 'address_country', 'phone_number'] as const),
];

/** A delivery address in UCP's format. A person may have typed it, so it is sanitized like every text for an agent. */
function postalOf(address: Address): PostalAddress {
  const { first_name, last_name, address1, address2, city, state, postal_code, country, phone } = address;
  const known = {
    ...{ first_name, last_name, street_address: address1, extended_address: address2, address_locality: city },
    ...{ address_region: state, postal_code, address_country: country, phone_number: phone },
  };
  const shown = POSTAL.map((field) => [field, said(known[field])]);
  return Object.fromEntries(shown.filter(([, words]) => words));
}

function orderOf({ opened: { origin, tenant } }: UcpCall, { status, order_id, order_number }: Checkout) {
  if (status !== 'completed' || !order_id) return {};
  return {
    order: {
      id: order_id,
      ...(order_number && { label: order_number }),
      permalink_url: accountLink(origin, tenant.site_id),
    },
  };
}
