/** Orders as agents see them: without addresses and notes. */

import type { AgentLine, AgentOrder, AgentOrderPage, AgentTotals } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { jsonObject, selectList } from '../../db/fields.ts';
import { notFound } from '../errors.ts';
import { CAPS, CONTENT_TRUST, sanitizeMerchantText } from '../merchant-text.ts';
import { current } from '../orders/overdue.ts';
import { lineQuantities } from '../orders/quantities.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';
import { lineContentOf, totalsOf } from './views.ts';

type Row = Omit<AgentOrder, 'items' | 'totals' | 'content'> &
  AgentTotals & {
    tracking_number: string | null;
    lines: LineRow[];
  };

type LineRow = Omit<AgentLine, 'content'> & { name: string; variant_name: string | null };

const line = jsonObject<LineRow>({
  id: sql`l.id`,
  product_id: sql`l.product_id`,
  variant_id: sql`l.variant_id`,
  quantity: sql`l.quantity`,
  price: sql`l.price::text`,
  total: sql`l.total::text`,
  available: sql`true`,
  name: sql`l.name`,
  variant_name: sql`l.variant_name`,
});

const columns: Sql = selectList<Row>({
  id: sql`o.id`,
  order_number: sql`o.order_number`,
  status: current.status,
  payment_status: current.payment_status,
  fulfillment_status: sql`o.fulfillment_status`,
  source: sql`o.source`,
  currency: sql`o.currency`,
  subtotal: sql`o.subtotal`,
  discount: sql`o.discount`,
  shipping_cost: sql`o.shipping_cost`,
  tax: sql`o.tax`,
  tax_included: sql`o.tax_included`,
  total: sql`o.total`,
  tracking_number: sql`o.tracking_number`,
  created_at: sql`o.created_at`,
  shipped_at: sql`o.shipped_at`,
  delivered_at: sql`o.delivered_at`,
  cancelled_at: current.cancelled_at,
  line_states: lineQuantities,
  lines: sql`(
    select coalesce(json_agg(${line} order by l.position, l.id), '[]')
    from order_lines l where l.site_id = o.site_id and l.order_id = o.id and l.quantity > 0)`,
});

/** Returns one page of the customer's orders, newest first. */
export async function list(shop: Shop, query: PageQuery): Promise<AgentOrderPage> {
  const { page, limit, offset } = pageOf(query);
  const rows = await shop.rows<{ [Key in keyof Row]: Row[Key] | null } & { counted: number }>(
    sql`select counted.counted, chosen.*
      from (select count(*) as counted from orders
        where site_id = ${shop.siteId} and customer_id = ${shop.customerId}) counted
      left join lateral (
        select ${columns} from orders o where o.site_id = ${shop.siteId} and o.customer_id = ${shop.customerId}
        order by o.created_at desc, o.id desc limit ${limit} offset ${offset}
      ) chosen on true`,
  );
  const total = rows[0]?.counted ?? 0;
  const orders = rows.filter((row): row is Row & { counted: number } => row.id !== null).map(orderOf);
  return { orders, total, page, limit, pages: Math.ceil(total / limit) };
}

/** Returns an order. Throws `not_found`, even for an order of another customer. */
export async function get(shop: Shop, id: string): Promise<AgentOrder> {
  const row = await shop.one<Row>(
    sql`select ${columns} from orders o
      where o.site_id = ${shop.siteId} and o.customer_id = ${shop.customerId} and o.id = ${id}`,
  );
  if (!row) throw notFound('order');
  return orderOf(row);
}

function orderOf(row: Row): AgentOrder {
  const { id, order_number, status, payment_status, fulfillment_status, source, currency, lines } = row;
  const { line_states, tracking_number, created_at, shipped_at, delivered_at, cancelled_at } = row;
  return {
    ...{ id, order_number, status, payment_status, fulfillment_status, source, currency },
    totals: totalsOf(row),
    items: lines.map(({ name, variant_name, ...line }) => ({ ...line, content: lineContentOf(name, variant_name) })),
    line_states,
    content: { content_trust: CONTENT_TRUST, tracking_number: sanitizeMerchantText(tracking_number, CAPS.name) },
    ...{ created_at, shipped_at, delivered_at, cancelled_at },
  };
}
