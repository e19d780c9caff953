import type { IssuedAgentToken } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { ShopError } from '../errors.ts';
import { inShop } from '../in-shop.ts';
import type { Actor, Shop, Tenant } from '../shop.ts';
import { hashToken, mintToken, visiblePrefix } from '../tokens.ts';

/** How an agent comes by its token (RFC 8628 §3.4): it polls until the customer has decided, and gets it once. */
const MAX_ACTIVE = 10;
const SLOWER_BY = 5;

interface Polled {
  status: 'pending' | 'approved' | 'denied' | 'consumed';
  expired: boolean;
  too_early: boolean;
  interval_seconds: number;
  /** Whether the shop takes agents, now. */
  enabled: boolean;
}

/**
 * Notes a poll, and tells whether there may be a token by throwing when there is none: `authorization_pending`, `slow_down`,
 * `access_denied`, `expired_token` or `invalid_grant`. In a transaction of its own, since an interval that has grown stays so
 * whatever becomes of the poll.
 */
export async function notePoll(db: Pool, tenant: Tenant, actor: Actor, consent_id: string): Promise<void> {
  const polled = await inShop(db, tenant, actor, (shop) => write(shop, consent_id));
  if (!polled || polled.status === 'consumed') throw alreadyFetched();
  if (polled.expired) throw expired();
  if (!polled.enabled) throw switchedOff();
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

/** Only while nobody has decided are early polls counted: slow_down is a variant of authorization_pending (§3.5). */
function write(shop: Shop, id: string): Promise<Polled | undefined> {
  return shop.one<Polled & Record<string, unknown>>(
    sql`with before as (
        select id, status = 'pending' and expires_at > now()
          and last_polled_at > now() - interval_seconds * interval '1 second' as too_early
        from agent_consents where site_id = ${shop.siteId} and id = ${id} for update
      )
      update agent_consents k set last_polled_at = now(),
        interval_seconds = k.interval_seconds + case when before.too_early then ${SLOWER_BY}::int else 0 end
      from before, site_settings t where k.site_id = ${shop.siteId} and k.id = before.id and t.site_id = k.site_id
      returning (t.agent_policy ->> 'enabled')::boolean as enabled, k.status, k.status <> 'consumed' and least(k.expires_at, k.token_expires_at) <= now() as expired,
        coalesce(before.too_early, false) as too_early, k.interval_seconds`,
  );
}

interface Granted {
  agent_name: string;
  scopes: string[];
  budget_cents: number;
  categories: string[];
  token_expires_at: string;
  expires_in: number;
}

/**
 * Makes the token of an approved request: one, however many polls are on their way. Those who fetch tokens of one customer
 * take turns, so that no customer has more than ten that are active. Throws `agent_cap_exceeded` or `invalid_grant`.
 */
export async function issue(shop: Shop, consent_id: string): Promise<IssuedAgentToken> {
  const customer_id = await lockCustomerOf(shop, consent_id);
  const granted = await shop.one<Granted & Record<string, unknown>>(
    sql`update agent_consents set status = 'consumed'
      where site_id = ${shop.siteId} and id = ${consent_id} and customer_id = ${customer_id} and status = 'approved'
        and least(expires_at, token_expires_at) > now()
      returning agent_name, scopes, budget_cents, categories, token_expires_at,
        floor(extract(epoch from token_expires_at - now()))::int as expires_in`,
  );
  if (!granted) throw alreadyFetched();
  await refuseEleventh(shop, customer_id);

  const { agent_name, scopes, budget_cents, categories, token_expires_at: expires_at, expires_in } = granted;
  const access_token = mintToken('agent');
  const token_id = uuidv7();
  await shop.run(
    sql`with made as (
        insert into tokens (site_id, id, kind, token_hash, secret_prefix, description, scopes, expires_at, customer_id,
          categories)
        values (${shop.siteId}, ${token_id}, 'agent', ${hashToken(access_token)}, ${visiblePrefix(access_token)},
          ${agent_name}, ${scopes}::text[], ${expires_at}, ${customer_id}, ${categories}::text[])
        returning site_id, id
      )
      insert into agent_tokens (site_id, id, consent_id, budget_cents)
      select site_id, id, ${consent_id}, ${budget_cents} from made`,
  );
  const told = { token_id, agent_name, budget_cents, currency: shop.currency, categories, expires_at };
  return { access_token, token_type: 'Bearer', expires_in, scope: scopes.join(' '), ...told };
}

/** The customer who approved, locked. */
async function lockCustomerOf(shop: Shop, consent_id: string): Promise<string> {
  const found = await shop.one<{ id: string }>(
    sql`select c.id from customers c
      where c.site_id = ${shop.siteId} and c.anonymized_at is null and c.id = (
        select k.customer_id from agent_consents k where k.site_id = ${shop.siteId} and k.id = ${consent_id})
      for update`,
  );
  if (!found) throw alreadyFetched();
  return found.id;
}

async function refuseEleventh(shop: Shop, customer_id: string): Promise<void> {
  const found = await shop.one<{ active: number }>(
    sql`select count(*) as active from tokens where site_id = ${shop.siteId} and customer_id = ${customer_id}
      and kind = 'agent' and revoked_at is null and expires_at > now()`,
  );
  if ((found?.active ?? 0) < MAX_ACTIVE) return;
  const message = `The customer has ${MAX_ACTIVE} active agents already. Have one revoked, and poll again.`;
  throw new ShopError('agent_cap_exceeded', message, { limit: MAX_ACTIVE, retry_after_seconds: SLOWER_BY });
}

function alreadyFetched(): ShopError {
  return new ShopError('invalid_grant', 'The token of this device_code has been fetched already.');
}

/** Also what was approved before brings no token any more: a merchant who switches agents off wants no new ones. */
function switchedOff(): ShopError {
  return new ShopError('access_denied', 'The shop does not take agents any more.');
}

function expired(): ShopError {
  return new ShopError('expired_token', 'The request has expired. Ask for consent anew.');
}
