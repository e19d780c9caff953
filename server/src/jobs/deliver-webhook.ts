import type { Pool } from 'pg';
import type { Attempted, Egress } from '../egress/post.ts';
import { Counter, Gauge, Histogram, processRegistry } from '../metrics/kinds.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { payloadOf } from '../shop/integrations/event-data.ts';
import type { UsageCounter } from '../shop/usage.ts';
import * as attempts from '../shop/webhooks/attempts.ts';
import { sendSigned } from '../shop/webhooks/send.ts';
import { createShare } from './fair-share.ts';

export interface DeliveryDeps {
  db: Pool;
  egress: Egress;
  /** Decrypts webhook secrets. */
  secretKey: string;
  /** Maximum number of concurrent webhook calls. */
  webhookConcurrency: number;
  usage: UsageCounter;
}

const outcomes = new Counter({
  name: 'webhook_attempts_total',
  help: 'Attempts to deliver an event to a webhook, by outcome',
  labelNames: ['outcome'],
  registers: [processRegistry],
});
const duration = new Histogram({
  name: 'webhook_attempt_duration_seconds',
  help: 'Response time of webhook receivers',
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 3, 15],
  registers: [processRegistry],
});
const inFlight = new Gauge({
  name: 'webhook_attempts_in_flight',
  help: 'Attempts in flight',
  registers: [processRegistry],
});

/**
 * Attempts a delivery: reads it, sends it outside of any transaction, and stores the result with its consequences. If
 * the process dies in between, the delivery stays pending, and another attempt sends it again with the same id (at
 * least once).
 */
export function deliverWebhook({ db, egress, secretKey, webhookConcurrency, usage }: DeliveryDeps) {
  const share = createShare(webhookConcurrency);
  return async (payload: unknown): Promise<void> => {
    const { site_id, delivery_id } = payload as { site_id: string; delivery_id: string };
    const due = await inShopAsSystem(db, site_id, async (shop) => {
      const found = await attempts.due(shop, delivery_id);
      return found && { ...found, payload: await payloadOf(shop, found) };
    });
    if (!due) return;
    const taken = await share.take({ site_id, webhook_id: due.webhook_id }, () => send(egress, secretKey, due));
    if ('done' in taken && taken.done.outcome !== 'not_signed') usage.count(site_id, 'deliveries');
    await inShopAsSystem(db, site_id, (shop) =>
      'done' in taken
        ? attempts.record(shop, due, taken.done)
        : attempts.enqueue(shop, delivery_id, taken.retry_in_seconds),
    );
  };
}

async function send(egress: Egress, secretKey: string, due: attempts.Due): Promise<Attempted> {
  inFlight.inc();
  const attempted = await sendSigned(egress, secretKey, due);
  inFlight.dec();
  outcomes.inc({ outcome: attempted.outcome });
  if (attempted.outcome !== 'not_signed') duration.observe(attempted.duration_ms / 1000);
  return attempted;
}
