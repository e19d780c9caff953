import sql, { type Sql } from 'sql-template-tag';
import type { Shop } from '../shop.ts';

/** Bodies of deliveries, which are stored at the first attempt. */

/** Stores a body and returns it. If two were created concurrently, the one stored first is returned. */
export async function keepPayload(shop: Shop, delivery_id: string, payload: string): Promise<string> {
  const kept = await shop.one<{ payload: string }>(
    sql`update webhook_deliveries set payload = coalesce(payload, ${payload})
      where site_id = ${shop.siteId} and id = ${delivery_id} returning coalesce(payload, ${payload}) as payload`,
  );
  return kept?.payload ?? payload;
}

/**
 * Deletes the bodies about the selected subjects. Further attempts and replays send only the data that the trigger
 * recorded.
 */
export async function forgetPayloads(shop: Shop, subjects: Sql): Promise<void> {
  await shop.run(
    sql`update webhook_deliveries d set payload = null
      from events e
      where e.site_id = ${shop.siteId} and e.subject_id in (${subjects}) and d.site_id = ${shop.siteId} and d.event_id = e.id
        and d.payload is not null`,
  );
}
