import { openEgress } from '../../server/src/egress/post.ts';
import { deliverWebhook } from '../../server/src/jobs/deliver-webhook.ts';
import { createUsageCounter } from '../../server/src/shop/usage.ts';
import { SECRET_KEY, startServer, stopServer } from '../../server/test/server.ts';
import { type Trial, Violations } from '../testing/proof.ts';
import { type EventShop, openEventShop } from '../testing/webhook-shop.ts';

/** A server in this process. The proof itself runs each delivery attempt, as the job would. */
export interface EventPremises extends Pick<Awaited<ReturnType<typeof startServer>>, 'baseUrl' | 'db' | 'owner'> {
  violations: Violations;
  openShop(): Promise<EventShop>;
  /** Makes one attempt, as a worker does when the job is due. */
  attempt(shop: EventShop, delivery_id: string): Promise<void>;
  /** Returns the ids of a shop's pending deliveries, oldest first. `webhook_id` selects one webhook. */
  pending(shop: EventShop, webhook_id?: string): Promise<string[]>;
  /** Ends the pending deliveries, so that no other process attempts them. */
  forget(shop: EventShop): Promise<void>;
}

const OWN_HOST = 'shop.example.com';

/** `allowPrivate`: whether events may be sent to receivers on this machine, as is allowed outside production. */
export async function onEventPremises<T>(
  { databaseUrl }: Trial,
  { allowPrivate }: { allowPrivate: boolean },
  work: (premises: EventPremises) => Promise<T>,
): Promise<T> {
  const egress = openEgress({ allowPrivate, ownHost: OWN_HOST });
  const server = await startServer(databaseUrl, { egress }, databaseUrl);
  const usage = createUsageCounter(server.db);
  const { db: pool } = server;
  const given = { db: pool, egress, secretKey: SECRET_KEY, baseUrl: server.baseUrl, webhookConcurrency: 200, usage };
  const deliver = deliverWebhook(given);
  const { baseUrl, db, owner } = server;
  try {
    return await work({
      ...{ baseUrl, db, owner, violations: new Violations() },
      openShop: () => openEventShop(databaseUrl, () => [baseUrl]),
      async attempt({ site_id }, delivery_id) {
        await owner.query(
          `update commerce.webhook_deliveries set next_attempt_at = now()
            where site_id = $1 and id = $2 and status = 'pending'`,
          [site_id, delivery_id],
        );
        await deliver({ site_id, delivery_id });
      },
      async pending({ site_id }, webhook_id) {
        const { rows } = await owner.query<{ id: string }>(
          `select id from commerce.webhook_deliveries
            where site_id = $1 and status = 'pending' and ($2::uuid is null or webhook_id = $2) order by id`,
          [site_id, webhook_id],
        );
        return rows.map(({ id }) => id);
      },
      async forget({ site_id }) {
        await owner.query('delete from commerce.webhooks where site_id = $1', [site_id]);
        await owner.query(`delete from graphile_worker._private_jobs where payload ->> 'site_id' = $1`, [site_id]);
      },
    });
  } finally {
    await egress.close();
    await stopServer(server);
  }
}
