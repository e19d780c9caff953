import type { OrderDetails, PaymentStatus } from '@commerce-backend/spec';
import sql, { join } from 'sql-template-tag';
import { cursorPage, idOfCursor } from '../cursors.ts';
import type { Shop } from '../shop.ts';
import { hasPaymentStatus } from './overdue.ts';
import { listDetails } from './rows.ts';

export interface ExportQuery {
  cursor?: string;
  limit?: number;
  created_from?: string;
  created_to?: string;
  payment_status?: PaymentStatus;
}

/** Returns one page of orders, oldest first. `cursor` is the `next_cursor` of the previous page. */
export async function exportPage(
  shop: Shop,
  { cursor, limit = 100, created_from, created_to, payment_status }: ExportQuery,
): Promise<{ orders: OrderDetails[]; next_cursor: string | null }> {
  const conditions = [sql`o.site_id = ${shop.siteId}`];
  if (cursor) conditions.push(sql`o.id > ${idOfCursor(cursor)}`);
  if (created_from) conditions.push(sql`o.created_at >= ${created_from}`);
  if (created_to) conditions.push(sql`o.created_at < ${created_to}`);
  if (payment_status) conditions.push(hasPaymentStatus(payment_status));
  const rows = await listDetails(shop, sql`${join(conditions, ' and ')} order by o.id limit ${limit + 1}`);
  const { page, next_cursor } = cursorPage(rows, limit);
  return { orders: page, next_cursor };
}
