/**
 * Requests for an authorization code (RFC 6749 §4.1.1, RFC 7636). Customers decide on them on the same page as on
 * device requests.
 */

import type { AgentScope, BudgetPeriod } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { LinkDeps } from '../links.ts';
import type { Shop } from '../shop.ts';
import { hashToken, isWellFormed, mintToken } from '../tokens.ts';
import { DEFAULT_SCOPES, DEFAULT_TOKEN_LIFETIME, SCOPES } from './consent-requests.ts';
import { resourceNamed, resourcePathOf } from './issuers.ts';
import { type OAuthClient, shownName } from './oauth-clients.ts';
import { OAuthRefusal } from './oauth-refusal.ts';
import { withAnswer } from './redirect-uris.ts';
import { isUcpScope, platformHostOf, UCP_SCOPES, withoutUcpScopes } from './ucp-scopes.ts';

interface Asked {
  scopes: AgentScope[];
  /** Null: the customer chooses the budget. */
  budget_cents: number | null;
  max_per_order_cents: number | null;
  budget_period: BudgetPeriod;
  code_challenge: string;
  resource: string | null;
  state: string | null;
  /** The host of the UCP platform; null unless the request has scopes of UCP. */
  platform_host: string | null;
}

const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
/** The allowed length and characters of `state` (RFC 6749 §A.5). */
const STATE = /^[ -~]{1,2000}$/;
const WHOLE_NUMBER = /^\d{1,10}$/;
const LARGEST_BUDGET = 1_000_000_000;

/** The client of a request, and the address that gets the code. */
interface Asker {
  client: OAuthClient;
  redirect_uri: string;
}

/** Parses and validates the fields of a request. Throws an OAuthRefusal. */
export function parseAsked(
  deps: Pick<LinkDeps, 'baseUrl' | 'hosts'>,
  site_id: string,
  fields: URLSearchParams,
  asker: Asker,
): Asked {
  const common = parseCodeRequest(fields);
  const named = fields.get('resource');
  const resource = named === null ? null : resourceNamed(deps, site_id, named);
  if (resource === undefined) throw new OAuthRefusal('invalid_target', 'The resource does not belong to this shop.');
  const wanted = (fields.get('scope') ?? '').split(' ').filter(Boolean);
  return {
    ...common,
    scopes: scopesIn(wanted),
    platform_host: wanted.some(isUcpScope) ? platformOf(asker, resource) : null,
    budget_cents: centsIn(fields, 'budget_cents'),
    max_per_order_cents: centsIn(fields, 'max_per_order_cents'),
    budget_period: periodIn(fields.get('budget_period') ?? 'once'),
    resource,
  };
}

/** Validates the fields that every request for a code has, of customers' agents and of staff's assistants. */
export function parseCodeRequest(fields: URLSearchParams): Pick<Asked, 'code_challenge' | 'state'> {
  const twice = [...fields.keys()].find((name, i, all) => all.indexOf(name) !== i);
  if (twice === 'resource') throw new OAuthRefusal('invalid_target', 'Send exactly one resource.');
  if (twice !== undefined) throw new OAuthRefusal('invalid_request', `${twice.slice(0, 40)} is sent more than once.`);
  if (fields.get('response_type') !== 'code') {
    throw new OAuthRefusal('unsupported_response_type', 'response_type must be code.');
  }
  if ((fields.get('response_mode') ?? 'query') !== 'query') {
    throw new OAuthRefusal('invalid_request', 'response_mode must be query.');
  }
  const code_challenge = fields.get('code_challenge') ?? '';
  if (fields.get('code_challenge_method') !== 'S256' || !S256_CHALLENGE.test(code_challenge)) {
    throw new OAuthRefusal('invalid_request', 'Send a code_challenge with code_challenge_method=S256 (RFC 7636).');
  }
  return { code_challenge, state: stateIn(fields.get('state')) };
}

/** Validates the client's `state`, which the response returns unchanged. Throws an OAuthRefusal. */
export function stateIn(state: string | null): string | null {
  if (state === null || STATE.test(state)) return state;
  throw new OAuthRefusal('invalid_request', 'state must be at most 2,000 ASCII characters.');
}

/** Without scopes of the API, a request gets the default ones. The customer can deselect each requested scope. */
function scopesIn(wanted: string[]): AgentScope[] {
  const scopes = withoutUcpScopes(wanted);
  if (!scopes.every((scope) => (SCOPES as string[]).includes(scope))) {
    throw new OAuthRefusal('invalid_scope', `scope must be a selection of ${[...SCOPES, ...UCP_SCOPES].join(' ')}.`);
  }
  return scopes.length === 0 ? DEFAULT_SCOPES : SCOPES.filter((scope) => scopes.includes(scope));
}

