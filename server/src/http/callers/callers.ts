/**
 * Authenticates callers by a query of the database, so that a revoked credential is rejected immediately. The query
 * also sets the tenant for row-level security.
 */

import type { AssistantScope, StaffRole } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { type Connection, query } from '../../db/connect.ts';
import { ERA } from '../../db/era.ts';
import type { OrNulls } from '../../db/nulls.ts';
import { type Closed, notFound, ShopError, siteClosed, ValidationError } from '../../shop/errors.ts';
import { CONFIRMED_FOR } from '../../shop/merchant/staff-sessions.ts';
import { type Actor, outsideOfTenants, type Tenant } from '../../shop/shop.ts';
import type { SiteLimits } from '../../shop/site-limits.ts';
import { hashToken } from '../../shop/tokens.ts';
import type { Operation } from '../contract/contract.ts';
import type { AssistantClaim, Caller, Claim, GuestAgent } from './caller.ts';
import { humanOnly } from './claims.ts';
import { authenticateOpen, callerInSite, invalidToken, NOBODY } from './open-callers.ts';
import { requireAudience } from './resources.ts';
import { requireScope, scopesOfKey, scopesOfRole } from './scopes.ts';
import {
  type Beside,
  type Known,
  parse,
  type TokenRow,
  tokenLookUp,
  versionOf,
  withClaim,
  withStock,
} from './token-look-up.ts';

/** Scopes of a logged-in customer, in addition to the scopes of the storefront token. */
const CUSTOMER_SCOPES = ['customer:self', 'orders:read', 'addresses:write'];
/** Scopes that every agent has without its customer's approval: read its own actions and revoke its own token. */
const AGENT_SCOPES = ['agent:self'];

/** Whether the caller is an agent, with or without a token. */
export function isAgent({ kind }: Caller): boolean {
  return kind === 'agent' || kind === 'guest_agent';
}

/** Whether every call of this caller is audited, reads included. */
export function isAlwaysAudited(caller: Caller): boolean {
  return isAgent(caller) || caller.assistant !== undefined;
}

/** The caller as an actor in the shop. */
export function actorOf({ kind, principal_id, customer_id, agent, private_token_id }: Caller): Actor {
  const by_private_token = private_token_id !== undefined;
  return { type: kind, id: principal_id, customer_id, by_private_token, ...(agent && { agent }) };
}

/**
 * Authenticates the credentials in a claim. Sets `app.site_id` on the connection, to empty text for an unknown token,
 * so that the tenant of an earlier request never remains. `local` is true inside a transaction. The same statement
 * reads the stock of the products in `shown` and, for a token, claims the Idempotency-Key in `key`.
 */
export async function authenticate(
  connection: Connection,
  claim: Claim,
  operation: Operation,
  local: boolean,
  { shown = [], key }: Beside = {},
): Promise<Caller> {
  if (claim.isPublicTool) return authenticatePublicTool(connection, claim, operation, local);
  if (claim.kind === 'anonymous') return authenticateOpen(connection, claim, operation, local);
  if (claim.assistant) return authenticateAssistant(connection, claim, claim.assistant, operation, local);
  if (claim.guest) return authenticateGuest(connection, claim, claim.guest, operation, local, shown);
  return claim.kind === 'staff'
    ? authenticateStaff(connection, claim, operation, local)
    : authenticateToken(connection, claim, operation, local, { shown, key });
}

async function authenticateToken(
  connection: Connection,
  claim: Claim,
  operation: Operation,
  local: boolean,
  { shown = [], key }: Beside,
): Promise<Caller> {
  const lookUp = tokenLookUp(claim, operation, local, key !== undefined);
  const besides = key ? withClaim(lookUp, key) : shown.length > 0 ? withStock(lookUp, shown) : lookUp;
  const { rows } = await query<TokenRow>(connection, besides);
  return callerOf(claim, rows[0], operation);
}

/** The caller for a row of the token look-up. Throws if the token is unknown or may not call the operation. */
export function callerOf(claim: Claim, row: TokenRow | undefined, operation: Operation): Caller {
  const found = row && parse(row.known);
  if (!found || found.id === null || (claim.customer_secret && !found.customer_id)) throw invalidToken();
  if (claim.storefront_secret && !found.beside_id) throw invalidToken();
  if (claim.kind === 'api_key' && claim.merchant_id && claim.merchant_id !== found.merchant_id) throw wrongMerchant();
  if (found.closed) throw siteClosed(found.closed);
  if (claim.kind === 'agent') requireAudience(claim, found);
  const scopes = scopesOf(claim, found, operation);
  if (claim.kind === 'agent' && operation.humanOnly) throw humanOnly();
  requireScope(operation, scopes);
  const caller: Caller = {
    kind: claim.kind,
    tenant: tenantOf(found, row),
    principal_id: found.id,
    credential_id: found.id,
    ...(claim.storefront_secret && found.beside_id && { beside_id: found.beside_id }),
    ...(found.private_token_id && { private_token_id: found.private_token_id }),
    customer_id: found.acts_for,
    ...(claim.kind === 'agent' && {
      agent: { token_id: found.id, categories: found.categories, scopes: found.scopes },
    }),
    scopes,
    limits: found.limits,
    allowed_origins: found.allowed_origins,
    ...(row.key_state && { key_state: row.key_state }),
  };
  const { customer_id, session_id, customer_token_id, ends_soon } = found;
  if (!claim.customer_secret || !customer_id || !session_id || !customer_token_id) return caller;
  const session = { id: session_id, token_id: customer_token_id, ends_soon: ends_soon === true };
  return { ...caller, kind: 'customer', principal_id: customer_id, customer_id, session } satisfies Caller;
}

