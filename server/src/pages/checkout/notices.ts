import { noticePage } from '../parts/document.ts';
import { type NoticeKey, type Notices, noticeOf } from '../parts/notices.ts';
import type { PageAnswer } from '../parts/route.ts';
import type { CheckoutVisit } from './visit.ts';

/** Notices shown instead of the checkout page. */
export const CHECKOUT_NOTICES: Notices = {
  not_found: 'checkout.not_found',
  checkout_expired: 'checkout.expired',
  cart_expired: 'checkout.cart_expired',
  cart_not_active: 'checkout.cart_not_active',
  cart_empty: 'checkout.cart_empty',
  unavailable: 'checkout.shop_unavailable',
  internal_error: 'checkout.internal_error',
};

/** The page for a checkout that cannot be continued. */
export function closedPage({ language, front, back }: CheckoutVisit, key: NoticeKey): PageAnswer {
  const html = noticePage(noticeOf(language, key), { language, front, back, where: 'checkout' });
  return { status: 410, html };
}
