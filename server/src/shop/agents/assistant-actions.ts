/**
 * Calls that assistants want to make, each of which a staff member must confirm. The stored call never changes, so
 * exactly the confirmed call runs. It runs at most once: a separate transaction ends the status `pending` before the
 * call, and all attempts have the same Idempotency-Key.
 */

import type { AssistantAction } from '@commerce-backend/spec';
import contract from '@commerce-backend/spec/openapi.json' with { type: 'json' };
import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { RowOf } from '../../db/row-of.ts';
import { notFound, ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';

const LIFETIME = '15 minutes';
const MOST_PENDING = 20;
/**
 * A call that is still marked as running after this time was interrupted, because every request has a deadline of at
 * most 2 minutes.
 */
const LONGEST_RUN = '3 minutes';
/**
 * Time after the expiry of an action within which its interrupted call may be repeated. The stored response is kept for
 * longer.
 */
const REPEATABLE_FOR = '1 hour';

/** A call of an operation. */
export interface StoredCall {
  path: Record<string, string>;
  body?: unknown;
}

/** The state of the resource when the assistant proposed the change. */
export interface Present {
  /** The version of the resource, for If-Match. */
  etag: string | null;
  /** The number or name of the resource. */
  target: string | null;
  /** The current values of the fields in the call. */
  before: Record<string, unknown>;
}

/**
 * Stores a call until the member decides. Returns its id and expiry, and the name of the shop. Throws `limit_reached`.
 */
export async function hold(
  shop: Shop,
  assistant_id: string,
  { operation, request, present }: { operation: string; request: StoredCall; present: Present },
): Promise<{ id: string; expires_at: string; shop_name: string }> {
  // Requests of one assistant run one after another, so that the count is right.
  await shop.run(sql`select from assistants where site_id = ${shop.siteId} and id = ${assistant_id} for no key update`);
  const held = await shop.one<{ id: string; expires_at: string; shop_name: string }>(
    sql`insert into assistant_actions (site_id, id, assistant_id, staff_id, operation, request, if_match, target, before,
        expires_at)
      select ${shop.siteId}, ${uuidv7()}, ${assistant_id}, ${shop.actorId}, ${operation},
        ${JSON.stringify(request)}::jsonb, ${present.etag}, coalesce(${nameOfVariant(shop, request.path.variant_id)},
        ${present.target}), ${JSON.stringify(present.before)}::jsonb, now() + ${LIFETIME}::interval
      where (select count(*) from assistant_actions o where o.site_id = ${shop.siteId}
        and o.assistant_id = ${assistant_id} and o.status = 'pending' and o.expires_at > now()) < ${MOST_PENDING}
      returning id, expires_at, (select name from site_settings t where t.site_id = ${shop.siteId}) as shop_name`,
  );
  if (held) return held;
  const message = `${MOST_PENDING} changes wait for the member. Ask them to decide on those first.`;
  throw new ShopError('limit_reached', message, { limit: MOST_PENDING });
}

/** Names a variant for the member, who cannot recognize its id; null for another resource. */
function nameOfVariant(shop: Shop, variant_id: string | undefined): Sql {
  return sql`(select left(concat_ws(', ', p.name, nullif(concat_ws(' / ', v.option1, v.option2, v.option3), ''), v.sku), 500)
    from variants v join products p on p.site_id = v.site_id and p.id = v.product_id
    where v.site_id = ${shop.siteId} and v.id = ${variant_id ?? null}::uuid)`;
}

type Row = RowOf<
  'assistant_actions',
  'id' | 'operation' | 'target' | 'if_match' | 'run_key' | 'status' | 'staff_id' | 'created_at' | 'expires_at'
> & {
  request: StoredCall;
  before: Record<string, unknown>;
  result: AssistantAction['result'];
  client_name: string;
  expired: boolean;
};

const COLUMNS: Sql = sql`k.id, k.operation, k.target, k.if_match, k.run_key, k.status, k.staff_id, k.created_at,
  k.expires_at, k.request, k.before, k.result, a.client_name, k.expires_at <= now() as expired`;

/** Returns an action. Throws `not_found`, or `action_for_another` if the caller is not its member. */
export async function get(shop: Shop, action_id: string): Promise<AssistantAction> {
  return shownAction(await rowOf(shop, action_id));
}

async function rowOf(shop: Shop, action_id: string): Promise<Row> {
  const row = await shop.one<Row>(
    sql`select ${COLUMNS} from assistant_actions k
      join assistants a on a.site_id = k.site_id and a.id = k.assistant_id
      where k.site_id = ${shop.siteId} and k.id = ${action_id}`,
  );
  if (!row) throw notFound('change');
  if (row.staff_id === shop.actorId) return row;
  throw new ShopError('action_for_another', 'This assistant acts for another member of the staff.');
}

export interface ToRun extends StoredCall {
  operation: string;
  if_match: string | null;
  /** The Idempotency-Key of the call. */
  key: string;
}

/**
 * Marks an action as running and returns its call. Also accepts an action whose call was interrupted. Throws the errors
 * of `get`, or `action_expired`, or `action_not_pending`, for example for the second of two concurrent confirmations.
 */
export async function take(shop: Shop, action_id: string): Promise<ToRun> {
  await decide(shop, action_id, 'running');
  const { operation, request, if_match, run_key } = await rowOf(shop, action_id);
  return { ...request, operation, if_match, key: run_key };
}

export async function decline(shop: Shop, action_id: string): Promise<AssistantAction> {
  await decide(shop, action_id, 'declined');
  return get(shop, action_id);
}

async function decide(shop: Shop, action_id: string, status: 'running' | 'declined'): Promise<void> {
  const interrupted = sql`k.status = 'running' and k.taken_at < now() - ${LONGEST_RUN}::interval
    and k.expires_at > now() - ${REPEATABLE_FOR}::interval`;
  const decided = await shop.run(
    sql`update assistant_actions k set status = ${status}, taken_at = now()
      where k.site_id = ${shop.siteId} and k.id = ${action_id} and k.staff_id = ${shop.actorId}
        and (k.status = 'pending' and k.expires_at > now() or ${status === 'running'} and ${interrupted})
        and exists (select from assistants a where a.site_id = k.site_id and a.id = k.assistant_id
          and a.expires_at > now())`,
  );
  if (decided > 0) return;
  const row = await rowOf(shop, action_id);
  if (row.status === 'pending') {
    throw new ShopError(
      'action_expired',
      'This change was not confirmed within 15 minutes. Let the assistant ask again.',
    );
  }
  throw new ShopError('action_not_pending', `This change is already ${row.status}.`, { status: row.status });
}

/** Stores the result of a running action. Without a result, the action becomes pending again. */
export async function finish(
  shop: Shop,
  action_id: string,
  result: NonNullable<AssistantAction['result']> | undefined,
): Promise<void> {
  const status = result === undefined ? 'pending' : result.status < 400 ? 'done' : 'failed';
  await shop.run(
    sql`update assistant_actions set status = ${status}, result = ${result ? JSON.stringify(result) : null}::jsonb
      where site_id = ${shop.siteId} and id = ${action_id} and status = 'running'`,
  );
}

/** The summary of each operation in the contract. */
const TITLES = new Map(
  Object.values(contract.paths as Record<string, Record<string, { operationId?: string; summary?: string }>>)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId, summary }) => [operationId, summary]),
);

