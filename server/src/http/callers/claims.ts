/** Parses the credentials of a request. Rejects malformed and incompatible ones without a query. */

import type { IncomingHttpHeaders } from 'node:http';
import { ShopError } from '../../shop/errors.ts';
import { isWellFormed, type TokenKind } from '../../shop/tokens.ts';
import type { Operation } from '../contract/contract.ts';
import type { CallerKind, Claim } from './caller.ts';
import { invalidToken, NO_CLAIM } from './open-callers.ts';

type CredentialKind = Exclude<CallerKind, 'anonymous' | 'guest_agent'>;

const SCHEMES: Record<string, { header: string; kind?: CredentialKind }> = {
  StaffSession: { header: 'authorization', kind: 'staff' },
  ApiKey: { header: 'x-api-key', kind: 'api_key' },
  StorefrontToken: { header: 'x-service-token', kind: 'storefront' },
  CustomerToken: { header: 'authorization', kind: 'customer' },
  AgentToken: { header: 'authorization', kind: 'agent' },
  SyncSecret: { header: 'x-sync-secret', kind: 'sync' },
  SiteId: { header: 'x-site-id' },
};
const CREDENTIAL_HEADERS = [...new Set(Object.values(SCHEMES).flatMap(({ header, kind }) => (kind ? [header] : [])))];
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

/** Reads the credentials from the headers. Throws 401 if one is missing or malformed, or if two cannot be combined. */
export function claimOf(operation: Operation, headers: IncomingHttpHeaders): Claim {
  if (operation.security.length === 0) return NO_CLAIM;
  if (isWellFormed('agent', secretIn(headers, 'authorization'))) {
    if (takesAgentBesidePair(operation) && headers['x-service-token'] !== undefined) return agentBesidePair(headers);
    if (operation.humanOnly) throw humanOnly();
  }
  const alternative = operation.security.find(
    (schemes) => !isAgentBesidePair(schemes) && schemes.every((name) => headers[SCHEMES[name]?.header ?? '']),
  );
  const schemes = alternative?.flatMap((name) => SCHEMES[name] ?? []) ?? [];
  const scheme = schemes.find(({ kind }) => kind && kind !== 'customer');
  if (!alternative || !scheme?.kind) {
    throw new ShopError('unauthorized', `This operation needs ${inWords(operation.security)}.`);
  }
  const beside = CREDENTIAL_HEADERS.filter(
    (name) => headers[name] !== undefined && !schemes.some(({ header }) => header === name),
  );
  // Clients may send the customer's token with every storefront call. Operations without customers ignore it.
  const ignored = operation.surface === 'storefront' && isWellFormed('customer', secretIn(headers, 'authorization'));
  if (beside.some((name) => name !== 'authorization' || !ignored)) {
    throw tooMany();
  }

  const secret = wellFormed(scheme.kind, secretIn(headers, scheme.header));
  const ofCustomer = alternative.includes('CustomerToken');
  const customer_secret = ofCustomer ? wellFormed('customer', secretIn(headers, 'authorization')) : null;
  const namesSite = alternative.includes('SiteId') || (scheme.kind === 'agent' && 'x-site-id' in headers);
  const site_id = namesSite ? String(headers['x-site-id']).toLowerCase() : null;
  if (site_id !== null && !UUID.test(site_id)) throw invalidToken();
  const takesMerchant = operation.parameters.some(({ name }) => name === 'X-Service-Merchant-Id');
  const merchant = takesMerchant ? headers['x-service-merchant-id'] : undefined;
  const merchant_id = UUID.test(String(merchant)) ? String(merchant).toLowerCase() : null;
  return { kind: scheme.kind, secret, customer_secret, storefront_secret: null, site_id, merchant_id };
}

/** Restricts a claim to the site of the request's host. Throws 401 if the claim names another site. */
export function claimAtHost(claim: Claim, site_id: string | undefined): Claim {
  if (site_id === undefined || claim.kind === 'anonymous') return claim;
  if (claim.site_id !== null && claim.site_id !== site_id) throw invalidToken();
  return { ...claim, site_id };
}

/** Rejects dashboard calls at a site's host, because staff log in for several sites at the server's base URL. */
export function refuseAtHost({ surface }: Operation, site_id: string | undefined): void {
  if (site_id === undefined || surface !== 'dashboard') return;
  throw new ShopError(
    'not_found',
    "The dashboard is not available at a shop's own host. Call it at the server's address.",
  );
}

/**
 * Whether an agent's token may be combined with a storefront token. The storefront API requires both; in the agent API
 * the storefront token is optional, but checked if it is sent.
 */
function takesAgentBesidePair({ surface }: Operation): boolean {
  return surface === 'storefront' || surface === 'agent';
}

function isAgentBesidePair(schemes: string[]): boolean {
  return schemes.includes('StorefrontToken') && schemes.includes('AgentToken');
}

function agentBesidePair(headers: IncomingHttpHeaders): Claim {
  if (headers['x-api-key'] !== undefined || headers['x-sync-secret'] !== undefined) throw tooMany();
  const site_id = headers['x-site-id'];
  if (site_id === undefined) throw new ShopError('unauthorized', 'X-Site-ID is required with X-Service-Token.');
  const storefront_secret = wellFormed('storefront', secretIn(headers, 'x-service-token'));
  if (!isUuid(site_id)) throw invalidToken();
  const secret = secretIn(headers, 'authorization');
  return {
    kind: 'agent',
    secret,
    customer_secret: null,
    storefront_secret,
    site_id: site_id.toLowerCase(),
    merchant_id: null,
  };
}

export function humanOnly(): ShopError {
  return new ShopError('human_confirmation_required', 'Only the customer can do this. Show them the checkout_url.');
}

function tooMany(): ShopError {
  return new ShopError('unauthorized', 'Send one credential, not several.');
}

function secretIn(headers: IncomingHttpHeaders, header: string): string {
  const value = String(headers[header]);
  return header === 'authorization' ? (/^Bearer ([^\s]+)$/i.exec(value)?.[1] ?? '') : value;
}

function wellFormed(kind: TokenKind, secret: string): string {
  if (isWellFormed(kind, secret)) return secret;
  // The token's prefix already reveals its kind, so the error may name the header in which to send it.
  const meant = Object.entries(SCHEMES).find(([, scheme]) => scheme.kind && isWellFormed(scheme.kind, secret));
  if (!meant) throw invalidToken();
  throw new ShopError(
    'invalid_token',
    `Wrong kind of credential for this header. Send it as ${headerInWords(meant[0])}.`,
  );
}

function inWords(security: string[][]): string {
  const headers = security.map((schemes) => schemes.map((name) => headerInWords(name)).join(' and '));
  return headers.join(', or ');
}

function headerInWords(scheme: string): string {
  const words: Record<string, string> = {
    StaffSession: 'Authorization: Bearer mch_…',
    ApiKey: 'X-API-Key: key_…',
    StorefrontToken: 'X-Service-Token: stk_…',
    CustomerToken: 'Authorization: Bearer cust_…',
    AgentToken: 'Authorization: Bearer agt_…',
    SyncSecret: 'X-Sync-Secret: syk_…',
    SiteId: 'X-Site-ID',
  };
  return words[scheme] ?? scheme;
}
