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
import type { Caller } from '../callers/caller.ts';
import { isUuid } from '../callers/claims.ts';
import { NOBODY } from '../callers/open-callers.ts';
import type { Operation } from '../contract/contract.ts';
import type { Received, Sender } from '../received.ts';
import { auditIdOf, type RequestContext } from '../request.ts';
import { detailsFrom } from './audit-details.ts';
import { type Answer, answerTo } from './errors.ts';
import { payloadOf } from './payload.ts';

/**
 * Audited calls: every call of an agent, and mutations with storefront and customer tokens, by staff and by API keys.
 * Actions of staff on their own login are recorded in each shop for which they work. Of the payload only a keyed hash
 * is stored, which proves the content without revealing it; for staff and API keys, the target ids and the names of the
 * sent fields are stored too, and for agents the details of the call. Requests may only insert rows, and each row is
 * signed by a key that is not in the database.
 */

/** A call with its response. */
export interface AuditedCall {
  operation: Operation;
  caller: Caller;
  request: Received;
  /** Method, path, query and body in canonical form. */
  payload: string;
  secretKey: string;
  auditKey: AuditKey;
  request_id: string;
  /** Id of the audit row, so that it can be written again if the commit is unknown. */
  audit_id?: string;
  status: number;
  /** The id of the created object. */
  made?: string | undefined;
  /** The response, for the details of an agent's call. */
  answer?: Answer;
}

const AUDITED: Caller['kind'][] = ['agent', 'guest_agent', 'storefront', 'customer', 'staff', 'api_key'];
const ON_THE_DASHBOARD: Caller['kind'][] = ['staff', 'api_key'];
const OF_AGENTS: string[] = ['agent', 'guest_agent'];
const MAX_USER_AGENT = 500;

/**
 * The statement that records a call; undefined for callers who are not audited. It must run in the call's own
 * transaction, so that a row exists exactly if the call took effect.
 */
export function auditEvent(shop: Shop, act: AuditedCall): Sql | undefined {
  const { operation, caller } = act;
  // Actions of staff who have not chosen a merchant, such as logout, belong to no shop.
  if (!AUDITED.includes(caller.kind) || shop.siteId === NOBODY) return undefined;
  const actor = { type: caller.kind, id: caller.principal_id };
  return insertion({
    ...act,
    site_id: shop.siteId,
    actor,
    action: operation.id,
    buyer_ip: caller.buyer_ip,
    customer_id: OF_AGENTS.includes(caller.kind) ? caller.customer_id : null,
    details:
      OF_AGENTS.includes(caller.kind) && act.answer ? detailsFrom(operation, act.request, act.answer) : undefined,
    ...changesOf(act),
  });
}

const MAX_FIELDS = 100;

/**
 * The targets of a call by staff or an API key: the ids in its path and of the created object, and the names of the
 * sent fields.
 */
function changesOf({ caller, request, made }: AuditedCall): Pick<Record, 'targets' | 'fields'> {
  return ON_THE_DASHBOARD.includes(caller.kind) ? sentIn(request, made) : {};
}

function sentIn({ params, body }: Received, made?: string) {
  const targets = [...Object.values(params), made].filter(isUuid);
  return { targets, fields: Object.keys((body as object | undefined) ?? {}).slice(0, MAX_FIELDS) };
}

/**
 * The statement that records, in one shop, an action of a staff member on their own login or with a mailed link. The
 * shop must be the tenant.
 */
export function auditEventOfPerson(site_id: string, staff_id: string, act: Omit<AuditedCall, 'caller'>): Sql {
  const { operation, request } = act;
  const actor = { type: 'staff', id: staff_id };
  const about = { customer_id: null, details: undefined, buyer_ip: undefined };
  return insertion({ ...act, ...about, ...sentIn(request), site_id, actor, action: operation.id });
}

/** Records a mutation that is not an operation. */
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
    // In PostgreSQL's spelling of ids, because they are signed.
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

/** The IP address of the sender; null if a proxy passed on an invalid one. */
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
 * Ensures that an agent's call has an audit row before it is answered. If the row cannot be written, the call fails.
 */
export async function ensureAudited(
  { db, secretKey, auditKey }: AuditDeps,
  request: Received,
  context: RequestContext,
  answer: Answer,
): Promise<Answer> {
  if (answer.audited || agentTokenIn(request) === undefined) return answer;
  const { operation, request_id, caller } = context;
  const { status } = answer;
  try {
    const call = { operation, request, payload: payloadOf(request, operation), secretKey, auditKey, request_id };
    const about = { audit_id: auditIdOf(context), status, answer, buyer_ip: caller?.buyer_ip };
    const written = auditRefused(db, { ...call, ...about });
    if (status < 500) await written;
    // The cause of the failure may delay this row too, and the caller must not wait twice.
    else await Promise.race([written.catch(() => undefined), sleep(AUDIT_FAILURE_WITHIN_MS)]);
    return answer;
  } catch (error) {
    if (status >= 500) return answer;
    context.cause = error;
    return answerTo(error, request_id, true);
  }
}

/**
 * Records a call with an agent's token that left no row, because it was rejected, failed or had an unknown path. Writes
 * in its own transaction. Calls with a revoked or expired token are recorded too, but not those with an unknown token.
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
    // The customer of an ended token may have been erased, so the record of its calls must contain nothing that would
    // have to be erased.
    const active = act.status !== 401;
    const customer_id = active ? known.customer_id : null;
    const details = detailsFrom(act.operation, act.request, act.answer, active);
    const row = insertion({ ...act, site_id, actor: { type: 'agent', id }, action, customer_id, details });
    // If it is unknown whether the call's own commit succeeded, its row may already exist.
    await query(connection, sql`${row} on conflict (site_id, id) do nothing`);
  });
}

/** The token of an agent's call, if it has the right form. */
export function agentTokenIn({ headers }: Sender): string | undefined {
  const token = /^Bearer (agt_\w+)$/i.exec(headers.authorization ?? '')?.[1];
  return token !== undefined && isWellFormed('agent', token) ? token : undefined;
}

/** The token of a call, in any state. Sets its site as tenant for the rest of the transaction. */
async function tokenBehind(connection: Connection, token: string) {
  const { rows } = await query<RowOf<'tokens', 'site_id' | 'id' | 'customer_id'>>(
    connection,
    sql`select t.site_id, t.id, t.customer_id, set_config('app.site_id', t.site_id::text, true) from tokens t
      where t.token_hash = ${hashToken(token)} and t.kind = 'agent'`,
  );
  return rows[0];
}
