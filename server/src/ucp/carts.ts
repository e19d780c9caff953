/** Carts. A UCP request contains the complete cart; it is converted to changes of single lines. */

import type { Attribution, Cart } from '@commerce-backend/spec';
import { isUuid } from '../http/callers/claims.ts';
import { cents } from '../shop/agents/ucp-orders.ts';
import { CAMPAIGN } from '../shop/attribution.ts';
import { messageOf, noResource, type UcpCall } from './call.ts';
import { type Message, NoResource, unrecoverable } from './protocol.ts';
import type { CartWish, LineWish } from './requests.ts';
import { cartTotals, lineOf, messageOfWarning } from './views.ts';

export async function makeCart(call: UcpCall, wish: CartWish): Promise<Cart> {
  const body = { ...localeIn(wish), attribution: attributionOf(call, wish) };
  const { id } = await call.ask<Cart>('storefront.createCart', { body }).catch(noResource);
  const cart = await fill(call, id, wish);
  if (cart.items.length > 0) return cart;
  const none: Message = {
    type: 'error',
    code: 'item_unavailable',
    content: 'Nothing can be bought.',
    severity: 'unrecoverable',
  };
  throw new NoResource(call.messages.length > 0 ? call.messages.map(asFinal) : [none]);
}

function asFinal(message: Message): Message {
  return message.type === 'error' ? { ...message, severity: 'unrecoverable' } : message;
}

export async function findCart(call: UcpCall, cart_id: string): Promise<Cart> {
  if (!isUuid(cart_id)) throw unrecoverable('not_found', 'There is no such cart.');
  const cart = await call.ask<Cart>('storefront.getCart', { path: { cart_id } }).catch(noResource);
  // A cart that became an order or was merged into another no longer exists for UCP.
  if (cart.status !== 'active') throw unrecoverable('not_found', 'This cart is no longer there.');
  return cart;
}

/** Changes the cart to match the request. Errors of single changes become messages. */
export async function fill(call: UcpCall, cart_id: string, { line_items = [], discounts }: CartWish): Promise<Cart> {
  const path = { cart_id };
  let cart = await call.ask<Cart>('storefront.getCart', { path }).catch(noResource);
  const wanted = wantedOf(line_items, cart);
  for (const { id } of cart.items.filter((item) => !wanted.some((one) => one.line_item_id === item.id))) {
    await tried(call, 'storefront.removeCartItem', { path: { ...path, line_item_id: id }, step: `remove ${id}` });
  }
  for (const { line_item_id, variant_id, quantity, place } of wanted) {
    const at = `$.line_items[${place}]`;
    const before = cart.items.find(({ id }) => id === line_item_id);
    if (before?.quantity === quantity) continue;
    if (line_item_id) {
      const change = { path: { ...path, line_item_id }, body: { quantity }, step: `set ${line_item_id}` };
      await tried(call, 'storefront.updateCartItem', change, `${at}.quantity`);
    } else if (isUuid(variant_id)) {
      await tried(
        call,
        'storefront.addCartItem',
        { path, body: { variant_id, quantity }, step: `add ${variant_id}` },
        at,
      );
    } else {
      tell(call, {
        type: 'error',
        code: 'not_found',
        content: 'There is no such item.',
        severity: 'recoverable',
        path: at,
      });
    }
  }
  cart = await call.ask<Cart>('storefront.getCart', { path }).catch(noResource);
  if (!discounts?.codes || !call.has('dev.ucp.shopping.discount')) return cart;
  await useCodes(call, cart, discounts.codes);
  return call.ask<Cart>('storefront.getCart', { path }).catch(noResource);
}

function tell(call: UcpCall, message: Message): void {
  call.messages.push(message);
}

type Change = Parameters<UcpCall['ask']>[1];

/** Returns whether the change was made. An error becomes a message. */
async function tried(
  call: UcpCall,
  id: Parameters<UcpCall['ask']>[0],
  change: Change,
  path?: string,
): Promise<boolean> {
  try {
    await call.ask(id, change);
    return true;
  } catch (error) {
    const message = messageOf(error, path);
    tell(call, message.code === 'not_found' ? { ...message, content: 'There is no such item.' } : message);
    return false;
  }
}

interface Wanted {
  line_item_id: string | undefined;
  variant_id: string;
  quantity: number;
  place: number;
}

