import type {
  FulfillmentStatus,
  Order,
  OrderPage,
  OrderSource,
  OrderStatus,
  PaymentMethod,
  PaymentStatus,
} from '@commerce-backend/spec';
import sql, { join, type Sql } from 'sql-template-tag';
import type { OrNulls } from '../../db/nulls.ts';
import { escapeLike } from '../like.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';
import { current, hasPaymentStatus, hasStatus, isAwaited } from './overdue.ts';
import { isToShip } from './quantities.ts';
import * as rows from './rows.ts';

export interface OrderQuery extends PageQuery {
  q?: string;
  status?: OrderStatus;
  payment_status?: PaymentStatus;
  fulfillment_status?: FulfillmentStatus;
  source?: OrderSource;
  payment_method?: PaymentMethod;
  customer_id?: string;
  guest_email?: string;
  agent_token_id?: string;
  waiting_for?: 'payment' | 'shipping';
  created_from?: string;
  created_to?: string;
  sort?: 'newest' | 'oldest' | 'recently_updated' | 'total_desc' | 'total_asc';
}

const ORDERS: Record<NonNullable<OrderQuery['sort']>, Sql> = {
  newest: sql`o.created_at desc, o.id desc`,
  oldest: sql`o.created_at, o.id`,
  recently_updated: sql`${current.updated_at} desc, o.id desc`,
  total_desc: sql`o.total desc, o.id`,
  total_asc: sql`o.total, o.id`,
};

/** Returns one page of the orders that match all filters. */
export async function list(shop: Shop, query: OrderQuery): Promise<OrderPage> {
  const conditions = [conditionsOf(shop, query)];
  if (query.q !== undefined) conditions.push(await mentioning(shop, `%${escapeLike(query.q.trim())}%`));
  return readPage(shop, 'merchant', join(conditions, ' and '), query);
}

/** Returns one page of a customer's orders, newest first. */
export function listOfCustomer(
  shop: Shop,
  customer_id: string,
  query: PageQuery,
  audience: 'merchant' | 'customer' = 'customer',
): Promise<OrderPage> {
  return readPage(shop, audience, conditionsOf(shop, { customer_id }), query);
}

/**
 * Reads one page of orders. A subquery selects their ids first; otherwise PostgreSQL also computes the columns of
 * skipped rows.
 */
async function readPage(
  shop: Shop,
  audience: 'merchant' | 'customer',
  conditions: Sql,
  query: OrderQuery,
): Promise<OrderPage> {
  const { page, limit, offset } = pageOf(query);
  const found = await shop.rows<{ counted: number } & OrNulls<Order>>(
    sql`select counted.counted, chosen.*
      from (select count(*) as counted from orders o where ${conditions}) counted left join lateral (
        select ${rows.orderColumns(shop, audience)}
        from unnest(array(
          select o.id from orders o where ${conditions}
          order by ${ORDERS[query.sort ?? 'newest']} limit ${limit} offset ${offset}
        )) with ordinality as listed (id, place)
        join orders o on o.site_id = ${shop.siteId} and o.id = listed.id
        order by listed.place
      ) chosen on true`,
  );
  const total = found[0]?.counted ?? 0;
  const orders = found.flatMap(({ counted: _, ...order }) => (order.id === null ? [] : [order]));
  return { orders, total, page, limit, pages: Math.ceil(total / limit) };
}

const EQUALS = ['fulfillment_status', 'source', 'payment_method'] as const;
const COLUMNS = {
  fulfillment_status: sql`o.fulfillment_status`,
  source: sql`o.source`,
  payment_method: sql`o.payment_method`,
};

/** Orders that wait for an action, as the overview counts them. The conditions use the index orders_open. */
const WAITING_FOR: Record<NonNullable<OrderQuery['waiting_for']>, Sql> = {
  payment: sql`o.status = 'pending' and o.fulfillment_status = 'unfulfilled' and ${isAwaited}`,
  shipping: isToShip,
};

function conditionsOf(shop: Shop, query: OrderQuery): Sql {
  const conditions = [sql`o.site_id = ${shop.siteId}`];
  for (const field of EQUALS) {
    if (query[field] !== undefined) conditions.push(sql`${COLUMNS[field]} = ${query[field]}`);
  }
  if (query.status) conditions.push(hasStatus(query.status));
  if (query.payment_status) conditions.push(hasPaymentStatus(query.payment_status));
  if (query.customer_id) conditions.push(sql`o.customer_id = ${query.customer_id}`);
  if (query.guest_email) conditions.push(isOfGuest(query.guest_email));
  if (query.agent_token_id) conditions.push(sql`o.agent_token_id = ${query.agent_token_id}`);
  if (query.waiting_for) conditions.push(WAITING_FOR[query.waiting_for]);
  if (query.created_from) conditions.push(sql`o.created_at >= ${query.created_from}`);
  if (query.created_to) conditions.push(sql`o.created_at < ${query.created_to}`);
  return join(conditions, ' and ');
}

/** The condition that an order belongs to no customer and has this e-mail address. */
function isOfGuest(email: string): Sql {
  return sql`o.customer_id is null and lower(o.email) = lower(${email})`;
}

/** If more orders match, a scan is as fast as the index. */
const FEW = 1_000;

/**
 * The condition that an order contains the text in its number, e-mail address, names, SKUs, tracking numbers or
 * external reference. Uses the index only if few orders match.
 */
async function mentioning(shop: Shop, like: string): Promise<Sql> {
  const found = await shop.rows<{ order_id: string }>(sql`select s.order_id from search_orders(${like}, ${FEW + 1}) s`);
  return found.length > FEW
    ? lookedThrough(shop, like)
    : sql`o.id = any(${found.map(({ order_id }) => order_id)}::uuid[])`;
}

/** A condition that scans lines and fulfilments once, not once per order. */
function lookedThrough(shop: Shop, like: string): Sql {
  return sql`(o.order_number ilike ${like} or o.email ilike ${like} or o.tracking_number ilike ${like}
    or o.external_reference ilike ${like}
    or concat_ws(' ', o.shipping_address->>'first_name', o.shipping_address->>'last_name') ilike ${like}
    or concat_ws(' ', o.billing_address->>'first_name', o.billing_address->>'last_name') ilike ${like}
    or o.id in (select l.order_id from order_lines l where l.site_id = ${shop.siteId} and l.sku ilike ${like})
    or o.id in (
      select f.order_id from fulfillments f where f.site_id = ${shop.siteId} and f.tracking_number ilike ${like}))`;
}
