import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import { inTransaction } from '../db/transaction.ts';
import type { Caller } from '../http/callers.ts';
import type { Notes } from '../http/dispatch.ts';
import { statusOf, translate } from '../http/errors.ts';
import { followLink } from '../shop/checkout-links.ts';
import * as checkoutPage from '../shop/checkout-page.ts';
import { ShopError, ValidationError } from '../shop/errors.ts';
import { inShop } from '../shop/in-shop.ts';
import type { Actor } from '../shop/shop.ts';
import { post } from './checkout-post.ts';
import { show } from './checkout-show.ts';
import { createGuard, type Guard } from './guard.ts';
import { pageHeaders } from './headers.ts';
import { errorPage } from './notices.ts';
import { STYLE_PATH, style } from './style.ts';
import type { PageAnswer, PagesDeps, Visit } from './visit.ts';

/**
 * The hosted checkout, for people with nothing but a browser. GET shows, and changes nothing: link scanners open addresses.
 * POST changes, by the same deeds as the storefront surface, counted and audited as its operations, and leads back to GET.
 */
export function pages(deps: PagesDeps): Router {
  const guard = createGuard(deps.till);
  const router = Router({ caseSensitive: true, strict: true });
  router.get(STYLE_PATH, style);
  router.get('/checkout/:token', pageHeaders, handled(deps, guard, show));
  router.post('/checkout/:token', pageHeaders, handled(deps, guard, post));
  router.all('/checkout/:token', pageHeaders, (_req, res) => {
    const refusal = new ShopError('method_not_allowed', 'Open this page in a browser.');
    res.set('Allow', 'GET, HEAD, POST');
    send(res, errorPage(refusal, statusOf(refusal.code)));
  });
  return router;
}

type PageHandler = (visit: Visit) => Promise<PageAnswer>;

function handled(deps: PagesDeps, guard: Guard, handler: PageHandler): RequestHandler<{ token: string }> {
  return async (req, res, _next: NextFunction) => {
    try {
      const visit = await arrive(deps, guard, req, res);
      send(res, await handler(visit));
    } catch (error) {
      await fail(deps, req, res, error);
    }
  };
}

/** Follows the link. Throws `not_found` for one that leads nowhere. */
async function arrive(deps: PagesDeps, guard: Guard, req: Request<{ token: string }>, res: Response): Promise<Visit> {
  await deps.limits.admit(req.ip ?? '');
  const { token } = req.params;
  const found = await inTransaction(deps.db, (connection) => followLink(connection, token, true));
  if (!found) throw new ShopError('not_found', 'This link leads to no checkout.');
  const { tenant, checkout_id } = found;
  const guest: Actor = { type: 'storefront', id: checkout_id, customer_id: null };
  const checkout = await inShop(deps.db, tenant, guest, (shop) => checkoutPage.find(shop, checkout_id));
  const { customer_id } = checkout;
  const caller: Caller = {
    kind: 'storefront',
    tenant,
    principal_id: checkout_id,
    credential_id: checkout_id,
    customer_id,
    scopes: [],
    allowed_origins: [],
  };
  (res.locals as Notes).caller = caller;
  const path = `/checkout/${token}`;
  // Whoever has the link goes on with the checkout for the customer whose it is.
  return { ...deps, guard, req, res, path, tenant, checkout, caller, actor: { ...guest, customer_id } };
}

function send(res: Response, answer: PageAnswer): void {
  if (res.headersSent) return;
  if ('redirect' in answer) {
    res.removeHeader('Content-Type');
    res.status(303).set('Location', answer.redirect).end();
    return;
  }
  res.status(answer.status).send(answer.html);
}

/** What went wrong, as a page that says what to do. */
async function fail({ limits }: PagesDeps, req: Request, res: Response, error: unknown): Promise<void> {
  const known = error instanceof ShopError;
  const refusal = known ? error : error instanceof ValidationError ? unreadable() : translate(error);
  const status = statusOf(refusal.code);
  if (status >= 500) (res.locals as Notes).cause = error;
  if (refusal.code === 'not_found') await limits.recordFailure(req.ip ?? '');
  if (refusal.code === 'rate_limited') res.set('Retry-After', String(refusal.context.retry_after_seconds));
  if (status === 503) res.set('Retry-After', '1');
  send(res, errorPage(refusal, status));
}

function unreadable(): ShopError {
  return new ShopError('invalid_request', 'The form holds something that does not belong there.');
}
