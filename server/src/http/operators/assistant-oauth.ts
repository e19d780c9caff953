/**
 * The OAuth issuer for assistants of staff, at the server's own address: metadata (RFC 8414, RFC 9728), registration
 * (RFC 7591), authorization and token. The member decides on a page of the panel, after the staff login.
 */

import { type Request, type RequestHandler, Router } from 'express';
import type { Pool } from 'pg';
import {
  type AssistantClient,
  assistantIssuer,
  backTo,
  clientIn,
  decisionPage,
  merchantMcp,
  register,
  requireResource,
} from '../../shop/agents/assistant-requests.ts';
import { ASSISTANT_SCOPES, READING } from '../../shop/agents/assistant-scopes.ts';
import * as assistants from '../../shop/agents/assistants.ts';
import { stateIn } from '../../shop/agents/authorization-requests.ts';
import { OAuthRefusal } from '../../shop/agents/oauth-refusal.ts';
import { networkOf } from '../../shop/client-network.ts';
import { type Actor, outsideOfTenants } from '../../shop/shop.ts';
import { openToAnyOrigin } from '../callers/any-origin.ts';
import { NOBODY } from '../callers/open-callers.ts';
import type { SiteHosts } from '../callers/site-hosts.ts';
import { contextOf, sendLimit } from '../express/context.ts';
import type { Deadlines } from '../pipeline/deadline.ts';
import type { Limits } from '../pipeline/limits.ts';
import { formIn, onlyPost, type RawOAuthCall, rawOAuthCall, statusOf } from './oauth-call.ts';
import { jsonIn, required } from './oauth-endpoints.ts';

interface Deps {
  db: Pool;
  baseUrl: string;
  secretKey: string;
  hosts: SiteHosts;
  limits: Limits;
  deadlines: Deadlines;
  /** The page about a mistake, with a link back to the client if it is known. */
  mistakePage(
    req: Request,
    refusal: OAuthRefusal,
    client: { client_name: string; redirect_uri: string; href: string } | undefined,
  ): { html: string; headers: Record<string, string> };
}

export function assistantOAuth(deps: Deps): Router {
  const { baseUrl, hosts } = deps;
  const router = Router({ caseSensitive: true, strict: true });
  // At a shop's own host these paths do not exist.
  router.use((req, _res, next) => next(hosts.siteAt(req) === undefined ? undefined : 'router'));
  const metadata: [string, unknown][] = [
    ['/.well-known/oauth-authorization-server/merchant', serverMetadata(baseUrl)],
    ['/.well-known/oauth-protected-resource/mcp/merchant', resourceMetadata(baseUrl)],
  ];
  for (const [path, document] of metadata) {
    const send: RequestHandler = (_req, res) => void res.json(document);
    router.all(path, openToAnyOrigin('GET'));
    router.get(path, send);
  }
  router.get('/merchant/oauth/authorize', ...rawOAuthCall(deps, (call) => authorize(deps, call)));
  for (const [path, work] of [
    ['/merchant/oauth/token', token],
    ['/merchant/oauth/register', registration],
  ] as const) {
    router.all(path, openToAnyOrigin('POST'));
    router.post(path, ...rawOAuthCall(deps, (call) => work(deps, call)));
    router.all(path, onlyPost);
  }
  return router;
}

/**
 * Redirects to the decision page of the panel. Reports mistakes to browsers as a page, and to other clients as JSON.
 */
async function authorize(deps: Deps, { req, res }: RawOAuthCall) {
  const { searchParams: fields } = new URL(req.originalUrl, deps.baseUrl);
  let client: AssistantClient | undefined;
  try {
    client = clientIn(deps, fields);
    return { status: 302, location: decisionPage(deps, fields, client) };
  } catch (error) {
    if (!(error instanceof OAuthRefusal) || req.accepts(['json', 'html']) !== 'html') throw error;
    contextOf(res).error = error.error;
    const answer = { error: error.error, error_description: error.message };
    const href = client && backTo(deps, { ...client, state: stateOrNull(fields) }, answer);
    const { client_name = '', redirect_uri = '' } = client ?? {};
    const page = deps.mistakePage(req, error, href === undefined ? undefined : { client_name, redirect_uri, href });
    return { status: statusOf(error), ...page };
  }
}

function stateOrNull(fields: URLSearchParams): string | null {
  try {
    return stateIn(fields.get('state'));
  } catch {
    return null;
  }
}

async function registration(deps: Deps, { req, res, text }: RawOAuthCall) {
  sendLimit(res, await deps.limits.countGuess('client_registration', NOBODY, networkOf(req.ip)));
  const can = { grant_types: ['authorization_code'], response_types: ['code'], token_endpoint_auth_method: 'none' };
  return { status: 201, json: { ...register(deps, jsonIn(text)), ...can } };
}

const ANYBODY: Actor = { type: 'anonymous', id: NOBODY, customer_id: null };

async function token(deps: Deps, { req, res, text, deadline }: RawOAuthCall) {
  const { db, limits, baseUrl } = deps;
  sendLimit(res, await limits.countGuess('consent_poll', NOBODY, networkOf(req.ip)));
  const form = formIn({ req, text });
  if (form.get('grant_type') !== 'authorization_code') {
    throw new OAuthRefusal('unsupported_grant_type', 'grant_type must be authorization_code.');
  }
  requireResource(baseUrl, form.get('resource'));
  const sent = {
    code: required(form, 'code'),
    client_id: required(form, 'client_id'),
    redirect_uri: required(form, 'redirect_uri'),
    code_verifier: required(form, 'code_verifier'),
  };
  const issued = await deadline.inShop(db, outsideOfTenants(NOBODY), ANYBODY, (shop) =>
    assistants.exchange(shop, sent),
  );
  if (issued instanceof OAuthRefusal) throw issued;
  return { status: 200, json: issued };
}

function serverMetadata(baseUrl: string) {
  const issuer = assistantIssuer(baseUrl);
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    token_endpoint_auth_methods_supported: ['none'],
    grant_types_supported: ['authorization_code'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: ASSISTANT_SCOPES,
    service_documentation: `${baseUrl}/docs`,
  };
}

function resourceMetadata(baseUrl: string) {
  return {
    resource: merchantMcp(baseUrl),
    authorization_servers: [assistantIssuer(baseUrl)],
    // Clients request all listed scopes if nothing else names the scopes, so the list contains only scopes for reading.
    scopes_supported: READING,
    bearer_methods_supported: ['header'],
    resource_documentation: `${baseUrl}/docs`,
  };
}
