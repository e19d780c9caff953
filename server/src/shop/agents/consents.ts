import type { AgentConsent, AgentPolicy, AgentScope, ConsentStatus } from '@commerce-backend/spec';
import sql, { empty, type Sql } from 'sql-template-tag';
import * as sessions from '../customers/sessions.ts';
import { bodyMistake, notFound, ShopError, ValidationError } from '../errors.ts';
import * as mail from '../mail.ts';
import type { Shop } from '../shop.ts';
import { distinctCategories, requireAgentsEnabled } from './consent-requests.ts';
import { hashUserCode, parseUserCode } from './user-codes.ts';

/**
 * How an agent is let in: consent-requests.ts takes the request, here the customer approves it, in whole or in part, or denies it,
 * and consent-polls.ts issues the token. What the agent may do then is in catalog.ts, buying.ts and orders.ts, which lock
 * nothing but what carts and checkouts lock. Here locks are always taken in the order customer, request, token.
 */
interface ConsentRow {
  id: string;
  /** `expired` is derived from the time; it is not stored. */
  status: ConsentStatus;
  shop_name: string;
  agent_name: string;
  scopes: AgentScope[];
  budget_cents: number;
  categories: string[];
  token_expires_at: string;
  requested_at: string;
  ip: string | null;
  user_agent: string | null;
  expires_at: string;
  policy: AgentPolicy;
}

/** Of `agent_consents k`. An approved request whose token was not fetched in time is expired as well. */
const consentStatus: Sql = sql`case when k.status in ('pending', 'approved') and k.expires_at <= now() then 'expired'
  else k.status end`;

/**
 * The budget and lifetime that can be approved, of `agent_consents k` and `site_settings t`. While a request is pending, the
 * shop's current policy applies, not the one from when the agent asked.
 */
const grantable: Sql = sql`case when k.status = 'pending'
    then least(k.budget_cents, (t.agent_policy ->> 'max_budget_cents')::bigint) else k.budget_cents end as budget_cents,
  case when k.status = 'pending'
    then least(k.token_expires_at, now() + (t.agent_policy ->> 'max_lifetime_days')::int * interval '1 day')
    else k.token_expires_at end as token_expires_at`;

/** The request behind a code, as the customer who calls may see it. Throws `not_found`. */
async function readRequest(shop: Shop, typed: string, lock: boolean): Promise<ConsentRow> {
  const code = parseUserCode(typed);
  const found =
    code &&
    (await shop.one<ConsentRow>(
      sql`select k.id, ${consentStatus} as status, t.name as shop_name, k.agent_name, k.scopes, k.categories,
          ${grantable}, k.created_at as requested_at, k.ip, k.user_agent, k.expires_at,
          '{"password_above_cents": null}' || t.agent_policy as policy
        from agent_consents k join site_settings t using (site_id)
        where k.site_id = ${shop.siteId} and k.user_code_hash = ${hashUserCode(code)}
          and (k.customer_id = ${shop.customerId} or (k.customer_id is null and k.status = 'pending'))
        ${lock ? sql`for update of k` : empty}`,
    ));
  if (!found) throw notFound('request for consent');
  return found;
}

/** How the customer has authenticated. */
export interface Proof {
  /** Whether the login is at most 15 minutes old. */
  fresh: boolean;
  /** Whether the password was given with this call. */
  password: boolean;
}

/** Whether approving a budget requires the password again. */
function requiresPassword(
  { password_above_cents }: AgentPolicy,
  budget_cents: number,
  { fresh, password }: Proof,
): boolean {
  if (password) return false;
  return !fresh || (password_above_cents !== null && budget_cents > password_above_cents);
}

/** The proof that an API session provides. */
export async function proofOf(shop: Shop, session_id: string, password: boolean): Promise<Proof> {
  return { fresh: await sessions.isFresh(shop, session_id), password };
}

