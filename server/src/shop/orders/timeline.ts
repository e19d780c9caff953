import type { TimelineEntry } from '@commerce-backend/spec';
import sql, { empty } from 'sql-template-tag';
import { selectList } from '../../db/fields.ts';
import { newId } from '../../db/new-id.ts';
import { actorName } from '../actor-names.ts';
import { cursorPage, idOfCursor } from '../cursors.ts';
import { notFound } from '../errors.ts';
import { type Shop, SYSTEM } from '../shop.ts';

/** A timeline entry of an order. A later change adds another entry. */
export interface OrderEvent {
  type: TimelineEntry['type'];
  /** A sentence for staff. */
  message: string;
  context?: Record<string, unknown>;
}

/** Adds an entry to the timeline of an order, with the caller as actor. */
export function record(shop: Shop, order_id: string, happening: OrderEvent): Promise<void> {
  return recordForAll(shop, [order_id], happening);
}

/** Adds the same entry to the timelines of several orders. */
export async function recordForAll(
  shop: Shop,
  order_ids: string[],
  { type, message, context = {} }: OrderEvent,
): Promise<void> {
  await shop.run(
    sql`insert into order_events (site_id, id, order_id, type, message, context, actor_type, actor_id)
      select ${shop.siteId}, told.id, told.order_id, ${type}, ${message}, ${JSON.stringify(context)}::jsonb,
        ${actorType(shop)}, ${shop.actorType === 'system' ? null : shop.actorId}::uuid
      from unnest(${order_ids.map(() => newId())}::uuid[], ${order_ids}::uuid[]) as told (id, order_id)`,
  );
}

/** A storefront caller without an account is shown as a guest. */
export function actorType({ actorType, actorId }: Shop): TimelineEntry['actor_type'] {
  if (actorType === 'storefront' || actorType === 'guest_agent') return 'guest';
  return actorType === 'anonymous' || actorId === SYSTEM.id ? 'system' : actorType;
}

const columns = selectList<TimelineEntry>({
  id: sql`e.id`,
  type: sql`e.type`,
  message: sql`e.message`,
  actor_type: sql`e.actor_type`,
  actor_id: sql`e.actor_id`,
  actor_name: actorName,
  context: sql`e.context`,
  created_at: sql`e.created_at`,
});

/**
 * Lists the timeline of an order, newest first. `cursor` is the `next_cursor` of the previous page. Throws `not_found`.
 */
export async function timeline(
  shop: Shop,
  order_id: string,
  { cursor, limit = 20 }: { cursor?: string; limit?: number },
): Promise<{ entries: TimelineEntry[]; next_cursor: string | null }> {
  const before = cursor ? sql`and e.id < ${idOfCursor(cursor)}` : empty;
  if (!(await shop.one(sql`select from orders where site_id = ${shop.siteId} and id = ${order_id}`))) {
    throw notFound('order');
  }
  const rows = await shop.rows<TimelineEntry>(
    sql`select ${columns} from order_events e where e.site_id = ${shop.siteId} and e.order_id = ${order_id} ${before}
      order by e.id desc limit ${limit + 1}`,
  );
  const { page, next_cursor } = cursorPage(rows, limit);
  return { entries: page, next_cursor };
}
