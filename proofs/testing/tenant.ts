/** The tenants of the proofs, and functions for their calls. */

import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import type { TokenKind } from '../../server/src/shop/tokens.ts';
import type { Violations } from './proof.ts';
import { type Call, type Reply, send, untilAccepted } from './raw-requests.ts';

/** A kind of object whose ids a tenant has. */
export type Kind = keyof Ids;

export interface Ids {
  merchant: string[];
  product: string[];
  slug: string[];
  option: string[];
  image: string[];
  file: string[];
  variant: string[];
  collection: string[];
  handle: string[];
  staff_member: string[];
  staff_session: string[];
  invitation: string[];
  assistant: string[];
  assistant_action: string[];
  api_key: string[];
  storefront_token: string[];
  sync_key: string[];
  customer: string[];
  /** A session token of each customer. */
  customer_token: string[];
  address: string[];
  discount: string[];
  discount_code: string[];
  shipping_option: string[];
  cart: string[];
  cart_line: string[];
  checkout: string[];
  order: string[];
  order_line: string[];
  shipped_order: string[];
  shipped_line: string[];
  /** Requested returns of the tenant's customer. */
  return: string[];
  return_line: string[];
  draft_order: string[];
  /** Withdrawals that staff have to confirm. */
  withdrawal: string[];
  document: string[];
  withdrawn_line: string[];
  /** The parcels of the shipped orders. */
  fulfillment: string[];
  agent_token: string[];
  /** Codes of pending consent requests. */
  user_code: string[];
  /** The objects of the agent whose token is in `secrets`. */
  agent_cart: string[];
  agent_cart_line: string[];
  agent_checkout: string[];
  /** Orders of the customer for whom that agent acts. */
  agent_order: string[];
  statement_run: string[];
  sync_order: string[];
  webhook: string[];
  delivery: string[];
  listener: string[];
}

export interface Tenant {
  name: 'A' | 'B' | 'C';
  /** A marker in the texts of this tenant, including slugs, and in no text of another. */
  canary: string;
  site_id: string;
  merchant_id: string;
  ids: Ids;
  staff: { email: string; password: string }[];
  /** The tenant's valid credentials, by security scheme. The customer token belongs to the first customer in `ids`. */
  secrets: Record<CredentialScheme, string>;
  /** Credentials that do not work: never issued, expired, revoked or ended. `why` names the reason. */
  dead: { kind: TokenKind; why: string; secret: string }[];
  /** An API key that only allows reads. */
  readOnlyKey: string;
}

export type CredentialScheme = keyof typeof SCHEMES;

/** The credential schemes of the contract, each with its header and kind of token. */
export const SCHEMES = {
  StaffSession: { header: 'Authorization', kind: 'staff' },
  ApiKey: { header: 'X-API-Key', kind: 'api_key' },
  StorefrontToken: { header: 'X-Service-Token', kind: 'storefront' },
  CustomerToken: { header: 'Authorization', kind: 'customer' },
  AgentToken: { header: 'Authorization', kind: 'agent' },
  SyncSecret: { header: 'X-Sync-Secret', kind: 'sync' },
} as const satisfies Record<string, { header: string; kind: TokenKind }>;

const SITE_SCHEME = 'SiteId';

export interface World {
  baseUrl: string;
  db: Pool;
  owner: Pool;
  tenants: [Tenant, Tenant, Tenant];
  /** The errors in the server's log that led to 5xx responses, by request id. */
  causes: Map<string, unknown>;
  violations: Violations;
  /** The number of responses that were searched for leaks and for markers of other tenants. */
  answers: number;
  /** Sends a tenant's call (undefined: anonymous) and checks the response. */
  send(call: Call, as: Tenant | undefined): Promise<Reply>;
  look(reply: Reply, as: Tenant | undefined, what: string): void;
}

/** Returns the operation with this id. Throws if the contract has none. */
export function operationOf(id: string): Operation {
  const found = operationTable.find((operation) => operation.id === id);
  if (!found) throw new Error(`The contract has no operation ${id}.`);
  return found;
}

/** Returns the headers for one security alternative of an operation, with a tenant's credentials. */
export function credentialsOf(tenant: Tenant, operation: Operation, alternative = 0): Record<string, string> {
  const schemes = operation.security[alternative] ?? [];
  return Object.fromEntries(
    schemes.map((scheme) => {
      if (scheme === SITE_SCHEME) return ['X-Site-ID', tenant.site_id];
      if (!(scheme in SCHEMES))
        throw new Error(`Teach proofs/testing/tenant.ts the security scheme ${scheme} of ${operation.id}.`);
      return headerOf(scheme as CredentialScheme, tenant.secrets[scheme as CredentialScheme]);
    }),
  );
}

/** Returns the name and value of the header that carries a credential. */
export function headerOf(scheme: CredentialScheme, secret: string): [string, string] {
  return [SCHEMES[scheme].header, SCHEMES[scheme].header === 'Authorization' ? `Bearer ${secret}` : secret];
}

/**
 * Calls an operation for a tenant, with the first security alternative for which it has all secrets. Repeats the call
 * while the server is overloaded. Throws unless it succeeds.
 */
export async function callAs(
  world: World,
  tenant: Tenant,
  operation_id: string,
  body?: unknown,
  path: Record<string, string> = {},
): Promise<unknown> {
  const call = callOf(tenant, operation_id, body, path);
  const reply = await untilAccepted(() => send(world.baseUrl, call));
  if (reply.status >= 300) throw new Error(`${operation_id} of the proof was refused: ${reply.status} ${reply.text}`);
  return reply.text === '' ? undefined : JSON.parse(reply.text);
}

/** Calls an operation for a tenant, and returns the response whatever its status. */
export function tryAs(
  world: World,
  tenant: Tenant,
  operation_id: string,
  body?: unknown,
  path: Record<string, string> = {},
): Promise<Reply> {
  return world.send(callOf(tenant, operation_id, body, path), tenant);
}

function callOf(tenant: Tenant, operation_id: string, body: unknown, path: Record<string, string>): Call {
  const operation = operationOf(operation_id);
  const alternative = operation.security.findIndex((schemes) =>
    schemes.every((scheme) => scheme === SITE_SCHEME || tenant.secrets[scheme as CredentialScheme]),
  );
  const headers = { ...credentialsOf(tenant, operation, alternative), 'Idempotency-Key': randomUUID() };
  return { operation, path, query: {}, headers, body };
}
