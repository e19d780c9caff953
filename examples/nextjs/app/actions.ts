'use server';

import { CommerceError, isError, unwrap } from '@commerce-backend/sdk';
import { revalidatePath } from 'next/cache';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { openCart } from '../lib/shop.ts';
import { isLanguage, type Key } from '../lib/words.ts';

/** The state of a form after its action: a notice, and the number of times that the action has run. */
export interface Told {
  notice: Key | undefined;
  times: number;
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/**
 * Runs an action of the cart and returns the notice to show, also if the shop rejects the input. Rethrows all other
 * errors.
 */
async function told(before: Told, notice: Key | undefined, work: () => Promise<unknown>): Promise<Told> {
  const times = before.times + 1;
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CommerceError) || error.status >= 500) throw error;
    return { notice: isError(error, 'insufficient_stock') ? 'insufficient_stock' : 'refused', times };
  }
  revalidatePath('/', 'layout');
  return { notice, times };
}

export async function addToCart(before: Told, form: FormData): Promise<Told> {
  const cart = await openCart();
  const line = { variant_id: textOf(form, 'variant_id'), quantity: Number(textOf(form, 'quantity') || 1) };
  return told(before, 'added', () => cart.add(line));
}

/** Sets the quantity of a cart line; 0 removes it. */
export async function changeLine(before: Told, form: FormData): Promise<Told> {
  const cart = await openCart();
  const line_item_id = textOf(form, 'line');
  const body = { quantity: Number(textOf(form, 'quantity')) };
  return told(before, undefined, () =>
    cart.run((cart_id, shop) => {
      const params = { path: { cart_id, line_item_id } };
      return unwrap(shop.PATCH('/api/storefront/cart/{cart_id}/items/{line_item_id}', { params, body }));
    }),
  );
}

/** Redirects to the hosted checkout, which returns to /thanks, or to the cart. */
export async function goToCheckout(before: Told, form: FormData): Promise<Told> {
  const asked = await headers();
  const language = textOf(form, 'language');
  const locale = isLanguage(language) ? language : 'en';
  const own = `${asked.get('x-forwarded-proto') ?? 'http'}://${asked.get('host')}/${locale}`;
  const cart = await openCart();
  let url: string | null | undefined;
  const state = await told(before, undefined, async () => {
    const body = { locale, return_url: `${own}/thanks`, cancel_url: `${own}/cart` };
    const checkout = await cart.run((cart_id, shop) =>
      unwrap(shop.POST('/api/storefront/checkout', { body: { cart_id, ...body } })),
    );
    url = checkout.checkout_url;
  });
  if (url) redirect(url);
  return state;
}
