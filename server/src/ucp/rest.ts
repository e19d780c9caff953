/** UCP over REST, as its OpenAPI document describes it, and the shop's profile. */

import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Operation } from '../http/contract/contract.ts';
import { contextOf } from '../http/express/context.ts';
import { readBody } from '../http/express/read-body.ts';
import { answerTo } from '../http/pipeline/errors.ts';
import { ShopError, ValidationError } from '../shop/errors.ts';
import { inShop } from '../shop/in-shop.ts';
import { SYSTEM } from '../shop/shop.ts';
import { publicKeys } from '../shop/webhooks/signing-keys.ts';
import { profileUrlIn } from './agent.ts';
import { protocolErrorOf, Refused, type UcpCall } from './call.ts';
import { answerOf, FUNCTIONS, type FunctionName, type UcpFunction } from './functions.ts';
import { ucpMcp } from './mcp.ts';
import { issuerOf, type OpeningDeps, open, recordRefusal, shopOf } from './opening.ts';
import { profileIn, profileOf } from './profile.ts';
import { ProtocolError, VERSIONS } from './protocol.ts';

type Method = 'get' | 'post' | 'put';

const ROUTES: [Method, string, FunctionName][] = [
  ['post', '/catalog/search', 'search_catalog'],
  ['post', '/catalog/lookup', 'lookup_catalog'],
  ['post', '/catalog/product', 'get_product'],
  ['post', '/carts', 'create_cart'],
  ['get', '/carts/:id', 'get_cart'],
  ['put', '/carts/:id', 'update_cart'],
  ['post', '/carts/:id/cancel', 'cancel_cart'],
  ['post', '/checkout-sessions', 'create_checkout'],
  ['get', '/checkout-sessions/:id', 'get_checkout'],
  ['put', '/checkout-sessions/:id', 'update_checkout'],
  ['post', '/checkout-sessions/:id/complete', 'complete_checkout'],
  ['post', '/checkout-sessions/:id/cancel', 'cancel_checkout'],
  ['get', '/orders/:id', 'get_order'],
];

export function rest(deps: OpeningDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(['/.well-known/ucp', '/.well-known/ucp/sites/:site_id', '/sites/:site_id/.well-known/ucp'], publish(deps));
  router.get(['/.well-known/ucp/:version', '/sites/:site_id/.well-known/ucp/:version'], publish(deps));
  for (const [method, path, name] of ROUTES) {
    router[method]([`/ucp/v1${path}`, `/sites/:site_id/ucp/v1${path}`], serve(deps, name));
  }
  router.all(['/ucp/mcp', '/sites/:site_id/ucp/mcp'], ucpMcp(deps));
  router.use(['/ucp/v1', '/sites/:site_id/ucp/v1'], async (req, res) => {
    const error = new ProtocolError(404, 'not_found', 'There is no such operation.');
    await recordRefusal(deps, undefined, req, res, error);
    fail(res, error);
  });
  return router;
}

/** Serves the shop's UCP profile, of the newest or of the named version. Clients may cache it. */
function publish(deps: OpeningDeps): RequestHandler {
  return async (req, res) => {
    try {
      const tenant = await shopOf(deps, req);
      const version = req.params.version === undefined ? undefined : String(req.params.version);
      if (version !== undefined && !VERSIONS.includes(version)) {
        throw new ProtocolError(404, 'not_found', `There is no such version. Take ${VERSIONS.join(' or ')}.`);
      }
      const keys = await inShop(deps.db, tenant, SYSTEM, (shop) => publicKeys(shop, deps.secretKey));
      res.set('Cache-Control', 'public, max-age=300').set('Access-Control-Allow-Origin', '*');
      const published = { issuer: issuerOf(deps, req, tenant), keys };
      res.json(version === undefined ? profileOf(published) : profileIn(version, published));
    } catch (error) {
      fail(res, error);
    }
  };
}

const MAX_BODY_BYTES = 256 * 1024;

function serve(deps: OpeningDeps, name: FunctionName): RequestHandler {
  const { keyed }: UcpFunction = FUNCTIONS[name];
  return async (req, res) => {
    contextOf(res).protocol = 'ucp';
    let call: UcpCall | undefined;
    try {
      const body = await bodyOf(req, res);
      const key = req.get('Idempotency-Key');
      if (keyed && key === undefined) throw new ProtocolError(400, 'invalid_request', 'Send an Idempotency-Key.');
      const profile_url = profileUrlIn(req.get('UCP-Agent'));
      const bytes = Buffer.isBuffer(req.body) ? req.body : undefined;
      call = await open(deps, req, res, { name, profile_url, key, body: bytes, resource: '' });
      const { created, body: answer } = await answerOf(call, name, String(req.params.id ?? ''), body);
      send(res, created ? 201 : 200, answer);
    } catch (error) {
      await recordRefusal(deps, call, req, res, error);
      fail(res, error);
    }
  };
}

async function bodyOf(req: Request, res: Response): Promise<unknown> {
  if (req.method === 'GET') return undefined;
  // Limits the body as for an operation of the contract.
  const reader = { method: 'post', surface: 'agent', hasBody: true, bodyLimitBytes: MAX_BODY_BYTES } as Operation;
  return readBody(reader, req, res);
}

function send(res: Response, status: number, body: object): void {
  if (!res.headersSent) res.status(status).json(body);
}

/** Sends the code and the message of a failure of the protocol. */
export function fail(res: Response, thrown: unknown): void {
  const context = contextOf(res);
  const error = thrown instanceof Refused ? protocolErrorOf(thrown) : thrown;
  if (error instanceof ProtocolError) {
    context.error = error.code;
    res.set(error.headers);
    send(res, error.status, { ...error.more, code: error.code, content: error.message });
    return;
  }
  if (error instanceof ValidationError) {
    const content = error.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join(' ');
    send(res, 400, { code: 'invalid_request', content });
    return;
  }
  const { status, headers = {} } = answerTo(error, context.request_id);
  if (status >= 500) context.cause = error;
  const code = error instanceof ShopError ? error.code : 'internal_error';
  res.set(headers);
  send(res, status, {
    code,
    content: error instanceof ShopError ? error.message : 'Something went wrong on our side.',
  });
}
