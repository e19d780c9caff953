import { CHECKOUT_NOTICES } from './checkout-notices.ts';
import { post } from './checkout-post.ts';
import { show } from './checkout-show.ts';
import { arrive, type CheckoutVisit } from './checkout-visit.ts';
import type { PageRoute } from './route.ts';

/** The hosted checkout. It changes things by the same deeds as the storefront surface, counted and audited as its operations. */
export const checkoutPage: PageRoute<CheckoutVisit> = {
  path: '/checkout/:token',
  where: 'Checkout',
  arrive,
  formOf: ({ checkout }) => `checkout ${checkout.id}`,
  show,
  post,
  notices: CHECKOUT_NOTICES,
};
