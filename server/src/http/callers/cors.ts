import type { RequestHandler } from 'express';
import { ShopError } from '../../shop/errors.ts';
import type { Operation } from '../contract/contract.ts';
import { allowedMethods } from '../contract/route.ts';
import type { Sender } from '../received.ts';
import type { Caller } from './caller.ts';
import { addVary } from './headers.ts';
import type { SiteHosts } from './site-hosts.ts';

/**
 * CORS rules. The storefront API allows the origins listed with the token (an empty list means any, because the token
 * is public); the dashboard API allows those in the configuration, and other APIs none. A preflight names no tenant, so
 * its answer depends only on the API, and the list is enforced on the call itself.
 */
const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, X-Site-ID, X-Service-Token, X-Service-Merchant-Id, X-API-Key, If-None-Match, If-Match, X-Request-Id';
const EXPOSED_HEADERS = 'Idempotency-Replayed, Retry-After, X-Request-Id, ETag, RateLimit, RateLimit-Policy';

export function preflight(dashboardOrigins: string[]): RequestHandler {
  return (req, res, next) => {
    const { origin } = req.headers;
    addVary(res, 'Origin');
    const surface = origin === undefined ? undefined : req.path.split('/')[2];
    const open = surface === 'storefront' || (surface === 'dashboard' && dashboardOrigins.includes(String(origin)));
    if (origin && open)
      res.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED_HEADERS });
    if (req.method !== 'OPTIONS') return next();
    const methods = allowedMethods(req.originalUrl);
    if (methods.length === 0) return next();
    if (origin && open) {
      res.set({
        'Access-Control-Allow-Methods': methods.join(', '),
        'Access-Control-Allow-Headers': ALLOWED_HEADERS,
        'Access-Control-Max-Age': '600',
      });
    }
    res
      .set('Allow', [...methods, 'OPTIONS'].join(', '))
      .status(204)
      .end();
  };
}

/** Rejects a page whose origin is neither on the list of the storefront token nor the called host of the shop. */
export function checkOrigin(operation: Operation, sender: Sender, caller: Caller, hosts: SiteHosts): void {
  const { origin } = sender.headers;
  if (!origin || operation.surface !== 'storefront' || caller.allowed_origins.length === 0) return;
  if (caller.allowed_origins.includes(origin)) return;
  if (hosts.siteAt(sender) !== undefined && origin === hosts.originAt(sender)) return;
  throw new ShopError('origin_not_allowed', 'This storefront token may not be used from that web origin.');
}
