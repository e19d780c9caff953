import type { WebhookDeliveryDetails } from '@commerce-backend/spec';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { Egress } from '../../egress/post.ts';
import { inShop } from '../in-shop.ts';
import type { Actor, Shop, Tenant } from '../shop.ts';
import { type Due, record } from './attempts.ts';
import * as deliveries from './deliveries.ts';
import { sendSigned } from './send.ts';
import * as webhooks from './webhooks.ts';

interface PingDeps {
  db: Pool;
  egress: Egress;
  secretKey: string;
}

/**
 * Sends webhook.ping to a webhook, even if it does not subscribe to this event. Call it outside of transactions.
 * Returns a function that records the ping as the first attempt of a delivery, which is retried like any other. If the
 * process crashes before that, nothing is recorded, and a retry of the request sends another ping. Throws `not_found`
 * or `webhook_disabled`.
 */
export async function ping(
  { db, egress, secretKey }: PingDeps,
  tenant: Tenant,
  actor: Actor,
  webhook_id: string,
): Promise<(shop: Shop) => Promise<WebhookDeliveryDetails>> {
  const due = await inShop(db, tenant, actor, (shop) => dueNow(shop, webhook_id));
  const attempted = await sendSigned(egress, secretKey, due);
  return async (shop) => {
    await write(shop, due);
    await record(shop, due, attempted);
    return deliveries.get(shop, due.id);
  };
}

async function dueNow(shop: Shop, webhook_id: string): Promise<Due> {
  const { status, url } = await webhooks.get(shop, webhook_id);
  if (status === 'disabled') throw webhooks.disabled();
  const secrets = await webhooks.secretsOf(shop, webhook_id);
  const timestamp = new Date().toISOString();
  const { siteId: site_id, merchantId: merchant_id } = shop;
  const payload = JSON.stringify({ type: 'webhook.ping', timestamp, site_id, merchant_id, data: { webhook_id } });
  return {
    id: uuidv7(),
    event_id: uuidv7(),
    webhook_id,
    url,
    payload,
    kept: true,
    by_integration: false,
    tries: 0,
    attempts_count: 0,
    ...secrets,
  };
}

/** Records the ping. Throws `not_found` or `webhook_disabled` if the webhook was deleted or disabled meanwhile. */
async function write(shop: Shop, { id, event_id, webhook_id, payload }: Due): Promise<void> {
  await shop.run(
    sql`insert into events (site_id, id, type, payload)
      values (${shop.siteId}, ${event_id}, 'webhook.ping', ${payload})`,
  );
  const written = await shop.run(
    sql`insert into webhook_deliveries (site_id, id, webhook_id, event_id, type)
      select ${shop.siteId}, ${id}, w.id, ${event_id}, 'webhook.ping' from webhooks w
      where w.site_id = ${shop.siteId} and w.id = ${webhook_id} and w.status = 'active' for key share`,
  );
  if (written > 0) return;
  await webhooks.get(shop, webhook_id);
  throw webhooks.disabled();
}
