import type { Withdrawal, WithdrawalLine, WithdrawalPage, WithdrawalStatus } from '@commerce-backend/spec';
import sql, { join, type Sql } from 'sql-template-tag';
import { jsonObject, selectList } from '../../db/fields.ts';
import type { OrNulls } from '../../db/nulls.ts';
import { notFound } from '../errors.ts';
import { type PageQuery, pageOf } from '../page-query.ts';
import type { Shop } from '../shop.ts';
import { exemption } from './lines.ts';

/** Reads withdrawals in the form of the contract. */

const lines = sql`(
  select coalesce(json_agg(${jsonObject<WithdrawalLine>({
    line_item_id: sql`i.line_id`,
    name: sql`l.name`,
    variant_name: sql`l.variant_name`,
    quantity: sql`i.quantity`,
    confirmed: sql`i.confirmed`,
    exempt: exemption,
  })} order by l.position), '[]')
  from withdrawal_lines i join order_lines l on l.site_id = i.site_id and l.id = i.line_id
  left join products p on p.site_id = l.site_id and p.id = l.product_id
  where i.site_id = w.site_id and i.withdrawal_id = w.id)`;

/**
 * The columns of a Withdrawal from `withdrawals w`, its statement `s`, and the left-joined order `o` and return `r`.
 */
const columns = selectList<Withdrawal>({
  id: sql`w.id`,
  status: sql`w.status`,
  name: sql`s.name`,
  email: sql`s.email`,
  contract: sql`s.contract`,
  items: sql`s.items`,
  received_at: sql`s.created_at`,
  refund_due_at: sql`s.created_at + interval '14 days'`,
  late: sql`w.late`,
  order_id: sql`w.order_id`,
  order_number: sql`o.order_number`,
  return_id: sql`w.return_id`,
  return_number: sql`o.order_number || '-R' || r.ordinal`,
  lines,
  closed_at: sql`w.closed_at`,
});

const tables = sql`withdrawals w join withdrawal_statements s on s.site_id = w.site_id and s.id = w.id
  left join orders o on o.site_id = w.site_id and o.id = w.order_id
  left join returns r on r.site_id = w.site_id and r.id = w.return_id`;

/** Returns a withdrawal. Throws `not_found`. */
export async function get(shop: Shop, id: string): Promise<Withdrawal> {
  const found = await shop.one<Withdrawal>(
    sql`select ${columns} from ${tables} where w.site_id = ${shop.siteId} and w.id = ${id}`,
  );
  if (!found) throw notFound('withdrawal');
  return found;
}

export interface WithdrawalQuery extends PageQuery {
  status?: WithdrawalStatus;
  open?: boolean;
  order_id?: string;
}

/** Whether `withdrawals w` is open. Lists the statuses, so that an index finds the rows. */
export const isOpenWithdrawal: Sql = sql`(w.status in ('received', 'unmatched', 'to_confirm'))`;

/** One page of withdrawals, newest first. */
export async function list(shop: Shop, query: WithdrawalQuery): Promise<WithdrawalPage> {
  const { page, limit, offset } = pageOf(query);
  const conditions = [sql`w.site_id = ${shop.siteId}`];
  if (query.status) conditions.push(sql`w.status = ${query.status}`);
  if (query.open !== undefined) conditions.push(query.open ? isOpenWithdrawal : sql`w.status = 'closed'`);
  if (query.order_id) conditions.push(sql`w.order_id = ${query.order_id}`);
  const wanted = join(conditions, ' and ');
  const found = await shop.rows<{ counted: number } & OrNulls<Withdrawal>>(
    sql`select counted.counted, chosen.* from (select count(*) as counted from withdrawals w where ${wanted}) counted
      left join lateral (
        select ${columns} from ${tables} where ${wanted} order by w.id desc limit ${limit} offset ${offset}
      ) chosen on true`,
  );
  const total = found[0]?.counted ?? 0;
  const withdrawals = found.flatMap(({ counted: _, ...one }) => (one.id === null ? [] : [one]));
  return { withdrawals, total, page, limit, pages: Math.ceil(total / limit) };
}
