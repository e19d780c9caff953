/** Agents poll for their token until the customer has decided (RFC 8628 §3.4). The token is issued once. */

import type { BudgetPeriod, IssuedAgentToken } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import * as budgets from '../agent-limits/budgets.ts';
import * as agentTokens from '../agent-limits/tokens.ts';
import { ShopError } from '../errors.ts';
import { inShop } from '../in-shop.ts';
import type { Actor, Shop, Tenant } from '../shop.ts';
import { hashToken, isWellFormed, mintToken, visiblePrefix } from '../tokens.ts';
import { ANYWHERE, type Audience } from './issuers.ts';
import * as clients from './oauth-clients.ts';
import { isOutdated } from './outdated.ts';
import { scopeShown } from './ucp-scopes.ts';

export const MAX_ACTIVE_TOKENS = 10;
const SLOW_DOWN_SECONDS = 5;

interface Polled {
  status: 'pending' | 'approved' | 'denied' | 'consumed';
  expired: boolean;
  too_early: boolean;
  interval_seconds: number;
  enabled: boolean;
}

/** Returns the id of the consent request with this device_code; undefined if there is none. */
export async function requestOf(shop: Shop, device_code: string): Promise<string | undefined> {
  if (!isWellFormed('device', device_code)) return undefined;
  const found = await shop.one<RowOf<'agent_consent_links', 'consent_id'>>(
    sql`select consent_id from agent_consent_links
      where site_id = ${shop.siteId} and token_hash = ${hashToken(device_code)}`,
  );
  return found?.consent_id;
}

/**
 * Records a poll. Throws `authorization_pending`, `slow_down`, `access_denied`, `expired_token` or `invalid_grant` if
 * no token can be issued. Commits its own transaction before it throws, so that a longer interval is stored.
 */
export async function recordPoll(db: Pool, tenant: Tenant, actor: Actor, consent_id: string): Promise<void> {
  const polled = await inShop(db, tenant, actor, (shop) => writePoll(shop, consent_id));
  if (!polled || polled.status === 'consumed') throw alreadyFetched();
  if (polled.expired) throw expired();
  if (!polled.enabled) throw agentsDisabled();
  if (polled.status === 'denied') throw new ShopError('access_denied', 'The customer has denied the request.');
  if (polled.status === 'approved') return;
  const retry_after_seconds = polled.interval_seconds;
  if (polled.too_early) {
    const message = `Poll every ${retry_after_seconds} seconds from now on.`;
    throw new ShopError('slow_down', message, { interval: retry_after_seconds, retry_after_seconds });
  }
  const message = 'The customer has not decided yet.';
  throw new ShopError('authorization_pending', message, { retry_after_seconds });
}

/** Only polls of a pending request can be too early: slow_down is a variant of authorization_pending (§3.5). */
function writePoll(shop: Shop, id: string): Promise<Polled | undefined> {
  return shop.one<Polled>(
    sql`with before as (
        select id, status = 'pending' and expires_at > now()
          and last_polled_at > now() - interval_seconds * interval '1 second' as too_early
        from agent_consents where site_id = ${shop.siteId} and id = ${id} for update
      )
      update agent_consents k set last_polled_at = now(),
        interval_seconds = k.interval_seconds + case when before.too_early then ${SLOW_DOWN_SECONDS}::int else 0 end
      from before, site_settings t where k.site_id = ${shop.siteId} and k.id = before.id and t.site_id = k.site_id
      returning (t.agent_policy ->> 'enabled')::boolean as enabled, k.status, k.status <> 'consumed'
          and (least(k.expires_at, k.token_expires_at) <= now() or ${isOutdated}) as expired,
        coalesce(before.too_early, false) as too_early, k.interval_seconds`,
  );
}

interface ApprovedConsent {
  agent_name: string;
  scopes: string[];
  budget_cents: number;
  max_per_order_cents: number | null;
  budget_period: BudgetPeriod;
  categories: string[];
  /** Null for an approval by an older version. */
  approved_at: string | null;
  token_expires_at: string;
  expires_in: number;
  /** The token that the new one replaces. */
  replaces_token_id: string | null;
  /** The registered client of a device request. */
  client_id: string | null;
}

/**
 * Issues the token of an approved request once, even for concurrent polls. Locks the customer's row, so that no
 * customer gets more than ten active tokens. First revokes the token that the new one replaces, if any. Throws
 * `agent_cap_exceeded`, `invalid_grant`, or `expired_token` if the token to be replaced was revoked. Without
 * `resource`, the token has the resource of the token that it replaces, and is otherwise valid for all resources of the
 * shop.
 */
