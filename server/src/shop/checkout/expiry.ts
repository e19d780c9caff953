/** Releases the reserved stock of checkouts after 15 minutes, and later expires the checkouts. */

import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { inShop } from '../in-shop.ts';
import { type Shop, SYSTEM, type Tenant } from '../shop.ts';
import * as stock from '../stock/stock.ts';
import * as checkouts from './checkouts.ts';

const AT_ONCE = 200;

/**
 * Releases expired reservations and ends abandoned checkouts, at most 200 per call. Returns the number of processed
 * checkouts. Each checkout has its own transaction. Skips locked checkouts, which the next call finds.
 */
export async function expireCheckouts(db: Pool, tenant: Tenant): Promise<number> {
  const due = await inShop(db, tenant, SYSTEM, (shop) =>
    shop.rows<RowOf<'checkouts', 'id'>>(
      sql`select id from checkouts
        where site_id = ${shop.siteId} and payment_id is null and (reserved_until <= now()
          or (status in ('open', 'ready', 'requires_escalation') and expires_at <= now()))
        limit ${AT_ONCE}`,
    ),
  );
  let done = 0;
  for (const { id } of due) {
    if (await inShop(db, tenant, SYSTEM, (shop) => expire(shop, id))) done += 1;
  }
  return done;
}

async function expire(shop: Shop, id: string): Promise<boolean> {
  const found = await shop.one<{ ended: boolean; lapsed: boolean }>(
    sql`select status in ('open', 'ready', 'requires_escalation') and expires_at <= now() as ended,
        coalesce(reserved_until <= now(), false) as lapsed
      from checkouts where site_id = ${shop.siteId} and id = ${id} and payment_id is null for update skip locked`,
  );
  if (found?.ended) {
    await checkouts.end(shop, id, 'expired');
  } else if (found?.lapsed) {
    await stock.release(shop, id);
    await shop.run(sql`update checkouts set reserved_until = null where site_id = ${shop.siteId} and id = ${id}`);
  }
  return found !== undefined && (found.ended || found.lapsed);
}
