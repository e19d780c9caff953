/**
 * The customer approves (fully or partly) or denies the request of consent-requests.ts; consent-polls.ts then issues
 * the token. Lock order: customer, request, token.
 */

import type { AgentConsent, AgentPolicy, AgentScope, BudgetPeriod, ConsentStatus } from '@commerce-backend/spec';
import sql, { empty, type Sql } from 'sql-template-tag';
import { agentPolicy } from '../agent-limits/policy.ts';
import { listCategories, unknownCategories } from '../agent-limits/shop-categories.ts';
import * as agentTokens from '../agent-limits/tokens.ts';
import * as sessions from '../customers/sessions.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import type { Shop } from '../shop.ts';
import { hashToken, isWellFormed } from '../tokens.ts';
import { requireAgentsEnabled } from './consent-requests.ts';
import { narrowed } from './narrowing.ts';
import { isOutdated } from './outdated.ts';
import { hashUserCode, parseUserCode } from './user-codes.ts';

interface ConsentRow {
  id: string;
  /** `expired` is computed, not stored. */
  status: ConsentStatus;
  shop_name: string;
  agent_name: string;
  scopes: AgentScope[];
  budget_cents: number;
  budget_named: boolean;
  max_per_order_cents: number | null;
  budget_period: BudgetPeriod;
  categories: string[];
  token_expires_at: string;
  /** Whether the agent named the expiry. */
  lifetime_named: boolean;
  /** The number of budget periods until the token expires, for each length of period. */
  periods: Record<BudgetPeriod, number>;
  replaces_token_id: string | null;
  requested_at: string;
  ip: string | null;
  user_agent: string | null;
  expires_at: string;
  policy: AgentPolicy;
}

/**
 * The status of `agent_consents k`. Pending and approved requests expire at `expires_at`, or if the token to be
 * replaced was revoked.
 */
const consentStatus: Sql = sql`case when k.status in ('pending', 'approved') and (k.expires_at <= now() or ${isOutdated})
  then 'expired' else k.status end`;

/**
 * The amounts and lifetime that the customer may approve, from `agent_consents k` and `site_settings t`. A pending
 * request is limited by the current policy of the shop. `days` is the lifetime that the customer chose.
 */
const grantable = (days: number | null): Sql => sql`select case when k.status = 'pending'
    then least(case when k.budget_named then k.budget_cents end, (t.agent_policy ->> 'max_budget_cents')::bigint)
    else coalesce(k.budget_cents, 0) end as budget_cents,
  case when k.status = 'pending' and k.max_per_order_cents is not null
    then least(k.max_per_order_cents, (t.agent_policy ->> 'max_budget_cents')::bigint)
    else k.max_per_order_cents end as max_per_order_cents,
  case when k.status = 'pending'
    then least(case when k.lifetime_named or ${days}::int is null then k.token_expires_at end,
      now() + ${days}::int * interval '1 day', now() + (t.agent_policy ->> 'max_lifetime_days')::int * interval '1 day')
    else k.token_expires_at end as token_expires_at`;

/**
 * Whether the request in `agent_consents k` names a budget, or the customer chose one at the approval. A request for an
 * authorization code may have none.
 */
const budgetNamed: Sql = sql`(k.budget_cents is not null and (k.budget_named or k.status in ('approved', 'consumed')))`;

/**
 * The number of periods that begin before the token expires, for each length of period. The first begins at the
 * approval.
 */
const periods: Sql = sql`json_build_object('once', 1,
  'week', 1 + budget_period_at('week', coalesce(k.approved_at, now()), g.token_expires_at - interval '1 microsecond'),
  'month', 1 + budget_period_at('month', coalesce(k.approved_at, now()), g.token_expires_at - interval '1 microsecond'))`;

/**
 * Whether the customer may see `agent_consents k`. A request for a replacement belongs to the customer of the replaced
 * token.
 */
