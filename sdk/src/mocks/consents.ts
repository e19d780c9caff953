/**
 * Tokens that agents get through the device grant. A test approves a request with the mock shop's `approve()`, or a
 * customer does so with `storefront.approveAgentConsent`.
 */

import type {
  AgentConsent,
  AgentConsentApproval,
  AgentToken,
  ConsentRequest,
  IssuedAgentToken,
} from '@commerce-backend/spec';
import { budgetOf } from './budgets.ts';
import type { Handlers } from './call.ts';
import { signedIn } from './customers.ts';
import { categoriesOf } from './products.ts';
import { bodyMistake, Invalid, notFound, Refusal } from './refusal.ts';
import {
  type AgentTerms,
  after,
  DAY,
  isOver,
  now,
  type State,
  type StoredAgent,
  type StoredConsent,
  type StoredCustomer,
} from './state.ts';

/** The scopes of a request that names none. */
export const DEFAULT_SCOPES: AgentTerms['scopes'] = [
  'catalog:read',
  'cart:write',
  'checkout:create',
  'customer:self',
  'orders:read',
];
export const SCOPES: AgentTerms['scopes'] = [...DEFAULT_SCOPES, 'returns:request'];
const LIFETIME_SECONDS = 900;
const INTERVAL_SECONDS = 5;
const MOST_AGENTS = 10;
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/** A user code of two groups of four letters. The same number always gives the same code. */
function userCodeOf(count: number): string {
  let rest = count * 7_919 + 1;
  const letters = Array.from({ length: 8 }, () => {
    const letter = LETTERS[rest % LETTERS.length];
    rest = Math.floor(rest / LETTERS.length) + 31 * (rest % LETTERS.length);
    return letter;
  }).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/** Adds the server's defaults to the requested permissions. Throws a validation error for invalid ones. */
export function termsOf(state: State, wish: ConsentRequest): AgentTerms {
  const agent_name = (wish.agent_name ?? wish.client_id ?? '').trim();
  const mistakes: Invalid['detail'] = [];
  if (agent_name === '') mistakes.push(bodyMistake(['agent_name'], 'missing', 'Send the name of the agent.'));
  const scopes = wish.scopes ?? (wish.scope?.split(' ').filter(Boolean) as AgentTerms['scopes']) ?? DEFAULT_SCOPES;
  if (scopes.some((scope) => !SCOPES.includes(scope))) {
    const expected = SCOPES.join(', ');
    mistakes.push(bodyMistake(['scope'], 'enum', `Each must be one of ${expected}.`, { expected }));
  }
  const le = state.data.max_budget_cents;
  for (const field of ['budget_cents', 'max_per_order_cents'] as const) {
    if ((wish[field] ?? 0) <= le) continue;
    mistakes.push(bodyMistake([field], 'less_than_equal', `This shop allows at most ${le}.`, { le }));
  }
  if (mistakes.length > 0) throw new Invalid(mistakes);
  return {
    ...{ agent_name, scopes: SCOPES.filter((scope) => scopes.includes(scope)), budget_cents: wish.budget_cents ?? 0 },
    ...{ max_per_order_cents: wish.max_per_order_cents ?? null, budget_period: wish.budget_period ?? 'once' },
    ...{ categories: wish.categories ?? [], expires_at: wish.expires_at ?? after(7 * DAY) },
  };
}

function requestConsent(state: State, wish: ConsentRequest): StoredConsent {
  const named = { budget_named: wish.budget_cents !== undefined, lifetime_named: wish.expires_at !== undefined };
  const budget_cents = wish.budget_cents ?? state.data.max_budget_cents;
  const consent: StoredConsent = {
    ...{ device_code: state.nextToken('dvc'), user_code: userCodeOf(state.consents.size), status: 'pending' },
    ...{
      terms: termsOf(state, { ...wish, budget_cents }),
      ...named,
      customer_id: null,
      requested_at: now(),
      last_polled_at: 0,
    },
    ...{ expires_at: after(LIFETIME_SECONDS * 1000), interval: INTERVAL_SECONDS },
  };
  state.consents.set(consent.device_code, consent);
  return consent;
}

/** Finds a consent request by its user code. Throws `not_found`. */
export function findConsent(state: State, user_code: string): StoredConsent {
  const plain = (code: string) => code.toUpperCase().replaceAll(/[^A-Z]/g, '');
  const found = [...state.consents.values()].find((one) => plain(one.user_code) === plain(user_code));
  if (!found) throw notFound('consent request');
  return found;
}

/** Approves all or a part of a request, which must be pending. */
export function approve(
  state: State,
  customer: StoredCustomer,
  user_code: string,
  approval: AgentConsentApproval,
): StoredConsent {
  const consent = findConsent(state, user_code);
  requireStatus(consent, ['pending']);
  const budget_cents = consent.budget_named ? consent.terms.budget_cents : 0;
  const named = consent.terms.expires_at;
  const terms = approvedTerms(consent.terms, { budget_cents, ...approval });
  const isLonger = consent.lifetime_named && Date.parse(terms.expires_at) > Date.parse(named);
  consent.terms = isLonger ? { ...terms, expires_at: named } : terms;
  consent.budget_named = true;
  consent.status = 'approved';
  consent.customer_id = customer.id;
  return consent;
}

/** The permissions that a customer approves. Throws a validation error if they exceed the request. */
export function approvedTerms(
  terms: AgentTerms,
  { current_password: _, lifetime_days, ...approval }: AgentConsentApproval,
): AgentTerms {
  const mistakes = (['budget_cents', 'max_per_order_cents'] as const).flatMap((field) => {
    const le = terms[field];
    if (le === null || (approval[field] ?? 0) <= le) return [];
    const msg = `At most ${le}: the agent requests no more, or the shop allows no more.`;
    return [bodyMistake([field], 'less_than_equal', msg, { le })];
  });
  if (mistakes.length > 0) throw new Invalid(mistakes);
  const expires_at = lifetime_days === undefined ? terms.expires_at : after(lifetime_days * DAY);
  return {
    ...terms,
    ...approval,
    expires_at,
    scopes: terms.scopes.filter((one) => approval.scopes?.includes(one) ?? true),
  };
}

export function deny(customer: StoredCustomer, consent: StoredConsent): StoredConsent {
  requireStatus(consent, ['pending', 'approved']);
  consent.status = 'denied';
  consent.customer_id = customer.id;
  return consent;
}

function requireStatus({ status, expires_at }: StoredConsent, wanted: string[]): void {
  if (status !== 'consumed' && isOver(expires_at)) {
    throw new Refusal('consent_expired', 'The request has expired. The agent can ask again.');
  }
  if (wanted.includes(status)) return;
  throw new Refusal('consent_not_pending', `The request is already ${status}.`, { status });
}

/** The agent of an approved request. Throws `authorization_pending`, `slow_down` or another error of the poll. */
export function pollConsent(state: State, device_code: string): StoredAgent {
  const consent = state.consents.get(device_code);
  if (!consent || consent.status === 'consumed') {
    throw new Refusal('invalid_grant', 'The token of this device_code has already been fetched.');
  }
  if (isOver(consent.expires_at)) throw new Refusal('expired_token', 'The request has expired. Request consent again.');
  if (consent.status === 'denied') throw new Refusal('access_denied', 'The customer has denied the request.');
  if (consent.status === 'pending') throw tooEarly(consent);
  const customer = state.customers.find(({ id }) => id === consent.customer_id);
  if (!customer) throw new Error('An approved request has a customer.');
  requireFreePlace(state, customer);
  consent.status = 'consumed';
  return openAgent(state, customer, consent.terms);
}

/** Throws `agent_cap_exceeded` if the customer already has the maximum number of agents. */
export function requireFreePlace(state: State, customer: StoredCustomer): void {
  const active = [...state.agents.values()].filter((one) => one.customer === customer && statusOf(one) === 'active');
  if (active.length < MOST_AGENTS) return;
  const message = `The customer already has ${MOST_AGENTS} active agents. Poll again after one is revoked.`;
  throw new Refusal('agent_cap_exceeded', message, { limit: MOST_AGENTS, retry_after_seconds: INTERVAL_SECONDS });
}

function tooEarly(consent: StoredConsent): Refusal {
  const isEarly = Date.now() - consent.last_polled_at < consent.interval * 1000;
  consent.last_polled_at = Date.now();
  if (isEarly) consent.interval += INTERVAL_SECONDS;
  const retry_after_seconds = consent.interval;
  if (!isEarly)
    return new Refusal('authorization_pending', 'The customer has not decided yet.', { retry_after_seconds });
  const message = `Poll every ${retry_after_seconds} seconds from now on.`;
  return new Refusal('slow_down', message, { interval: retry_after_seconds, retry_after_seconds });
}

/** Creates an agent with a token for a customer. */
export function openAgent(state: State, customer: StoredCustomer, terms: AgentTerms): StoredAgent {
  const agent: StoredAgent = {
    ...{ id: state.nextId(), access_token: state.nextToken('agt'), customer, terms, used_cents: 0, calls: [] },
    ...{ created_at: now(), last_used_at: null, revoked_at: null, revoked_by: null },
  };
  state.agents.set(agent.access_token, agent);
  return agent;
}

export function statusOf({ revoked_at, terms }: StoredAgent): 'active' | 'revoked' | 'expired' {
  return revoked_at ? 'revoked' : isOver(terms.expires_at) ? 'expired' : 'active';
}

export function revoke(agent: StoredAgent, revoked_by: NonNullable<StoredAgent['revoked_by']>): void {
  agent.revoked_at ??= now();
  agent.revoked_by ??= revoked_by;
}

export function tokenView(state: State, agent: StoredAgent): AgentToken {
  const { id, customer, terms, created_at, last_used_at, revoked_at, revoked_by } = agent;
  const { agent_name, scopes, categories, expires_at } = terms;
  return {
    ...{ id, agent_name, customer_id: customer.id, scopes, categories, ...budgetOf(state, agent) },
    ...{ status: statusOf(agent), created_at, last_used_at, expires_at, revoked_at, revoked_by },
  };
}

/** The response that contains an agent's token. */
export function issuedView({ data }: State, { id, access_token, terms }: StoredAgent): IssuedAgentToken {
  const { agent_name, scopes, budget_cents, max_per_order_cents, budget_period, categories, expires_at } = terms;
  const expires_in = Math.floor((Date.parse(expires_at) - Date.now()) / 1000);
  return {
    ...{ access_token, token_type: 'Bearer', expires_in, scope: scopes.join(' '), token_id: id, agent_name },
    ...{ budget_cents, max_per_order_cents, budget_period, currency: data.currency, categories, expires_at },
    budget_resets_at: budget_period === 'once' ? null : expires_at,
  };
}

function consentView(state: State, consent: StoredConsent): AgentConsent {
  const { user_code, terms, requested_at, expires_at } = consent;
  const { expires_at: token_expires_at, ...asked } = terms;
  const known = categoriesOf(state).map(({ value }) => value.toLowerCase());
  const isExpired = ['pending', 'approved'].includes(consent.status) && isOver(expires_at);
  return {
    ...{ user_code, status: isExpired ? 'expired' : consent.status, shop_name: state.data.name, ...asked },
    ...{
      worst_case_cents: consent.budget_named ? terms.budget_cents : 0,
      budget_named: consent.budget_named,
      currency: state.data.currency,
    },
    unknown_categories: terms.categories.filter((name) => !known.includes(name.toLowerCase())),
    lifetime_choices: consent.status === 'pending' && !consent.lifetime_named ? [7, 30, 90] : [],
    category_choices: consent.status === 'pending' ? categoriesOf(state) : [],
    ...{ token_expires_at, requested_at, requested_from: { ip: null, user_agent: null }, expires_at },
    ...{ password_required: false, replaces: null },
  };
}

export function findAgent(state: State, id: string, customer: StoredCustomer): StoredAgent {
  const found = [...state.agents.values()].find((one) => one.id === id && one.customer === customer);
  if (!found) throw notFound('agent');
  return found;
}

export const consentHandlers: Handlers = {
  'agent.requestConsent': ({ state, body }) => {
    const { device_code, user_code } = requestConsent(state, body);
    const verification_uri = `${state.baseUrl}/agent-consent?site_id=${state.site_id}`;
    return {
      ...{ device_code, user_code, verification_uri, expires_in: LIFETIME_SECONDS, interval: INTERVAL_SECONDS },
      verification_uri_complete: `${verification_uri}&user_code=${user_code}`,
    };
  },
  'agent.pollConsent': ({ state, body }) => issuedView(state, pollConsent(state, body.device_code)),
  'storefront.getAgentConsent': ({ state, path }) => consentView(state, findConsent(state, path.user_code)),
  'storefront.approveAgentConsent': (call) =>
    consentView(call.state, approve(call.state, signedIn(call), call.path.user_code, call.body ?? {})),
  'storefront.denyAgentConsent': (call) =>
    consentView(call.state, deny(signedIn(call), findConsent(call.state, call.path.user_code))),
  'storefront.listAgents': (call) => {
    const own = [...call.state.agents.values()].filter(({ customer }) => customer === call.customer).reverse();
    const active = own.filter((one) => statusOf(one) === 'active');
    const others = own.filter((one) => statusOf(one) !== 'active');
    return { agent_tokens: [...active, ...others].map((agent) => tokenView(call.state, agent)) };
  },
  'storefront.revokeAgent': (call) => {
    const agent = findAgent(call.state, call.path.agent_token_id, signedIn(call));
    revoke(agent, 'customer');
    return tokenView(call.state, agent);
  },
};
