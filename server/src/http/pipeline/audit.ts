/**
 * Audits every call of an agent or an assistant, and mutations with storefront tokens, customer tokens, staff sessions
 * and API keys. An action of staff on their own login is recorded in each of their shops. Of the payload only a keyed
 * hash is stored, which can prove the content but does not reveal it. Rows of staff and API keys also have the target
 * ids, the names of the sent fields and the changed values; rows of agents have details of the call. Requests may only
 * insert rows, and each row is signed with a key that is not in the database.
 */

import { createHmac, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { type Connection, query } from '../../db/connect.ts';
import type { RowOf } from '../../db/row-of.ts';
import { inTransaction } from '../../db/transaction.ts';
import { detailsText, type StoredDetails } from '../../shop/audit/details.ts';
import type { AuditKey } from '../../shop/audit/keys.ts';
import { hashDetails, signRow } from '../../shop/audit/signing.ts';
import type { Shop } from '../../shop/shop.ts';
import { hashToken, isWellFormed } from '../../shop/tokens.ts';
import type { Caller, KnownAssistant } from '../callers/caller.ts';
import { isUuid } from '../callers/claims.ts';
import { NOBODY } from '../callers/open-callers.ts';
import type { Operation } from '../contract/contract.ts';
import type { Received, Sender } from '../received.ts';
import { auditIdOf, type RequestContext } from '../request.ts';
import { detailsFrom, detailsOfAssistant } from './audit-details.ts';
import { type Answer, answerTo } from './errors.ts';
import { payloadOf } from './payload.ts';

/** The data of a call and its response. */
export interface AuditedCall {
  operation: Operation;
  caller: Caller;
  request: Received;
  /** Method, path, query and body in canonical form. */
  payload: string;
  secretKey: string;
  auditKey: AuditKey;
  request_id: string;
  /** Set in advance, so that the row can be written again if the result of a commit is unknown. */
  audit_id?: string;
  status: number;
  /** Id of the object that the call created. */
  made?: string | undefined;
  /** Needed for the details of an agent's call and the changes by staff. */
  answer?: Answer;
}

const AUDITED: Caller['kind'][] = ['agent', 'guest_agent', 'storefront', 'customer', 'staff', 'api_key'];
const ON_THE_DASHBOARD: Caller['kind'][] = ['staff', 'api_key'];
const OF_AGENTS: string[] = ['agent', 'guest_agent'];
const MAX_USER_AGENT = 500;

/**
 * The statement that audits a call; undefined if calls of this kind of caller are not audited. Must run in the call's
 * own transaction, so that there is a row only if the call took effect.
 */
export function auditEvent(shop: Shop, act: AuditedCall): Sql | undefined {
  const { operation, caller } = act;
  // Calls of staff who have not chosen a merchant, such as logout, belong to no shop.
  if (!AUDITED.includes(caller.kind) || shop.siteId === NOBODY) return undefined;
  const actor = { type: caller.kind, id: caller.principal_id };
  return insertion({
    ...act,
    site_id: shop.siteId,
    actor,
    action: operation.id,
    buyer_ip: caller.buyer_ip,
    customer_id: OF_AGENTS.includes(caller.kind) ? caller.customer_id : null,
    details: detailsOf(act),
    ...changesOf(act),
  });
}

function detailsOf({ operation, caller, request, answer }: AuditedCall): StoredDetails | undefined {
  if (!answer) return undefined;
  const { changes = [] } = answer;
  if (caller.assistant) return { ...detailsOfAssistant(caller.assistant.name, answer), changes };
  if (changes.length > 0) return { changes };
  return OF_AGENTS.includes(caller.kind) ? detailsFrom(operation, request, answer) : undefined;
}

const MAX_FIELDS = 100;

/**
 * Target ids (the ids in the path and the id of the created object) and names of the sent fields, for staff and API
 * keys.
 */
function changesOf({ caller, request, made }: AuditedCall): Pick<Record, 'targets' | 'fields'> {
  return ON_THE_DASHBOARD.includes(caller.kind) ? sentIn(request, made) : {};
}

function sentIn({ params, body }: Received, made?: string) {
  const targets = [...Object.values(params), made].filter(isUuid);
  return { targets, fields: Object.keys((body as object | undefined) ?? {}).slice(0, MAX_FIELDS) };
}

/**
 * The statement that audits, in one shop, an action of staff on their own login or with a mailed link. The shop must be
 * the current tenant.
 */
export function auditEventOfPerson(site_id: string, staff_id: string, act: Omit<AuditedCall, 'caller'>): Sql {
  const { operation, request } = act;
  const actor = { type: 'staff', id: staff_id };
  const about = { customer_id: null, details: undefined, buyer_ip: undefined };
  return insertion({ ...act, ...about, ...sentIn(request), site_id, actor, action: operation.id });
}

/** Audits a rejected call of an assistant, in its own transaction. */
async function auditRefusedAssistant(
  db: Pool,
  { site_id, staff_id, name }: KnownAssistant,
  act: Omit<AuditedCall, 'operation' | 'caller' | 'answer'> & { operation: Operation | undefined; answer: Answer },
): Promise<void> {
  const row = insertion({
    ...act,
    ...{ site_id, actor: { type: 'staff', id: staff_id }, action: act.operation?.id ?? 'unknown' },
    ...{ customer_id: null, buyer_ip: undefined, details: detailsOfAssistant(name, act.answer) },
    ...sentIn(act.request),
  });
  await inTransaction(db, async (connection) => {
    await query(connection, sql`select set_config('app.site_id', ${site_id}, true)`);
    // After a commit with an unknown result, the row may already exist.
    await query(connection, sql`${row} on conflict (site_id, id) do nothing`);
  });
}

/** Audits a mutation that does not go through `handle`, such as a call of an OAuth endpoint. */
export async function audit(shop: Shop, act: AuditedCall): Promise<void> {
  const event = auditEvent(shop, act);
  if (event) await shop.run(event);
}

type Record = Omit<AuditedCall, 'operation' | 'caller'> & {
  buyer_ip: string | undefined;
  customer_id: string | null;
  details: StoredDetails | undefined;
  site_id: string;
  actor: { type: string; id: string };
  action: string;
  targets?: string[];
  fields?: string[];
};

const SALT_BYTES = 16;

function insertion(record: Record): Sql {
  const { site_id, actor, action, request, payload, secretKey, auditKey, request_id, status, customer_id } = record;
  const details = record.details ? detailsText(record.details) : null;
  const salt = details === null ? null : randomBytes(SALT_BYTES);
  const row = {
    ...{ site_id, id: record.audit_id ?? uuidv7(), actor_type: actor.type, actor_id: actor.id, action, status },
    payload_hash: createHmac('sha256', `${secretKey}audit`).update(payload).digest(),
    ...{ ip: addressOf(request), buyer_ip: record.buyer_ip ?? null, user_agent: userAgentOf(request) },
    correlation_id: request_id,
    // Lower case, as PostgreSQL returns ids, because the row's signature covers them.
    targets: record.targets?.map((id) => id.toLowerCase()) ?? [],
    ...{ fields: record.fields ?? [], customer_id },
    details_hash: details === null || salt === null ? null : hashDetails(salt, details),
  };
  return sql`insert into audit_events
        (site_id, id, actor_type, actor_id, action, status, payload_hash, ip, buyer_ip, user_agent, correlation_id,
         targets, fields, customer_id, details, details_salt, details_hash, key_id, hmac)
      values (${site_id}, ${row.id}, ${actor.type}, ${actor.id}, ${action}, ${status}, ${row.payload_hash},
        ${row.ip}, ${row.buyer_ip}, ${row.user_agent}, ${request_id},
        ${row.targets}::uuid[], ${row.fields}::text[], ${customer_id}, ${details}, ${salt}, ${row.details_hash},
        ${auditKey.id}, ${signRow(auditKey, row)})`;
}

/** The sender's IP address; null if a proxy passed on an invalid one. */
function addressOf({ ip = '' }: Sender): string | null {
  return isIP(ip) > 0 ? ip : null;
}

export function userAgentOf({ headers }: Sender): string | null {
  return headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null;
}

const AUDIT_FAILURE_WITHIN_MS = 500;

interface AuditDeps {
  db: Pool;
  secretKey: string;
  auditKey: AuditKey;
}

/**
 * Writes an audit row for the call of an agent or an assistant that has none yet. If that fails, the call fails too,
 * but a 5xx response stays as it is.
 */
export async function ensureAudited(
  { db, secretKey, auditKey }: AuditDeps,
  request: Received,
  context: RequestContext,
  answer: Answer,
  assistant: KnownAssistant | undefined,
): Promise<Answer> {
  if (answer.audited || (agentTokenIn(request) === undefined && !assistant)) return answer;
  const { operation, request_id, caller } = context;
  const { status } = answer;
  try {
    const call = { operation, request, payload: payloadOf(request, operation), secretKey, auditKey, request_id };
    const about = { audit_id: auditIdOf(context), status, answer, buyer_ip: caller?.buyer_ip };
    const written = assistant
      ? auditRefusedAssistant(db, assistant, { ...call, ...about })
      : auditRefused(db, { ...call, ...about });
    if (status < 500) await written;
    // If the database caused the failure, the audit write may hang too, so the caller waits only briefly for it.
    else await Promise.race([written.catch(() => undefined), sleep(AUDIT_FAILURE_WITHIN_MS)]);
    return answer;
  } catch (error) {
    if (status >= 500) return answer;
    context.cause = error;
    return answerTo(error, request_id, true);
  }
}

/**
 * Audits a call with an agent's token that left no row, because it was rejected, failed or matched no path. Runs in its
 * own transaction. Also audits revoked and expired tokens, but not unknown ones.
 */
async function auditRefused(
  db: Pool,
  act: Omit<AuditedCall, 'operation' | 'caller'> & {
    operation: Operation | undefined;
    audit_id: string;
    buyer_ip: string | undefined;
    answer: Answer;
  },
): Promise<void> {
  const token = agentTokenIn(act.request);
  if (token === undefined) return;
  await inTransaction(db, async (connection) => {
    const known = await tokenBehind(connection, token);
    if (!known) return;
    const { site_id, id } = known;
    const action = act.operation?.id ?? 'unknown';
    // The customer may have been erased, so calls with a revoked or expired token are recorded without personal data.
    const active = known.is_active && act.status !== 401;
    const customer_id = active ? known.customer_id : null;
    const details = detailsFrom(act.operation, act.request, act.answer, active);
    const row = insertion({ ...act, site_id, actor: { type: 'agent', id }, action, customer_id, details });
    // After a commit with an unknown result, the row may already exist.
    await query(connection, sql`${row} on conflict (site_id, id) do nothing`);
  });
}

/** The agent's token in the request, if it is well-formed. */
export function agentTokenIn({ headers }: Sender): string | undefined {
  const token = /^Bearer (agt_\w+)$/i.exec(headers.authorization ?? '')?.[1];
  return token !== undefined && isWellFormed('agent', token) ? token : undefined;
}

/** Finds a token, whether or not it is still valid. Sets its site as tenant for the rest of the transaction. */
async function tokenBehind(connection: Connection, token: string) {
  const { rows } = await query<RowOf<'tokens', 'site_id' | 'id' | 'customer_id'> & { is_active: boolean }>(
    connection,
    sql`select t.site_id, t.id, t.customer_id, set_config('app.site_id', t.site_id::text, true),
        t.revoked_at is null and (t.expires_at is null or t.expires_at > now()) as is_active
      from tokens t where t.token_hash = ${hashToken(token)} and t.kind = 'agent'`,
  );
  return rows[0];
}
