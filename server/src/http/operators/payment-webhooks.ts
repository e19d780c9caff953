/**
 * Webhooks of payment providers: `POST /webhooks/stripe/{site_id}`. The signature is verified over the raw bytes. Each
 * event takes effect once, in the transaction that records it. Stripe resends an event after any response without a 2xx
 * status.
 */

import express, { type Request, type RequestHandler, Router } from 'express';
import type { Pool } from 'pg';
import sql from 'sql-template-tag';
import { takeDisputeEvent, takeRefundEvent } from '../../shop/checkout/moving.ts';
import { takeEvent } from '../../shop/checkout/settle.ts';
import { notFound, ShopError } from '../../shop/errors.ts';
import { findAnyTenant } from '../../shop/in-shop.ts';
import type { PaymentAccounts } from '../../shop/payments/accounts/providers.ts';
import { InvalidSignature, type ProviderEvent, UnknownToAccount } from '../../shop/payments/provider.ts';
import { inTime } from '../../shop/payments/provider-deadlines.ts';
import { type Shop, SYSTEM } from '../../shop/shop.ts';
import type { SiteHosts } from '../callers/site-hosts.ts';
import { contextOf } from '../express/context.ts';
import { Deadline, type Deadlines } from '../pipeline/deadline.ts';
import { answerTo } from '../pipeline/errors.ts';

interface WebhookDeps {
  db: Pool;
  secretKey: string;
  hosts: SiteHosts;
  accounts: PaymentAccounts;
  deadlines: Deadlines;
}

/** Maximum size of an event. Typical Stripe events have a few kilobytes. */
const LARGEST_BYTES = 256 * 1024;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function paymentWebhooks(deps: WebhookDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const body = express.raw({ type: () => true, limit: LARGEST_BYTES, inflate: false });
  router.post('/webhooks/stripe/:site_id', readingWith(body), async (req, res) => {
    const deadline = new Deadline(deps.deadlines.request);
    try {
      await deadline.limit(receive(deps, deadline, req));
      res.json({ received: true });
    } catch (error) {
      const { status, body, headers = {} } = answerTo(error, contextOf(res).request_id);
      if (status >= 500) contextOf(res).cause = error;
      res.status(status).set(headers).type('application/json').send(body);
    }
  });
  return router;
}

/** Wraps the body parser, and turns its errors into API errors. */
function readingWith(read: RequestHandler): RequestHandler {
  return (req, res, next) =>
    read(req, res, (error?: unknown) => {
      if (error === undefined) return next();
      const isLarge = (error as { status?: number }).status === 413;
      const refusal = isLarge
        ? new ShopError('payload_too_large', 'The event is too large.')
        : new ShopError('invalid_request', 'The event cannot be read.');
      const { status, body } = answerTo(refusal, contextOf(res).request_id);
      res.status(status).set('Connection', 'close').type('application/json').send(body);
    });
}

async function receive(
  { db, secretKey, hosts, accounts }: WebhookDeps,
  deadline: Deadline,
  req: Request,
): Promise<void> {
  const site_id = String(req.params.site_id).toLowerCase();
  const isHere = UUID.test(site_id) && (hosts.siteAt(req) ?? site_id) === site_id;
  const tenant = isHere ? await findAnyTenant(db, site_id) : undefined;
  const provider = tenant && (await accounts.providerOf(site_id));
  if (!tenant || !provider) throw notFound('payment account');
  const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
  const event = await inTime(accounts.deadlines.request, () => provider.receive(req.headers, body)).catch(
    async (error: unknown) => {
      if (!(error instanceof UnknownToAccount)) return refuse(error);
      await deadline.inShop(db, tenant, SYSTEM, (shop) => refuseOfOtherAccount(shop, error));
    },
  );
  if (event) await deadline.inShop(db, tenant, SYSTEM, (shop) => take(shop, secretKey, provider.name, event));
}

function refuse(error: unknown): never {
  if (error instanceof InvalidSignature) throw new ShopError('invalid_request', 'Invalid webhook signature.');
  throw error;
}

/**
 * Rejects an event about an object of another account if the event names a payment of the shop, or none. The provider
 * then shows the reason and retries for days, during which the merchant can configure the right account. Events that
 * name an unknown payment are ignored.
 */
async function refuseOfOtherAccount(shop: Shop, { message, payment_id }: UnknownToAccount): Promise<void> {
  const known =
    payment_id === undefined ||
    (await shop.one(sql`select from payments where site_id = ${shop.siteId} and id = ${payment_id}`));
  if (!known) return;
  const remedy = 'If it belongs to a previous account, settle it there, or set that account again.';
  throw new ShopError('conflict', `${message} ${remedy}`);
}

async function take(shop: Shop, secretKey: string, provider: string, event: ProviderEvent): Promise<void> {
  if ('outcome' in event) {
    const { event_id, outcome } = event;
    await takeEvent(shop, { secretKey }, event.payment_id, { provider, event_id, outcome });
  } else if ('dispute' in event) {
    await takeDisputeEvent(shop, provider, event);
  } else {
    await takeRefundEvent(shop, provider, event);
  }
}
