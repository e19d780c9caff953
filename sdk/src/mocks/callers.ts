import { statusOf } from './consents.ts';
import type { MockOperation } from './contract-types.ts';
import { notFound, Refusal } from './refusal.ts';
import type { State, StoredAgent, StoredCustomer } from './state.ts';

/**
 * The credentials of a mock shop. Calls without the right ones fail, so that you notice a missing header during
 * development.
 */
export interface MockCredentials {
  /** For `X-Service-Token` (`stk_…`). */
  storefrontToken: string;
  /** For `X-API-Key` (`key_…`). */
  apiKey: string;
  /**
   * For `Authorization: Bearer` on the dashboard; any other `mch_…` is accepted, too, such as that of the login's
   * example.
   */
  staffToken: string;
  /** For `X-Sync-Secret` (`syk_…`). */
  syncSecret: string;
}

export const CREDENTIALS: MockCredentials = {
  storefrontToken: `stk_mock${'1'.repeat(34)}`,
  apiKey: `key_mock${'2'.repeat(34)}`,
  staffToken: `mch_mock${'3'.repeat(34)}`,
  syncSecret: `syk_mock${'4'.repeat(34)}`,
};

/** An authenticated caller. Idempotency-Keys belong to `principal`. */
export interface Known {
  principal: string;
  customer: StoredCustomer | null;
  agent: StoredAgent | null;
  /** Token of the customer or agent; empty for a guest. */
  token: string;
}

const NOBODY: Known = { principal: 'nobody', customer: null, agent: null, token: '' };

const HEADERS: Record<string, string> = {
  ...{ StaffSession: 'Authorization', CustomerToken: 'Authorization', AgentToken: 'Authorization' },
  ...{ ApiKey: 'X-API-Key', SiteId: 'X-Site-ID', StorefrontToken: 'X-Service-Token', SyncSecret: 'X-Sync-Secret' },
};
const IN_WORDS: Record<string, string> = {
  ...{ StaffSession: 'Authorization: Bearer mch_…', CustomerToken: 'Authorization: Bearer cust_…' },
  ...{ AgentToken: 'Authorization: Bearer agt_…', ApiKey: 'X-API-Key: key_…', SiteId: 'X-Site-ID' },
  ...{ StorefrontToken: 'X-Service-Token: stk_…', SyncSecret: 'X-Sync-Secret: syk_…' },
};

/** Authenticates the caller of an operation. Throws 401 and 403 like the server. */
export function authenticate(state: State, operation: MockOperation, { headers, url }: Request): Known {
  const bearer = /^Bearer (\S+)$/i.exec(headers.get('Authorization') ?? '')?.[1] ?? '';
  if (operation.security.length === 0) {
    if (operation.id.startsWith('agent.')) requireSite(state, headers.get('X-Site-ID'), new URL(url).searchParams);
    return NOBODY;
  }
  const isAgent = bearer.startsWith('agt_');
  if (isAgent && operation.humanOnly) {
    const message = 'Only the customer can do this. Show them the checkout_url.';
    throw new Refusal('human_confirmation_required', message);
  }
  const schemes = alternativeOf(operation, headers, bearer);
  if (!schemes) {
    const wanted = operation.security.map((names) => names.map((name) => IN_WORDS[name]).join(' and ')).join(', or ');
    throw new Refusal('unauthorized', `This operation needs ${wanted}.`);
  }
  const given = (name: string) => headers.get(HEADERS[name] ?? '');
  const isRight =
    (!schemes.includes('SiteId') || given('SiteId')?.toLowerCase() === state.site_id) &&
    (!schemes.includes('StorefrontToken') || given('StorefrontToken') === CREDENTIALS.storefrontToken) &&
    (!schemes.includes('ApiKey') || given('ApiKey') === CREDENTIALS.apiKey) &&
    (!schemes.includes('SyncSecret') || given('SyncSecret') === CREDENTIALS.syncSecret) &&
    (!schemes.includes('StaffSession') || bearer.startsWith('mch_'));
  if (!isRight) throw invalidToken();
  if (schemes.includes('AgentToken')) return knownAgent(state, operation, bearer);
  if (!schemes.includes('CustomerToken')) return { ...NOBODY, principal: schemes.join() };
  const customer = state.sessions.get(bearer);
  if (!customer) throw invalidToken();
  return { principal: customer.id, customer, agent: null, token: bearer };
}

/**
 * The alternative with the most security schemes, among those for which the request has all headers and the right kind
 * of bearer token.
 */
function alternativeOf({ security }: MockOperation, headers: Headers, bearer: string): string[] | undefined {
  const isThere = (name: string) => {
    if (!headers.has(HEADERS[name] ?? '')) return false;
    if (name === 'AgentToken') return bearer.startsWith('agt_');
    return name !== 'CustomerToken' || !bearer.startsWith('agt_');
  };
  const fitting = security.filter((names) => names.every(isThere));
  return fitting.sort((a, b) => b.length - a.length)[0];
}

function knownAgent(state: State, operation: MockOperation, bearer: string): Known {
  const agent = state.agents.get(bearer);
  if (!agent || statusOf(agent) !== 'active') throw invalidToken();
  const held = [...agent.terms.scopes, 'agent:self'];
  if (operation.scope && !held.includes(operation.scope)) {
    const fields = { scope: operation.scope, held };
    throw new Refusal('insufficient_scope', `This credential lacks the scope ${operation.scope}.`, fields);
  }
  return { principal: agent.id, customer: agent.customer, agent, token: bearer };
}

function requireSite({ site_id }: State, header: string | null, query: URLSearchParams): void {
  const named = header ?? query.get('site_id');
  if (named !== null && named.toLowerCase() !== site_id) throw notFound('shop');
}

function invalidToken(): Refusal {
  const message = 'The credential is unknown, expired or revoked, or belongs to another site.';
  return new Refusal('invalid_token', message);
}
