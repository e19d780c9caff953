import { Router } from 'express';
import { accountPage } from './account/account.ts';
import { resetPasswordPage } from './account/reset-password.ts';
import { unlockPage } from './account/unlock.ts';
import { verifyEmailPage } from './account/verify-email.ts';
import { agentConsentPage } from './agent-consent/agent-consent.ts';
import { authorizePage } from './agent-consent/authorize.ts';
import { addAgentGuides } from './agent-guides/agent-guides.ts';
import { BUY_PATHS, basketPage, leadToBasket } from './buy/buy.ts';
import { checkoutPage } from './checkout/checkout.ts';
import { leavePage, returnPage } from './checkout/payment.ts';
import { demoLegalPage } from './demo-legal.ts';
import { orderPage } from './order/order.ts';
import { FAVICON_PATH, favicon } from './parts/favicon.ts';
import { createGuard } from './parts/guard.ts';
import { pageHeaders } from './parts/headers.ts';
import { addPage, type PagesDeps } from './parts/route.ts';
import { SCRIPT_PATH, script } from './parts/script.ts';
import { brandPath, brandSheet, STYLE_PATH, style } from './parts/style.ts';
import { testPaymentPage } from './test-payment.ts';
import { welcome, welcomeAtHost } from './welcome.ts';

/** The pages of the shop that are not the storefront's: the hosted checkout, consent, the account, and where the links in mails lead. */
export function pages(deps: PagesDeps, demoSiteId: string | undefined): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const guarded = { ...deps, guard: createGuard({ ...deps.checkoutDeps, hosts: deps.hosts }) };
  router.get('/', pageHeaders, welcomeAtHost(deps.hosts), welcome(deps.checkoutDeps.baseUrl, demoSiteId));
  router.get(STYLE_PATH, style);
  router.get(SCRIPT_PATH, script);
  router.get(brandPath(':site_id', ':version'), brandSheet);
  router.get(FAVICON_PATH, favicon);
  router.get(BUY_PATHS, leadToBasket(deps.hosts));
  addPage(router, guarded, basketPage);
  addPage(router, guarded, checkoutPage);
  addPage(router, guarded, leavePage);
  addPage(router, guarded, returnPage);
  addPage(router, guarded, testPaymentPage);
  addPage(router, guarded, orderPage);
  addPage(router, guarded, agentConsentPage);
  addPage(router, guarded, authorizePage);
  addPage(router, guarded, accountPage);
  addPage(router, guarded, verifyEmailPage);
  addPage(router, guarded, resetPasswordPage);
  addPage(router, guarded, unlockPage);
  addPage(router, guarded, demoLegalPage);
  addAgentGuides(router, deps);
  return router;
}
