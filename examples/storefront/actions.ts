import { CommerceError, isError, unwrap } from '@commerce-backend/sdk';
import { textOf, type Visit } from './visit.ts';
import type { Key } from './words.ts';

/** Actions of the cart's forms. The SDK's cart session creates a cart on first use and replaces an expired one. */

export async function addToCart(visit: Visit): Promise<void> {
  const line = { variant_id: textOf(visit.req.body, 'variant_id'), quantity: quantityIn(visit) };
  await refusable(visit, '/cart', 'added', () => visit.cart.add(line));
}

/** Sets the quantity of a cart line; 0 removes it. */
export async function changeLine(visit: Visit): Promise<void> {
  const line_item_id = textOf(visit.req.body, 'line');
  const body = { quantity: quantityIn(visit) };
  await refusable(visit, '/cart', '', () =>
    visit.cart.run((cart_id, shop) =>
      unwrap(
        shop.PATCH('/api/storefront/cart/{cart_id}/items/{line_item_id}', {
          params: { path: { cart_id, line_item_id } },
          body,
        }),
      ),
    ),
  );
}

export async function applyCode(visit: Visit): Promise<void> {
  const body = { code: textOf(visit.req.body, 'code') };
  await refusable(visit, '/cart', '', () =>
    visit.cart.run(async (cart_id, shop) => {
      const params = { path: { cart_id } };
      if (body.code) await unwrap(shop.POST('/api/storefront/cart/{cart_id}/discounts', { params, body }));
      else await unwrap(shop.DELETE('/api/storefront/cart/{cart_id}/discounts', { params }));
    }),
  );
}

/** Redirects to the hosted checkout, which returns to /thanks in the shopper's language, or to the cart. */
export async function goToCheckout(visit: Visit): Promise<void> {
  const own = `${visit.req.protocol}://${visit.req.headers.host}`;
  await refusable(visit, '/cart', '', async () => {
    const { checkout_url } = await visit.cart.run((cart_id, shop) =>
      unwrap(
        shop.POST('/api/storefront/checkout', {
          body: {
            ...{ cart_id, locale: visit.language },
            ...{ return_url: own + visit.to('/thanks'), cancel_url: own + visit.to('/cart') },
          },
        }),
      ),
    );
    visit.res.redirect(303, checkout_url ?? visit.to('/cart'));
  });
}

/**
 * Does the work, then redirects to a page with a notice. If the shop rejects the input, the notice is the reason.
 * Rethrows other errors.
 */
export async function refusable(
  visit: Visit,
  page: string,
  notice: Key | '',
  work: () => Promise<unknown>,
): Promise<void> {
  const refused = await submit(visit, page, notice, work);
  if (refused) visit.goTo(page, refused.reason);
}

/** An error in a form, and the names of the invalid fields. */
export interface Refused {
  reason: Key;
  wrong: readonly unknown[];
}

/**
 * Redirects to a page with a notice. If the shop rejects the input, returns the error, so that the form can be shown
 * again with its input.
 */
export async function submit(
  visit: Visit,
  page: string,
  notice: Key | '',
  work: () => Promise<unknown>,
  ownWords: Record<string, Key> = {},
): Promise<Refused | undefined> {
  try {
    await work();
  } catch (error) {
    const refusal = refusalIn(error);
    const wrong = (refusal.detail ?? []).map(({ loc }) => loc.at(-1));
    return { reason: ownWords[refusal.code] ?? noticeOf(refusal), wrong };
  }
  if (!visit.res.headersSent) visit.goTo(page, notice);
  return undefined;
}

/** Returns an error with which the shop rejected the input. Rethrows any other error. */
export function refusalIn(error: unknown): CommerceError {
  if (!(error instanceof CommerceError) || error.status >= 500) throw error;
  if (isError(error, 'unauthorized', 'invalid_token')) throw error;
  return error;
}

function noticeOf(error: CommerceError): Key {
  if (isError(error, 'insufficient_stock', 'invalid_credentials')) return error.code;
  if (error.code.startsWith('discount_')) return 'code_refused';
  if (isError(error, 'return_quantity_exceeded', 'return_window_closed', 'not_returnable')) return 'return_refused';
  console.warn(error.message);
  return 'form_refused';
}

function quantityIn({ req }: Visit): number {
  return Number(textOf(req.body, 'quantity') || 1);
}
