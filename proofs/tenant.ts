import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { type Operation, operationTable } from '../server/src/http/contract/contract.ts';
import type { TokenKind } from '../server/src/shop/tokens.ts';
import { type Call, type Reply, send } from './client.ts';
import type { Violations } from './frame.ts';

/** The tenants that the proofs work with, and how they call. */

/** The ids of a tenant's objects, by kind. */
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
  api_key: string[];
  storefront_token: string[];
  sync_key: string[];
  customer: string[];
  /** A session of each customer. */
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
  agent_token: string[];
  /** Codes of undecided requests for consent. */
  user_code: string[];
  /** The objects of the agent whose token is among the secrets. */
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
  /** A marker in every text of this tenant and of nobody else, including slugs. */
  canary: string;
  site_id: string;
  merchant_id: string;
  ids: Ids;
  staff: { email: string; password: string }[];
  /** The valid credentials of this tenant, by security scheme. The customer's is that of the first in `ids`. */
  secrets: Record<CredentialScheme, string>;
  /** Credentials that no longer work, and why. */
  dead: { kind: TokenKind; why: string; secret: string }[];
  /** Allows only reads. */
  readOnlyKey: string;
}

export type CredentialScheme = keyof typeof SCHEMES;

/** The credentials of the contract: their header and kind. */
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
  /** The errors in the server's log behind 5xx responses, by request id. */
  causes: Map<string, unknown>;
  violations: Violations;
  /** The number of responses that were searched for foreign markers and for leaks. */
  answers: number;
  /** Sends a call of a tenant (undefined: anonymous) and checks the response. */
  send(call: Call, as: Tenant | undefined): Promise<Reply>;
  look(reply: Reply, as: Tenant | undefined, what: string): void;
}

/** The operation of this id; an error when the contract has none. */
export function operationOf(id: string): Operation {
  const found = operationTable.find((operation) => operation.id === id);
  if (!found) throw new Error(`The contract has no operation ${id}.`);
  return found;
}

/** The headers of one of an operation's security alternatives, filled with a tenant's credentials. */
export function credentialsOf(tenant: Tenant, operation: Operation, alternative = 0): Record<string, string> {
  const schemes = operation.security[alternative] ?? [];
  return Object.fromEntries(
    schemes.map((scheme) => {
      if (scheme === SITE_SCHEME) return ['X-Site-ID', tenant.site_id];
      if (!(scheme in SCHEMES))
        throw new Error(`Teach proofs/tenant.ts the security scheme ${scheme} of ${operation.id}.`);
      return headerOf(scheme as CredentialScheme, tenant.secrets[scheme as CredentialScheme]);
    }),
  );
}

/** The header in which a credential travels. */
export function headerOf(scheme: CredentialScheme, secret: string): [string, string] {
  return [SCHEMES[scheme].header, SCHEMES[scheme].header === 'Authorization' ? `Bearer ${secret}` : secret];
}

/**
 * Calls an operation for a tenant while the world is set up, with the first alternative for which it has the secrets; anything
 * but a 2xx is an error.
 */
export async function callAs(
  world: World,
  tenant: Tenant,
  operation_id: string,
  body?: unknown,
  path: Record<string, string> = {},
): Promise<unknown> {
  const reply = await send(world.baseUrl, callOf(tenant, operation_id, body, path));
  if (reply.status >= 300) throw new Error(`${operation_id} of the proof was refused: ${reply.status} ${reply.text}`);
  return reply.text === '' ? undefined : JSON.parse(reply.text);
}

/** The same, returning any response. */
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
