import { clientOf, type StripeAccess } from './client.ts';

const TIMEOUT = { timeout: 5_000 };

/**
 * Changes the URL of the site's webhook endpoints at Stripe. Their signing secrets stay the same, and Stripe retries
 * failed events at the new URL. Returns whether the site has an endpoint.
 */
export async function moveWebhook(access: StripeAccess, site_id: string, url: string): Promise<boolean> {
  const stripe = await clientOf(access);
  let found = false;
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 }, TIMEOUT)) {
    if (!endpoint.url.endsWith(`/webhooks/stripe/${site_id}`)) continue;
    if (endpoint.url !== url) await stripe.webhookEndpoints.update(endpoint.id, { url }, TIMEOUT);
    found = true;
  }
  return found;
}
