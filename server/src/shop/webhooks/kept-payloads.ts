/** Payloads of deliveries, stored at the first attempt. */

import sql, { type Sql } from 'sql-template-tag';
import type { Shop } from '../shop.ts';

/**
 * Stores a payload and returns it. If two payloads were created concurrently, returns the payload that was stored
 * first.
 */
export async function keepPayload(shop: Shop, delivery_id: string, payload: string): Promise<string> {
  const kept = await shop.one<{ payload: string }>(
    sql`update webhook_deliveries set payload = coalesce(payload, ${payload})
      where site_id = ${shop.siteId} and id = ${delivery_id} returning coalesce(payload, ${payload}) as payload`,
  );
  return kept?.payload ?? payload;
}

/**
 * Deletes the payloads about the selected customers or orders. Later attempts and replays send only the data that the
 * trigger stored.
 */
export async function forgetPayloads(shop: Shop, subjects: Sql): Promise<void> {
  await shop.run(
    sql`update webhook_deliveries d set payload = null
      from events e
      where e.site_id = ${shop.siteId} and e.subject_id in (${subjects}) and d.site_id = ${shop.siteId} and d.event_id = e.id
        and d.payload is not null`,
  );
}
