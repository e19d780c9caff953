import { callAs, type Ids, type Tenant, type World } from './tenant.ts';

/** Makers of subscribers to a shop's events. Nothing is delivered in the world of the proofs. */

/** They subscribe to events that do not occur, so that operations do not cost more with each of them. */
const QUIET = ['order.payment_expired'];

/**
 * A webhook with a failed delivery, so that it can be replayed. It belongs to an integration, so that both surfaces can
 * manage it.
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

/** Each event is sent to every webhook: deletes all except the tenant's own. */
export async function makeRoomForWebhooks({ owner }: World, { site_id, ids }: Tenant): Promise<void> {
  await owner.query('delete from commerce.webhooks where site_id = $1 and not id = any($2)', [site_id, ids.webhook]);
}

/** The contract allows 20 at a time. */
export async function makeRoomToListen({ owner }: World, { site_id, ids }: Tenant): Promise<void> {
  await owner.query('delete from commerce.event_listeners where site_id = $1 and not id = any($2)', [
    site_id,
    ids.listener,
  ]);
}
