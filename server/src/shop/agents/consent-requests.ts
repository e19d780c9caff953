/**
 * Consent requests of agents (RFC 8628 §3.1). consents.ts records the customer's decision, and consent-polls.ts answers
 * the agent's polls.
 */

import type { AgentPolicy, AgentScope, BudgetPeriod, DeviceAuthorization } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { agentPolicy } from '../agent-limits/policy.ts';
import { unknownCategories } from '../agent-limits/shop-categories.ts';
import { bodyMistake, ShopError, ValidationError } from '../errors.ts';
import { consentPage, type LinkDeps } from '../links.ts';
import { CAPS, sanitizeMerchantText } from '../merchant-text.ts';
import type { Shop } from '../shop.ts';
import { hashToken, mintToken } from '../tokens.ts';
import * as clients from './oauth-clients.ts';
import { hashUserCode, mintUserCode, sealOf } from './user-codes.ts';

const LIFETIME_SECONDS = 900;
const INTERVAL_SECONDS = 5;
/** The scopes of a request that does not list any. */
export const DEFAULT_SCOPES: AgentScope[] = [
  'catalog:read',
  'cart:write',
  'checkout:create',
  'customer:self',
  'orders:read',
];
export const SCOPES: AgentScope[] = [...DEFAULT_SCOPES, 'returns:request'];
export const DEFAULT_TOKEN_LIFETIME = '7 days';
const ATTEMPTS = 3;

export interface ConsentInput {
  agent_name?: string;
  client_id?: string;
  scopes?: AgentScope[];
  scope?: string;
  budget_cents?: number;
  max_per_order_cents?: number;
  budget_period?: BudgetPeriod;
  categories?: string[];
  expires_at?: string;
}

interface ConsentPlan {
  agent_name: string;
  scopes: AgentScope[];
  /** Null: the customer chooses. */
  budget_cents: number | null;
  max_per_order_cents: number | null;
  budget_period: BudgetPeriod;
  categories: string[];
  expires_at: string | null;
  /** The registered client, if the request names one. */
  client_id: string | null;
}

/**
 * Creates a request. If the caller already has a token, the new one will replace it. Throws `agents_not_allowed`, or a
 * ValidationError for permissions beyond the shop's policy, an unknown scope, a misspelt category or a missing agent
 * name.
 */
export async function request(
  shop: Shop,
  { hosts, secretKey }: LinkDeps,
  input: ConsentInput,
  origin: { ip: string | null; user_agent: string | null },
): Promise<DeviceAuthorization> {
  const client = input.client_id === undefined ? undefined : await clients.find(shop, input.client_id);
  const plan = parseInput(input, client);
  const { policy, days } = await readPolicy(shop, plan.expires_at);
  requireAgentsEnabled(policy);
  const mistakes = [...policyMistakes(policy, days, plan), ...(await misspeltCategories(shop, plan.categories))];
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  const device_code = mintToken('device');
  const user_code = await insertRequest(shop, plan, origin, device_code);
  const verification_uri = consentPage(hosts.addressOf(shop.siteId), shop.siteId);
  return {
    device_code,
    user_code,
    verification_uri,
    verification_uri_complete: `${verification_uri}&user_code=${user_code}&seal=${sealOf(secretKey, shop.siteId, user_code)}`,
    expires_in: LIFETIME_SECONDS,
    interval: INTERVAL_SECONDS,
  };
}

function parseInput(input: ConsentInput, client: clients.OAuthClient | undefined): ConsentPlan {
  const mistakes: ValidationError['detail'] = [];
  const agent_name = (input.agent_name ?? (client && clients.shownName(client)) ?? input.client_id ?? '').trim();
  if (agent_name === '') mistakes.push(bodyMistake(['agent_name'], 'missing', 'Send the name of the agent.'));
  if (input.scope !== undefined && input.scopes) {
    mistakes.push(bodyMistake(['scope'], 'value_error', 'Send scope or scopes, not both.'));
  }
  const scopes: string[] = input.scopes ?? input.scope?.split(' ').filter(Boolean) ?? DEFAULT_SCOPES;
  if (!scopes.every((scope) => (SCOPES as string[]).includes(scope)) || scopes.length === 0) {
    const expected = SCOPES.join(', ');
    mistakes.push(bodyMistake(['scope'], 'enum', `Each must be one of ${expected}.`, { expected }));
  }
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  return {
    agent_name,
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    budget_cents: input.budget_cents ?? null,
    max_per_order_cents: input.max_per_order_cents ?? null,
    budget_period: input.budget_period ?? 'once',
    categories: distinctCategories(input.categories ?? []),
    expires_at: input.expires_at ?? null,
    client_id: client?.client_id ?? null,
  };
}