/** The request behind a code, for the customer who calls. Throws `not_found`. */
export async function get(shop: Shop, user_code: string, proof: Proof): Promise<AgentConsent> {
  return view(shop, await readRequest(shop, user_code, false), user_code, proof);
}

function view(shop: Shop, row: ConsentRow, typed: string, proof: Proof): AgentConsent {
  const { id: _, ip, user_agent, policy, ...rest } = row;
  const password_required = rest.status === 'pending' && requiresPassword(policy, rest.budget_cents, proof);
  return {
    ...rest,
    user_code: parseUserCode(typed) ?? '',
    currency: shop.currency,
    requested_from: { ip, user_agent },
    password_required,
  };
}

export interface Approval {
  budget_cents?: number;
  categories?: string[];
}

/**
 * Approves a request within the shop's policy, with a lower budget or fewer categories if the customer says so; the next poll
 * gets the token. Throws `not_found`, `consent_not_pending`, `consent_expired`, `agents_not_allowed`, `password_required`, or
 * a ValidationError for more than was asked for.
 */
export async function approve(shop: Shop, user_code: string, approval: Approval, proof: Proof): Promise<AgentConsent> {
  await lockCustomer(shop);
  const row = await readRequest(shop, user_code, true);
  requireStatus(row, ['pending']);
  requireAgentsEnabled(row.policy);
  const budget_cents = approval.budget_cents ?? row.budget_cents;
  const categories = narrowCategories(row.categories, approval.categories);
  const mistakes: ValidationError['detail'] = categories ? [] : [categoriesMistake()];
  if (budget_cents > row.budget_cents) {
    const msg = `At most ${row.budget_cents}: the agent asks for no more, or the shop allows no more.`;
    mistakes.push(bodyMistake(['budget_cents'], 'less_than_equal', msg, { le: row.budget_cents }));
  }
  if (!categories || mistakes.length > 0) throw new ValidationError(mistakes);
  if (requiresPassword(row.policy, budget_cents, proof)) {
    throw new ShopError('password_required', 'Send current_password to approve this.');
  }
  await shop.run(
    sql`update agent_consents set status = 'approved', customer_id = ${shop.customerId}, budget_cents = ${budget_cents},
        categories = ${categories}::text[], token_expires_at = ${row.token_expires_at}
      where site_id = ${shop.siteId} and id = ${row.id}`,
  );
  await mail.enqueue(shop, 'agent_approved', { consent_id: row.id });
  return view(shop, { ...row, status: 'approved', budget_cents, categories }, user_code, proof);
}

/** The approved ones of the categories asked for (none means all); undefined if some were not asked for, or none is left. */
function narrowCategories(asked: string[], approved: string[] | undefined): string[] | undefined {
  if (approved === undefined) return asked;
  const wanted = distinctCategories(approved);
  if (asked.length === 0) return wanted;
  const kept = asked.filter((name) => wanted.some((one) => one.toLowerCase() === name.toLowerCase()));
  return kept.length === wanted.length && kept.length > 0 ? kept : undefined;
}

function categoriesMistake() {
  return bodyMistake(['categories'], 'value_error', 'Choose at least one of the categories that the agent asks for.');
}

/**
 * Denies a request, even after its approval as long as the token has not been fetched. Throws `not_found`,
 * `consent_not_pending` or `consent_expired`.
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

/** Taken before the lock of the request. An account that is being closed can no longer decide. */
async function lockCustomer(shop: Shop): Promise<void> {
  const held = await shop.run(
    sql`select from customers where site_id = ${shop.siteId} and id = ${shop.customerId} and anonymized_at is null
      for key share`,
  );
  if (held === 0) throw new ShopError('invalid_token', 'The account has just been closed.');
}

function requireStatus({ status }: ConsentRow, wanted: ConsentStatus[]): void {
  if (wanted.includes(status)) return;
  if (status === 'expired') throw new ShopError('consent_expired', 'The request has expired. The agent can ask again.');
  throw new ShopError('consent_not_pending', `The request is already ${status}.`, { status });
}
