import type { IssuedAgentToken } from '@commerce-backend/spec';
import { Router } from 'express';
import * as agentTokens from '../../shop/agent-limits/tokens.ts';
import * as codes from '../../shop/agents/authorization-codes.ts';
import * as polls from '../../shop/agents/consent-polls.ts';
import { resourceNamed, resourcePathOf } from '../../shop/agents/issuers.ts';
import * as clients from '../../shop/agents/oauth-clients.ts';
import { OAuthRefusal } from '../../shop/agents/oauth-refusal.ts';
import { networkOf } from '../../shop/client-network.ts';
import { openToAnyOrigin } from '../callers/any-origin.ts';
import { belowIssuer } from '../callers/issuers.ts';
import { NO_CLAIM } from '../callers/open-callers.ts';
import { type Operation, operationTable } from '../contract/contract.ts';
import { contextOf, sendLimit } from '../express/context.ts';
import { audit } from '../pipeline/audit.ts';
import { formIn, type OAuthCall, type OAuthDeps, oauthCall, onlyPost } from './oauth-call.ts';

/**
 * OAuth endpoints below a shop's issuer: token (both grants), registration (RFC 7591) and revocation (RFC 7009). The
 * authorization endpoint is a page (pages/agent-consent/authorize.ts). OAuth standards define them, so they are not in
 * the contract.
 */
export function oauthEndpoints(deps: OAuthDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, work] of [
    [belowIssuer('/oauth/token'), token],
    [belowIssuer('/oauth/register'), register],
    [belowIssuer('/oauth/revoke'), revoke],
  ] as const) {
    router.all(path, openToAnyOrigin('POST'));
    router.post(path, ...oauthCall(deps, work));
    router.all(path, onlyPost);
  }
  return router;
}

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

async function token(call: OAuthCall) {
  const { limits, req, res, site_id } = call;
  sendLimit(res, await limits.countStrictly(operationOf('agent.pollConsent'), { ...NO_CLAIM, site_id }, req));
  const form = formIn(call);
  if (req.get('Authorization') !== undefined) {
    throw new OAuthRefusal('invalid_client', 'Clients have no secret here. Send client_id in the form.');
  }
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return { status: 200, json: await exchangeCode(call, form) };
    case DEVICE_CODE:
      return { status: 200, json: await pollForDevice(call, form) };
    case null:
      throw new OAuthRefusal('invalid_request', 'Send grant_type.');
    default:
      throw new OAuthRefusal('unsupported_grant_type', `grant_type must be authorization_code or ${DEVICE_CODE}.`);
  }
}

async function exchangeCode(call: OAuthCall, form: URLSearchParams): Promise<IssuedAgentToken> {
  const { deadline, db, tenant, actor } = call;
  const resource = resourceIn(call, form);
  const sent = {
    code: required(form, 'code'),
    client_id: required(form, 'client_id'),
    redirect_uri: required(form, 'redirect_uri'),
    code_verifier: required(form, 'code_verifier'),
    resource,
  };
  const issued = await deadline.inShop(db, tenant, actor, (shop) => codes.exchange(shop, sent));
  if (issued instanceof OAuthRefusal) throw issued;
  return issued;
}

/** The resource for which the client wants a token (RFC 8707 §2.2); null if it names none. */
function resourceIn(call: OAuthCall, form: URLSearchParams): string | null {
  const named = form.get('resource');
  const resource = named === null ? null : resourceNamed(call, call.site_id, named);
  if (resource === undefined) throw new OAuthRefusal('invalid_target', 'The resource does not belong to this shop.');
  return resource;
}

export function required(form: URLSearchParams, name: string): string {
  const value = form.get(name);
  if (!value) throw new OAuthRefusal('invalid_request', `Send ${name}.`);
  return value;
}

/** Exchanges a device code like `agent.pollConsent`. The poll is recorded in its own transaction. */
async function pollForDevice(call: OAuthCall, form: URLSearchParams) {
  const { deadline, db, tenant, actor } = call;
  const device_code = required(form, 'device_code');
  const resource = resourceIn(call, form);
  const consent_id = await deadline.inShop(db, tenant, actor, (shop) => polls.requestOf(shop, device_code));
  if (!consent_id) throw new OAuthRefusal('invalid_grant', 'Unknown device_code.');
  await polls.recordPoll(db, tenant, actor, consent_id);
  return deadline.inShop(db, tenant, actor, (shop) =>
    polls.issue(shop, consent_id, {
      resource: resource === null ? null : resourcePathOf(resource),
      platform_host: null,
    }),
  );
}

async function register({ limits, req, res, text, site_id, deadline, db, tenant, actor }: OAuthCall) {
  sendLimit(res, await limits.countGuess('client_registration', site_id, networkOf(req.ip)));
  const metadata = clients.parseMetadata(jsonIn(text));
  const registered = await deadline.inShop(db, tenant, actor, (shop) => clients.register(shop, metadata));
  const can = {
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  return { status: 201, json: { ...registered, ...can } };
}

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OAuthRefusal('invalid_client_metadata', 'Send JSON.');
  }
}

/**
 * Revokes a token with immediate effect. Knowing the token is enough to revoke it. For an unknown token the response is
 * the same (RFC 7009 §2.2).
 */
async function revoke(call: OAuthCall) {
  const { limits, req, res, deadline, db, tenant, actor, secretKey, auditKey } = call;
  const secret = required(formIn(call), 'token');
  const ended = await deadline.inShop(db, tenant, actor, async (shop) => {
    const found = await agentTokens.findBySecret(shop, secret);
    if (!found) return false;
    await agentTokens.revoke(shop, found.id, 'agent');
    await audit(shop, {
      operation: operationOf('agent.revokeToken'),
      caller: {
        kind: 'agent',
        tenant,
        principal_id: found.id,
        credential_id: found.id,
        customer_id: found.customer_id,
        scopes: [],
        allowed_origins: [],
      },
      request: req,
      payload: JSON.stringify(['oauth', 'revoke']),
      secretKey,
      auditKey,
      request_id: contextOf(res).request_id,
      status: 200,
      answer: { status: 200, body: undefined },
    });
    return true;
  });
  if (!ended) sendLimit(res, await limits.countFailure(req, 'revocation'));
  return { status: 200 };
}

function operationOf(id: Operation['id']): Operation {
  const found = operationTable.find((operation) => operation.id === id);
  if (!found) throw new Error(`The contract has no operation ${id}.`);
  return found;
}
