/**
 * Deliveries of order events to the UCP platform that began the checkout. They are retried like other deliveries
 * (attempts.ts), but their receiver is the `webhook_url` of the platform's profile, and they are signed with the shop's
 * key (RFC 9421). Each attempt sends the current state of the order, so the body is not stored.
 */

import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Attempted, Egress } from '../../egress/post.ts';
import { traced, traceHeaders } from '../../tracing/span.ts';
import { contentDigest, derivedOf, type SigningKey, signatureHeaders } from '../http-signatures.ts';
import type { Shop } from '../shop.ts';

export interface PlatformDue {
  id: string;
  event_id: string;
  order_id: string;
  /** The time of the event in seconds since 1970. */
  occurred_at: number;
  platform_id: string;
  url: string;
  /** The version of UCP in the platform's profile. */
  version: string;
  tries: number;
  attempts_count: number;
}

/**
 * Returns the delivery if it is pending, due and for a platform. If the platform's profile has no `webhook_url` any
 * more, fails the delivery.
 */
export async function dueToPlatform(shop: Shop, delivery_id: string): Promise<PlatformDue | undefined> {
  const found = await shop.one<Omit<PlatformDue, 'url'> & RowOf<'agent_profiles', 'webhook_url'>>(
    sql`select d.id, d.event_id, e.subject_id as order_id, extract(epoch from e.created_at)::int as occurred_at,
        p.id as platform_id, p.webhook_url, p.version, d.tries, d.attempts_count
      from webhook_deliveries d
      join agent_profiles p on p.site_id = d.site_id and p.id = d.platform_id
      join events e on e.site_id = d.site_id and e.id = d.event_id
      where d.site_id = ${shop.siteId} and d.id = ${delivery_id} and d.status = 'pending' and e.subject_id is not null
        and d.next_attempt_at <= now()`,
  );
  if (!found) return undefined;
  const { webhook_url, ...due } = found;
  if (webhook_url !== null) return { ...due, url: webhook_url };
  await shop.run(
    sql`update webhook_deliveries set status = 'failed', next_attempt_at = null, completed_at = now()
      where site_id = ${shop.siteId} and id = ${delivery_id} and status = 'pending'`,
  );
  return undefined;
}

export interface PlatformMessage {
  body: string;
  /** The URL of the shop's UCP profile, which contains the public key. */
  profile: string;
  key: SigningKey;
}

/** Sends an order event. Do not call it in a transaction. Returns failures and never throws. */
export function sendToPlatform(egress: Egress, due: PlatformDue, message: PlatformMessage): Promise<Attempted> {
  return traced(
    () => ({ name: 'POST webhook', kind: 'client', attributes: { 'commerce.event_id': due.event_id } }),
    async (span) => {
      const headers = { ...signedHeaders(due, message, Math.floor(Date.now() / 1_000)), ...traceHeaders() };
      const attempted = await egress.post(due.url, headers, message.body);
      const { outcome, response_status } = attempted;
      span?.set({ 'commerce.outcome': outcome, 'http.response.status_code': response_status ?? undefined });
      return attempted;
    },
  );
}

function signedHeaders(
  { url, event_id, occurred_at }: PlatformDue,
  { body, profile, key }: PlatformMessage,
  now: number,
) {
  const headers = {
    'content-type': 'application/json',
    'content-digest': contentDigest(body),
    'ucp-agent': `profile="${profile}"`,
    'webhook-id': event_id,
    'webhook-timestamp': String(occurred_at),
  };
  const target = new URL(url);
  const names = ['@method', '@authority', '@path', ...(target.search ? ['@query'] : []), ...Object.keys(headers)];
  const message = { derived: derivedOf('POST', target), headers };
  return { ...headers, ...signatureHeaders(message, names, key, now) };
}
