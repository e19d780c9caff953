/**
 * Callers without a credential. Most calls concern no shop. Consent operations name their shop by its site id or by a
 * device_code (RFC 8628).
 */

import type { ValidationErrorItem } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { type Connection, query } from '../../db/connect.ts';
import { ERA } from '../../db/era.ts';
import type { OrNulls } from '../../db/nulls.ts';
import type { ResourcePath } from '../../shop/agents/issuers.ts';
import { type Closed, notFound, ShopError, siteClosed } from '../../shop/errors.ts';
import { outsideOfTenants, type Tenant } from '../../shop/shop.ts';
import type { SiteLimits } from '../../shop/site-limits.ts';
import { hashToken, isWellFormed } from '../../shop/tokens.ts';
import type { Operation } from '../contract/contract.ts';
import type { Received } from '../received.ts';
import type { Caller, Claim } from './caller.ts';
import { requireAudience } from './resources.ts';
import { versionOf } from './token-look-up.ts';

export const NOBODY = '00000000-0000-0000-0000-000000000000';

export const NO_CLAIM: Claim = {
  kind: 'anonymous',
  secret: '',
  customer_secret: null,
  storefront_secret: null,
  site_id: null,
  merchant_id: null,
};

/**
 * Reads the claimed shop, device code or agent token, all unverified, from a request to an operation that needs no
 * credential. The body must already be parsed.
 */
export function openClaimOf(
  { namedBy }: Operation,
  { query: asked, headers, body }: Received,
  /** The site of the request's host, if any. */
  atHost: string | undefined,
): Claim {
  if (namedBy === 'device_code') {
    const secret = String((body as Fields | undefined)?.device_code ?? '');
    return { ...NO_CLAIM, secret, site_id: atHost ?? null };
  }
  const named = headers['x-site-id'] ?? asked.site_id;
  const site_id = named === undefined ? null : String(named).toLowerCase();
  if (site_id !== null && atHost !== undefined && site_id !== atHost) {
    throw headers['x-site-id'] === undefined ? notFound('shop') : ofAnotherSite();
  }
  return { ...NO_CLAIM, secret: agentSecretIn(headers.authorization), site_id };
}

/**
 * Returns the agent token in the Authorization header, which a token request sends to replace that token; empty if
 * there is none. Other Authorization headers of OAuth clients are ignored.
 */
function agentSecretIn(authorization: string | undefined): string {
  const [, secret = ''] = /^Bearer (agt_\S*)$/i.exec(authorization ?? '') ?? [];
  if (secret !== '' && !isWellFormed('agent', secret)) throw invalidToken();
  return secret;
}

export function invalidToken(): ShopError {
  return new ShopError('invalid_token', 'The credential is unknown, expired or revoked, or belongs to another site.');
}

function ofAnotherSite(): ShopError {
  return new ShopError('invalid_token', 'X-Site-ID names another shop than the host.');
}

type Fields = Record<string, unknown>;

/** Finds mistakes in a call without credentials that the parameter schemas cannot express. */
export function openMistakes({ namedBy }: Operation, { query: asked, headers }: Received): ValidationErrorItem[] {
  if (namedBy !== 'site') return [];
  const [header, parameter] = [headers['x-site-id'], asked.site_id];
  if (header === undefined && parameter === undefined) {
    return [{ loc: ['query', 'site_id'], msg: 'Send the shop here or in X-Site-ID.', type: 'missing' }];
  }
  const differ = header !== undefined && parameter !== undefined;
  if (!differ || String(header).toLowerCase() === String(parameter).toLowerCase()) return [];
  return [{ loc: ['query', 'site_id'], msg: 'X-Site-ID names another shop.', type: 'value_error' }];
}

/**
 * Finds the caller of an operation without credentials, and sets `app.site_id` like `authenticate`. Throws `not_found`
 * or `invalid_grant`.
 */
export async function authenticateOpen(
  connection: Connection,
  claim: Claim,
  operation: Operation,
  local: boolean,
): Promise<Caller> {
  if (operation.namedBy === 'device_code') return byDeviceCode(connection, claim, local);
  if (operation.namedBy === 'site' && claim.site_id) return bySite(connection, claim, claim.site_id, local);
  await query(connection, sql`select ${ERA}, set_config('app.site_id', ${NOBODY}, ${local})`);
  const tenant = outsideOfTenants(NOBODY);
  return callerIn(tenant, NOBODY);
}

