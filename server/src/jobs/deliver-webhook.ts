import type { Pool } from 'pg';
import type { Attempted, Egress } from '../egress/post.ts';
import { Counter, Gauge, Histogram, processRegistry } from '../metrics/kinds.ts';
import { orderInUcp, readOrder } from '../shop/agents/ucp-orders.ts';
import { inShopAsSystem } from '../shop/in-shop.ts';
import { payloadOf } from '../shop/integrations/event-data.ts';
import { addressOfHost, ucpProfile } from '../shop/links.ts';
import { primaryHost } from '../shop/merchant/domains.ts';
import type { Shop } from '../shop/shop.ts';
import type { UsageCounter } from '../shop/usage.ts';
import * as attempts from '../shop/webhooks/attempts.ts';
import { dueToPlatform, sendToPlatform } from '../shop/webhooks/platform-deliveries.ts';
import { sendSigned } from '../shop/webhooks/send.ts';
import { signingKey } from '../shop/webhooks/signing-keys.ts';
import { createShare } from './fair-share.ts';

export interface DeliveryDeps {
  db: Pool;
  egress: Egress;
  /** Decrypts webhook secrets and signing keys. */
  secretKey: string;
  /** The configured base URL, for the links in events to platforms. */
  baseUrl: string;
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
export function deliverWebhook(deps: DeliveryDeps) {
  const { db, webhookConcurrency, usage } = deps;
  const share = createShare(webhookConcurrency);
  return async (payload: unknown): Promise<void> => {
    const { site_id, delivery_id } = payload as { site_id: string; delivery_id: string };
    const due = await inShopAsSystem(
      db,
      site_id,
      async (shop) => (await toWebhook(shop, deps, delivery_id)) ?? (await toPlatform(shop, deps, delivery_id)),
    );
    if (!due) return;
    const taken = await share.take({ site_id, webhook_id: due.receiver }, () => measured(due.send));
    if ('done' in taken && taken.done.outcome !== 'not_signed') usage.count(site_id, 'deliveries');
    await inShopAsSystem(db, site_id, (shop) =>
      'done' in taken ? attempts.record(shop, due, taken.done) : attempts.enqueue(shop, due, taken.retry_in_seconds),
    );
  };
}

interface Outgoing extends attempts.Attemptable {
  /** The webhook or the platform, whose concurrent calls are limited. */
  receiver: string;
  send(): Promise<Attempted>;
}

async function toWebhook(shop: Shop, deps: DeliveryDeps, delivery_id: string): Promise<Outgoing | undefined> {
  const found = await attempts.due(shop, delivery_id);
  if (!found) return undefined;
  const due = { ...found, payload: await payloadOf(shop, found) };
  const { id, webhook_id, tries, attempts_count } = due;
  const send = () => sendSigned(deps.egress, deps.secretKey, due);
  return { id, webhook_id, tries, attempts_count, receiver: webhook_id, send };
}

async function toPlatform(shop: Shop, deps: DeliveryDeps, delivery_id: string): Promise<Outgoing | undefined> {
  const due = await dueToPlatform(shop, delivery_id);
  const order = due && (await readOrder(shop, due.order_id));
  if (!due || !order) return undefined;
  const origin = addressOfHost(deps.baseUrl, await primaryHost(shop));
  const { version, id, tries, attempts_count } = due;
  const ucp = { version, status: 'success', capabilities: { 'dev.ucp.shopping.order': [{ version }] } };
  const message = {
    body: JSON.stringify({ ucp, ...orderInUcp(shop, order, origin) }),
    profile: ucpProfile(deps.baseUrl, origin, shop.siteId),
    key: await signingKey(shop, deps.secretKey),
  };
  const send = () => sendToPlatform(deps.egress, due, message);
  return { id, webhook_id: null, tries, attempts_count, receiver: due.platform_id, send };
}

async function measured(send: () => Promise<Attempted>): Promise<Attempted> {
  inFlight.inc();
  const attempted = await send();
  inFlight.dec();
  outcomes.inc({ outcome: attempted.outcome });
  if (attempted.outcome !== 'not_signed') duration.observe(attempted.duration_ms / 1000);
  return attempted;
}