/** The UCP platform that gets the token. Throws an OAuthRefusal if the token could not be used over UCP. */
function platformOf({ client, redirect_uri }: Asker, resource: string | null): string {
  if (resource !== null && resourcePathOf(resource) === '/mcp') {
    throw new OAuthRefusal('invalid_scope', 'Scopes of UCP do not work at /mcp. Request scopes of the API.');
  }
  const host = platformHostOf(client.client_id, client.from_document, redirect_uri);
  if (host !== undefined) return host;
  const needed =
    'the URL of a metadata document on the host of your UCP profile, or an https redirect_uri on that host';
  throw new OAuthRefusal('invalid_scope', `Scopes of UCP need a client_id that is ${needed}.`);
}

function centsIn(fields: URLSearchParams, name: 'budget_cents' | 'max_per_order_cents'): number | null {
  const text = fields.get(name);
  if (text === null) return null;
  if (WHOLE_NUMBER.test(text) && Number(text) <= LARGEST_BUDGET) return Number(text);
  throw new OAuthRefusal('invalid_request', `${name} must be a whole number of minor units.`);
}

function periodIn(text: string): BudgetPeriod {
  if (text === 'once' || text === 'week' || text === 'month') return text;
  throw new OAuthRefusal('invalid_request', 'budget_period must be once, week or month.');
}

interface Wanted extends Asked, Asker {
  issuer: string;
}

/** Stores a request. Returns the secret in the URL of the consent page. */
export async function insert(
  shop: Shop,
  { client, redirect_uri, issuer, ...asked }: Wanted,
  { ip, user_agent }: { ip: string | null; user_agent: string | null },
): Promise<string> {
  const secret = mintToken('authorization');
  const { client_id, from_document } = client;
  const { scopes, budget_cents, max_per_order_cents, budget_period, code_challenge, resource, state, platform_host } =
    asked;
  const client_host = from_document ? new URL(client_id).host : null;
  await shop.run(
    sql`with inserted as (
        insert into agent_consents (site_id, id, agent_name, scopes, budget_cents, max_per_order_cents,
          budget_period, categories, lifetime_named, token_expires_at, ip, user_agent)
        select ${shop.siteId}, ${uuidv7()}, ${shownName(client)}, ${scopes}::text[], ${budget_cents},
          ${max_per_order_cents}, ${budget_period}, '{}', false,
          now() + least(${DEFAULT_TOKEN_LIFETIME}::interval,
            (agent_policy ->> 'max_lifetime_days')::int * interval '1 day'), ${ip}, ${user_agent}
        from site_settings where site_id = ${shop.siteId}
        returning site_id, id
      )
      insert into authorization_requests (site_id, consent_id, request_hash, client_id, client_host, redirect_uri,
        code_challenge, resource, state, issuer, platform_host)
      select site_id, id, ${hashToken(secret)}, ${client_id}, ${client_host}, ${redirect_uri}, ${code_challenge},
        ${resource}, ${state}, ${issuer}, ${platform_host} from inserted`,
  );
  return secret;
}

/** A request as the consent page shows it before login. */
export interface AuthorizationRequest {
  /** The secret in the URL of the consent page. */
  secret: string;
  client_host: string | null;
  redirect_uri: string;
  state: string | null;
  issuer: string;
  approved: boolean;
  enabled: boolean;
}

/** Finds a request by its secret. */
export async function find(shop: Shop, secret: string): Promise<AuthorizationRequest | undefined> {
  if (!isWellFormed('authorization', secret)) return undefined;
  const found = await shop.one<Omit<AuthorizationRequest, 'secret'>>(
    sql`select a.client_host, a.redirect_uri, a.state, a.issuer, a.code_hash is not null as approved, (t.agent_policy ->> 'enabled')::boolean as enabled
      from authorization_requests a join agent_consents k on k.site_id = a.site_id and k.id = a.consent_id
      join site_settings t on t.site_id = a.site_id
      where a.site_id = ${shop.siteId} and a.request_hash = ${hashToken(secret)}`,
  );
  return found && { secret, ...found };
}

type Back = Pick<AuthorizationRequest, 'redirect_uri' | 'state' | 'issuer'>;

/** Returns the redirect URI that reports an error, with the issuer (RFC 9207). */
export function addressOfRefusal({ redirect_uri, state, issuer }: Back, { error, message }: OAuthRefusal): string {
  return withAnswer(redirect_uri, { error, error_description: message, state, iss: issuer });
}

export function addressOfCode({ redirect_uri, state, issuer }: Back, code: string): string {
  return withAnswer(redirect_uri, { code, state, iss: issuer });
}
