/** Reads returns in the form of the contract. */

import type { Return, ReturnKind, ReturnLine, ReturnPage, ReturnShipping, ReturnStatus } from '@commerce-backend/spec';
import sql, { join, type Sql } from 'sql-template-tag';
import { jsonObject, selectList } from '../../db/fields.ts';
import type { OrNulls } from '../../db/nulls.ts';
import { notFound } from '../errors.ts';
import { decimal, minorUnits } from '../money.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';

type Audience = 'merchant' | 'customer';

const lines = sql`(
  select coalesce(json_agg(${jsonObject<ReturnLine>({
    id: sql`i.id`,
    line_item_id: sql`i.line_id`,
    name: sql`l.name`,
    variant_name: sql`l.variant_name`,
    sku: sql`l.sku`,
    quantity: sql`i.quantity`,
    reason: sql`i.reason`,
    note: sql`i.note`,
    received_quantity: sql`i.received_quantity`,
    condition: sql`i.condition`,
    restocked: sql`i.restocked`,
  })} order by i.position), '[]')
  from return_lines i join order_lines l on l.site_id = i.site_id and l.id = i.line_id
  where i.site_id = r.site_id and i.return_id = r.id)`;

/** An SQL expression for the number of a return, from `returns r` and `orders o`. */
export const returnNumber: Sql = sql`(o.order_number || '-R' || r.ordinal)`;

/** The select list of a Return from `returns r` and `orders o`. Only the merchant gets staff notes. */
function columns(audience: Audience): Sql {
  return selectList<Return>({
    id: sql`r.id`,
    order_id: sql`r.order_id`,
    order_number: sql`o.order_number`,
    number: returnNumber,
    kind: sql`r.kind`,
    status: sql`r.status`,
    late: sql`r.late`,
    lines: lines,
    resolution: sql`r.resolution`,
    keep_goods: sql`r.keep_goods`,
    fee: sql`r.fee::text`,
    currency: sql`o.currency`,
    shipping: jsonObject<ReturnShipping>({
      label_url: sql`r.label_url`,
      carrier: sql`r.carrier`,
      tracking_number: sql`r.tracking_number`,
    }),
    customer_note: sql`r.customer_note`,
    staff_note: audience === 'merchant' ? sql`r.staff_note` : sql`null::text`,
    decline_reason: sql`r.decline_reason`,
    close_reason: sql`r.close_reason`,
    exchange_order_id: sql`r.exchange_order_id`,
    refund_ids: sql`array(
      select f.id from refunds f where f.site_id = r.site_id and f.return_id = r.id order by f.created_at, f.id)`,
    created_by: sql`r.created_by`,
    requested_at: sql`r.requested_at`,
    decided_at: sql`r.decided_at`,
    received_at: sql`r.received_at`,
    closed_at: sql`r.closed_at`,
    updated_at: sql`r.updated_at`,
  });
}

/** Returns a return. With `customer_id`, only a return of this customer. Throws `not_found`. */
export async function get(shop: Shop, id: string, customer_id?: string): Promise<Return> {
  const own = customer_id === undefined ? sql`true` : sql`o.customer_id = ${customer_id}`;
  const found = await shop.one<Return>(
    sql`select ${columns(customer_id === undefined ? 'merchant' : 'customer')}
      from returns r join orders o on o.site_id = r.site_id and o.id = r.order_id
      where r.site_id = ${shop.siteId} and r.id = ${id} and ${own}`,
  );
  if (!found) throw notFound('return');
  return withDigits(found, shop.currencyDigits);
}

function withDigits(found: Return, digits: number): Return {
  return { ...found, fee: decimal(minorUnits(found.fee, digits), digits) };
}

export interface ReturnQuery extends PageQuery {
  status?: ReturnStatus;
  kind?: ReturnKind;
  open?: boolean;
  order_id?: string;
  number?: string;
}

/** The returns of these orders as their customer sees them, newest first. */
export async function listForCustomer(shop: Shop, order_ids: string[]): Promise<Return[]> {
  const found = await shop.rows<Return>(
    sql`select ${columns('customer')} from returns r join orders o on o.site_id = r.site_id and o.id = r.order_id
      where r.site_id = ${shop.siteId} and r.order_id = any(${order_ids}::uuid[]) order by r.id desc`,
  );
  return found.map((one) => withDigits(one, shop.currencyDigits));
}

/** Returns one page of returns, newest first. With `customer_id`, only returns of this customer's orders. */
export async function list(shop: Shop, query: ReturnQuery, customer_id?: string): Promise<ReturnPage> {
  const { page, limit, offset } = pageOf(query);
  const from = sql`from returns r join orders o on o.site_id = r.site_id and o.id = r.order_id
    where ${conditionsOf(shop, query, customer_id)}`;
  const found = await shop.rows<{ counted: number } & OrNulls<Return>>(
    sql`select counted.counted, chosen.* from (select count(*) as counted ${from}) counted left join lateral (
        select ${columns(customer_id === undefined ? 'merchant' : 'customer')} ${from}
        order by r.id desc limit ${limit} offset ${offset}
      ) chosen on true`,
  );
  const total = found[0]?.counted ?? 0;
  const returns = found.flatMap(({ counted: _, ...one }) =>
    one.id === null ? [] : [withDigits(one, shop.currencyDigits)],
  );
  return { returns, total, page, limit, pages: Math.ceil(total / limit) };
}

/** Whether `returns r` is open. Lists the statuses, so that an index finds the rows. */
export const isOpenReturn: Sql = sql`(r.status in ('requested', 'approved', 'in_transit', 'received'))`;

function conditionsOf(shop: Shop, query: ReturnQuery, customer_id: string | undefined): Sql {
  const conditions = [sql`r.site_id = ${shop.siteId}`];
  if (customer_id !== undefined) conditions.push(sql`o.customer_id = ${customer_id}`);
  if (query.status) conditions.push(sql`r.status = ${query.status}`);
  if (query.kind) conditions.push(sql`r.kind = ${query.kind}`);
  if (query.open !== undefined) {
    conditions.push(query.open ? isOpenReturn : sql`not ${isOpenReturn}`);
  }
  if (query.order_id) conditions.push(sql`r.order_id = ${query.order_id}`);
  if (query.number) conditions.push(sql`${returnNumber} = ${query.number}`);
  return join(conditions, ' and ');
}
