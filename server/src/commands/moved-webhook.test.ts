import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDashboardClient } from '@commerce-backend/sdk';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openOtherServer } from '../../test/other-server.ts';
import { printedBy } from '../../test/printed.ts';
import { FILES_DIR, SECRET_KEY } from '../../test/server.ts';
import { openStripe } from '../../test/stripe/shop.ts';
import { sendEvent } from '../../test/stripe/webhooks.ts';
import { databaseUrl } from '../../test/worker-database.ts';
import { readConfig } from '../config.ts';
import { exportSite, importSite } from './site-move.ts';
import { receiveSite } from './site-receive.ts';

const config = readConfig({ DATABASE_URL: databaseUrl(), DATA_DIR: FILES_DIR, SECRET_KEY });
const dir = mkdtempSync(join(tmpdir(), 'commerce-webhook-'));

let stripe: Awaited<ReturnType<typeof openStripe>>;
let other: Awaited<ReturnType<typeof openOtherServer>>;
beforeAll(async () => {
  stripe = await openStripe();
  other = await openOtherServer({ stripeApiUrl: stripe.standIn.url });
});
afterAll(async () => {
  await other.close();
  await stripe.close();
  rmSync(dir, { recursive: true, force: true });
});

/** A shop with its webhook at Stripe, beside an endpoint that the merchant uses for something else. */
async function givenShop() {
  const shop = await stripe.givenShop();
  const endpointAt = (url: string) => {
    const id = stripe.standIn.ledger.id('we');
    const made = { id, object: 'webhook_endpoint' as const, account: shop.account, url, created: 0 };
    stripe.standIn.ledger.webhooks.set(id, made);
    return made;
  };
  const bookkeeping = endpointAt('https://books.example/webhooks/stripe');
  return { ...shop, bookkeeping, webhook: endpointAt(shop.endpoint.url) };
}

/** Moves the shop for good, with its secrets. Returns the messages of the import. */
async function moved({ site_id }: { site_id: string }): Promise<string> {
  const file = join(dir, `${randomUUID()}.site`);
  const keepSecrets = (await printedBy(() => receiveSite(other.config))).trim();
  await printedBy(() => exportSite(config, site_id, file, { final: true, keepSecrets, json: true }));
  const options = { withoutHosts: false, withoutLimits: false, force: true, json: true };
  const said: string[] = [];
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  await importSite(other.config, file, options).finally(() => {
    out.mockRestore();
    err.mockRestore();
  });
  return said.join('');
}

test('an import changes the URL of the webhook at Stripe, and a payment that was open completes on the new server', async () => {
  const shop = await givenShop();
  const { url } = await shop.givenPage();
  const before = await givenShop();

  const said = await moved(shop);

  const address = `${other.baseUrl}/webhooks/stripe/${shop.site_id}`;
  expect(shop.webhook.url).toBe(address);
  expect(said).toContain(`webhook now sends to ${address}`);
  expect(shop.bookkeeping.url).toBe('https://books.example/webhooks/stripe');
  expect(before.webhook.url).toBe(before.endpoint.url);
  await stripe.standIn.press(url, 'pay');
  for (const event of shop.events()) {
    expect(await sendEvent(event, { ...shop.endpoint, url: shop.webhook.url })).toBe(200);
  }
  const dashboard = createDashboardClient({ baseUrl: other.baseUrl, apiKey: shop.credentials.api_key });
  const { data } = await dashboard.GET('/api/dashboard/orders');
  expect(data?.orders).toMatchObject([{ payment_status: 'paid' }]);
});

test.each([
  { name: 'Stripe has no endpoint of the shop', given: (id: string) => stripe.standIn.ledger.webhooks.delete(id) },
  {
    name: 'Stripe rejects the change',
    given: () => stripe.standIn.faults.add('error_500', /POST \/v1\/webhook_endpoints/),
  },
])('if $name, the import succeeds and prints the URL to set at the payment provider', async ({ given }) => {
  const shop = await givenShop();
  given(shop.webhook.id);

  const said = await moved(shop);

  expect(shop.webhook.url).toBe(shop.endpoint.url);
  expect(said).toContain(
    `Change the address of the payment provider’s webhook to ${other.baseUrl}/webhooks/stripe/${shop.site_id}`,
  );
  const dashboard = createDashboardClient({ baseUrl: other.baseUrl, apiKey: shop.credentials.api_key });
  expect((await dashboard.GET('/api/dashboard/products')).response.status).toBe(200);
});