type SiteRow = OrNulls<Omit<Tenant, 'catalog_version' | 'era'>> &
  Pick<Tenant, 'catalog_version' | 'era'> &
  OrNulls<{ token_id: string; scopes: string[]; categories: string[] }> & {
    customer_id: string | null;
    resource: ResourcePath | null;
    platform_host: string | null;
    closed: Closed | null;
  };

/** The caller of an operation that names its shop by site id: an agent if a token was sent, otherwise anonymous. */
async function bySite(connection: Connection, claim: Claim, site_id: string, local: boolean): Promise<Caller> {
  const { secret } = claim;
  const { rows } = await query<SiteRow>(
    connection,
    sql`select s.site_id, s.merchant_id, s.currency, s.currency_digits, s.show_stock, '' as catalog_version, ${ERA} as era,
        s.closed, t.id as token_id, t.scopes, t.categories, t.resource, t.platform_host,
        t.customer_id,
        set_config('app.site_id', coalesce(s.site_id::text, ${NOBODY}), ${local})
      from (select 1) as always left join sites s on s.site_id = ${site_id}
      left join tokens t on t.site_id = s.site_id and t.token_hash = ${secret === '' ? null : hashToken(secret)}
        and t.kind = 'agent' and t.revoked_at is null and t.expires_at > now()`,
  );
  const [found] = rows;
  if (!found || found.site_id === null) throw notFound('shop');
  if (found.closed) throw siteClosed(found.closed);
  if (secret === '') return callerIn(found, NOBODY);
  if (found.token_id === null) throw invalidToken();
  requireAudience(claim, found);
  const { token_id, scopes, categories, customer_id } = found;
  const agent = { token_id, categories, scopes };
  return { ...callerIn(found, token_id), kind: 'agent', customer_id, agent };
}

/**
 * An anonymous caller in a site that the caller of this function has determined. Throws `not_found`, and an error if
 * the site is closed.
 */
export async function callerInSite(
  connection: Connection,
  { site_id }: Claim,
  operation: Operation,
  local: boolean,
): Promise<Caller> {
  const { rows } = await query<
    OrNulls<Omit<Tenant, 'catalog_version' | 'era'>> &
      Pick<Tenant, 'catalog_version' | 'era'> & { closed: Closed | null; limits: SiteLimits | null }
  >(
    connection,
    sql`select s.site_id, s.merchant_id, s.currency, s.currency_digits, s.show_stock, s.closed, s.limits,
        ${versionOf(operation)} as catalog_version, ${ERA} as era,
        set_config('app.site_id', coalesce(s.site_id::text, ${NOBODY}), ${local})
      from (select 1) as always left join sites s on s.site_id = ${site_id}::uuid`,
  );
  const [found] = rows;
  if (!found || found.site_id === null) throw notFound('shop');
  if (found.closed) throw siteClosed(found.closed);
  return { ...callerIn(found, NOBODY), limits: found.limits ?? {} };
}

async function byDeviceCode(
  connection: Connection,
  { secret: device_code, site_id }: Claim,
  local: boolean,
): Promise<Caller> {
  const known = isWellFormed('device', device_code) ? hashToken(device_code) : null;
  const { rows } = await query<
    OrNulls<Omit<Tenant, 'catalog_version' | 'era'> & { consent_id: string }> &
      Pick<Tenant, 'catalog_version' | 'era'> & { closed: Closed | null }
  >(
    connection,
    sql`select s.site_id, s.merchant_id, s.currency, s.currency_digits, s.show_stock, '' as catalog_version, l.consent_id,
        ${ERA} as era, s.closed,
        set_config('app.site_id', coalesce(s.site_id::text, ${NOBODY}), ${local})
      from (select 1) as always
      left join agent_consent_links l on l.token_hash = ${known}
        and (${site_id}::uuid is null or l.site_id = ${site_id}::uuid)
      left join sites s on s.site_id = l.site_id`,
  );
  const [found] = rows;
  if (!found || found.consent_id === null) throw new ShopError('invalid_grant', 'Unknown device_code.');
  if (found.closed) throw siteClosed(found.closed);
  return callerIn(found, found.consent_id);
}

/** An anonymous caller in a shop. Idempotency-Keys belong to `principal_id`. */
function callerIn(tenant: Tenant, principal_id: string): Caller {
  const nobody = { credential_id: principal_id, customer_id: null, scopes: [], allowed_origins: [] };
  return { kind: 'anonymous', tenant, principal_id, ...nobody };
}
