import type { AuditEvent, AuditPage } from '@commerce-backend/spec';
import sql, { join, type Sql } from 'sql-template-tag';
import * as agentTokens from '../agent-limits/tokens.ts';
import { type AuditRow, auditColumns, eventOf } from '../audit/events.ts';
import type { Audience } from '../audit/words.ts';
import { cursorPage, idOfCursor } from '../cursors.ts';
import type { Shop } from '../shop.ts';

export interface AuditQuery {
  cursor?: string;
  limit?: number;
  actor_type?: AuditEvent['actor_type'];
  actor_id?: string;
  action?: string;
  view?: 'changes';
  assistant?: string;
  status?: number;
  correlation_id?: string;
  created_from?: string;
  created_to?: string;
}

/** Actions of staff on their own login and notifications, which change nothing in the shop. */
const STEPS_OF_LOGIN = ['login', 'logout', 'confirmIdentity', 'endSession', 'endOtherSessions', 'updateNotifications'];

/** The first condition matches the index audit_events_by_staff. */
const isChange: Sql = sql`(e.actor_type in ('staff', 'api_key') and e.action !~ '^dashboard[.](get|list|suggest|match)'
  and e.action <> all(${STEPS_OF_LOGIN.map((name) => `dashboard.${name}`)}::text[]))`;

function isByAssistant(name: string): Sql {
  return sql`(e.actor_type = 'staff' and e.details::jsonb ->> 'assistant' = ${name})`;
}

/** Lists the audit events that match all filters, newest first. */
export async function list(
  shop: Shop,
  { cursor, limit = 20, ...query }: AuditQuery,
  audience: Audience | null = 'merchant',
): Promise<AuditPage> {
  const conditions = [sql`e.site_id = ${shop.siteId}`];
  if (cursor !== undefined) conditions.push(sql`e.id < ${idOfCursor(cursor)}`);
  if (query.actor_type) conditions.push(sql`e.actor_type = ${query.actor_type}`);
  if (query.actor_id) conditions.push(sql`e.actor_id = ${query.actor_id}`);
  if (query.action) conditions.push(sql`e.action = ${query.action}`);
  if (query.view) conditions.push(isChange);
  if (query.assistant) conditions.push(isByAssistant(query.assistant));
  if (query.status) conditions.push(sql`e.status = ${query.status}`);
  if (query.correlation_id) conditions.push(sql`e.correlation_id = ${query.correlation_id}`);
  if (query.created_from) conditions.push(sql`e.created_at >= ${query.created_from}`);
  if (query.created_to) conditions.push(sql`e.created_at < ${query.created_to}`);
  const rows = await shop.rows<AuditRow>(
    sql`select ${auditColumns}
      from audit_events e where ${join(conditions, ' and ')} order by e.id desc limit ${limit + 1}`,
  );
  const { page, next_cursor } = cursorPage(rows, limit);
  return { audit_events: page.map((row) => eventOf(row, audience)), next_cursor };
}

/**
 * Lists the audit events of an agent token, newest first. Throws `not_found`, even for an agent of a customer other
 * than `customer_id`.
 */
export async function listOfAgent(
  shop: Shop,
  token_id: string,
  query: Pick<AuditQuery, 'cursor' | 'limit'>,
  customer_id?: string,
): Promise<AuditPage> {
  await agentTokens.get(shop, token_id, customer_id);
  return list(shop, { ...query, actor_type: 'agent', actor_id: token_id }, customer_id ? 'customer' : 'merchant');
}

/**
 * Lists the audit events of the calling agent without their summaries, which are for people and may contain text of
 * merchants.
 */
export async function listOwn(shop: Shop, query: Pick<AuditQuery, 'cursor' | 'limit'>): Promise<AuditPage> {
  return list(shop, { ...query, actor_type: 'agent', actor_id: shop.actorId }, null);
}
