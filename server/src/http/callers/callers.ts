import type { IncomingHttpHeaders } from 'node:http';
import sql, { empty } from 'sql-template-tag';
import { type Connection, query } from '../../db/connect.ts';
import { ShopError, ValidationError } from '../../shop/errors.ts';
import type { Actor, Tenant } from '../../shop/shop.ts';
import { hashToken, isWellFormed, type TokenKind } from '../../shop/tokens.ts';
import type { Operation } from '../contract/contract.ts';
import type { Caller, CallerKind, Claim } from './caller.ts';
import { authenticateOpen, NO_CLAIM, NOBODY } from './open-callers.ts';

/**
 * Who calls. `claimOf` reads the credentials that an operation accepts and refuses malformed ones without a query;
 * `authenticate` asks the database, on every call, and names the tenant to row-level security in the same statement.
 */

type CredentialKind = Exclude<CallerKind, 'anonymous'>;

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
/** What a customer's token may do, besides what the storefront token beside it may. */
const CUSTOMER_SCOPES = ['customer:self', 'orders:read', 'addresses:write'];
/** What every agent may do, besides what its customer allowed: look at its own actions, and give its token back. */
const AGENT_SCOPES = ['agent:self'];
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}

/** The claim that a request makes; throws 401 when it makes none, a malformed one, or two that do not belong together. */
export function claimOf(operation: Operation, headers: IncomingHttpHeaders): Claim {
  if (operation.security.length === 0) return NO_CLAIM;
  if (operation.humanOnly && isWellFormed('agent', secretIn(headers, 'authorization'))) {
    throw new ShopError('human_confirmation_required', 'Only the customer can do this: show them the checkout_url.');
  }
  const alternative = operation.security.find((schemes) =>
    schemes.every((name) => headers[SCHEMES[name]?.header ?? '']),
  );
  const schemes = alternative?.flatMap((name) => SCHEMES[name] ?? []) ?? [];
  const scheme = schemes.find(({ kind }) => kind && kind !== 'customer');
  if (!alternative || !scheme?.kind) {
    throw new ShopError('unauthorized', `This operation needs ${inWords(operation.security)}.`);
  }
  const beside = CREDENTIAL_HEADERS.filter(
    (name) => headers[name] !== undefined && !schemes.some(({ header }) => header === name),
  );
  // A customer's token may be attached to every call of the storefront: where nobody asks for it, it is not looked at.
  const ignored = operation.surface === 'storefront' && isWellFormed('customer', secretIn(headers, 'authorization'));
  if (beside.some((name) => name !== 'authorization' || !ignored)) {
    throw new ShopError('unauthorized', 'Send one credential, not several.');
  }

  const secret = wellFormed(scheme.kind, secretIn(headers, scheme.header));
  const ofCustomer = alternative.includes('CustomerToken');
  const customer_secret = ofCustomer ? wellFormed('customer', secretIn(headers, 'authorization')) : null;
  const namesSite = alternative.includes('SiteId') || (scheme.kind === 'agent' && 'x-site-id' in headers);
  const site_id = namesSite ? String(headers['x-site-id']) : null;
  if (site_id !== null && !UUID.test(site_id)) throw invalidToken();
  const takesMerchant = operation.parameters.some(({ name }) => name === 'X-Service-Merchant-Id');
  const merchant = takesMerchant ? headers['x-service-merchant-id'] : undefined;
  const merchant_id = UUID.test(String(merchant)) ? String(merchant).toLowerCase() : null;
  return { kind: scheme.kind, secret, customer_secret, site_id, merchant_id };
}

function secretIn(headers: IncomingHttpHeaders, header: string): string {
  const value = String(headers[header]);
  return header === 'authorization' ? (/^Bearer ([^\s]+)$/i.exec(value)?.[1] ?? '') : value;
}

function wellFormed(kind: TokenKind, secret: string): string {
  if (isWellFormed(kind, secret)) return secret;
  // What kind of credential it is, its prefix tells anyone: saying where that belongs reveals nothing.
  const meant = Object.entries(SCHEMES).find(([, scheme]) => scheme.kind && isWellFormed(scheme.kind, secret));
  if (!meant) throw invalidToken();
  throw new ShopError(
    'invalid_token',
    `Another kind of credential is wanted here: this one goes as ${headerInWords(meant[0])}.`,
  );
}

/** Who acts in the shop when this caller calls. */
export function actorOf({ kind, principal_id, customer_id, agent }: Caller): Actor {
  return { type: kind, id: principal_id, customer_id, ...(agent && { agent }) };
}

/**
 * The caller behind a claim. Sets `app.site_id` on the connection whatever comes out, also to nothing: what an earlier
 * request left there never survives. `local` is true inside a transaction.
 */
export async function authenticate(
  connection: Connection,
  claim: Claim,
  operation: Operation,
  local: boolean,
): Promise<Caller> {
  if (claim.kind === 'anonymous') return authenticateOpen(connection, claim, operation, local);
  return claim.kind === 'staff'
    ? authenticateStaff(connection, claim, operation, local)
    : authenticateToken(connection, claim, operation, local);
}

interface TokenRow extends Tenant {
  id: string | null;
  scopes: string[];
  allowed_origins: string[];
  /** Of an agent's token: for whom it acts, and in which categories. */
  acts_for: string | null;
  categories: string[];
  customer_id: string | null;
  session_id: string;
  customer_token_id: string;
  ends_soon: boolean;
}