export async function issue(shop: Shop, consent_id: string, audience: Audience = ANYWHERE): Promise<IssuedAgentToken> {
  const customer_id = await lockCustomerOf(shop, consent_id);
  const approved = await shop.one<ApprovedConsent>(
    sql`update agent_consents set status = 'consumed'
      where site_id = ${shop.siteId} and id = ${consent_id} and customer_id = ${customer_id} and status = 'approved'
        and least(expires_at, token_expires_at) > now()
      returning agent_name, scopes, budget_cents, max_per_order_cents, budget_period, categories, approved_at, token_expires_at,
        replaces_token_id, client_id,
        floor(extract(epoch from token_expires_at - now()))::int as expires_in`,
  );
  if (!approved) throw alreadyFetched();
  const { replaces_token_id, client_id, expires_in, ...terms } = approved;
  if (replaces_token_id && !(await agentTokens.endReplaced(shop, replaces_token_id, customer_id))) throw expired();
  await requireFreeTokenSlot(shop, customer_id);
  if (client_id !== null) await clients.noteUse(shop, client_id);
  const { access_token, ...issued } = await insertToken(shop, {
    ...{ consent_id, customer_id, replaces_token_id },
    ...audience,
    ...terms,
  });
  const { agent_name, scopes, budget_cents, max_per_order_cents, budget_period, categories } = terms;
  const details = { agent_name, budget_cents, max_per_order_cents, budget_period, currency: shop.currency, categories };
  const expires_at = terms.token_expires_at;
  const scope = scopeShown(scopes, audience.platform_host);
  return { access_token, token_type: 'Bearer', expires_in, scope, ...issued, ...details, expires_at };
}

type NewToken = Omit<ApprovedConsent, 'expires_in' | 'client_id'> &
  Audience & { consent_id: string; customer_id: string };

async function insertToken(
  shop: Shop,
  { consent_id, customer_id, resource, platform_host, replaces_token_id, ...terms }: NewToken,
) {
  const { agent_name, scopes, budget_cents, max_per_order_cents, budget_period, categories } = terms;
  const access_token = mintToken('agent');
  const token_id = uuidv7();
  const inserted = await shop.one<{ budget_resets_at: string | null }>(
    sql`with inserted as (
        insert into tokens (site_id, id, kind, token_hash, secret_prefix, description, scopes, expires_at, customer_id,
          categories, resource, platform_host)
        values (${shop.siteId}, ${token_id}, 'agent', ${hashToken(access_token)}, ${visiblePrefix(access_token)},
          ${agent_name}, ${scopes}::text[], ${terms.token_expires_at}, ${customer_id}, ${categories}::text[], coalesce(${resource}, (
            select r.resource from tokens r where r.site_id = ${shop.siteId} and r.id = ${replaces_token_id})), ${platform_host})
        returning site_id, id
      )
      insert into agent_tokens as a (site_id, id, consent_id, budget_cents, max_per_order_cents, budget_period, budget_since)
      select site_id, id, ${consent_id}, ${budget_cents}, ${max_per_order_cents}, ${budget_period},
        coalesce(${terms.approved_at}::timestamptz, now())
      from inserted returning ${budgets.resetsAt} as budget_resets_at`,
  );
  return { access_token, token_id, budget_resets_at: inserted?.budget_resets_at ?? null };
}

/** Locks the customer who approved the request, and returns the customer's id. */
export async function lockCustomerOf(shop: Shop, consent_id: string): Promise<string> {
  const found = await shop.one<RowOf<'customers', 'id'>>(
    sql`select c.id from customers c
      where c.site_id = ${shop.siteId} and c.anonymized_at is null and c.id = (
        select k.customer_id from agent_consents k where k.site_id = ${shop.siteId} and k.id = ${consent_id})
      for update`,
  );
  if (!found) throw alreadyFetched();
  return found.id;
}

async function requireFreeTokenSlot(shop: Shop, customer_id: string): Promise<void> {
  const found = await shop.one<{ active: number }>(
    sql`select count(*) as active from tokens where site_id = ${shop.siteId} and customer_id = ${customer_id}
      and kind = 'agent' and revoked_at is null and expires_at > now()`,
  );
  if ((found?.active ?? 0) < MAX_ACTIVE_TOKENS) return;
  const message = `The customer already has ${MAX_ACTIVE_TOKENS} active agents. Poll again after one is revoked.`;
  throw new ShopError('agent_cap_exceeded', message, {
    limit: MAX_ACTIVE_TOKENS,
    retry_after_seconds: SLOW_DOWN_SECONDS,
  });
}

function alreadyFetched(): ShopError {
  return new ShopError('invalid_grant', 'The token of this device_code has already been fetched.');
}

/** The error if the shop has disabled agents, even for requests that were approved before. */
function agentsDisabled(): ShopError {
  return new ShopError('access_denied', 'The shop no longer allows agents.');
}

function expired(): ShopError {
  return new ShopError('expired_token', 'The request has expired. Request consent again.');
}
