import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  beginAuthorization,
  createAgentClient,
  createStorefrontClient,
  finishAuthorization,
  registerAgent,
  requestConsent,
  unwrap,
} from '@commerce-backend/sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { folder, user } from '../testing.ts';

interface Credentials {
  base_url: string;
  site_id: string;
  storefront_token: string;
  customers: { email: string; password: string }[];
}

/** Starts the mock server on a free port until the end of the test. */
async function mockShop(...more: string[]) {
  const { begin } = await user();
  const { out, interrupt, ended } = begin(['mock', '--port', '0', '--json', ...more]);
  onTestFinished(async () => {
    interrupt();
    await ended;
  });
  await vi.waitFor(() => expect(out()).toContain('}'), { timeout: 15_000 });
  const shop = JSON.parse(out()) as Credentials;
  const storefront = createStorefrontClient({
    ...{ baseUrl: shop.base_url, siteId: shop.site_id, storefrontToken: shop.storefront_token, maxAttempts: 1 },
  });
  return { ...shop, storefront, interrupt, ended };
}

const press = (address: string, name: string, value: string) =>
  fetch(address, { method: 'POST', body: new URLSearchParams({ [name]: value }) }).then((answer) => answer.text());

test('`commerce mock` serves the demo catalogue, a cart and a checkout page that creates an order', async () => {
  const { storefront, base_url } = await mockShop();
  const { products, total } = await unwrap(
    storefront.GET('/api/storefront/products', { params: { query: { q: 'stoneware mug' } } }),
  );
  expect(products[0]).toMatchObject({ slug: 'rowan-stoneware-mug', price: '18.00' });
  expect(total).toBeLessThan(10);
  const picture = await fetch(products[0]?.images[0]?.url ?? '');
  expect(picture.headers.get('Content-Type')).toBe('image/svg+xml');
  const { collections } = await unwrap(storefront.GET('/api/storefront/collections'));
  expect(collections.every(({ products_count }) => products_count > 0)).toBe(true);

  const { id: cart_id } = await unwrap(storefront.POST('/api/storefront/cart'));
  const params = { path: { cart_id } };
  const body = { variant_id: products[0]?.variants[0]?.id ?? '', quantity: 2 };
  await unwrap(storefront.POST('/api/storefront/cart/{cart_id}/items', { params, body }));
  const { checkout_url } = await unwrap(storefront.POST('/api/storefront/checkout', { body: { cart_id } }));
  expect(checkout_url).toContain(`${base_url}/checkout/`);
  expect(await (await fetch(checkout_url ?? '')).text()).toContain('Place the order');
  expect(await press(checkout_url ?? '', 'placed', 'yes')).toContain('Order 1001: 40.90 EUR.');
});

test('in `commerce mock`, a customer can approve an agent and later revoke it on the pages of the mock', async () => {
  const { base_url, site_id } = await mockShop();
  const pending = await requestConsent(
    { baseUrl: base_url, siteId: site_id },
    { agent_name: 'Finder <1>', budget_cents: 6000 },
  );
  const asked = await (await fetch(pending.verification_uri_complete)).text();
  expect(asked).toContain('Finder &lt;1>');
  expect(await press(pending.verification_uri_complete, 'decision', 'allow')).toContain('Allowed');
  const { access_token } = await pending.token();
  const agent = createAgentClient({ baseUrl: base_url, agentToken: access_token });
  const { products } = await unwrap(agent.GET('/api/agent/catalog/search', { params: { query: { q: 'mug' } } }));
  const { checkout_url, checkout } = await unwrap(
    agent.POST('/api/agent/intent/find-and-buy', { body: { variant_id: products[0]?.variant_id ?? '' } }),
  );
  expect(await press(checkout_url ?? '', 'placed', 'yes')).toContain('Order 1001');
  const params = { path: { checkout_id: checkout?.id ?? '' } };
  expect(await unwrap(agent.GET('/api/agent/checkouts/{checkout_id}', { params }))).toMatchObject({
    status: 'completed',
  });
  const [, id] = /value="([0-9a-f-]{36})"/.exec(await (await fetch(`${base_url}/account`)).text()) ?? [];
  expect(await press(`${base_url}/account`, 'revoke', id ?? '')).toContain('revoked');
  await expect(unwrap(agent.GET('/api/agent/token'))).rejects.toMatchObject({ code: 'invalid_token' });
}, 30_000);

test('the example agent buys from `commerce mock`, and is rejected beyond its budget and after its revocation', async () => {
  const file = join(await folder(), 'mock.json');
  await mockShop('--credentials', file);
  const example = join(import.meta.dirname, '../../../examples/agent.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [example, '--demo', file, '--auto-approve']);
  expect(stdout).toContain('Confirmed: order 1001,');
  expect(stdout).toContain('402 budget_exceeded');
  expect(stdout).toContain('The next call is refused: 401 invalid_token.');
}, 60_000);

test('`commerce mock` allows calls from pages on other origins, and writes the credentials file for the examples', async () => {
  const file = join(await folder(), 'mock.json');
  const shop = await mockShop('--credentials', file);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ base_url: shop.base_url, site_id: shop.site_id });
  const preflight = await fetch(`${shop.base_url}/api/storefront/cart`, {
    method: 'OPTIONS',
    headers: { Origin: 'http://localhost:3000', 'Access-Control-Request-Headers': 'idempotency-key,x-site-id' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('Access-Control-Allow-Headers')).toBe('idempotency-key,x-site-id');
  const refused = await fetch(`${shop.base_url}/api/storefront/shop`, { headers: { Origin: 'http://localhost:3000' } });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('Access-Control-Allow-Origin')).toBe('http://localhost:3000');
});

test('`commerce mock` rejects a port that is in use or invalid', async () => {
  const taken = createServer();
  await new Promise<void>((listening) => taken.listen(0, 'localhost', listening));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const { commerce } = await user();
  const outcome = await commerce(['mock', '--port', String(port)]);
  expect(outcome).toMatchObject({ code: 2 });
  expect(outcome.err).toContain(`Port ${port} cannot be used`);
  expect(outcome.err).toContain('commerce mock --port 8091');
  expect((await commerce(['mock', '--port', 'http'])).err).toContain('It should be a number from 0 to 65535.');
});

test('`commerce mock` redirects an agent with a code after approval, and exchanges the code for a token', async () => {
  const { base_url: baseUrl, site_id: siteId } = await mockShop();
  const redirectUri = 'http://127.0.0.1:9/back';
  const clientId = await registerAgent({ baseUrl, siteId, name: 'Gift finder', redirectUris: [redirectUri] });
  const { url, pending } = await beginAuthorization({ baseUrl, siteId, clientId, redirectUri });
  expect(await (await fetch(url)).text()).toContain('An agent at 127.0.0.1:9 asks');
  const allowed = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ decision: 'allow' }),
    redirect: 'manual',
  });
  const { access_token } = await finishAuthorization(pending, allowed.headers.get('Location') ?? '');
  const agent = createAgentClient({ baseUrl, agentToken: access_token });
  expect(await unwrap(agent.GET('/api/agent/token'))).toMatchObject({ status: 'active' });
});