function isFor(customer_id: string | null): Sql {
  return sql`(k.customer_id = ${customer_id} or (k.customer_id is null and k.status = 'pending'))
    and (k.replaces_token_id is null or exists (
      select from tokens o where o.site_id = k.site_id and o.id = k.replaces_token_id and o.customer_id = ${customer_id}))`;
}

/** Finds a request that the customer may see, by its user code or page secret. Throws `not_found`. */
async function readRequest(shop: Shop, typed: string, lock: boolean, days: number | null = null): Promise<ConsentRow> {
  const which = whichOf(shop, typed);
  const found =
    which &&
    (await shop.one<ConsentRow>(
      sql`select k.id, ${consentStatus} as status, t.name as shop_name, k.agent_name, k.scopes, k.categories,
          g.budget_cents, ${budgetNamed} as budget_named, k.lifetime_named, g.max_per_order_cents, k.budget_period, g.token_expires_at, ${periods} as periods,
          k.replaces_token_id, k.created_at as requested_at, k.ip, k.user_agent, k.expires_at,
          ${agentPolicy} as policy
        from agent_consents k join site_settings t using (site_id) cross join lateral (${grantable(days)}) as g
        where k.site_id = ${shop.siteId} and ${which} and ${isFor(shop.customerId)}
        ${lock ? sql`for update of k` : empty}`,
    ));
  if (!found) throw notFound('consent request');
  return found;
}

/** A condition on `agent_consents k` for a user code or page secret; undefined if the text is neither. */
function whichOf(shop: Shop, typed: string): Sql | undefined {
  if (isWellFormed('authorization', typed)) {
    return sql`k.id = (select consent_id from authorization_requests
      where site_id = ${shop.siteId} and request_hash = ${hashToken(typed)})`;
  }
  const code = parseUserCode(typed);
  return code === undefined ? undefined : sql`k.user_code_hash = ${hashUserCode(code)}`;
}

export interface Proof {
  fresh: boolean;
  /** Whether the request contains the password. */
  password: boolean;
}

/** Whether approving this amount requires the password again. */
function requiresPassword({ password_above_cents }: AgentPolicy, cents: number, { fresh, password }: Proof): boolean {
  if (password) return false;
  return !fresh || (password_above_cents !== null && cents > password_above_cents);
}

/** Returns the proof of identity for a call in an API session. */
export async function proofOf(shop: Shop, session_id: string, password: boolean): Promise<Proof> {
  return { fresh: await sessions.isFresh(shop, session_id), password };
}

/**
 * Returns the consent request with this user code or page secret, if the calling customer may see it. Throws
 * `not_found`.
 */
export async function get(shop: Shop, user_code: string, proof: Proof): Promise<AgentConsent> {
  return view(shop, await readRequest(shop, user_code, false), user_code, proof);
}

const MAX_CHOICES = 200;

/** Lifetimes in days from which the customer chooses if the agent named none. */
const LIFETIMES = [7, 30, 90];

/** The lifetimes that the shop allows; the first is the default. */
function lifetimesWithin({ max_lifetime_days }: AgentPolicy): number[] {
  const allowed = LIFETIMES.filter((days) => days <= max_lifetime_days);
  return allowed.length > 0 ? allowed : [max_lifetime_days];
}

async function view(shop: Shop, row: ConsentRow, typed: string, proof: Proof): Promise<AgentConsent> {
  const { id: _, ip, user_agent, policy, periods: counts, replaces_token_id, lifetime_named, ...rest } = row;
  const unchanged = rest.budget_named ? rest.budget_cents : 0;
  const worst_case_cents = unchanged * counts[rest.budget_period];
  const isPending = rest.status === 'pending';
  const password_required = isPending && requiresPassword(policy, worst_case_cents, proof);
  const unknown = await unknownCategories(shop, rest.categories);
  return {
    ...rest,
    worst_case_cents,
    lifetime_choices: isPending && !lifetime_named ? lifetimesWithin(policy) : [],
    unknown_categories: unknown.map(({ name }) => name),
    category_choices: isPending ? await listCategories(shop, MAX_CHOICES) : [],
    replaces: replaces_token_id ? await agentTokens.get(shop, replaces_token_id, shop.customerId ?? undefined) : null,
    user_code: parseUserCode(typed) ?? '',
    currency: shop.currency,
    requested_from: { ip, user_agent },
    password_required,
  };
}

