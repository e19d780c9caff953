import type { Language } from '../../language/language.ts';
import { noticePage } from '../parts/document.ts';
import { type NoticeKey, type Notices, noticeOf } from '../parts/notices.ts';
import type { PageAnswer } from '../parts/route.ts';

/** What the checkout says instead of itself. */
export const CHECKOUT_NOTICES: Notices = {
  not_found: 'checkout.not_found',
  checkout_expired: 'checkout.expired',
  cart_expired: 'checkout.cart_expired',
  cart_not_active: 'checkout.cart_not_active',
  cart_empty: 'checkout.cart_empty',
  unavailable: 'checkout.shop_unavailable',
  internal_error: 'checkout.internal_error',
};

/** The page of a checkout with which nobody can go on. */
export function closedPage(language: Language, shop: string, key: NoticeKey): PageAnswer {
  return { status: 410, html: noticePage(noticeOf(language, key), { language, shop, where: 'checkout' }) };
}