async function authenticateToken(connection: Connection, claim: Claim, operation: Operation, local: boolean) {
  const { columns, join } = customerOf(claim);
  const { rows } = await query<TokenRow>(
    connection,
    sql`select t.id, t.scopes, t.customer_id as acts_for, t.categories, s.site_id,
        case when t.allowed_origins = '{}' then s.allowed_origins else t.allowed_origins end as allowed_origins, s.merchant_id, s.currency, s.currency_digits,
        ${versionOf(operation)} as catalog_version, set_config('app.site_id', coalesce(t.site_id::text, ''), ${local})
        ${columns}
      from (select 1) as always
      left join tokens t on t.token_hash = ${hashToken(claim.secret)} and t.kind = ${claim.kind}
        and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
        and (${claim.site_id}::uuid is null or t.site_id = ${claim.site_id}::uuid)
      left join sites s on s.site_id = t.site_id ${join}`,
  );
  const found = rows[0];
  if (!found?.id || (claim.customer_secret && !found.customer_id)) throw invalidToken();
  if (claim.kind === 'api_key' && claim.merchant_id && claim.merchant_id !== found.merchant_id) throw wrongMerchant();
  const scopes = [...found.scopes, ...(claim.customer_secret ? CUSTOMER_SCOPES : [])];
  if (claim.kind === 'agent') scopes.push(...AGENT_SCOPES);
  if (operation.scope && !scopes.includes(operation.scope)) {
    throw new ShopError('insufficient_scope', `This credential lacks the scope ${operation.scope}.`, {
      scope: operation.scope,
    });
  }
  const caller: Caller = {
    kind: claim.kind,
    tenant: found,
    principal_id: found.id,
    credential_id: found.id,
    customer_id: found.acts_for,
    ...(claim.kind === 'agent' && { agent: { token_id: found.id, categories: found.categories } }),
    scopes,
    allowed_origins: found.allowed_origins,
  };
  if (!claim.customer_secret || !found.customer_id) return caller;
  const { customer_id, session_id, customer_token_id, ends_soon } = found;
  const session = { id: session_id, token_id: customer_token_id, ends_soon };
  return { ...caller, kind: 'customer', principal_id: customer_id, customer_id, session } satisfies Caller;
}

/** Of the customer beside the storefront: one more look-up in the same statement, where the token says who it is. */
function customerOf({ customer_secret }: Claim) {
  if (!customer_secret) return { columns: empty, join: empty };
  return {
    columns: sql`, c.customer_id, c.session_id, c.id as customer_token_id,
        c.replaced_at is null and c.expires_at < now() + interval '2 minutes' as ends_soon`,
    join: sql`left join customer_tokens c on c.token_hash = ${hashToken(customer_secret)} and c.site_id = t.site_id
        and c.revoked_at is null and least(c.expires_at, c.renewable_until) > now()`,
  };
}

interface StaffRow extends Tenant {
  id: string | null;
  staff_id: string;
  merchants: number;
}

async function authenticateStaff(connection: Connection, claim: Claim, operation: Operation, local: boolean) {
  const { rows } = await query<StaffRow>(
    connection,
    sql`with session as (
        select id, staff_id from staff_sessions
        where token_hash = ${hashToken(claim.secret)} and revoked_at is null and expires_at > now()
      ), visible as (
        select s.* from staff_memberships m join session using (staff_id) join sites s using (site_id)
      ), chosen as (
        select * from visible
        where merchant_id = ${claim.merchant_id}::uuid
          or (${claim.merchant_id}::uuid is null and (select count(*) from visible) = 1)
      )
      select session.id, session.staff_id, (select count(*) from visible) as merchants,
        s.site_id, s.merchant_id, s.currency, s.currency_digits,
        ${versionOf(operation)} as catalog_version, set_config('app.site_id', coalesce(s.site_id::text, ''), ${local})
      from (select 1) as always left join session on true left join chosen s on true`,
  );
  const found = rows[0];
  if (!found?.id) throw invalidToken();
  if (!found.site_id && (claim.merchant_id || !operation.merchantOptional)) {
    if (claim.merchant_id || found.merchants === 0) throw wrongMerchant();
    const msg = 'This login belongs to several merchants: name one of those that GET /api/dashboard/me lists.';
    throw new ValidationError([{ loc: ['header', 'X-Service-Merchant-Id'], msg, type: 'missing' }]);
  }
  // A session without a chosen merchant (logout, me) stands outside every tenant.
  const outside = { site_id: NOBODY, merchant_id: NOBODY, currency: '', currency_digits: 0, catalog_version: '' };
  if (!found.site_id) await query(connection, sql`select set_config('app.site_id', ${NOBODY}, ${local})`);
  return {
    kind: 'staff',
    tenant: found.site_id ? found : outside,
    principal_id: found.staff_id,
    credential_id: found.id,
    customer_id: null,
    scopes: ['read', 'write'],
    allowed_origins: [],
  } satisfies Caller;
}

/** Only cached reads need the version, and it costs a look at two more tables. */
function versionOf(operation: Operation) {
  return operation.cacheable ? sql`catalog_version(s.site_id)` : sql`''`;
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

function invalidToken(): ShopError {
  return new ShopError('invalid_token', 'The credential is unknown, expired or revoked, or belongs to another site.');
}

function wrongMerchant(): ShopError {
  return new ShopError('merchant_not_allowed', 'This credential does not give access to that merchant.');
}