export interface Approval {
  budget_cents?: number;
  max_per_order_cents?: number;
  budget_period?: BudgetPeriod;
  scopes?: AgentScope[];
  categories?: string[];
  lifetime_days?: number;
}

/**
 * Approves all or part of a request. The next poll then gets the token. Throws `not_found`, `consent_not_pending`,
 * `consent_expired`, `agents_not_allowed`, `password_required`, or a ValidationError for permissions beyond the
 * request.
 */
export async function approve(shop: Shop, user_code: string, approval: Approval, proof: Proof): Promise<AgentConsent> {
  await lockCustomer(shop);
  const { lifetime_days = null, ...terms } = approval;
  const row = await readRequest(shop, user_code, true, lifetime_days);
  requireStatus(row, ['pending']);
  requireAgentsEnabled(row.policy);
  requireLifetime(row.policy, lifetime_days);
  const granted = await narrowed(shop, row, terms);
  if (requiresPassword(row.policy, granted.budget_cents * row.periods[granted.budget_period], proof)) {
    throw new ShopError('password_required', 'Send current_password to approve this.');
  }
  await shop.run(
    sql`update agent_consents set status = 'approved', customer_id = ${shop.customerId}, approved_at = now(),
        budget_cents = ${granted.budget_cents}, max_per_order_cents = ${granted.max_per_order_cents},
        budget_period = ${granted.budget_period}, scopes = ${granted.scopes}::text[],
        categories = ${granted.categories}::text[], token_expires_at = ${row.token_expires_at}
      where site_id = ${shop.siteId} and id = ${row.id}`,
  );
  await mail.enqueue(shop, 'agent_approved', { consent_id: row.id });
  return view(shop, { ...row, ...granted, budget_named: true, status: 'approved' }, user_code, proof);
}

function requireLifetime({ max_lifetime_days: le }: AgentPolicy, days: number | null): void {
  if (days === null || days <= le) return;
  throw new ValidationError([
    bodyMistake(['lifetime_days'], 'less_than_equal', `This shop allows at most ${le} days.`, { le }),
  ]);
}

/**
 * Denies a request, even an approved one until its token is fetched. Throws `not_found`, `consent_not_pending` or
 * `consent_expired`.
 */
export async function deny(shop: Shop, user_code: string, proof: Proof): Promise<AgentConsent> {
  await lockCustomer(shop);
  const row = await readRequest(shop, user_code, true);
  requireStatus(row, ['pending', 'approved']);
  await shop.run(
    sql`update agent_consents set status = 'denied', customer_id = ${shop.customerId}
      where site_id = ${shop.siteId} and id = ${row.id}`,
  );
  return view(shop, { ...row, status: 'denied' }, user_code, proof);
}

/** Locks the calling customer. Call it before locking the request. Throws `invalid_token` if the account was closed. */
async function lockCustomer(shop: Shop): Promise<void> {
  const held = await shop.run(
    sql`select from customers where site_id = ${shop.siteId} and id = ${shop.customerId} and anonymized_at is null
      for key share`,
  );
  if (held === 0) throw new ShopError('invalid_token', 'The account was closed.');
}

function requireStatus({ status }: ConsentRow, wanted: ConsentStatus[]): void {
  if (wanted.includes(status)) return;
  if (status === 'expired') throw new ShopError('consent_expired', 'The request has expired. The agent can ask again.');
  throw new ShopError('consent_not_pending', `The request is already ${status}.`, { status });
}