function shownAction(row: Row): AssistantAction {
  const { id, operation, target, request, before, result, client_name, created_at, expires_at } = row;
  const present = new Map(leaves(before, ''));
  const sent = [...leaves(request.path, ''), ...leaves(request.body ?? {}, '')];
  // An address and metadata are replaced as a whole, so values that the call does not repeat are removed.
  const removed = [...present].filter(([field, value]) => isValue(value) && !sent.some(([name]) => name === field));
  return {
    ...{ id, operation, target, result, created_at, expires_at },
    title: TITLES.get(operation) ?? operation,
    assistant_name: client_name,
    changes: [...sent, ...removed.map(([field]): [string, unknown] => [field, null])].map(([field, value]) => ({
      field,
      before: present.has(field) ? inText(present.get(field)) : null,
      after: inText(value),
    })),
    status: row.status === 'pending' && row.expired ? 'expired' : (row.status as AssistantAction['status']),
  };
}

/**
 * Lists the values in a body with their paths, such as `items.0.quantity`. A list of texts or numbers counts as one
 * value.
 */
function leaves(value: unknown, place: string): [string, unknown][] {
  const parts = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const isPlain = Array.isArray(value) && value.every((part) => typeof part !== 'object');
  if (parts.length === 0 || isPlain) return place === '' ? [] : [[place, value]];
  return parts.flatMap(([name, part]) => leaves(part, place === '' ? name : `${place}.${name}`));
}

/** Whether the field has a value, so that leaving it out removes something. */
function isValue(value: unknown): boolean {
  return value !== null && value !== '' && (typeof value !== 'object' || Object.keys(value as object).length > 0);
}

function inText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
