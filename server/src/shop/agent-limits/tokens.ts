import type { AgentToken, AgentTokenStatus } from '@commerce-backend/spec';
import sql, { empty, type Sql } from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import { type Page, type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';
import { hashToken, isWellFormed } from '../tokens.ts';
import { budgetFields } from './budgets.ts';

const LIST_LIMIT = 100;

/** The status of `tokens t` by the clock of the database. */
export const tokenStatus: Sql = sql`case when t.revoked_at is not null then 'revoked' when t.expires_at <= now() then 'expired'
  else 'active' end`;

function columns(shop: Shop): Sql {
  return selectList<AgentToken>({
    id: sql`t.id`,
    agent_name: sql`t.description`,
    customer_id: sql`t.customer_id`,
    scopes: sql`t.scopes`,
    categories: sql`t.categories`,
    ...budgetFields(shop),
    status: tokenStatus,
    created_at: sql`t.created_at`,
    last_used_at: sql`t.last_used_at`,
    expires_at: sql`t.expires_at`,
    revoked_at: sql`t.revoked_at`,
    revoked_by: sql`a.revoked_by`,
  });
}

/** Lists a customer's agent tokens: active ones first, then the newest, at most 100. */
export async function listOfCustomer(shop: Shop, customer_id: string): Promise<AgentToken[]> {
  return shop.rows<AgentToken>(
    sql`select ${columns(shop)} from tokens t join agent_tokens a using (site_id, id)
      where t.site_id = ${shop.siteId} and t.customer_id = ${customer_id}
      order by ${tokenStatus} = 'active' desc, t.created_at desc, t.id desc limit ${LIST_LIMIT}`,
  );
}

export interface AgentTokenQuery extends PageQuery {
  customer_id?: string;
  status?: AgentTokenStatus;
}

/** Returns one page of the agent tokens that match the query, newest first. */
export async function list(shop: Shop, query: AgentTokenQuery): Promise<Page & { agent_tokens: AgentToken[] }> {
  const { page, limit, offset } = pageOf(query);
  const where = sql`t.site_id = ${shop.siteId} and t.kind = 'agent'
    ${query.customer_id ? sql`and t.customer_id = ${query.customer_id}` : empty}
    ${query.status ? sql`and ${tokenStatus} = ${query.status}` : empty}`;
  const rows = await shop.rows<AgentToken & { counted: number }>(
    sql`select (select count(*) from tokens t where ${where}) as counted, chosen.*
      from (select 1) as always left join lateral (
        select ${columns(shop)} from tokens t join agent_tokens a using (site_id, id) where ${where}
        order by t.created_at desc, t.id desc limit ${limit} offset ${offset}
      ) chosen on true`,
  );
  const total = rows[0]?.counted ?? 0;
  const agent_tokens = rows.filter(({ id }) => id !== null).map(({ counted: _, ...token }) => token);
  return { agent_tokens, total, page, limit, pages: Math.ceil(total / limit) };
}

/** Returns an agent token. Throws `not_found`, even for the token of a customer other than `customer_id`. */
export async function get(shop: Shop, id: string, customer_id?: string): Promise<AgentToken> {
  const found = await shop.one<AgentToken>(
    sql`select ${columns(shop)} from tokens t join agent_tokens a using (site_id, id)
      where t.site_id = ${shop.siteId} and t.id = ${id} and t.kind = 'agent' ${ofCustomer(customer_id)}`,
  );
  if (!found) throw notFound('agent');
  return found;
}

/** Finds an active agent token by its secret. */
export async function findBySecret(shop: Shop, secret: string) {
  if (!isWellFormed('agent', secret)) return undefined;
  return shop.one<RowOf<'tokens', 'id' | 'customer_id'>>(
    sql`select id, customer_id from tokens t where t.site_id = ${shop.siteId} and t.token_hash = ${hashToken(secret)}
      and t.kind = 'agent' and ${tokenStatus} = 'active'`,
  );
}

export type Revoker = 'customer' | 'merchant' | 'agent' | 'system';

/**
 * Revokes an agent token. Does nothing if the token was already revoked. Throws `not_found`, even for a token of
 * another customer.
 */
export async function revoke(shop: Shop, id: string, by: Revoker, customer_id?: string): Promise<AgentToken> {
  await end(shop, by, sql`t.id = ${id} and t.kind = 'agent' ${ofCustomer(customer_id)}`);
  return get(shop, id, customer_id);
}

/** Revokes all agent tokens of a customer. The customer's row must be locked, so that no token is created meanwhile. */
export async function revokeAll(shop: Shop, customer_id: string, by: Revoker): Promise<void> {
  await end(shop, by, sql`t.customer_id = ${customer_id}`);
}

/** Revokes an agent token that is replaced by a new one. Returns false if it was already revoked. */
export async function endReplaced(shop: Shop, id: string, customer_id: string): Promise<boolean> {
  return (await end(shop, 'customer', sql`t.id = ${id} and t.kind = 'agent' ${ofCustomer(customer_id)}`)) > 0;
}

/** Revokes the token that was issued for a consent request, if there is one. */
export async function revokeOfConsent(shop: Shop, consent_id: string): Promise<void> {
  const made = sql`(select id from agent_tokens where site_id = ${shop.siteId} and consent_id = ${consent_id})`;
  await end(shop, 'system', sql`t.id = ${made}`);
}

/** Revokes the matching tokens. Returns their number. */
function end(shop: Shop, by: Revoker, which: Sql): Promise<number> {
  return shop.run(
    sql`with ended as (
        update tokens t set revoked_at = now() where t.site_id = ${shop.siteId} and ${which} and t.revoked_at is null
        returning t.id
      )
      update agent_tokens a set revoked_by = ${by} from ended where a.site_id = ${shop.siteId} and a.id = ended.id`,
  );
}

/**
 * Returns the token of the calling agent with its permissions. Throws `invalid_token` if the caller is not an agent.
 */
export async function own(shop: Shop): Promise<AgentToken> {
  const { agent } = shop;
  if (!agent) throw new ShopError('invalid_token', 'Only an agent can read its own token.');
  return get(shop, agent.token_id);
}

function ofCustomer(customer_id: string | undefined): Sql {
  return customer_id === undefined ? empty : sql`and t.customer_id = ${customer_id}`;
}