const GUEST_AGENT_SCOPES = ['catalog:read', 'cart:write', 'checkout:create'];

/** Authenticates an agent without a token or customer. The protocol has already determined the shop. */
async function authenticateGuest(
  connection: Connection,
  { site_id }: Claim,
  guest: GuestAgent,
  operation: Operation,
  local: boolean,
  shown: string[],
): Promise<Caller> {
  const lookUp = sql`select (select row_to_json(known)::text from (select
          ${guest.profile_id}::uuid as id, s.site_id, s.allowed_origins, s.merchant_id, s.currency, s.currency_digits,
          s.show_stock, s.limits, s.closed) as known) as known,
        ${versionOf(operation)} as catalog_version, ${ERA} as era,
        set_config('app.site_id', coalesce(s.site_id::text, ''), ${local}) as tenant
      from (select 1) as always left join sites s on s.site_id = ${site_id}::uuid`;
  const { rows } = await query<TokenRow>(connection, shown.length > 0 ? withStock(lookUp, shown) : lookUp);
  const [row] = rows;
  const found = row && parse(row.known);
  if (!found || found.site_id === null) throw notFound('shop');
  if (found.closed) throw siteClosed(found.closed);
  requireScope(operation, GUEST_AGENT_SCOPES);
  return {
    ...{ kind: 'guest_agent', tenant: tenantOf(found as Known, row), guest, customer_id: null },
    ...{ principal_id: guest.profile_id, credential_id: guest.profile_id, scopes: GUEST_AGENT_SCOPES },
    ...{ limits: found.limits ?? {}, allowed_origins: [] },
  };
}

/**
 * Scopes of a public tool, which may read the published catalogue and the shop's public details. Carts, orders and
 * customers need other scopes.
 */
const PUBLIC_TOOL_SCOPES = ['catalog:read'];

/** Authenticates a call of a public tool. The endpoint has already determined the shop. */
async function authenticatePublicTool(
  connection: Connection,
  claim: Claim,
  operation: Operation,
  local: boolean,
): Promise<Caller> {
  const caller = await callerInSite(connection, claim, operation, local);
  requireScope(operation, PUBLIC_TOOL_SCOPES);
  return { ...caller, isPublicTool: true, scopes: PUBLIC_TOOL_SCOPES };
}

function tenantOf(known: Known, { catalog_version, era, shown_stock = null, moment }: TokenRow): Tenant {
  const { site_id, merchant_id, currency, currency_digits, show_stock } = known;
  const tenant = { site_id, merchant_id, currency, currency_digits, show_stock, catalog_version, era, shown_stock };
  return moment === undefined ? tenant : { ...tenant, moment };
}

/**
 * The caller's scopes. In the storefront API, an agent has only the scopes that the storefront token in its request
 * also has. This does not apply to calls through a protocol that needs no storefront token.
 */
function scopesOf(claim: Claim, { scopes, beside_scopes }: Known, { surface }: Operation): string[] {
  if (claim.kind === 'agent') {
    if (surface === 'agent') return [...scopes, ...AGENT_SCOPES];
    return claim.byProtocol ? scopes : scopes.filter((scope) => beside_scopes?.includes(scope));
  }
  if (claim.kind === 'api_key') return scopesOfKey(scopes);
  return [...scopes, ...(claim.customer_secret ? CUSTOMER_SCOPES : [])];
}

type Site = Omit<Tenant, 'catalog_version' | 'era'> & { limits: SiteLimits; closed: Closed | null };
/** The session columns are null for an unknown secret. The site columns are null if no merchant is chosen. */
type StaffRow = OrNulls<{ id: string; staff_id: string; confirmed: boolean }> &
  OrNulls<Site & { role: StaffRole }> &
  Pick<Tenant, 'catalog_version' | 'era'> & { merchants: number };

