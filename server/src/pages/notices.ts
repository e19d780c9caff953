import type { ErrorCode } from '@commerce-backend/spec';
import type { ShopError } from '../shop/errors.ts';
import { notice } from './document.ts';

/** The pages that say one thing: that there is nothing here, or no more, or not now; and what to do. */

type Notice = [title: string, ...sentences: string[]];

const NOTICES: Partial<Record<ErrorCode, Notice>> = {
  not_found: [
    'There is no checkout at this address',
    'The link may have been cut off or mistyped. Open it once more from where you have it.',
    'If that does not help, go back to the shop and begin the checkout again: your cart is still there.',
  ],
  checkout_expired: [
    'This checkout has ended',
    'Nothing was changed for an hour, so the items are no longer reserved for you. Nothing was charged.',
    'Your cart is still there: go back to the shop and begin the checkout again.',
  ],
  cart_expired: [
    'This cart has expired',
    'Nothing was changed in it for 30 days. Nothing was charged.',
    'Go back to the shop and choose again.',
  ],
  cart_not_active: [
    'This cart has moved on',
    'It became an order, or went into the cart of your account when you logged in.',
    'Go back to the shop and look at your cart or your orders.',
  ],
  cart_empty: [
    'There is nothing to buy',
    'The cart is empty, or nothing in it is for sale any more. Nothing was charged.',
    'Go back to the shop and choose again.',
  ],
  rate_limited: ['That was too often', 'Please wait a minute, then go back and try again. Nothing is lost.'],
  unsupported_media_type: ['The form could not be read', 'Please go back, reload the page, and send the form again.'],
  payload_too_large: ['The form is too long', 'Please go back, shorten what you wrote, and send it again.'],
  invalid_request: ['The form could not be read', 'Please go back, reload the page, and send the form again.'],
  method_not_allowed: ['This is a page to look at', 'Open it in a browser.'],
  unavailable: [
    'One moment, please',
    'The shop cannot answer just now. Go back and try again in a few seconds.',
    'You cannot order twice by doing so.',
  ],
};

const BROKEN: Notice = [
  'Something went wrong on our side',
  'Please go back and try again. You cannot order twice by doing so.',
];

/** The page for a refusal that concerns the whole. */
export function errorPage({ code }: Pick<ShopError, 'code'>, status: number) {
  const [title, ...sentences] = NOTICES[code] ?? BROKEN;
  return { status, html: notice(title, sentences) };
}

export function cancelledPage(shop: string) {
  const sentences = [
    'It was cancelled, and nothing was charged.',
    'Your cart is still there: go back to the shop to begin the checkout again.',
  ];
  return { status: 410, html: notice('This checkout was cancelled', sentences, shop) };
}

export function pastPage(shop: string) {
  const sentences = [
    'The order has been placed. For your privacy this page shows it for a day only.',
    'The confirmation that we sent you by e-mail says all about it.',
  ];
  return { status: 410, html: notice('This checkout is complete', sentences, shop) };
}

/** An agent prepares, its human confirms; who that is, a link alone cannot tell. */
export function agentPage(shop: string) {
  const sentences = [
    'An assistant prepared this purchase. Only the customer on whose behalf it did so can confirm it, after logging in.',
    'Log in at the shop and confirm it there. Nothing has been ordered, and nothing is charged until then.',
  ];
  return { status: 403, html: notice('Please log in to confirm this purchase', sentences, shop) };
}

/** A form that cannot be shown to be ours: of another site, of another browser, or of a session that is over. */
export function foreignFormPage() {
  const sentences = [
    'For your safety, a form is only accepted from the page that was shown to you, and for a day.',
    'Go back, reload the page, and send it again. If that does not help, allow cookies for this page.',
  ];
  return { status: 403, html: notice('Please send the form again', sentences) };
}
