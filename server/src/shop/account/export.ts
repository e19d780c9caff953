import type { CustomerExport } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import * as agentTokens from '../agent-limits/tokens.ts';
import { type AuditRow, auditColumns, eventOf } from '../audit/events.ts';
import { cursorPage, idOfCursor } from '../cursors.ts';
import * as addresses from '../customers/addresses.ts';
import * as consents from '../customers/consents.ts';
import { listForCustomer } from '../orders/rows.ts';
import * as returns from '../returns/rows.ts';
import type { Shop } from '../shop.ts';
import { profile } from './account.ts';
import { openCheckouts, refundsOf } from './export-parts.ts';

/**
 * Exports the stored data of the calling customer, without secrets. Orders (with their refunds and returns) and
 * audit events are paged together, newest first. Every page contains all other data, which is limited in number.
 */
export async function exportCustomer(
  shop: Shop,
  customer_id: string,
  { cursor, limit = 20 }: { cursor?: string; limit?: number },
): Promise<CustomerExport> {
  const before = cursor === undefined ? null : idOfCursor(cursor);
  const customer = await profile(shop);
  const known = await shop.one<RowOf<'customers', 'locale'>>(
    sql`select locale from customers where site_id = ${shop.siteId} and id = ${customer_id}`,
  );
  const orderIds = await shop.rows<RowOf<'orders', 'id'>>(
    sql`select id from orders
      where site_id = ${shop.siteId} and customer_id = ${customer_id} and (${before}::uuid is null or id < ${before})
      order by id desc limit ${limit + 1}`,
  );
  const events = await eventsOf(shop, customer_id, before, limit + 1);
  const all = [...orderIds, ...events].toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const { page, next_cursor } = cursorPage(all, limit);
  const ids = new Set(page.map(({ id }) => id));
  const orders = await listForCustomer(
    shop,
    orderIds.map(({ id }) => id).filter((id) => ids.has(id)),
  );
  const order_ids = orders.map(({ id }) => id);
  return {
    customer,
    locale: known?.locale ?? null,
    addresses: await addresses.list(shop, customer_id),
    marketing_consents: await consents.listOfCustomer(shop, customer_id),
    agents: await agentTokens.listOfCustomer(shop, customer_id),
    checkouts: await openCheckouts(shop, customer_id),
    refunds: await refundsOf(shop, order_ids),
    returns: await returns.listForCustomer(shop, order_ids),
    orders: orders.toSorted((a, b) => (a.id < b.id ? 1 : -1)),
    audit_events: events.filter(({ id }) => ids.has(id)).map((row) => eventOf(row, 'customer')),
    next_cursor,
  };
}

/** Reads the newest audit events of the customer and of the customer's agents, at most `limit` in total. */
function eventsOf(shop: Shop, customer_id: string, before: string | null, limit: number): Promise<AuditRow[]> {
  return shop.rows<AuditRow>(
    sql`select e.* from (
        select ${customer_id}::uuid as id
        union all
        select id from tokens where site_id = ${shop.siteId} and customer_id = ${customer_id} and kind = 'agent'
      ) as actors cross join lateral (
        select ${auditColumns} from audit_events e
        where e.site_id = ${shop.siteId} and e.actor_id = actors.id and (${before}::uuid is null or e.id < ${before})
        order by e.id desc limit ${limit}
      ) as e order by e.id desc limit ${limit}`,
  );
}
