import { Router } from 'express';
import { checkoutPage } from './checkout.ts';
import { createGuard } from './guard.ts';
import { resetPasswordPage } from './reset-password.ts';
import { addPage, type PagesDeps } from './route.ts';
import { STYLE_PATH, style } from './style.ts';
import { verifyEmailPage } from './verify-email.ts';

/** The pages of the shop that are not the storefront's: the hosted checkout, and where the links in mails lead. */
export function pages(deps: PagesDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const guarded = { ...deps, guard: createGuard(deps.till) };
  router.get(STYLE_PATH, style);
  addPage(router, guarded, checkoutPage);
  addPage(router, guarded, verifyEmailPage);
  addPage(router, guarded, resetPasswordPage);
  return router;
}
