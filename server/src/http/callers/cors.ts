/**
 * CORS rules. The storefront API allows the origins in the token's settings; an empty list allows all, because the
 * token is public. The dashboard API allows the configured origins, and the other APIs allow none. A preflight request
 * contains no token, so its response depends only on the API. The token's list is checked on the actual request.
 */

import type { RequestHandler } from 'express';
import { ShopError } from '../../shop/errors.ts';
import type { Operation } from '../contract/contract.ts';
import { allowedMethods } from '../contract/route.ts';
import type { Sender } from '../received.ts';
import type { Caller } from './caller.ts';
import { addVary } from './headers.ts';
import type { SiteHosts } from './site-hosts.ts';

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

/**
 * Rejects a storefront request from a web page whose origin is neither in the token's `allowed_origins` nor the shop's
 * own host. An empty list allows any origin.
 */
export function checkOrigin(operation: Operation, sender: Sender, caller: Caller, hosts: SiteHosts): void {
  const { origin } = sender.headers;
  if (!origin || operation.surface !== 'storefront' || caller.allowed_origins.length === 0) return;
  if (caller.allowed_origins.includes(origin)) return;
  if (hosts.siteAt(sender) !== undefined && origin === hosts.originAt(sender)) return;
  throw new ShopError('origin_not_allowed', 'This storefront token may not be used from that web origin.');
}