async function authenticateStaff(connection: Connection, claim: Claim, operation: Operation, local: boolean) {
  const { rows } = await query<StaffRow>(
    connection,
    sql`with session as (
        select id, staff_id, confirmed_at > now() - ${CONFIRMED_FOR}::interval as confirmed from staff_sessions
        where token_hash = ${hashToken(claim.secret)} and revoked_at is null and expires_at > now()
      ), visible as (
        select s.*, m.role from staff_memberships m join session using (staff_id) join sites s using (site_id)
      ), chosen as (
        select * from visible
        where merchant_id = ${claim.merchant_id}::uuid
          or (${claim.merchant_id}::uuid is null and ${!ofOwnAccount(operation)} and (select count(*) from visible) = 1)
      )
      select session.id, session.staff_id, session.confirmed, (select count(*) from visible) as merchants,
        s.site_id, s.merchant_id, s.currency, s.currency_digits, s.show_stock, s.limits, s.role, s.closed,
        ${versionOf(operation)} as catalog_version, ${ERA} as era, set_config('app.site_id', coalesce(s.site_id::text, ''), ${local})
      from (select 1) as always left join session on true left join chosen s on true`,
  );
  const found = rows[0];
  if (!found?.id) throw invalidToken();
  if (!found.site_id && (claim.merchant_id || !operation.merchantOptional)) {
    if (claim.merchant_id || found.merchants === 0) throw wrongMerchant();
    const msg = 'This login belongs to several merchants. Send one of those that GET /api/dashboard/me lists.';
    throw new ValidationError([{ loc: ['header', 'X-Service-Merchant-Id'], msg, type: 'missing' }]);
  }
  if (found.closed) refuseClosed(operation, found.closed);
  // Without a chosen merchant, the session belongs to no tenant (logout, `GET /me`).
  const outside = outsideOfTenants(NOBODY);
  if (!found.site_id) await query(connection, sql`select set_config('app.site_id', ${NOBODY}, ${local})`);
  const scopes = found.role ? scopesOfRole(found.role) : [];
  requireScope(operation, scopes);
  return {
    kind: 'staff',
    tenant: found.site_id ? found : outside,
    principal_id: found.staff_id,
    credential_id: found.id,
    customer_id: null,
    confirmed: found.confirmed,
    scopes,
    role: found.role,
    limits: found.limits ?? {},
    allowed_origins: [],
  } satisfies Caller;
}

type AssistantRow = OrNulls<{ id: string; staff_id: string; client_name: string; granted: AssistantScope[] }> &
  OrNulls<Site & { role: StaffRole }> &
  Pick<Tenant, 'catalog_version' | 'era'>;

/**
 * Authenticates an assistant as its staff member, with the permissions that both the member's current role and the
 * granted scopes allow. The statement joins the membership, so the token of a removed member is unknown.
 */
async function authenticateAssistant(
  connection: Connection,
  { secret }: Claim,
  { needs }: AssistantClaim,
  operation: Operation,
  local: boolean,
): Promise<Caller> {
  const { rows } = await query<AssistantRow>(
    connection,
    sql`select a.id, a.staff_id, a.client_name, a.scopes as granted, m.role,
        s.site_id, s.merchant_id, s.currency, s.currency_digits, s.show_stock, s.limits, s.closed,
        ${versionOf(operation)} as catalog_version, ${ERA} as era, set_config('app.site_id', coalesce(s.site_id::text, ''), ${local})
      from (select 1) as always
      left join (assistants a join staff_memberships m using (staff_id, site_id) join sites s using (site_id))
        on a.token_hash = ${hashToken(secret)} and a.expires_at > now()`,
  );
  const found = rows[0];
  if (!found || found.id === null || found.site_id === null || found.role === null) throw invalidToken();
  if (found.closed) throw siteClosed(found.closed);
  const ofRole = scopesOfRole(found.role);
  const granted = found.granted ?? [];
  if (needs !== undefined && !granted.includes(needs)) {
    const message = `The member has not granted this assistant ${needs}.`;
    throw new ShopError('insufficient_scope', message, { scope: needs, held: granted });
  }
  requireScope(operation, ofRole);
  return {
    kind: 'staff',
    tenant: found as Tenant,
    principal_id: found.staff_id as string,
    credential_id: found.id,
    customer_id: null,
    confirmed: false,
    assistant: { name: found.client_name ?? '', granted },
    // Includes the operation's own scope, because the member has granted calls of this kind.
    scopes: ofRole.filter((scope) => scope === operation.scope || (granted as string[]).includes(scope)),
    role: found.role,
    limits: found.limits ?? {},
    allowed_origins: [],
  };
}

/**
 * Whether an operation concerns only the staff member's login. Such operations run outside all tenants, so that a retry
 * finds the stored response whichever merchant is chosen.
 */
function ofOwnAccount({ merchantOptional, parameters }: Operation): boolean {
  return merchantOptional && !parameters.some(({ name }) => name === 'X-Service-Merchant-Id');
}

/**
 * Throws if the site is closed. Staff may still log in and out, and may export data while the site is suspended. All
 * other credentials are rejected.
 */
function refuseClosed({ merchantOptional, whileSuspended }: Operation, closed: Closed): void {
  if (!merchantOptional && !(whileSuspended && closed === 'suspended')) throw siteClosed(closed);
}

function wrongMerchant(): ShopError {
  return new ShopError('merchant_not_allowed', 'This credential does not give access to that merchant.');
}
