import { createDashboardClient } from '@commerce-backend/sdk';
import { afterAll, expect, test, vi } from 'vitest';
import { IMPORT, openMoves } from '../../test/moves.ts';
import { openStripe } from '../../test/stripe/shop.ts';
import { sendEvent } from '../../test/stripe/webhooks.ts';
import { importSite } from './site-move.ts';

const stripe = await openStripe();
afterAll(() => stripe.close());
const { other, exported, receive } = await openMoves({ stripeApiUrl: stripe.standIn.url });

/** A shop with its webhook at Stripe, and another endpoint that the merchant uses for something else. */
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
async function moved(shop: { site_id: string }): Promise<string> {
  const file = await exported(shop, { keepSecrets: await receive() });
  const said: string[] = [];
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  await importSite(other.config, file, { ...IMPORT, force: true }).finally(() => {
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
