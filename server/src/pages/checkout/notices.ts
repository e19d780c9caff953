import { noticePage } from '../parts/document.ts';
import type { Notices } from '../parts/notices.ts';
import type { PageAnswer } from '../parts/route.ts';

/** What the checkout says instead of itself. */
export const CHECKOUT_NOTICES: Notices = {
  not_found: {
    title: 'There is no checkout at this address',
    sentences: [
      'The link may have been cut off or mistyped. Open it again from where you received it.',
      'If that does not help, go back to the shop and start the checkout again: your cart is still there.',
    ],
  },
  checkout_expired: {
    title: 'This checkout has ended',
    sentences: [
      'Nothing was changed for an hour, so the items are no longer reserved for you. Nothing was charged.',
      'Your cart is still there: go back to the shop and start the checkout again.',
    ],
  },
  cart_expired: {
    title: 'This cart has expired',
    sentences: ['Nothing was changed in it for 30 days. Nothing was charged.', 'Go back to the shop and choose again.'],
  },
  cart_not_active: {
    title: 'This cart is no longer active',
    sentences: [
      'It became an order, or went into the cart of your account when you logged in.',
      'Go back to the shop and look at your cart or your orders.',
    ],
  },
  cart_empty: {
    title: 'There is nothing to buy',
    sentences: [
      'The cart is empty, or nothing in it is for sale any more. Nothing was charged.',
      'Go back to the shop and choose again.',
    ],
  },
  unavailable: {
    title: 'One moment, please',
    sentences: [
      'The shop cannot answer just now. Go back and try again in a few seconds.',
      'You cannot order twice by doing so.',
    ],
  },
  internal_error: {
    title: 'Something went wrong on our side',
    sentences: ['Please go back and try again. You cannot order twice by doing so.'],
  },
};

export function cancelledPage(shop: string): PageAnswer {
  return closed(410, shop, 'This checkout was cancelled', [
    'It was cancelled, and nothing was charged.',
    'Your cart is still there: go back to the shop to start the checkout again.',
  ]);
}

export function pastPage(shop: string): PageAnswer {
  return closed(410, shop, 'This checkout is complete', [
    'The order has been placed. For your privacy, this page shows it for one day only.',
    'The confirmation that we sent you by e-mail has all the details.',
  ]);
}

function closed(status: number, shop: string, title: string, sentences: string[]): PageAnswer {
  return { status, html: noticePage({ title, sentences }, { shop, where: 'Checkout' }) };
}
