import { Router } from 'express';
import { accountPage } from './account/account.ts';
import { resetPasswordPage } from './account/reset-password.ts';
import { verifyEmailPage } from './account/verify-email.ts';
import { agentConsentPage } from './agent-consent/agent-consent.ts';
import { checkoutPage } from './checkout/checkout.ts';
import { createGuard } from './parts/guard.ts';
import { addPage, type PagesDeps } from './parts/route.ts';
import { STYLE_PATH, style } from './parts/style.ts';

/** The pages of the shop that are not the storefront's: the hosted checkout, consent, the account, and where the links in mails lead. */
export function pages(deps: PagesDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const guarded = { ...deps, guard: createGuard(deps.checkoutDeps) };
  router.get(STYLE_PATH, style);
  addPage(router, guarded, checkoutPage);
  addPage(router, guarded, agentConsentPage);
  addPage(router, guarded, accountPage);
  addPage(router, guarded, verifyEmailPage);
  addPage(router, guarded, resetPasswordPage);
  return router;
}
