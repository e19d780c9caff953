/** Creates webhooks and listeners of a shop, for an event that hardly occurs. */

import { callAs, type Ids, type Tenant, type World } from './tenant.ts';

/** An event that hardly occurs in the shops with these webhooks. Deliveries would make operations slower. */
const QUIET = ['order.payment_expired'];

/**
 * Creates a webhook with a failed delivery, which can be replayed. The webhook belongs to an integration, so that the
 * dashboard and the sync API can manage it.
 */
export async function makeWebhook(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  await makeRoomForWebhooks(world, tenant);
  const { canary, site_id } = tenant;
  const { id: webhook_id } = (await callAs(world, tenant, 'dashboard.createWebhook', {
    url: `https://${canary}.example/hooks`,
    events: QUIET,
    description: `${canary} webhook`,
  })) as { id: string };
  await world.owner.query(
    `update commerce.webhooks w set sync_key_id = (
        select id from commerce.tokens t where t.site_id = w.site_id and t.kind = 'sync' limit 1)
      where site_id = $1 and id = $2`,
    [site_id, webhook_id],
  );
  const delivery = (await callAs(world, tenant, 'dashboard.testWebhook', undefined, { webhook_id })) as { id: string };
  await world.owner.query(
    `update commerce.webhook_deliveries set status = 'failed', next_attempt_at = null, completed_at = now()
     where site_id = $1 and id = $2`,
    [site_id, delivery.id],
  );
  return { webhook: [webhook_id], delivery: [delivery.id] };
}

export async function makeListener(world: World, tenant: Tenant): Promise<Partial<Ids>> {
  await makeRoomToListen(world, tenant);
  const made = (await callAs(world, tenant, 'dashboard.createEventListener', { events: QUIET })) as { id: string };
  return { listener: [made.id] };
}

/** Deletes all webhooks except the tenant's own, because deliveries to them would make operations slower. */
export async function makeRoomForWebhooks({ owner }: World, { site_id, ids }: Tenant): Promise<void> {
  await owner.query('delete from commerce.webhooks where site_id = $1 and not id = any($2)', [site_id, ids.webhook]);
}

/** Deletes other listeners, because a shop may have at most 20. */
export async function makeRoomToListen({ owner }: World, { site_id, ids }: Tenant): Promise<void> {
  await owner.query('delete from commerce.event_listeners where site_id = $1 and not id = any($2)', [
    site_id,
    ids.listener,
  ]);
}
