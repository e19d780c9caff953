/**
 * Authorization codes (RFC 6749 §4.1.3). A code is valid for 60 seconds and one exchange, and only with its client,
 * redirect URI and challenge. A second exchange with the right verifier revokes the token, because one of the two
 * callers is not the client (§4.1.2). Lock order: customer, request, token.
 */

import { hash } from 'node:crypto';
import type { AgentToken, IssuedAgentToken } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import * as agentTokens from '../agent-limits/tokens.ts';
import { authorizationCode, type LinkDeps } from '../links.ts';
import type { Shop } from '../shop.ts';
import { hashToken, isWellFormed } from '../tokens.ts';
import { issue, lockCustomerOf, MAX_ACTIVE_TOKENS } from './consent-polls.ts';
import { type Approval, approve, type Proof } from './consents.ts';
import { resourcePathOf } from './issuers.ts';
import * as clients from './oauth-clients.ts';
import { OAuthRefusal } from './oauth-refusal.ts';

const LIFETIME_SECONDS = 60;

/**
 * Approves an authorization request and creates its code. Throws `TooManyAgents`, and the errors of `consents.approve`.
 */
export async function approveForCode(
  shop: Shop,
  deps: Pick<LinkDeps, 'secretKey'>,
  secret: string,
  approval: Approval & { budget_cents: number },
  proof: Proof,
): Promise<void> {
  await shop.run(sql`select from customers where site_id = ${shop.siteId} and id = ${shop.customerId} for update`);
  if (await isFull(shop)) throw new TooManyAgents();
  await approve(shop, secret, approval, proof);
  await shop.run(
    sql`with coded as (
        update authorization_requests set code_hash = ${hashToken(authorizationCode(shop, deps, secret))}
        where site_id = ${shop.siteId} and request_hash = ${hashToken(secret)} returning site_id, consent_id
      )
      update agent_consents k set expires_at = now() + ${LIFETIME_SECONDS} * interval '1 second'
      from coded where k.site_id = coded.site_id and k.id = coded.consent_id`,
  );
}

/** Returns the code of a request that this customer approved, until it is exchanged or expires. */
export async function codeOf(
  shop: Shop,
  deps: Pick<LinkDeps, 'secretKey'>,
  secret: string,
): Promise<string | undefined> {
  const code = authorizationCode(shop, deps, secret);
  const found = await shop.one(
    sql`select from authorization_requests a join agent_consents k on k.site_id = a.site_id and k.id = a.consent_id
      where a.site_id = ${shop.siteId} and a.request_hash = ${hashToken(secret)} and a.code_hash = ${hashToken(code)}
        and k.status = 'approved' and k.customer_id = ${shop.customerId} and k.expires_at > now()`,
  );
  return found && code;
}

/** Thrown if the customer has the maximum number of agents. */
export class TooManyAgents extends Error {}

/**
 * Returns the customer's active agents if the maximum is reached, so that the customer can revoke one; otherwise none.
 */
export async function agentsInTheWay(shop: Shop): Promise<AgentToken[]> {
  if (!shop.customerId || !(await isFull(shop))) return [];
  const all = await agentTokens.listOfCustomer(shop, shop.customerId);
  return all.filter(({ status }) => status === 'active');
}

/** An authorization code that was not exchanged yet counts as an agent. */
async function isFull(shop: Shop): Promise<boolean> {
  const found = await shop.one<{ taken: number }>(
    sql`select (select count(*) from tokens where site_id = ${shop.siteId} and customer_id = ${shop.customerId}
          and kind = 'agent' and revoked_at is null and expires_at > now())
        + (select count(*) from agent_consents where site_id = ${shop.siteId} and customer_id = ${shop.customerId}
          and status = 'approved' and user_code_hash is null and expires_at > now()) as taken`,
  );
  return (found?.taken ?? 0) >= MAX_ACTIVE_TOKENS;
}

export interface Exchange {
  code: string;
  client_id: string;
  redirect_uri: string;
  code_verifier: string;
  /** The requested resource, from `resourceNamed`; null if the client sent none. */
  resource: string | null;
}

interface CodeRow {
  status: string;
  client_id: string;
  redirect_uri: string;
  code_challenge: string;
  resource: string | null;
  platform_host: string | null;
  expired: boolean;
  enabled: boolean;
}

/**
 * Exchanges an authorization code for a token. Throws an OAuthRefusal or a ShopError. Returns an OAuthRefusal instead
 * if the transaction must commit, because a second use of a code revokes its token.
 */
export async function exchange(shop: Shop, sent: Exchange): Promise<IssuedAgentToken | OAuthRefusal> {
  const consent_id = await requestOf(shop, sent.code);
  if (!consent_id) throw invalidCode();
  await lockCustomerOf(shop, consent_id);
  // Reads under the lock, so that the second of two concurrent exchanges sees the first.
  const row = await shop.one<CodeRow>(
    sql`select k.status, a.client_id, a.redirect_uri, a.code_challenge, a.resource, a.platform_host,
        k.expires_at <= now() as expired, (t.agent_policy ->> 'enabled')::boolean as enabled
      from authorization_requests a join agent_consents k on k.site_id = a.site_id and k.id = a.consent_id
      join site_settings t on t.site_id = a.site_id
      where a.site_id = ${shop.siteId} and a.consent_id = ${consent_id}`,
  );
  if (!row) throw invalidCode();
  // Without the verifier, a used code must not revoke the token.
  if (!isFor(row, sent)) throw invalidCode();
  if (row.status === 'consumed') {
    await agentTokens.revokeOfConsent(shop, consent_id);
    return new OAuthRefusal('invalid_grant', 'The code was already used. Its token has been revoked.');
  }
  if (row.status !== 'approved' || row.expired) throw invalidCode();
  if (!row.enabled) throw new OAuthRefusal('invalid_grant', 'The shop no longer allows agents.');
  if (sent.resource !== null && sent.resource !== row.resource) {
    throw new OAuthRefusal('invalid_target', 'The code was issued for another resource.');
  }
  await clients.noteUse(shop, row.client_id);
  const resource = row.resource === null ? null : resourcePathOf(row.resource);
  return issue(shop, consent_id, { resource, platform_host: row.platform_host });
}

async function requestOf(shop: Shop, code: string): Promise<string | undefined> {
  if (!isWellFormed('code', code)) return undefined;
  const found = await shop.one<RowOf<'authorization_requests', 'consent_id'>>(
    sql`select consent_id from authorization_requests
      where site_id = ${shop.siteId} and code_hash = ${hashToken(code)}`,
  );
  return found?.consent_id;
}

/** The format of a PKCE verifier (RFC 7636 §4.1). */
export const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

function isFor({ client_id, redirect_uri, code_challenge }: CodeRow, sent: Exchange): boolean {
  const proven =
    VERIFIER.test(sent.code_verifier) && hash('sha256', sent.code_verifier, 'base64url') === code_challenge;
  return proven && sent.client_id === client_id && sent.redirect_uri === redirect_uri;
}

/** The same error in all cases, so that a caller cannot find out which codes exist. */
export function invalidCode(): OAuthRefusal {
  return new OAuthRefusal(
    'invalid_grant',
    'The code is unknown or has expired, or was made for another client_id, redirect_uri or code_verifier.',
  );
}