/** Trims the categories, and removes empty ones and duplicates regardless of case. */
export function distinctCategories(categories: string[]): string[] {
  const named = categories.map((name) => name.trim()).filter(Boolean);
  return [...new Map(named.map((name) => [name.toLowerCase(), name])).values()];
}

/**
 * Returns an error for each category that almost matches an existing one, because an agent could buy nothing in it.
 * Accepts other unknown categories, because the shop may add them later.
 */
export async function misspeltCategories(shop: Shop, categories: string[]): Promise<ValidationError['detail']> {
  const unknown = await unknownCategories(shop, categories);
  return unknown.flatMap(({ name, nearest }) => {
    if (nearest === null) return [];
    // Messages must not contain text of the merchant, so the category is in `ctx`.
    const ctx = { nearest: sanitizeMerchantText(nearest, CAPS.name) };
    const msg = 'The shop has no such category. A similar one exists.';
    return [bodyMistake(['categories', categories.indexOf(name)], 'value_error', msg, ctx)];
  });
}

/** Reads the shop's agent policy, and the days until `expires_at` by the clock of the database. */
async function readPolicy(shop: Shop, expires_at: string | null) {
  const found = await shop.one<{ policy: AgentPolicy; days: number | null }>(
    sql`select ${agentPolicy} as policy,
        (extract(epoch from ${expires_at}::timestamptz - now()) / 86400)::float8 as days
      from site_settings t where t.site_id = ${shop.siteId}`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found;
}

export function requireAgentsEnabled({ enabled }: AgentPolicy): void {
  if (!enabled) throw new ShopError('agents_not_allowed', 'This shop does not allow agents.');
}

function policyMistakes({ max_budget_cents, max_lifetime_days }: AgentPolicy, days: number | null, plan: ConsentPlan) {
  const mistakes: ValidationError['detail'] = [];
  for (const field of ['budget_cents', 'max_per_order_cents'] as const) {
    if ((plan[field] ?? 0) <= max_budget_cents) continue;
    const msg = `This shop allows at most ${max_budget_cents}.`;
    mistakes.push(bodyMistake([field], 'less_than_equal', msg, { le: max_budget_cents }));
  }
  // Tolerates one minute of clock difference.
  if (days !== null && (days <= 0 || days > max_lifetime_days + 1 / 1440)) {
    const msg = `Must be within the next ${max_lifetime_days} days.`;
    mistakes.push(bodyMistake(['expires_at'], 'value_error', msg, { max_lifetime_days }));
  }
  return mistakes;
}

async function insertRequest(
  shop: Shop,
  plan: ConsentPlan,
  { ip, user_agent }: { ip: string | null; user_agent: string | null },
  device_code: string,
): Promise<string> {
  const { agent_name, scopes, budget_cents, max_per_order_cents, budget_period, categories, expires_at, client_id } =
    plan;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const user_code = mintUserCode();
    const inserted = await shop.run(
      sql`with inserted as (
          insert into agent_consents (site_id, id, user_code_hash, agent_name, scopes, budget_cents, max_per_order_cents,
            budget_period, replaces_token_id, categories, client_id, lifetime_named, budget_named, token_expires_at, ip, user_agent)
          select ${shop.siteId}, ${uuidv7()}, ${hashUserCode(user_code)}, ${agent_name}, ${scopes}::text[], ${budget_cents ?? 0},
            ${max_per_order_cents}, ${budget_period}, ${shop.agent?.token_id ?? null}, ${categories}::text[], ${client_id},
            ${expires_at !== null}, ${budget_cents !== null}, coalesce(${expires_at}::timestamptz, now() + least(${DEFAULT_TOKEN_LIFETIME}::interval,
              (agent_policy ->> 'max_lifetime_days')::int * interval '1 day')), ${ip}, ${user_agent}
          from site_settings where site_id = ${shop.siteId}
          on conflict on constraint one_request_per_user_code do nothing
          returning site_id, id
        )
        insert into agent_consent_links (site_id, consent_id, token_hash)
        select site_id, id, ${hashToken(device_code)} from inserted`,
    );
    if (inserted > 0) return user_code;
  }
  throw new ShopError('unavailable', 'No code could be generated. Retry the request.');
}