/** A cart has one line per variant, so quantities of the same variant are added up. */
function wantedOf(lines: LineWish[], { items }: Cart): Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const [place, { id, item, quantity }] of lines.entries()) {
    const variant_id = item.id.toLowerCase();
    const line = items.find((one) => one.id === id && one.variant_id === variant_id);
    const line_item_id = (line ?? items.find((one) => one.variant_id === variant_id))?.id;
    const before = wanted.get(variant_id);
    if (before) before.quantity += quantity;
    else wanted.set(variant_id, { line_item_id, variant_id, quantity, place });
  }
  return [...wanted.values()];
}

const REFUSED_CODES: Record<string, string> = {
  discount_expired: 'discount_code_expired',
  discount_not_found: 'discount_code_invalid',
  discount_not_started: 'discount_code_invalid',
};

/** A cart has one discount code at a time, so only the first one is applied. */
async function useCodes(call: UcpCall, { id, discount_code }: Cart, codes: string[]): Promise<void> {
  const path = { cart_id: id };
  const [first, ...others] = codes.map((code) => code.trim()).filter(Boolean);
  if (first === undefined) {
    if (discount_code !== null) await tried(call, 'storefront.removeDiscount', { path });
    return;
  }
  if (first.toLowerCase() !== discount_code?.toLowerCase()) {
    await call.ask('storefront.applyDiscount', { path, body: { code: first } }).catch((error: unknown) => {
      const { code, content } = messageOf(error);
      const known =
        REFUSED_CODES[code] ??
        (code.startsWith('discount_') ? 'discount_code_user_ineligible' : 'discount_code_invalid');
      tell(call, { type: 'warning', code: known, content, path: '$.discounts.codes[0]' });
    });
  }
  for (const place of others.keys()) {
    const content = 'This shop takes one code at a time.';
    tell(call, {
      ...{ type: 'warning', code: 'discount_code_combination_disallowed', content },
      path: `$.discounts.codes[${place + 1}]`,
    });
  }
}

/** Cancels a cart and returns it as it was. Afterwards it is not found. */
export async function cancelCart(call: UcpCall, cart_id: string): Promise<Cart> {
  if (!isUuid(cart_id)) throw unrecoverable('not_found', 'There is no such cart.');
  return call.ask<Cart>('storefront.cancelCart', { path: { cart_id } }).catch(noResource);
}

export function viewOfCart(call: UcpCall, cart: Cart) {
  const { id, currency, items, warnings } = cart;
  const messages = [...call.messages, ...warnings.map((one) => messageOfWarning(one, items))];
  return {
    ...{ id, currency, line_items: items.map((item) => lineOf(item, currency, 0)), totals: cartTotals(cart) },
    ...(call.has('dev.ucp.shopping.discount') && { discounts: discountsOf(cart) }),
    ...(messages.length > 0 && { messages: unique(messages) }),
    expires_at: cart.expires_at,
  };
}

export function discountsOf({
  discount_code,
  discount,
  currency,
}: Pick<Cart, 'discount_code' | 'discount' | 'currency'>) {
  if (discount_code === null) return { codes: [], applied: [] };
  const amount = cents(discount, currency);
  const applied = amount > 0 ? [{ code: discount_code, title: discount_code, amount, automatic: false }] : [];
  return { codes: [discount_code], applied };
}

/** Removes duplicates: a change and the following read may report the same error. */
export function unique(messages: Message[]): Message[] {
  const keys = new Set<string>();
  return messages.filter(({ code, path = '' }) => {
    const key = `${code} ${path.replace(/\.quantity$/, '')}`;
    return !keys.has(key) && keys.add(key);
  });
}

export function localeIn({ context }: CartWish): { locale?: string } {
  const language = /^(en|de|fr)\b/i.exec(context?.language ?? '')?.[1]?.toLowerCase();
  return language ? { locale: language } : {};
}

/** The source of the purchase in the request or, by default, the host of the agent's profile. */
export function attributionOf({ opened: { profile } }: UcpCall, { attribution = {} }: CartWish): Attribution {
  const said = CAMPAIGN.flatMap((name) => (attribution[name] ? [[name, attribution[name].slice(0, 255)]] : []));
  return { utm_source: profile.host, utm_medium: 'ucp', ...Object.fromEntries(said) };
}
